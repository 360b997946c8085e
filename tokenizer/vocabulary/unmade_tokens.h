// Which tokens no merges make.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {

// Most vocabularies have none, many but some special tokens: what may be one
// is told by its size and its first byte.
//
// Threads: any number at a time, once filled.
class UnmadeTokens {
 public:
  // `token` is not empty.
  void Add(std::string_view token) {
    sizes_ |= uint64_t{1} << SizeOf(token);
    const auto first = static_cast<unsigned char>(token[0]);
    first_bytes_[first / 64] |= uint64_t{1} << first % 64;
  }
  bool empty() const { return sizes_ == 0; }
  bool MayHave(std::string_view bytes) const {
    if (empty() || bytes.empty()) return false;
    const auto first = static_cast<unsigned char>(bytes[0]);
    return (sizes_ >> SizeOf(bytes) & 1) != 0 &&
           (first_bytes_[first / 64] >> first % 64 & 1) != 0;
  }

  // What Load makes these of again.
  void Save(TableWriter& to) const {
    to.PutNumber(sizes_);
    for (const uint64_t bits : first_bytes_) to.PutNumber(bits);
  }
  static UnmadeTokens Load(TableReader& from) {
    UnmadeTokens tokens;
    tokens.sizes_ = from.Number();
    for (uint64_t& bits : tokens.first_bytes_) bits = from.Number();
    return tokens;
  }

 private:
  // Longer ones are alike.
  static size_t SizeOf(std::string_view bytes) {
    return std::min<size_t>(bytes.size(), 63);
  }

  uint64_t sizes_ = 0;  // a bit for each
  std::array<uint64_t, 4> first_bytes_{};
};

}  // namespace penstock
