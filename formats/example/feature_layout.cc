#include "formats/example/feature_layout.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr size_t kMostFollowedNames = 256;

}  // namespace

const FeatureLayout::Name* FeatureLayout::Match(size_t ordinal,
                                                std::string_view name) const {
  if (ordinal >= names_.size()) return nullptr;
  const Name& known = names_[ordinal];
  return known.begin_size != UINT32_MAX && known.name() == name ? &known
                                                                : nullptr;
}

void FeatureLayout::Remember(size_t ordinal, std::string_view name,
                             uint32_t place) {
  if (ordinal >= kMostFollowedNames) return;
  if (ordinal >= names_.size()) names_.resize(ordinal + 1);
  Name& known = names_[ordinal];
  if (name.size() > kMostNameBytes) {
    known.begin_size = UINT32_MAX;
    return;
  }
  known.begin_size = static_cast<uint32_t>(2 + name.size());
  known.place = place;
  known.begin.fill(0);
  known.begin[0] = 0x0a;
  known.begin[1] = static_cast<char>(name.size());
  std::ranges::copy(name, known.begin.begin() + 2);
  std::array<char, 16> mask = {};
  std::fill_n(mask.begin(), std::min<size_t>(known.begin_size, 16), '\xff');
  std::memcpy(known.mask.data(), mask.data(), mask.size());
}

}  // namespace penstock
