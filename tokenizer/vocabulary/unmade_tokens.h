// Which tokens no merges make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/vocabulary/first_bytes.h"
#include "tokenizer/vocabulary/key_bits.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {

// Many vocabularies have none but some special tokens, that of Llama 3 has 588
// others, most of them with a space and a letter first: what may be one is told
// by its first bytes and its size.
//
// Threads: any number at a time.
class UnmadeTokens {
 public:
  UnmadeTokens() : UnmadeTokens(std::span<const std::string_view>()) {}
  // `tokens` are not empty.
  explicit UnmadeTokens(std::span<const std::string_view> tokens)
      : UnmadeTokens(tokens.empty(), KeyBits(KeysOf(tokens))) {}

  bool MayHave(std::string_view bytes) const {
    return !empty_ && keys_.MayHave(KeyOf(bytes));
  }

  // What Load makes these of again, that look where `from` does.
  void Save(TableWriter& to) const {
    to.PutNumber(empty_);
    keys_.Save(to);
  }
  static UnmadeTokens Load(TableReader& from) {
    const bool empty = from.Number() != 0;
    return UnmadeTokens(empty, KeyBits::Load(from));
  }

 private:
  UnmadeTokens(bool empty, KeyBits keys)
      : empty_(empty), keys_(std::move(keys)) {}

  static uint64_t KeyOf(std::string_view bytes) {
    return FirstBytes(bytes) + bytes.size() * 0xa0761d6478bd642f;
  }
  static std::vector<uint64_t> KeysOf(std::span<const std::string_view> all) {
    std::vector<uint64_t> keys;
    keys.reserve(all.size());
    for (const std::string_view bytes : all) keys.push_back(KeyOf(bytes));
    return keys;
  }

  bool empty_;
  KeyBits keys_;
};

}  // namespace penstock
