// What a SentencePiece .model file says: pieces, and how text is normalized.
//
//   ModelProto      pieces = 1, trainer_spec = 2, normalizer_spec = 3,
//                   denormalizer_spec = 5
//   SentencePiece   piece = 1, score = 2 (float), type = 3
//   TrainerSpec     model_type = 3, treat_whitespace_as_suffix = 24,
//                   byte_fallback = 35, unk_surface = 44
//   NormalizerSpec  name = 1, precompiled_charsmap = 2, add_dummy_prefix = 3,
//                   remove_extra_whitespaces = 4, escape_whitespaces = 5
//
// Source:  google/sentencepiece, sentencepiece_model.proto (field numbers).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "formats/memory/huge_pages.h"

namespace penstock {

// U+2581, which stands for a space inside pieces.
inline constexpr std::string_view kSpaceSymbol = "\xe2\x96\x81";

struct SentencePiece {
  enum class Type : uint8_t {
    kNormal = 1,
    kUnknown = 2,      // what no piece covers; at most one
    kControl = 3,      // "<s>": never found in text, decodes to nothing
    kUserDefined = 4,  // found in text before anything else
    kUnused = 5,       // has an id, but no text gets it
    kByte = 6,         // "<0x0A>": a byte of what no piece covers
  };

  std::string_view text;
  float score = 0;
  Type type = Type::kNormal;

  // Can be found in text.
  bool IsFound() const {
    return type == Type::kNormal || type == Type::kUserDefined;
  }
  // Shares no names with the pieces for which this is false.
  bool IsReserved() const { return !IsFound() && type != Type::kUnused; }
};

struct SentencePieceNormalization {
  std::string_view name;  // "nmt_nfkc", for people
  std::string_view charsmap;
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
};

// Views are into the bytes that were parsed.
struct SentencePieceModel {
  enum class Type : uint8_t { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };

  Type type = Type::kUnigram;
  bool whitespace_is_suffix = false;
  bool byte_fallback = false;
  std::string_view unknown_surface = " \xe2\x81\x87 ";
  SentencePieceNormalization normalization;
  SentencePieceNormalization denormalization;  // without a charsmap: none
  HugePageVector<SentencePiece> pieces;        // by id
};

// `name` is the file's, for messages. What comes back is fit for use, but for
// pieces that are named twice: no piece is empty or holds a NUL byte (but for
// an unused piece that is one); scores are finite; there is at most one unknown
// piece, and one unless bytes stand in for it; a byte piece's text is its
// byte's, and there are 256 of them if and only if there is byte fallback.
//
// Errors:  kDataLoss naming the offset or piece and what is wrong;
//          kResourceExhausted for a piece of 8000 bytes or more, as
//          sentencepiece has it.
StatusOr<SentencePieceModel> ParseSentencePieceModel(std::string_view bytes,
                                                     const std::string& name);

// "<0x0A>" -> 10; -1 for anything else.
int ByteOfPiece(std::string_view text);

}  // namespace penstock
