#include "tokenizer/unicode/char_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "tokenizer/unicode/hf_unicode.h"

namespace penstock {
namespace {

constexpr uint32_t kLast = 0x10ffff;

// The characters whose entries `holds`, of a table in blocks. Most blocks are
// one of a few, in which all are alike.
template <typename Holds>
std::vector<CharSet::Range> RangesWhere(const uint16_t* blocks,
                                        const uint8_t* entries, Holds holds) {
  constexpr uint32_t kSize = hf_unicode::kBlockSize;
  constexpr uint32_t kBlocks = (kLast + 1) / kSize;
  // By a block's number, the ranges in it.
  const size_t different = *std::max_element(blocks, blocks + kBlocks) + 1;
  std::vector<std::optional<std::vector<CharSet::Range>>> known(different);
  std::vector<CharSet::Range> ranges;
  const auto put = [](std::vector<CharSet::Range>& to, CharSet::Range range) {
    if (!to.empty() && to.back().last + 1 == range.first) {
      to.back().last = range.last;
    } else {
      to.push_back(range);
    }
  };
  for (uint32_t block = 0; block < kBlocks; ++block) {
    auto& its = known[blocks[block]];
    if (!its) {
      its.emplace();
      const uint8_t* const first = entries + blocks[block] * size_t{kSize};
      for (uint32_t i = 0; i < kSize; ++i) {
        if (holds(first[i])) put(*its, {i, i});
      }
    }
    const uint32_t begin = block * kSize;
    for (const auto [first, last] : *its) {
      put(ranges, {begin + first, begin + last});
    }
  }
  return ranges;
}

}  // namespace

CharSet CharSet::Of(uint32_t first, uint32_t last) {
  CharSet set;
  set.ranges_.push_back({first, last});
  return set;
}

std::optional<CharSet> CharSet::Between(const CharSet& first,
                                        const CharSet& last) {
  const auto is_one = [](const CharSet& set) {
    return set.ranges_.size() == 1 &&
           set.ranges_[0].first == set.ranges_[0].last;
  };
  if (!is_one(first) || !is_one(last) ||
      first.ranges_[0].first > last.ranges_[0].first) {
    return std::nullopt;
  }
  return Of(first.ranges_[0].first, last.ranges_[0].first);
}

CharSet CharSet::WithBits(uint8_t bits) {
  CharSet set;
  set.ranges_ = RangesWhere(hf_unicode::kBitsBlock, hf_unicode::kBits,
                            [bits](uint8_t its) { return (its & bits) != 0; });
  return set;
}

CharSet CharSet::Spaces() { return WithBits(hf_unicode::kSpace); }

std::optional<CharSet> CharSet::Category(std::string_view name) {
  const std::string_view names = hf_unicode::kCategoryNames;
  uint64_t wanted = 0;  // a bit for each category
  for (size_t i = 0; i < names.size(); i += 2) {
    if (names.substr(i, name.size()) == name) wanted |= uint64_t{1} << i / 2;
  }
  if (name.empty() || name.size() > 2 || wanted == 0) return std::nullopt;
  CharSet set;
  set.ranges_ = RangesWhere(
      hf_unicode::kCategoryBlock, hf_unicode::kCategory,
      [wanted](uint8_t category) { return (wanted >> category & 1) != 0; });
  return set;
}

void CharSet::Add(const CharSet& other) {
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  std::sort(ranges_.begin(), ranges_.end(),
            [](Range a, Range b) { return a.first < b.first; });
  std::vector<Range> merged;
  for (const Range range : ranges_) {
    if (!merged.empty() && range.first <= merged.back().last + 1) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  ranges_ = std::move(merged);
}

CharSet CharSet::Complement() const {
  CharSet set;
  uint32_t next = 0;
  for (const Range range : ranges_) {
    if (range.first > next) set.ranges_.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLast) set.ranges_.push_back({next, kLast});
  return set;
}

CharSet CharSet::And(const CharSet& other) const {
  CharSet neither = Complement();
  neither.Add(other.Complement());
  return neither.Complement();
}

CharSet CharSet::WithBothCases() const {
  constexpr uint32_t kToUpper = 'A' - 'a', kLongS = 0x17f, kKelvin = 0x212a;
  CharSet both = *this;
  for (uint32_t lower = 'a'; lower <= 'z'; ++lower) {
    CharSet cases = Of(lower, lower);
    cases.Add(Of(lower + kToUpper, lower + kToUpper));
    if (And(cases).ranges_.empty()) continue;
    both.Add(cases);
    if (lower == 's') both.Add(Of(kLongS, kLongS));
    if (lower == 'k') both.Add(Of(kKelvin, kKelvin));
  }
  return both;
}

std::string CharSet::ToRe2() const {
  if (ranges_.empty()) return "[^\\x{0}-\\x{10ffff}]";
  std::string text = "[";
  for (const Range range : ranges_) {
    text += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", range.first, range.last);
  }
  return text + "]";
}

}  // namespace penstock
