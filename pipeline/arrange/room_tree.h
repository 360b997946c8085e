// The first of some rows that has room enough.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penstock {

// A tree of maxima over the rooms of rows.
//
// Threads: one at a time.
// Cost:    a look and a change take log2(rows) steps.
class RoomTree {
 public:
  static constexpr size_t kNone = ~size_t{0};

  // Of rows that all have `room`.
  RoomTree(size_t rows, int32_t room)
      : leaves_(std::bit_ceil(std::max<size_t>(1, rows))),
        room_(2 * leaves_, -1) {
    for (size_t row = 0; row < rows; ++row) room_[leaves_ + row] = room;
    for (size_t node = leaves_ - 1; node > 0; --node) Update(node);
  }

  // The first row whose room is no less than `room`, which is not negative.
  size_t First(int32_t room) const {
    if (room_[1] < room) return kNone;
    size_t node = 1;
    while (node < leaves_) {
      node = 2 * node + (room_[2 * node] < room ? 1 : 0);
    }
    return node - leaves_;
  }

  // A negative room is none for anything.
  void Set(size_t row, int32_t room) {
    size_t node = leaves_ + row;
    room_[node] = room;
    while (node > 1) Update(node /= 2);
  }

 private:
  void Update(size_t node) {
    room_[node] = std::max(room_[2 * node], room_[2 * node + 1]);
  }

  size_t leaves_;
  std::vector<int32_t> room_;  // [2 * leaves]; node n is over 2n and 2n + 1
};

}  // namespace penstock
