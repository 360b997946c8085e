// Between which characters of three bytes no token reaches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// What merges is a token, so where no token reaches over a place, the text on
// each side of it is encoded as it would be alone. Chinese, Japanese and Korean
// clauses are pieces that hardly ever come again, but two of three places in
// them are such places, and the few characters between two of these come often.
//
// Memory:  17 KiB, and 4 to 8 bytes for each two characters that a token joins.
//
// Threads: any number at a time.
class CharCuts {
 public:
  explicit CharCuts(const Vocabulary& vocabulary);

  // The sixteen bits that three bytes of UTF-8 spell.
  using Char = uint16_t;
  static constexpr size_t kChars = 1 << 16;
  static constexpr size_t kCharBytes = 3;
  static constexpr size_t kMostRead = 64;

  // Characters that follow each other, and where they can be cut: bit i says
  // whether between the characters i and i + 1.
  struct Run {
    std::array<Char, kMostRead> chars;
    size_t count = 0;
    uint64_t cuts = 0;
  };
  // Whether it is worth looking: the last character is one of these.
  static bool MayCut(std::string_view piece) {
    return piece.size() > kCharBytes &&
           (piece[piece.size() - kCharBytes] & 0xf0) == 0xe0;
  }
  // Those that `text`, which need not be valid UTF-8, begins with.
  void Read(std::string_view text, Run& run) const {
    size_t count = 0;
    uint64_t cuts = 0;
    uint32_t before = 0;
    const size_t most = std::min(kMostRead, text.size() / kCharBytes);
    for (const char* at = text.data(); count < most; at += kCharBytes) {
      const uint32_t c = CharAt(at);
      if (c == kNoChar) break;
      cuts |= uint64_t{CanCut(before, c)} << count;
      run.chars[count++] = static_cast<Char>(c);
      before = c;
    }
    run.count = count;
    run.cuts = cuts >> 1;  // the first has none before it
  }

  // What Load makes these of again, that look where `from` does.
  void Save(TableWriter& to) const;
  static CharCuts Load(TableReader& from);

 private:
  static constexpr uint32_t kNoChar = 0xffffffff;
  static constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;

  CharCuts(Table<uint64_t> pairs, Table<uint64_t> beside, Table<uint64_t> tails)
      : pairs_(std::move(pairs)),
        beside_(std::move(beside)),
        tails_(std::move(tails)) {
    UsePairs();
  }

  // kNoChar where the bytes are not of the form that three bytes have.
  static uint32_t CharAt(const char* at) {
    const auto byte = [&](size_t i) {
      return uint32_t{static_cast<unsigned char>(at[i])};
    };
    const uint32_t bytes = byte(0) << 16 | byte(1) << 8 | byte(2);
    if ((bytes & 0xf0c0c0) != 0xe08080) return kNoChar;
    return (bytes >> 4 & 0xf000) | (bytes >> 2 & 0xfc0) | (bytes & 0x3f);
  }

  bool CanCut(uint32_t left, uint32_t right) const {
    const size_t pair = PairBit(left, right);
    const size_t beside = kChars + right;
    return ((pairs_[pair / 64] >> pair % 64 |       //
             beside_[left / 64] >> left % 64 |      //
             beside_[beside / 64] >> beside % 64 |  //
             tails_[left % 64] >> (right >> 12)) &
            1) == 0;
  }
  size_t PairBit(uint32_t left, uint32_t right) const {
    return (uint64_t{left} << 16 | right) * kMultiplier >> pair_shift_;
  }
  // Makes pairs_ for so many different ones; returns how many bits they have.
  size_t FillPairs(std::span<const std::pair<Char, Char>> pairs,
                   size_t different);
  void UsePairs();

  // Bits, one where a token may reach from one character into the next: by a
  // hash of the two; where of one of them only some bytes are the token's, by
  // the other, kChars of them on the left and then kChars on the right; where
  // some bytes of both, for each last six bits on the left by the first four of
  // sixteen on the right.
  Table<uint64_t> pairs_;
  Table<uint64_t> beside_;
  Table<uint64_t> tails_;
  int pair_shift_ = 0;
};

}  // namespace penstock
