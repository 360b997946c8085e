// Finds the tokens that are written out in the text: "<|endoftext|>".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

class TokenBegins;

struct SpecialToken {
  std::string text;  // not empty
  TokenId id = 0;
  // What EncodeOptions::special_text and DecodeOptions::skip_special_tokens
  // are about. A token without it is always found in the text.
  bool special = true;
  // Hugging Face's flag: looked for only in what the others leave over.
  bool normalized = false;
  // Whether it is looked for; else no text leads to it.
  bool in_text = true;
  // Only where neither neighbour is a word character (\w).
  bool single_word = false;
  // Takes the White_Space on that side with it.
  bool strip_left = false;
  bool strip_right = false;
};

// Leftmost, and of those that begin there the longest, whatever the tokens'
// flags: TokenWalk heeds them.
//
// tiktoken leaves it to chance where one special token begins another; no
// published vocabulary has such a pair.
//
// Threads: any number at a time.
class SpecialTokens {
 public:
  SpecialTokens() = default;
  // No two with the same text.
  explicit SpecialTokens(std::vector<SpecialToken> tokens);

  struct Match {
    const SpecialToken* token;
    size_t begin, end;
  };
  // The first match at or after `begin`.
  //
  // Cost:    that of TokenBegins up to the two bytes that some token begins
  //          with.
  std::optional<Match> FindNext(std::string_view text, size_t begin) const;

  // Whether a token may stand on both sides of `place`: one has the bytes
  // before it, and goes on.
  bool MayCross(std::string_view text, size_t place) const;

  bool empty() const { return tokens_.empty(); }
  const std::vector<SpecialToken>& tokens() const { return tokens_; }

 private:
  // The longest token that `text`, not empty, begins with; null without one.
  const SpecialToken* LongestAt(std::string_view text) const;

  std::vector<SpecialToken> tokens_;  // sorted by text
  size_t longest_ = 0;                // in bytes
  // Null without tokens.
  std::shared_ptr<const TokenBegins> begins_;
  // By first byte, how many tokens begin with a lower one.
  std::array<uint32_t, 257> from_{};
};

// That `token` was found where SpecialText::kRefuse refuses it.
Status RefusedSpecialText(std::string_view token, size_t offset);

}  // namespace penstock
