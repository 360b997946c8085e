#include "tokenizer/interface/fingerprint.h"

#include <array>
#include <cstddef>

namespace penstock {
namespace {

constexpr uint64_t kPrime = 0x100000001b3;

// kPrime^i: a byte of 0 is one factor more.
constexpr std::array<uint64_t, 9> kPowers = [] {
  std::array<uint64_t, 9> powers = {1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * kPrime;
  return powers;
}();

}  // namespace

Fingerprinter& Fingerprinter::Add(std::string_view bytes) {
  Add(static_cast<uint64_t>(bytes.size()));
  for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * kPrime;
  return *this;
}

Fingerprinter& Fingerprinter::Add(uint64_t number) {
  int left = 8;
  for (; number > 0xff; number >>= 8, --left) {
    hash_ = (hash_ ^ (number & 0xff)) * kPrime;
  }
  hash_ = (hash_ ^ number) * kPowers[left];
  return *this;
}

Fingerprinter& Fingerprinter::AddLong(std::string_view bytes) {
  uint64_t hash = bytes.size();
  const auto add = [&](std::string_view word_bytes) {
    uint64_t word = 0;
    for (size_t i = 0; i < word_bytes.size(); ++i) {
      word |= uint64_t{static_cast<uint8_t>(word_bytes[i])} << 8 * i;
    }
    hash = (hash ^ word) * 0x9fb21c651e98df25;
    hash ^= hash >> 29;
  };
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) add(bytes.substr(0, 8));
  if (!bytes.empty()) add(bytes);
  return Add(hash);
}

uint64_t Fingerprinter::Finish() const {
  uint64_t h = hash_;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

}  // namespace penstock
