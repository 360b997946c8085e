// The row with the least room that is enough.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penstock {

// A list of rows for each room, and a bit for each list that is not empty.
//
// Threads: one at a time.
// Cost:    a look takes a step for each 4,096 of room; 4 bytes a room and a
//          row.
class RoomLists {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  explicit RoomLists(size_t most_room)
      : heads_(most_room + 1, kNone),
        bits_(most_room / 64 + 1),
        words_(bits_.size() / 64 + 1) {}

  void Clear() {
    std::ranges::fill(heads_, kNone);
    std::ranges::fill(bits_, 0);
    std::ranges::fill(words_, 0);
    next_.clear();
  }

  void Put(uint32_t row, size_t room) {
    if (row >= next_.size()) next_.resize(row + size_t{1});
    next_[row] = heads_[room];
    heads_[room] = row;
    bits_[room / 64] |= Bit(room);
    words_[room / 4096] |= Bit(room / 64);
  }

  // Takes a row of the least room that is no less than `room`, which becomes
  // the row's; kNone where there is no such row.
  uint32_t Take(size_t& room) {
    if (!Seek(room)) return kNone;
    const uint32_t row = heads_[room];
    heads_[room] = next_[row];
    if (heads_[room] == kNone) {
      bits_[room / 64] &= ~Bit(room);
      if (bits_[room / 64] == 0) words_[room / 4096] &= ~Bit(room / 64);
    }
    return row;
  }

 private:
  static uint64_t Bit(size_t number) { return uint64_t{1} << (number % 64); }

  // The bits of `bits` from `number` on, in its word.
  static uint64_t From(const std::vector<uint64_t>& bits, size_t number) {
    return bits[number / 64] & (~uint64_t{0} << (number % 64));
  }

  bool Seek(size_t& room) const {
    if (const uint64_t near = From(bits_, room)) {
      room = room / 64 * 64 + static_cast<size_t>(std::countr_zero(near));
      return true;
    }
    size_t word = room / 64 + 1;
    if (word >= bits_.size()) return false;
    uint64_t far = From(words_, word);
    size_t group = word / 64;
    while (far == 0) {
      if (++group == words_.size()) return false;
      far = words_[group];
    }
    word = group * 64 + static_cast<size_t>(std::countr_zero(far));
    room = word * 64 + static_cast<size_t>(std::countr_zero(bits_[word]));
    return true;
  }

  std::vector<uint32_t> heads_;  // [rooms]
  std::vector<uint64_t> bits_;   // of heads_
  std::vector<uint64_t> words_;  // of bits_
  std::vector<uint32_t> next_;   // [rows]
};

}  // namespace penstock
