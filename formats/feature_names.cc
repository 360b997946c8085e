#include "formats/feature_names.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace penstock {
namespace {

// Of the size, the first eight bytes and the last eight. Records cannot make
// the chains longer than the wanted names do, so no key is needed.
uint64_t Mix(std::string_view name) {
  uint64_t head = 0;
  uint64_t tail = 0;
  const size_t part = std::min<size_t>(name.size(), 8);
  std::memcpy(&head, name.data(), part);
  std::memcpy(&tail, name.data() + name.size() - part, part);
  uint64_t x = (head ^ std::rotl(tail, 29) ^ name.size()) * 0x9e3779b97f4a7c15;
  return x ^ (x >> 32);
}

}  // namespace

FeatureNames::FeatureNames(std::vector<std::string> names)
    : names_(std::move(names)) {
  slots_.assign(std::bit_ceil(2 * names_.size() + 1), kEmpty);
  for (size_t i = 0; i < names_.size(); ++i) {
    size_t at = Mix(names_[i]) & (slots_.size() - 1);
    while (slots_[at] != kEmpty) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<uint32_t>(i);
  }
}

std::optional<size_t> FeatureNames::Find(std::string_view name) const {
  size_t at = Mix(name) & (slots_.size() - 1);
  while (slots_[at] != kEmpty) {
    if (names_[slots_[at]] == name) return slots_[at];
    at = (at + 1) & (slots_.size() - 1);
  }
  return std::nullopt;
}

}  // namespace penstock
