#include "tokenizer/unicode/char_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "tokenizer/unicode/hf_unicode.h"

namespace penstock {
namespace {

constexpr uint32_t kLast = 0x10ffff;

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

CharSet CharSet::Where(const std::function<bool(uint32_t)>& holds) {
  CharSet set;
  for (uint32_t c = 0; c <= kLast; ++c) {
    if (!holds(c)) continue;
    if (set.ranges_.empty() || set.ranges_.back().last + 1 != c) {
      set.ranges_.push_back({c, c});
    } else {
      set.ranges_.back().last = c;
    }
  }
  return set;
}

CharSet CharSet::Spaces() {
  return Where([](uint32_t c) {
    return (hf_unicode::BitsOf(c) & hf_unicode::kSpace) != 0;
  });
}

std::optional<CharSet> CharSet::Category(std::string_view name) {
  const std::string_view names = hf_unicode::kCategoryNames;
  uint64_t wanted = 0;  // a bit for each category
  for (size_t i = 0; i < names.size(); i += 2) {
    if (names.substr(i, name.size()) == name) wanted |= uint64_t{1} << i / 2;
  }
  if (name.empty() || name.size() > 2 || wanted == 0) return std::nullopt;
  return Where([wanted](uint32_t c) {
    return (wanted >> hf_unicode::CategoryOf(c) & 1) != 0;
  });
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
