#include "tokenizer/interface/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace penstock {
namespace {

constexpr uint64_t kPrime = 0x100000001b3;

// Of so many numbers the longest says how many bytes are looked at.
constexpr size_t kBlock = 32;

constexpr uint64_t PrimeToThe(int power) {
  uint64_t product = 1;
  for (; power > 0; --power) product *= kPrime;
  return product;
}

// Numbers whose bytes from `kBytes` on are 0: each of these but multiplies,
// which one product does for all of them. Each step waits for the one before.
template <int kBytes, typename T>
uint64_t HashShort(std::span<const T> numbers, uint64_t hash) {
  constexpr uint64_t kRest =
      PrimeToThe(1 + static_cast<int>(sizeof(T)) - kBytes);
  for (const T number : numbers) {
    const auto bytes = static_cast<uint64_t>(number);
    for (int i = 0; i + 1 < kBytes; ++i) {
      hash = (hash ^ ((bytes >> (8 * i)) & 0xff)) * kPrime;
    }
    hash = (hash ^ ((bytes >> (8 * (kBytes - 1))) & 0xff)) * kRest;
  }
  return hash;
}

template <typename T>
uint64_t HashNumbers(std::span<const T> numbers, uint64_t hash) {
  while (!numbers.empty()) {
    const auto block = numbers.first(std::min(kBlock, numbers.size()));
    numbers = numbers.subspan(block.size());
    uint64_t bits = 0;
    for (const T number : block) bits |= static_cast<uint64_t>(number);
    switch ((std::bit_width(bits) + 7) / 8) {
      case 0:
      case 1:
        hash = HashShort<1>(block, hash);
        break;
      case 2:
        hash = HashShort<2>(block, hash);
        break;
      case 3:
        hash = HashShort<3>(block, hash);
        break;
      default:
        hash = HashShort<sizeof(T)>(block, hash);
    }
  }
  return hash;
}

}  // namespace

Fingerprinter& Fingerprinter::Add(std::string_view bytes) {
  Add(static_cast<uint64_t>(bytes.size()));
  for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * kPrime;
  return *this;
}

Fingerprinter& Fingerprinter::Add(uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) {
    hash_ = (hash_ ^ ((number >> shift) & 0xff)) * kPrime;
  }
  return *this;
}

Fingerprinter& Fingerprinter::AddAll(std::span<const int64_t> numbers) {
  Add(uint64_t{numbers.size_bytes()});
  hash_ = HashNumbers(numbers, hash_);
  return *this;
}

Fingerprinter& Fingerprinter::AddAll(std::span<const uint64_t> numbers) {
  Add(uint64_t{numbers.size_bytes()});
  hash_ = HashNumbers(numbers, hash_);
  return *this;
}

Fingerprinter& Fingerprinter::AddAll(std::span<const uint32_t> numbers) {
  Add(uint64_t{numbers.size_bytes()});
  hash_ = HashNumbers(numbers, hash_);
  return *this;
}

uint64_t Fingerprinter::Finish() const {
  uint64_t h = hash_;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

}  // namespace penstock
