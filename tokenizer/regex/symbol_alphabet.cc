#include "tokenizer/regex/symbol_alphabet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

constexpr size_t kCodePoints = 0x110000;
constexpr size_t kMaxSets = 2000;

using SymbolBits = std::bitset<SymbolAlphabet::kMost + 1>;

// As a class of bytes.
std::string ClassOf(const SymbolBits& symbols) {
  if (symbols.none()) return "[^\\x00-\\xff]";
  std::string text = "[";
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (!symbols[i]) continue;
    const size_t first = i;
    while (i + 1 < symbols.size() && symbols[i + 1]) ++i;
    text += fmt::format("\\x{:02x}-\\x{:02x}", first, i);
  }
  return text + "]";
}

// Calls `visit` with the place in `cuts` of each stretch in the set.
template <typename Visit>
void ForEachIn(const CharSet& set, std::span<const uint32_t> cuts,
               Visit visit) {
  auto at = cuts.begin();
  for (const auto [first, last] : set.ranges()) {
    at = std::lower_bound(at, cuts.end(), first);
    for (; *at <= last; ++at) visit(at - cuts.begin());
  }
}

// The symbols of the stretches between `cuts`: set by set, those of one kind
// that are in the set become another kind.
StatusOr<std::vector<uint8_t>> SymbolsBetween(std::span<const uint32_t> cuts,
                                              std::span<const CharSet> sets) {
  std::vector<uint32_t> kinds(cuts.size() - 1);
  uint32_t count = 1;
  for (const CharSet& set : sets) {
    std::vector<uint32_t> inside(count);  // by kind so far; 0: none yet
    ForEachIn(set, cuts, [&](size_t at) {
      uint32_t& kind = inside[kinds[at]];
      if (kind == 0) kind = count++;
      kinds[at] = kind;
    });
    // Only those that are still there, from 0 on in the order of characters.
    std::vector<uint32_t> numbers(count);
    count = 0;
    for (uint32_t& kind : kinds) {
      if (numbers[kind] == 0) numbers[kind] = ++count;
      kind = numbers[kind] - 1;
    }
  }
  if (count > SymbolAlphabet::kMost) {
    return UnimplementedError(
        fmt::format("more than {} kinds of characters", SymbolAlphabet::kMost));
  }
  std::vector<uint8_t> symbols;
  for (const uint32_t kind : kinds) {
    symbols.push_back(static_cast<uint8_t>(kind + 1));
  }
  return symbols;
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
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<uint8_t> symbol_of,
                            SymbolsBetween(cuts, sets));
  SymbolAlphabet alphabet;
  alphabet.boundary_ =
      *std::max_element(symbol_of.begin(), symbol_of.end()) + size_t{1};
  alphabet.members_.resize(sets.size());
  for (size_t i = 0; i < sets.size(); ++i) {
    auto& members = alphabet.members_[i];
    ForEachIn(sets[i], cuts, [&](size_t at) { members.set(symbol_of[at]); });
    alphabet.classes_.push_back(ClassOf(members));
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

SymbolAlphabet::Symbol SymbolAlphabet::AtAny(std::string_view text,
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
