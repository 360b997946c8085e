#include "formats/example/feature_names.h"

#include <bit>
#include <cstring>
#include <utility>

namespace penstock {
namespace {

template <typename T>
uint64_t Load(const char* at) {
  T word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// Of the size and the first and last bytes, up to eight each. Records cannot
// make the chains longer than the wanted names do, so no key is needed.
uint64_t Mix(std::string_view name) {
  const char* const begin = name.data();
  const char* const end = begin + name.size();
  uint64_t head = 0;
  uint64_t tail = 0;
  if (name.size() >= 8) {
    head = Load<uint64_t>(begin);
    tail = Load<uint64_t>(end - 8);
  } else if (name.size() >= 4) {
    head = Load<uint32_t>(begin);
    tail = Load<uint32_t>(end - 4);
  } else if (!name.empty()) {
    head = Load<uint8_t>(begin) | Load<uint8_t>(begin + name.size() / 2) << 8;
    tail = Load<uint8_t>(end - 1);
  }
  const uint64_t x =
      (head ^ std::rotl(tail, 29) ^ name.size()) * 0x9e3779b97f4a7c15;
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
