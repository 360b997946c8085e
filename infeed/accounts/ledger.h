// Where each nanosecond of a device went.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock {

// Disjoint: a device is in one at any instant.
enum class Bucket {
  kInit,          // before the device first asks for data
  kInfeedWait,    // its own queue is empty
  kTransferWait,  // its batch is still on the way from host to device
  kPeerWait,      // another device is not ready for the step
  kCompile,       // a shape is seen for the first time
  kCompute,       // steps, the share of rows that are real
  kPadCompute,    // steps, the share of rows that pad
  kOutfeedWait,   // what it sends back is not taken
  kCheckpoint,    // the save before the one that is due is still under way
  kDrain,         // after the last step
};
inline constexpr size_t kBuckets = 10;

// "init", "infeed wait", ...
std::string_view BucketName(Bucket bucket);
// For JSON: "init_ns", "infeed_wait_ns", ...
std::string_view BucketKey(Bucket bucket);

// Charges all time from `begin_ns` on to buckets, one at a time, so that their
// sum is the wall time exactly. Times are integer nanoseconds of one monotonic
// clock; they never run backwards.
//
// Threads: one at a time.
class Ledger {
 public:
  explicit Ledger(int64_t begin_ns, Bucket bucket = Bucket::kInit);

  // One that was told: as begin_ns() and ns() of another process.
  static Ledger Of(int64_t begin_ns, const std::array<int64_t, kBuckets>& ns);

  // Charges the time since the last mark to the current bucket and makes
  // `bucket` current from `now_ns` on.
  void Enter(Bucket bucket, int64_t now_ns);
  // Like Enter, for a step that ends: of the time since the last mark,
  // pad_rows / rows goes to kPadCompute, rounded down, and the rest to
  // kCompute.
  void EndStep(Bucket bucket, int64_t now_ns, uint64_t pad_rows, uint64_t rows);

  int64_t begin_ns() const { return begin_ns_; }
  int64_t mark_ns() const { return mark_ns_; }
  // From the beginning to the last mark: the sum of all buckets.
  int64_t wall_ns() const { return mark_ns_ - begin_ns_; }
  int64_t ns(Bucket bucket) const { return ns_[static_cast<size_t>(bucket)]; }

 private:
  int64_t begin_ns_;
  int64_t mark_ns_;
  Bucket current_;
  std::array<int64_t, kBuckets> ns_{};
};

}  // namespace penstock
