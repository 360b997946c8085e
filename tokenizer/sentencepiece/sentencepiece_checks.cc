#include "tokenizer/sentencepiece/sentencepiece_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "formats/files/quoted.h"
#include "formats/files/status.h"

namespace penstock {
namespace {

using Piece = SentencePiece;

constexpr size_t kPieceBytesLimit = 8000;
constexpr std::string_view kNulPiece("\0", 1);

// "piece 7 ("<s>") what".
Status PieceError(const SentencePieceModel& model, size_t id,
                  std::string_view what) {
  return DataLossError(
      fmt::format("piece {} ({}) {}", id, Quoted(model.pieces[id].text), what));
}

Status CheckText(const SentencePieceModel& model, size_t id) {
  const Piece& piece = model.pieces[id];
  if (piece.text.size() >= kPieceBytesLimit) {
    return ResourceExhaustedError(
        fmt::format("piece {} has {} bytes; below {} are supported", id,
                    piece.text.size(), kPieceBytesLimit));
  }
  if (piece.text.empty()) return PieceError(model, id, "is empty");
  if (piece.text.find('\0') != std::string_view::npos &&
      (piece.text != kNulPiece || piece.type != Piece::Type::kUnused)) {
    return PieceError(model, id, "holds a NUL byte");
  }
  return OkStatus();
}

Status CheckBytes(const SentencePieceModel& model) {
  std::array<bool, 256> found = {};
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const Piece& piece = model.pieces[id];
    if (piece.type != Piece::Type::kByte) continue;
    if (!model.byte_fallback) {
      return PieceError(model, id,
                        "is a byte piece, but the model has no byte fallback");
    }
    const int byte = ByteOfPiece(piece.text);
    if (byte < 0) {
      return PieceError(model, id,
                        "is a byte piece, but not spelled like \"<0x0A>\"");
    }
    found[byte] = true;
  }
  const auto missing = std::find(found.begin(), found.end(), false);
  if (model.byte_fallback && missing != found.end()) {
    return DataLossError(
        fmt::format("the model has byte fallback, but no piece \"<0x{:02X}>\"",
                    missing - found.begin()));
  }
  return OkStatus();
}

Status CheckUnknown(const SentencePieceModel& model) {
  std::string first;
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].type != Piece::Type::kUnknown) continue;
    if (!first.empty()) {
      return PieceError(model, id, "is a second unknown piece, after " + first);
    }
    first = fmt::format("piece {}", id);
  }
  if (first.empty() && !model.byte_fallback) {
    return DataLossError(
        "no piece is the unknown one, and there is no byte fallback");
  }
  return OkStatus();
}

}  // namespace

Status CheckSentencePieceModel(SentencePieceModel& model) {
  if (model.pieces.empty()) {
    return DataLossError("not a SentencePiece model: it has no pieces");
  }
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.byte_fallback && model.pieces[id].text == kNulPiece) {
      model.pieces[id].type = Piece::Type::kUnused;
    }
    PENSTOCK_RETURN_IF_ERROR(CheckText(model, id));
    if (!std::isfinite(model.pieces[id].score)) {
      return PieceError(model, id, "has a score that is not finite");
    }
  }
  PENSTOCK_RETURN_IF_ERROR(CheckUnknown(model));
  return CheckBytes(model);
}

}  // namespace penstock
