// One number for a set of record ids, whatever their order.
#pragma once

#include <cstdint>
#include <span>

namespace penstock {

// Tells sets (and multisets) of record ids apart without keeping them: the sum
// modulo 2^64 of a fixed mix of each id. A tool that only counted n records
// gets the digest of ids 0 .. n-1 from OfFirst(n); a run that saw each of them
// once has the same count and value.
//
// Limits:  64 bits; made against accidents, not against forgers.
// Threads: one at a time.
// Cost:    about 1 ns an id.
// Source:  the finaliser of SplitMix64, Steele, Lea and Flood, "Fast
//          splittable pseudorandom number generators", 2014, constants of
//          Stafford's variant 13.
class RecordDigest {
 public:
  // The digest of ids 0 .. records-1.
  static RecordDigest OfFirst(uint64_t records);

  void Add(uint64_t id);
  void Add(std::span<const uint64_t> ids);
  // Adds all that `other` saw.
  void Merge(const RecordDigest& other);

  // One that was told: as count() and value() of another process.
  static RecordDigest Of(uint64_t count, uint64_t value) {
    RecordDigest digest;
    digest.count_ = count;
    digest.value_ = value;
    return digest;
  }

  uint64_t count() const { return count_; }
  uint64_t value() const { return value_; }

  bool operator==(const RecordDigest&) const = default;

 private:
  uint64_t count_ = 0;
  uint64_t value_ = 0;
};

}  // namespace penstock
