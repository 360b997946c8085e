// How many lengths fall between powers of two.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace penstock {

// Bucket 0 holds zeros, bucket b lengths [2^(b-1), 2^b).
class LengthHistogram {
 public:
  static constexpr size_t kBuckets = 65;

  void Add(uint64_t length) {
    ++counts_[std::bit_width(length)];
    ++count_;
    sum_ += length;
    least_ = length < least_ ? length : least_;
    most_ = length > most_ ? length : most_;
  }
  void Merge(const LengthHistogram& other) {
    for (size_t b = 0; b < kBuckets; ++b) counts_[b] += other.counts_[b];
    count_ += other.count_;
    sum_ += other.sum_;
    least_ = other.least_ < least_ ? other.least_ : least_;
    most_ = other.most_ > most_ ? other.most_ : most_;
  }

  uint64_t in_bucket(size_t b) const { return counts_[b]; }
  static uint64_t Begin(size_t b) {
    return b == 0 ? 0 : uint64_t{1} << (b - 1);
  }
  uint64_t count() const { return count_; }
  uint64_t sum() const { return sum_; }
  // 0 without a length.
  uint64_t least() const { return count_ == 0 ? 0 : least_; }
  uint64_t most() const { return most_; }
  double mean() const {
    return count_ == 0
               ? 0
               : static_cast<double>(sum_) / static_cast<double>(count_);
  }

 private:
  std::array<uint64_t, kBuckets> counts_ = {};
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t least_ = std::numeric_limits<uint64_t>::max();
  uint64_t most_ = 0;
};

}  // namespace penstock
