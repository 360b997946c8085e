#include "tokenizer/components/added_tokens.h"

#include <algorithm>
#include <utility>

#include "tokenizer/unicode/aligned_text.h"
#include "tokenizer/vocabulary/token_walk.h"

namespace penstock {
StatusOr<AddedTokens> AddedTokens::Make(std::vector<AddedToken> tokens,
                                        const Normalizer* normalizer) {
  AddedTokens made;
  for (AddedToken& token : tokens) {
    if (token.special) made.special_.insert(token.content);
    const TokenId id = token.id;
    if (token.normalized && normalizer != nullptr) {
      AlignedText text(Alignment::kDropped);
      text.Assign(token.content, 0);
      PENSTOCK_RETURN_IF_ERROR(normalizer->Normalize(text));
      if (text.text() != token.content) made.normalized_[id] = text.text();
    }
    made.tokens_[id] = std::move(token);
  }
  std::vector<SpecialToken> found[2];
  std::set<std::string, std::less<>> taken;
  for (const auto& [id, token] : made.tokens_) {
    SpecialToken entry = {.text = token.content,
                          .id = id,
                          .special = token.special,
                          .single_word = token.single_word,
                          .strip_left = token.strip_left,
                          .strip_right = token.strip_right};
    if (token.normalized) {
      entry.text = std::string(*made.SpellingOf(id));
      // The reference keeps either of two that are alike once normalized.
      if (entry.text.empty() || !taken.insert(entry.text).second) continue;
    }
    found[token.normalized].push_back(std::move(entry));
  }
  for (const int pass : {0, 1}) {
    if (found[pass].empty()) continue;
    made.finders_[pass] = SpecialTokens(std::move(found[pass]));
    for (const SpecialToken& token : made.finders_[pass].tokens()) {
      made.found_[pass].push_back(&made.tokens_.at(token.id));
    }
  }
  return made;
}

bool AddedTokens::StopAtSpaces() const {
  const auto has_space = [](std::string_view text) {
    return text.find(' ') != std::string_view::npos;
  };
  for (const auto& [id, token] : tokens_) {
    if (token.strip_left || token.strip_right || has_space(token.content) ||
        has_space(*SpellingOf(id))) {
      return false;
    }
  }
  return true;
}

bool AddedTokens::MayEnd(std::string_view text) const {
  return std::ranges::any_of(tokens_, [text](const auto& entry) {
    return text.ends_with(entry.second.content);
  });
}

std::optional<std::string_view> AddedTokens::SpellingOf(TokenId id) const {
  if (const auto normalized = normalized_.find(id);
      normalized != normalized_.end()) {
    return normalized->second;
  }
  const auto token = tokens_.find(id);
  if (token == tokens_.end()) return std::nullopt;
  return token->second.content;
}

Status AddedTokens::Find(std::string_view text, Pass pass, SpecialText special,
                         std::vector<Part>& parts) const {
  const SpecialTokens& finder = finders_[IndexOf(pass)];
  TokenWalk walk(finder, text, special);
  while (true) {
    const TokenWalk::Step step = walk.Next();
    if (step.refused) {
      return RefusedSpecialText(tokens_.at(step.token->id).content, step.found);
    }
    if (step.gap < step.begin) parts.push_back({step.gap, step.begin, nullptr});
    if (step.token == nullptr) return OkStatus();
    if (step.begin < step.end) {
      const size_t place = step.token - finder.tokens().data();
      parts.push_back({step.begin, step.end, found_[IndexOf(pass)][place]});
    }
  }
}

}  // namespace penstock
