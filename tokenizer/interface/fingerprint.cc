#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

constexpr uint64_t kPrime = 0x100000001b3;

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

uint64_t Fingerprinter::Finish() const {
  uint64_t h = hash_;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

}  // namespace penstock
