// Tokens that are written out in the text and cut it before anything else:
// "[MASK]". The added_tokens of a tokenizer.json.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/interface/normalizer.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/special_tokens.h"

namespace penstock {

struct AddedToken {
  std::string content;
  TokenId id = 0;
  // Only where neither neighbour is a word character (\w).
  bool single_word = false;
  // Takes the White_Space on that side with it.
  bool strip_left = false;
  bool strip_right = false;
  // Looked for in normalized text, itself normalized.
  bool normalized = false;
  // What EncodeOptions::special_text and DecodeOptions::skip_special_tokens
  // are about.
  bool special = false;
};

// Found as TokenWalk has it.
//
// Threads: any number at a time, once filled.
class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(AddedTokens&&) = default;
  AddedTokens& operator=(AddedTokens&&) = default;
  // `normalizer` may be null; it is only used here.
  // Errors:  those of Normalizer::Normalize, for a token's text.
  static StatusOr<AddedTokens> Make(std::vector<AddedToken> tokens,
                                    const Normalizer* normalizer);

  // When to look: before or after normalization.
  enum class Pass { kRaw, kNormalized };

  // A part of a text: an added token, or what is between two.
  struct Part {
    size_t begin, end;
    const AddedToken* token;  // null: text
  };
  // Appends the parts of `text`, none empty. Where one token strips the space
  // that another begins in, they overlap.
  // Errors:  kInvalidArgument naming a refused token and where it is.
  Status Find(std::string_view text, Pass pass, SpecialText special,
              std::vector<Part>& parts) const;

  // Whether `text` may have one of the pass, whatever its flags.
  bool MayBeIn(std::string_view text, Pass pass) const {
    return finders_[IndexOf(pass)].FindNext(text, 0).has_value();
  }

  // Whether no token reaches over a U+0020, to text that begins there, or looks
  // behind one.
  bool StopAtSpaces() const;
  // Whether the last that `text` has may be a token.
  bool MayEnd(std::string_view text) const;

  bool Has(Pass pass) const { return !finders_[IndexOf(pass)].empty(); }
  // All of them, in order of id.
  const std::map<TokenId, AddedToken>& tokens() const { return tokens_; }
  // As decoders are given it: a normalized token in its normalized form.
  std::optional<std::string_view> SpellingOf(TokenId id) const;
  // Whether DecodeOptions::skip_special_tokens leaves `spelling` out.
  bool IsSpecial(std::string_view spelling) const {
    return special_.contains(spelling);
  }

 private:
  static size_t IndexOf(Pass pass) { return pass == Pass::kRaw ? 0 : 1; }

  std::map<TokenId, AddedToken> tokens_;
  std::map<TokenId, std::string> normalized_;  // where it differs
  std::set<std::string, std::less<>> special_;
  SpecialTokens finders_[2];
  // Of finders_' tokens, in tokens_.
  std::vector<const AddedToken*> found_[2];
};

}  // namespace penstock
