#include "tokenizer/sentencepiece/sentencepiece_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "formats/files/status_or.h"
#include "formats/wire/wire_format.h"
#include "tokenizer/sentencepiece/sentencepiece_checks.h"

namespace penstock {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kBytes = 2;
constexpr uint32_t kFixed32 = 5;

constexpr uint32_t TagOf(uint32_t field, uint32_t wire_type) {
  return field << 3 | wire_type;
}

// The readers give false where the wire is broken; `defect` then says how. A
// field that is not known, or not of the type it should be, is stepped over,
// as protobuf does.

bool ReadBool(WireReader& fields, bool& out) {
  uint64_t value;
  if (!fields.ReadVarint(value)) return false;
  out = value != 0;
  return true;
}

// An enum's number that is not known leaves the default.
template <typename Enum>
bool ReadEnum(WireReader& fields, uint64_t last, Enum& out) {
  uint64_t value;
  if (!fields.ReadVarint(value)) return false;
  if (value >= 1 && value <= last) out = static_cast<Enum>(value);
  return true;
}

bool ReadFloat(WireReader& fields, float& out) {
  std::string_view bytes;
  if (!fields.ReadFixed32(bytes)) return false;
  uint32_t bits = 0;
  for (int i = 3; i >= 0; --i) {
    bits = bits << 8 | static_cast<uint8_t>(bytes[i]);
  }
  out = std::bit_cast<float>(bits);
  return true;
}

bool ReadPiece(std::string_view message, WireDefect& defect,
               SentencePiece& piece) {
  WireReader fields(message, defect);
  uint32_t tag;
  while (fields.NextTag(tag)) {
    switch (tag) {
      case TagOf(1, kBytes):
        fields.ReadChunk(piece.text);
        break;
      case TagOf(2, kFixed32):
        ReadFloat(fields, piece.score);
        break;
      case TagOf(3, kVarint):
        ReadEnum(fields, 6, piece.type);
        break;
      default:
        fields.Skip(tag, kWireDepthLimit);
    }
  }
  return defect.what == nullptr;
}

bool ReadTrainerSpec(std::string_view message, WireDefect& defect,
                     SentencePieceModel& model) {
  WireReader fields(message, defect);
  uint32_t tag;
  while (fields.NextTag(tag)) {
    switch (tag) {
      case TagOf(3, kVarint):
        ReadEnum(fields, 4, model.type);
        break;
      case TagOf(24, kVarint):
        ReadBool(fields, model.whitespace_is_suffix);
        break;
      case TagOf(35, kVarint):
        ReadBool(fields, model.byte_fallback);
        break;
      case TagOf(44, kBytes):
        fields.ReadChunk(model.unknown_surface);
        break;
      default:
        fields.Skip(tag, kWireDepthLimit);
    }
  }
  return defect.what == nullptr;
}

bool ReadNormalizerSpec(std::string_view message, WireDefect& defect,
                        SentencePieceNormalization& spec) {
  WireReader fields(message, defect);
  uint32_t tag;
  while (fields.NextTag(tag)) {
    switch (tag) {
      case TagOf(1, kBytes):
        fields.ReadChunk(spec.name);
        break;
      case TagOf(2, kBytes):
        fields.ReadChunk(spec.charsmap);
        break;
      case TagOf(3, kVarint):
        ReadBool(fields, spec.add_dummy_prefix);
        break;
      case TagOf(4, kVarint):
        ReadBool(fields, spec.remove_extra_whitespaces);
        break;
      case TagOf(5, kVarint):
        ReadBool(fields, spec.escape_whitespaces);
        break;
      default:
        fields.Skip(tag, kWireDepthLimit);
    }
  }
  return defect.what == nullptr;
}

bool ReadModel(std::string_view message, WireDefect& defect,
               SentencePieceModel& model) {
  WireReader fields(message, defect);
  uint32_t tag;
  while (defect.what == nullptr && fields.NextTag(tag)) {
    std::string_view chunk;
    switch (tag) {
      case TagOf(1, kBytes):
        if (fields.ReadChunk(chunk)) {
          ReadPiece(chunk, defect, model.pieces.emplace_back());
        }
        break;
      case TagOf(2, kBytes):
        if (fields.ReadChunk(chunk)) ReadTrainerSpec(chunk, defect, model);
        break;
      case TagOf(3, kBytes):
        if (fields.ReadChunk(chunk)) {
          ReadNormalizerSpec(chunk, defect, model.normalization);
        }
        break;
      case TagOf(5, kBytes):
        if (fields.ReadChunk(chunk)) {
          ReadNormalizerSpec(chunk, defect, model.denormalization);
        }
        break;
      default:
        fields.Skip(tag, kWireDepthLimit);
    }
  }
  return defect.what == nullptr;
}

}  // namespace

int ByteOfPiece(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    if (c >= '0' && c <= '9') {
      value = value * 16 + (c - '0');
    } else if (c >= 'A' && c <= 'F') {
      value = value * 16 + (c - 'A' + 10);
    } else {
      return -1;
    }
  }
  return value;
}

StatusOr<SentencePieceModel> ParseSentencePieceModel(std::string_view bytes,
                                                     const std::string& name) {
  SentencePieceModel model;
  // Most pieces are longer in the file; what is never used costs nothing.
  constexpr size_t kBytesOfPiece = 16;
  constexpr size_t kMostReserved = 1 << 20;
  model.pieces.reserve(std::min(bytes.size() / kBytesOfPiece, kMostReserved));
  WireDefect defect;
  if (!ReadModel(bytes, defect, model)) {
    return DataLossError(fmt::format(
        "{}: not a SentencePiece model, or a damaged one: {} at offset {}",
        name, defect.what, defect.at - bytes.data()));
  }
  if (Status status = CheckSentencePieceModel(model); !status.ok()) {
    return Annotate(status, name);
  }
  return model;
}

}  // namespace penstock
