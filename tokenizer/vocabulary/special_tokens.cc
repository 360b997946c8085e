#include "tokenizer/vocabulary/special_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace penstock {

SpecialTokens::SpecialTokens(std::vector<SpecialToken> tokens)
    : tokens_(std::move(tokens)) {
  // With more it is faster to look at each byte.
  constexpr size_t kMostPairs = 24;
  std::sort(tokens_.begin(), tokens_.end(),
            [](const auto& a, const auto& b) { return a.text < b.text; });
  size_t shortest = tokens_.empty() ? 0 : tokens_[0].text.size();
  for (const SpecialToken& token : tokens_) {
    const std::string& text = token.text;
    shortest = std::min(shortest, text.size());
    longest_ = std::max(longest_, text.size());
    bool& begins = begins_[static_cast<unsigned char>(text[0])];
    if (!begins) firsts_ += text[0];
    begins = true;
    const std::array<char, 2> pair = {text[0], text[1]};
    if (pairs_.empty() || pairs_.back() != pair) pairs_.push_back(pair);
  }
  if (shortest < 2 || pairs_.size() > kMostPairs) pairs_.clear();
}

size_t SpecialTokens::NextCandidate(std::string_view text, size_t pos) const {
  if (pairs_.empty()) {
    while (pos < text.size() && !begins_[static_cast<unsigned char>(text[pos])])
      ++pos;
    return pos;
  }
  constexpr size_t kPlaces = 64;
  std::array<char, kPlaces + 1> rest;
  for (; pos < text.size(); pos += kPlaces) {
    const char* p = text.data() + pos;
    if (const size_t size = text.size() - pos; size < rest.size()) {
      rest = {};
      std::copy_n(p, size, rest.begin());
      p = rest.data();
    }
    const std::string_view block(p, kPlaces);
    // Fewer compares where pairs share first bytes and a block has none.
    if (firsts_.size() < pairs_.size() &&
        std::none_of(firsts_.begin(), firsts_.end(), [&](char first) {
          return block.find(first) != block.npos;
        })) {
      continue;
    }
    // All bits where a pair stands. GCC makes vectors of these loops as they
    // are; a branch in them, or no array, undoes that.
    char found[kPlaces] = {};
    for (const auto [first, second] : pairs_) {
      for (size_t i = 0; i < kPlaces; ++i) {
        found[i] |= -static_cast<char>((p[i] == first) & (p[i + 1] == second));
      }
    }
    char any = 0;
    for (size_t i = 0; i < kPlaces; ++i) any |= found[i];
    if (any) return pos + std::string_view(found, kPlaces).find('\xff');
  }
  return pos;
}

std::optional<SpecialTokens::Match> SpecialTokens::FindNext(
    std::string_view text, size_t begin) const {
  if (tokens_.empty()) return std::nullopt;
  for (size_t pos = NextCandidate(text, begin); pos < text.size();
       pos = NextCandidate(text, pos + 1)) {
    if (const SpecialToken* token = LongestAt(text.substr(pos))) {
      return Match{token, pos, pos + token->text.size()};
    }
  }
  return std::nullopt;
}

const SpecialToken* SpecialTokens::LongestAt(std::string_view text) const {
  // Narrows the sorted tokens to those that agree with one more byte.
  const SpecialToken* found = nullptr;
  auto low = tokens_.begin();
  auto high = tokens_.end();
  for (size_t depth = 0; depth < text.size() && low != high; ++depth) {
    const auto byte = static_cast<unsigned char>(text[depth]);
    const auto byte_of = [depth](const SpecialToken& token) {
      return depth < token.text.size()
                 ? static_cast<unsigned char>(token.text[depth])
                 : -1;
    };
    low = std::partition_point(
        low, high, [&](const auto& token) { return byte_of(token) < byte; });
    high = std::partition_point(
        low, high, [&](const auto& token) { return byte_of(token) <= byte; });
    if (low != high && low->text.size() == depth + 1) found = &*low;
  }
  return found;
}

bool SpecialTokens::MayCross(std::string_view text, size_t place) const {
  for (size_t size = 1; size < longest_ && size <= place; ++size) {
    const std::string_view before = text.substr(place - size, size);
    if (!begins_[static_cast<unsigned char>(before[0])]) continue;
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
