// Finds where tokens may begin that are written out in a text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// By the first two bytes of each token.
//
// Threads: any number at a time, once nothing is added.
class TokenBegins {
 public:
  // What tokens begin with: two bytes, or the only one. Each once, or those
  // that follow are told apart less well.
  void Add(std::string_view begin);

  // Whether some token begins with the byte.
  bool Has(char byte) const {
    return firsts_[static_cast<unsigned char>(byte)];
  }

  // The first place at or after `pos` where one may begin; the text's size
  // without one. Where up to eight were added, both bytes are a token's.
  //
  // Cost:    the speed of memory; where several were added and there is no
  //          SSSE3 about 1 ns a byte, and the first byte alone is a token's.
  size_t Next(std::string_view text, size_t pos) const {
    return is_one_pair_ ? NextOfPair(text, pos) : next_(*this, text, pos);
  }
  // What Next does of several where there is no SSSE3.
  static size_t NextOneByOne(const TokenBegins& begins, std::string_view text,
                             size_t pos);

 private:
  // Each pair is in one of eight classes, a bit each: two bytes may be a pair
  // where all four of their halves are of one class.
  using ByHalf = std::array<uint8_t, 16>;

  size_t NextOfPair(std::string_view text, size_t pos) const;

  using NextFunction = size_t (*)(const TokenBegins&, std::string_view, size_t);
  static size_t NextBySsse3(const TokenBegins& begins, std::string_view text,
                            size_t pos);
  static const NextFunction next_;  // for this processor

  alignas(16) ByHalf first_low_{};
  alignas(16) ByHalf first_high_{};
  alignas(16) ByHalf second_low_{};
  alignas(16) ByHalf second_high_{};
  std::array<bool, 256> firsts_{};
  int added_ = 0;
  // As most vocabularies have it: "<|".
  bool is_one_pair_ = false;
  char first_ = 0, second_ = 0;
};

}  // namespace penstock
