// Device lists that are the numbers 0 .. n-1 reshaped and transposed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace penstock {

// 0 .. n-1 as an array of these dimensions, its axes then put into this order.
struct IotaTiles {
  std::vector<int64_t> dimensions;
  std::vector<size_t> order;

  bool operator==(const IotaTiles&) const = default;
};

// The list itself, row-major. `order` is a permutation of the axes.
std::vector<uint32_t> ExpandIota(const IotaTiles& tiles);

// The form with the fewest dimensions; nullopt where the list has none.
//
// Cost:  O(n).
std::optional<IotaTiles> FindIota(std::span<const uint32_t> devices);

}  // namespace penstock
