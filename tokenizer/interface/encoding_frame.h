// What a file does to ids once the model made them: truncation, tokens around
// them, padding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/interface/encoding.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// Leaves spaces out of the origins of byte-level tokens.
struct TrimSpaces {
  // One space before the first token was not in the text.
  bool add_prefix_space = true;
  // Which texts' first tokens are no longer the first, where special tokens are
  // added: one was put before them.
  std::array<bool, 2> is_behind_token = {};
};

// One piece of a template.
struct FramePiece {
  enum class Kind : uint8_t { kFirst, kSecond, kToken };

  Kind kind;
  uint32_t type_id = 0;
  TokenId id = 0;  // of kToken
  // Of kToken: what its text is; empty: as the vocabulary spells the id.
  std::string text = {};
};

struct EncodingFrame {
  // Around one text, in which a text most often comes once, and around two.
  std::vector<FramePiece> single = {{FramePiece::Kind::kFirst}};
  std::vector<FramePiece> pair = {{FramePiece::Kind::kFirst, 0},
                                  {FramePiece::Kind::kSecond, 1}};
  // The type of overflowing parts of the second text where special tokens are
  // added. Templates do not change it; without special tokens it is 1.
  uint32_t second_overflow_type = 1;
  // Without a post-processor the reference takes all of one text's encoding,
  // padding too, and all of an overflowing part for the first text's.
  bool has_processor = false;
  std::vector<TrimSpaces> trims = {};  // one after the other

  std::optional<Truncation> truncation;
  std::optional<Padding> padding;
};

// How many tokens truncation leaves room for.
size_t AddedTokenCount(const std::vector<FramePiece>& pieces);

// What stands before and after a text, where that is all that `frame` does to
// one; else nullopt.
struct Affixes {
  std::vector<TokenId> before, after;
};
std::optional<Affixes> AffixesOf(const EncodingFrame& frame);

// What is left of the ids of one text, bare, in its frame.
// Errors:  kInvalidArgument where the text is too long and cannot be cut.
StatusOr<std::vector<TokenId>> FrameIds(const EncodingFrame& frame,
                                        bool add_special_tokens,
                                        std::vector<TokenId> bare);

// All of it that decides ids.
void AddToFingerprint(const EncodingFrame& frame, Fingerprinter& print);

// The length that truncation leaves to texts of `first` and `second` tokens.
// `max_length` is that of the texts alone.
// Errors:  kInvalidArgument where they cannot be cut so.
struct TextLengths {
  size_t first, second;
};
StatusOr<TextLengths> TruncatedLengths(const Truncation& truncation,
                                       size_t max_length, size_t first,
                                       std::optional<size_t> second);

// The length to pad to, at least `longest`.
size_t PaddedLength(const Padding& padding, size_t longest);

// `truncation.max_length` less the tokens around.
// Errors:  kInvalidArgument where they alone are more.
StatusOr<size_t> LengthForTexts(const Truncation& truncation,
                                const std::vector<FramePiece>& pieces,
                                bool add_special_tokens);

}  // namespace penstock
