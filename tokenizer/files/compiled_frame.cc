// SaveFrame and LoadFrame of compiled_tokenizer.h.
#include "tokenizer/files/compiled_tokenizer.h"

namespace penstock {
namespace {

void SavePieces(const std::vector<FramePiece>& pieces, TableWriter& to) {
  to.PutNumber(pieces.size());
  for (const FramePiece& piece : pieces) {
    to.PutNumber(static_cast<uint64_t>(piece.kind));
    to.PutNumber(piece.type_id);
    to.PutNumber(piece.id);
    to.PutText(piece.text);
  }
}

std::vector<FramePiece> LoadPieces(TableReader& from) {
  std::vector<FramePiece> pieces;
  for (uint64_t left = from.Number(); left > 0 && from.ok(); --left) {
    FramePiece piece{static_cast<FramePiece::Kind>(from.Number())};
    piece.type_id = static_cast<uint32_t>(from.Number());
    piece.id = static_cast<TokenId>(from.Number());
    piece.text = from.Text();
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

void SaveTruncation(const Truncation& truncation, TableWriter& to) {
  to.PutNumber(truncation.max_length);
  to.PutNumber(truncation.stride);
  to.PutNumber(static_cast<uint64_t>(truncation.direction));
  to.PutNumber(static_cast<uint64_t>(truncation.strategy));
}

Truncation LoadTruncation(TableReader& from) {
  Truncation truncation;
  truncation.max_length = from.Number();
  truncation.stride = from.Number();
  truncation.direction = static_cast<Edge>(from.Number());
  truncation.strategy = static_cast<TruncationStrategy>(from.Number());
  return truncation;
}

void SavePadding(const Padding& padding, TableWriter& to) {
  to.PutNumber(padding.length.has_value());
  to.PutNumber(padding.length.value_or(0));
  to.PutNumber(padding.multiple_of);
  to.PutNumber(static_cast<uint64_t>(padding.direction));
  to.PutNumber(padding.id);
  to.PutNumber(padding.type_id);
  to.PutText(padding.token);
}

Padding LoadPadding(TableReader& from) {
  Padding padding;
  const bool has_length = from.Number() != 0;
  const uint64_t length = from.Number();
  if (has_length) padding.length = length;
  padding.multiple_of = from.Number();
  padding.direction = static_cast<Edge>(from.Number());
  padding.id = static_cast<TokenId>(from.Number());
  padding.type_id = static_cast<uint32_t>(from.Number());
  padding.token = from.Text();
  return padding;
}

}  // namespace

void SaveFrame(const EncodingFrame& frame, TableWriter& to) {
  SavePieces(frame.single, to);
  SavePieces(frame.pair, to);
  to.PutNumber(frame.second_overflow_type);
  to.PutNumber(frame.has_processor);
  to.PutNumber(frame.trims.size());
  for (const TrimSpaces& trim : frame.trims) {
    to.PutNumber(trim.add_prefix_space);
    for (const bool is_behind : trim.is_behind_token) to.PutNumber(is_behind);
  }
  to.PutNumber(frame.truncation.has_value());
  if (frame.truncation) SaveTruncation(*frame.truncation, to);
  to.PutNumber(frame.padding.has_value());
  if (frame.padding) SavePadding(*frame.padding, to);
}

EncodingFrame LoadFrame(TableReader& from) {
  EncodingFrame frame;
  frame.single = LoadPieces(from);
  frame.pair = LoadPieces(from);
  frame.second_overflow_type = static_cast<uint32_t>(from.Number());
  frame.has_processor = from.Number() != 0;
  for (uint64_t left = from.Number(); left > 0 && from.ok(); --left) {
    TrimSpaces& trim = frame.trims.emplace_back();
    trim.add_prefix_space = from.Number() != 0;
    for (bool& is_behind : trim.is_behind_token) is_behind = from.Number() != 0;
  }
  if (from.Number() != 0) frame.truncation = LoadTruncation(from);
  if (from.Number() != 0) frame.padding = LoadPadding(from);
  return frame;
}

}  // namespace penstock
