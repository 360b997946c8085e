#include "infeed/sharding/iota_tiles.h"

#include <algorithm>
#include <numeric>

namespace penstock {
namespace {

// An axis of a list that is read like an array.
struct Digit {
  int64_t size;
  int64_t stride;
};

// The axes of the list, minor first, each as long as it can be: of those that
// could be one, none is left as two.
std::vector<Digit> DigitsOf(std::span<const uint32_t> devices) {
  std::vector<Digit> digits;
  for (size_t step = 1; step < devices.size();) {
    const int64_t stride = int64_t{devices[step]} - devices[0];
    size_t size = 1;
    while (size * step < devices.size() &&
           int64_t{devices[size * step]} - devices[0] ==
               static_cast<int64_t>(size) * stride) {
      ++size;
    }
    digits.push_back({.size = static_cast<int64_t>(size), .stride = stride});
    step *= size;
  }
  return digits;
}

}  // namespace

std::vector<uint32_t> ExpandIota(const IotaTiles& tiles) {
  const size_t rank = tiles.dimensions.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t d = rank; d-- > 1;) {
    strides[d - 1] = strides[d] * tiles.dimensions[d];
  }
  std::vector<uint32_t> devices = {0};
  for (const size_t axis : tiles.order) {
    std::vector<uint32_t> next;
    next.reserve(devices.size() * static_cast<size_t>(tiles.dimensions[axis]));
    for (const uint32_t base : devices) {
      for (int64_t i = 0; i < tiles.dimensions[axis]; ++i) {
        next.push_back(base + static_cast<uint32_t>(i * strides[axis]));
      }
    }
    devices = std::move(next);
  }
  return devices;
}

std::optional<IotaTiles> FindIota(std::span<const uint32_t> devices) {
  std::vector<Digit> digits = DigitsOf(devices);
  std::ranges::reverse(digits);  // major first
  if (digits.empty()) digits.push_back({.size = 1, .stride = 1});
  std::vector<size_t> by_stride(digits.size());
  std::iota(by_stride.begin(), by_stride.end(), size_t{0});
  std::ranges::sort(by_stride, [&](size_t a, size_t b) {
    return digits[a].stride > digits[b].stride;
  });
  IotaTiles tiles{.order = std::vector<size_t>(digits.size())};
  for (size_t d = 0; d < by_stride.size(); ++d) {
    tiles.dimensions.push_back(digits[by_stride[d]].size);
    tiles.order[by_stride[d]] = d;
  }
  const int64_t size = std::accumulate(
      tiles.dimensions.begin(), tiles.dimensions.end(), int64_t{1},
      [](int64_t product, int64_t factor) { return product * factor; });
  if (size != static_cast<int64_t>(devices.size())) return std::nullopt;
  if (!std::ranges::equal(ExpandIota(tiles), devices)) return std::nullopt;
  return tiles;
}

}  // namespace penstock
