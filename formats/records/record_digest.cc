#include "formats/records/record_digest.h"

namespace penstock {
namespace {

// The output of SplitMix64 for a generator whose state is `id`: the increment
// keeps id 0 from mixing to 0, so that a missing or doubled record 0 shows.
uint64_t Mix(uint64_t id) {
  uint64_t z = id + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

RecordDigest RecordDigest::OfFirst(uint64_t records) {
  RecordDigest digest;
  for (uint64_t id = 0; id < records; ++id) digest.Add(id);
  return digest;
}

void RecordDigest::Add(uint64_t id) {
  ++count_;
  value_ += Mix(id);
}

void RecordDigest::Add(std::span<const uint64_t> ids) {
  for (const uint64_t id : ids) Add(id);
}

void RecordDigest::Merge(const RecordDigest& other) {
  count_ += other.count_;
  value_ += other.value_;
}

}  // namespace penstock
