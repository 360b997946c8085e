// One number for what the records of a file hold, in their order.
#pragma once

#include <cstdint>
#include <string_view>

namespace penstock {

// Tells records that were changed, swapped, doubled or left out from those that
// were there: the CRC-32C of their data checksums, each as TFRecord stores it,
// masked and in 4 little endian bytes. How the file is wrapped is no matter.
//
// Limits:  32 bits; made against accidents, not against forgers.
// Threads: one at a time.
// Cost:    that of Crc32c() of each record, and 2 ns.
class RecordChain {
 public:
  void Add(std::string_view record);
  // A record whose stored checksum is known.
  void AddStored(uint32_t masked_crc32c);
  // All that `behind` saw, behind what this saw.
  void Append(const RecordChain& behind);

  uint64_t records() const { return records_; }
  uint32_t value() const { return value_; }

 private:
  uint64_t records_ = 0;
  uint32_t value_ = 0;
};

}  // namespace penstock
