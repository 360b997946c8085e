#include "tokenizer/regex/symbol_alphabet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

constexpr size_t kCodePoints = 0x110000;
constexpr size_t kMaxSets = 2000;

// A class of the bytes in `symbols`, in order.
std::string ClassOf(const std::vector<uint8_t>& symbols) {
  if (symbols.empty()) return "[^\\x00-\\xff]";
  std::string text = "[";
  for (size_t i = 0; i < symbols.size(); ++i) {
    const uint8_t first = symbols[i];
    while (i + 1 < symbols.size() && symbols[i + 1] == symbols[i] + 1) ++i;
    text += fmt::format("\\x{:02x}-\\x{:02x}", first, symbols[i]);
  }
  return text + "]";
}

size_t SizeAt(std::string_view text, size_t pos) {
  if (static_cast<signed char>(text[pos]) >= 0) return 1;
  const size_t size =
      Utf8SizeOfChar(text.data() + pos, text.data() + text.size());
  return std::max<size_t>(size, 1);
}

}  // namespace

StatusOr<SymbolAlphabet> SymbolAlphabet::Make(std::span<const CharSet> sets) {
  if (sets.size() > kMaxSets) {
    return UnimplementedError(
        fmt::format("more than {} sets of characters", kMaxSets));
  }
  // Between two neighbouring places of `cuts` all characters are alike.
  std::vector<uint32_t> cuts = {0, kCodePoints};
  for (const CharSet& set : sets) {
    for (const auto [first, last] : set.ranges()) {
      cuts.push_back(first);
      cuts.push_back(last + 1);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<std::vector<uint16_t>> members(cuts.size() - 1);
  for (size_t i = 0; i < sets.size(); ++i) {
    for (const auto [first, last] : sets[i].ranges()) {
      size_t at =
          std::lower_bound(cuts.begin(), cuts.end(), first) - cuts.begin();
      for (; cuts[at] <= last; ++at) {
        members[at].push_back(static_cast<uint16_t>(i));
      }
    }
  }
  std::map<std::vector<uint16_t>, uint8_t> symbols;
  std::vector<uint8_t> symbol_of(members.size());  // by place in `cuts`
  for (size_t at = 0; at < members.size(); ++at) {
    const auto next = static_cast<uint8_t>(symbols.size() + 1);
    symbol_of[at] = symbols.emplace(std::move(members[at]), next).first->second;
    if (symbols.size() > SymbolAlphabet::kMost) {
      return UnimplementedError(fmt::format("more than {} kinds of characters",
                                            SymbolAlphabet::kMost));
    }
  }
  SymbolAlphabet alphabet;
  alphabet.boundary_ = symbols.size() + 1;
  alphabet.members_.resize(sets.size());
  std::vector<std::vector<uint8_t>> classes(sets.size());
  for (const auto& [member_of, symbol] : symbols) {
    for (const uint16_t set : member_of) {
      classes[set].push_back(symbol);
      alphabet.members_[set].set(symbol);
    }
  }
  for (std::vector<uint8_t>& its_symbols : classes) {
    std::sort(its_symbols.begin(), its_symbols.end());
    alphabet.classes_.push_back(ClassOf(its_symbols));
  }
  alphabet.SetBlocks(cuts, symbol_of);
  return alphabet;
}

void SymbolAlphabet::SetBlocks(std::span<const uint32_t> cuts,
                               std::span<const uint8_t> symbol_of) {
  // The block in which all characters have a symbol, by symbol.
  std::array<std::optional<uint16_t>, kMost + 1> alike;
  size_t at = 0;  // cuts[at] <= c < cuts[at + 1]
  for (uint32_t begin = 0; begin < kCodePoints; begin += kBlock) {
    while (cuts[at + 1] <= begin) ++at;
    const uint8_t first = symbol_of[at];
    const bool is_alike = begin + kBlock <= cuts[at + 1];
    if (is_alike && alike[first]) {
      blocks_.push_back(*alike[first]);
      continue;
    }
    const auto number = static_cast<uint16_t>(symbols_.size() / kBlock);
    if (is_alike) alike[first] = number;
    blocks_.push_back(number);
    for (uint32_t c = begin; c < begin + kBlock; ++c) {
      if (cuts[at + 1] == c) ++at;
      symbols_.push_back(symbol_of[at]);
    }
  }
}

SymbolAlphabet::Symbol SymbolAlphabet::AtWide(std::string_view text,
                                              size_t pos) const {
  const size_t size =
      Utf8SizeOfChar(text.data() + pos, text.data() + text.size());
  if (size == 0) return {Of(kReplacementCharacter), 1};
  return {Of(NextChar(text, pos)), static_cast<uint32_t>(size)};
}

size_t SymbolAlphabet::Spell(std::string_view text, size_t pos, size_t count,
                             std::string& symbols) const {
  symbols.resize(std::min(count, text.size() - pos));
  size_t i = 0;
  for (; i < symbols.size() && pos < text.size(); ++i) {
    const Symbol next = At(text, pos);
    symbols[i] = static_cast<char>(next.symbol);
    pos += next.size_bytes;
  }
  symbols.resize(i);
  return pos;
}

size_t SkipCharacters(std::string_view text, size_t pos, size_t count) {
  for (; count > 0; --count) pos += SizeAt(text, pos);
  return pos;
}

size_t SkipBack(std::string_view text, size_t pos, size_t count) {
  for (; count > 0 && pos > 0; --count) {
    const size_t begin = pos - std::min<size_t>(pos, 4);
    size_t last = pos - 1;
    for (size_t at = pos - 1; at + 1 > begin; --at) {
      if (Utf8SizeOfChar(text.data() + at, text.data() + text.size()) ==
          pos - at) {
        last = at;
        break;
      }
      if (at == 0) break;
    }
    pos = last;
  }
  return pos;
}

}  // namespace penstock
