#include "tokenizer/vocabulary/special_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tokenizer/vocabulary/token_begins.h"

namespace penstock {

SpecialTokens::SpecialTokens(std::vector<SpecialToken> tokens)
    : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(),
            [](const auto& a, const auto& b) { return a.text < b.text; });
  TokenBegins begins;
  std::string_view last;
  for (const SpecialToken& token : tokens_) {
    const std::string_view text = token.text;
    longest_ = std::max(longest_, text.size());
    const std::string_view begin = text.substr(0, 2);
    if (begin != last) begins.Add(begin);
    last = begin;
    ++from_[static_cast<unsigned char>(text[0]) + 1];
  }
  if (!tokens_.empty()) begins_ = std::make_shared<TokenBegins>(begins);
  std::partial_sum(from_.begin(), from_.end(), from_.begin());
}

std::optional<SpecialTokens::Match> SpecialTokens::FindNext(
    std::string_view text, size_t begin) const {
  if (tokens_.empty()) return std::nullopt;
  for (size_t pos = begins_->Next(text, begin); pos < text.size();
       pos = begins_->Next(text, pos + 1)) {
    if (const SpecialToken* token = LongestAt(text.substr(pos))) {
      return Match{token, pos, pos + token->text.size()};
    }
  }
  return std::nullopt;
}

const SpecialToken* SpecialTokens::LongestAt(std::string_view text) const {
  const auto first = static_cast<unsigned char>(text[0]);
  auto low = tokens_.begin() + from_[first];
  auto high = tokens_.begin() + from_[first + 1];
  // Narrows the sorted tokens to those that agree with one more byte.
  const SpecialToken* found = nullptr;
  for (size_t depth = 1; low != high; ++depth) {
    if (low->text.size() == depth) found = &*low++;
    if (depth == text.size() || low == high) break;
    const auto byte_of = [depth](const SpecialToken& token) {
      return static_cast<unsigned char>(token.text[depth]);
    };
    const auto byte = static_cast<unsigned char>(text[depth]);
    const auto least = byte_of(*low), most = byte_of(high[-1]);
    if (byte < least || byte > most) break;
    if (least == most) continue;  // they all agree
    low = std::partition_point(
        low, high, [&](const auto& token) { return byte_of(token) < byte; });
    high = std::partition_point(
        low, high, [&](const auto& token) { return byte_of(token) == byte; });
  }
  return found;
}

bool SpecialTokens::MayCross(std::string_view text, size_t place) const {
  for (size_t size = 1; size < longest_ && size <= place; ++size) {
    const std::string_view before = text.substr(place - size, size);
    if (!begins_->Has(before[0])) continue;
    const auto token = std::partition_point(
        tokens_.begin(), tokens_.end(),
        [&](const SpecialToken& t) { return t.text <= before; });
    if (token != tokens_.end() && token->text.starts_with(before)) return true;
  }
  return false;
}

Status RefusedSpecialText(std::string_view token, size_t offset) {
  return InvalidArgumentError(fmt::format(
      "the text holds the special token \"{}\" at offset {}; remove it, or "
      "allow special tokens or take them as text",
      token, offset));
}

}  // namespace penstock
