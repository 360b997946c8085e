#include "formats/feature_layout.h"

#include <algorithm>
#include <bit>

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the first byte of a name is the lowest of its word");

constexpr size_t kMostNames = 256;

}  // namespace

void FeatureLayout::Remember(size_t ordinal, std::string_view name,
                             uint32_t place) {
  if (ordinal >= kMostNames) return;
  if (ordinal >= names_.size()) names_.resize(ordinal + 1);
  Name& known = names_[ordinal];
  if (name.size() > known.bytes.size()) {
    known.size = UINT32_MAX;
    return;
  }
  known.size = static_cast<uint32_t>(name.size());
  known.place = place;
  known.bytes.fill(0);
  std::ranges::copy(name, known.bytes.begin());
  std::memcpy(&known.head, known.bytes.data(), 8);
  std::memcpy(&known.tail, known.bytes.data() + 8, 8);
}

bool FeatureLayout::SameBytes(const Name& known, std::string_view name) {
  return std::string_view(known.bytes.data(), known.size) == name;
}

}  // namespace penstock
