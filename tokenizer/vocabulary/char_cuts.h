// Between which characters of three bytes no token reaches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "tokenizer/vocabulary/key_bits.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// What merges is a token, so where no token reaches over a place, the text on
// each side of it is encoded as it would be alone. Chinese, Japanese and Korean
// clauses are pieces that hardly ever come again, but up to nine of ten places
// in them are such places. At most of the others all tokens that reach over
// have whole characters on both sides: what comes before that happens within
// characters, as it would if they stood alone.
//
// Memory:  16 KiB, 4 to 8 bytes for each two characters that a token joins, and
//          as many for each character and some bytes of another.
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

  // Characters that follow each other. Bit i is of the place between the
  // characters i and i + 1: whether no token reaches over it, and whether none
  // does that has but some bytes of one of the two.
  struct Run {
    std::array<Char, kMostRead> chars;
    size_t count = 0;
    uint64_t cuts = 0;
    uint64_t whole = 0;
  };
  // Whether it is worth looking: the last character is one of these.
  static bool MayCut(std::string_view piece) {
    return piece.size() > kCharBytes &&
           (piece[piece.size() - kCharBytes] & 0xf0) == 0xe0;
  }
  // That `text` begins with.
  static std::optional<Char> WideChar(std::string_view text) {
    if (text.size() < kCharBytes) return std::nullopt;
    const uint32_t c = CharAt(text.data());
    if (c == kNoChar) return std::nullopt;
    return static_cast<Char>(c);
  }
  // Those that `text`, which need not be valid UTF-8, begins with.
  void Read(std::string_view text, Run& run) const {
    size_t count = 0;
    uint64_t joined = 0;
    uint64_t broken = 0;
    uint32_t before = 0;
    const size_t most = std::min(kMostRead, text.size() / kCharBytes);
    for (const char* at = text.data(); count < most; at += kCharBytes) {
      const uint32_t c = CharAt(at);
      if (c == kNoChar) break;
      joined |= uint64_t{pairs_.MayHave(PairOf(before, c))} << count;
      broken |= uint64_t{MayBreak(before, c) && Breaks(before, c)} << count;
      run.chars[count++] = static_cast<Char>(c);
      before = c;
    }
    // The first has no place before it.
    const uint64_t places = count == 0 ? 0 : ~uint64_t{0} >> (64 - count) >> 1;
    run.count = count;
    run.cuts = ~(joined | broken) >> 1 & places;
    run.whole = ~broken >> 1 & places;
  }

  // What Load makes these of again, that look where `from` does.
  void Save(TableWriter& to) const;
  static CharCuts Load(TableReader& from);

 private:
  static constexpr uint32_t kNoChar = 0xffffffff;
  struct Joins;  // of the tokens of a vocabulary

  explicit CharCuts(Joins joins);
  CharCuts(KeyBits pairs, KeyBits parts, Table<uint64_t> beside,
           Table<uint64_t> tails)
      : pairs_(std::move(pairs)),
        parts_(std::move(parts)),
        beside_(std::move(beside)),
        tails_(std::move(tails)) {}

  // kNoChar where the bytes are not of the form that three bytes have.
  static uint32_t CharAt(const char* at) {
    const auto byte = [&](size_t i) {
      return uint32_t{static_cast<unsigned char>(at[i])};
    };
    const uint32_t bytes = byte(0) << 16 | byte(1) << 8 | byte(2);
    if ((bytes & 0xf0c0c0) != 0xe08080) return kNoChar;
    return (bytes >> 4 & 0xf000) | (bytes >> 2 & 0xfc0) | (bytes & 0x3f);
  }

  // Keys of two characters; of one and the bits that the first `bytes` of the
  // next one spell; of one and those of the last bytes before it.
  static uint64_t PairOf(uint64_t left, uint64_t right) {
    return left << 16 | right;
  }
  static uint64_t BeginOf(uint64_t left, uint64_t right_bits, size_t bytes) {
    return uint64_t{bytes} << 32 | left << 16 | right_bits;
  }
  static uint64_t EndOf(uint64_t left_bits, uint64_t right, size_t bytes) {
    return uint64_t{kCharBytes + bytes} << 32 | left_bits << 16 | right;
  }

  bool MayBreak(uint32_t left, uint32_t right) const {
    const size_t beside = kChars + right;
    return (beside_[left / 64] >> left % 64 |
            beside_[beside / 64] >> beside % 64 |
            tails_[left % 64] >> (right >> 12)) &
           1;
  }
  // Where it may.
  bool Breaks(uint32_t left, uint32_t right) const {
    return (tails_[left % 64] >> (right >> 12) & 1) != 0 ||
           parts_.MayHave(BeginOf(left, right >> 12, 1)) ||
           parts_.MayHave(BeginOf(left, right >> 6, 2)) ||
           parts_.MayHave(EndOf(left & 0x3f, right, 1)) ||
           parts_.MayHave(EndOf(left & 0xfff, right, 2));
  }

  // Where a token may reach from one character into the next: with both; with
  // one of them and some bytes of the other.
  KeyBits pairs_;
  KeyBits parts_;
  // Bits, one where it may reach into some bytes: of any other character, by
  // the one on the left, kChars of them, then by the one on the right; with
  // some bytes of both, for each last six bits on the left by the first four of
  // sixteen on the right.
  Table<uint64_t> beside_;
  Table<uint64_t> tails_;
};

}  // namespace penstock
