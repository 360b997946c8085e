// What a reader does about damage, and what it tells of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "formats/files/callback.h"
#include "formats/files/status.h"

namespace penstock {

enum class OnCorruption {
  kFail,    // the damage ends the file
  kSkip,    // a record whose header is right and whose data is not is left out
  kResync,  // that, and behind any other damage the next record is looked for
};

// "fail", "skip", "resync".
std::string_view OnCorruptionName(OnCorruption on_corruption);

// Bytes [begin, end) of `file` that gave no record. In a compressed file they
// are places in what it unpacks to; begin == end then says that the compressed
// bytes end early, and how much is missing nobody knows.
struct SkippedRegion {
  std::string file;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string reason;

  bool operator==(const SkippedRegion&) const = default;
};

// "skipped [4096, 4251): a.tfrecord: corrupted data checksum at offset ...".
std::string SkippedText(const SkippedRegion& region);

// How much may be skipped.
struct SkipLimit {
  uint64_t regions = std::numeric_limits<uint64_t>::max();
  uint64_t bytes = std::numeric_limits<uint64_t>::max();
};

// What all readers that share it may skip together.
//
// Whether it suffices depends on the files alone, never on timing: it does not
// suffice exactly where all their regions together are more. Which region finds
// it used up is the same each time where the files are read one after the
// other; where they are read side by side the error therefore names the limit
// alone, and the reader that gets it is anyone.
//
// Threads: any number at a time.
class SkipBudget {
 public:
  explicit SkipBudget(SkipLimit limit) : limit_(limit) {}

  const SkipLimit& limit() const { return limit_; }

  // Errors:  kResourceExhausted once more was skipped than the limit, for ever.
  Status Take(uint64_t bytes);

 private:
  const SkipLimit limit_;
  std::atomic<uint64_t> regions_ = 0;  // relaxed: they order nothing
  std::atomic<uint64_t> bytes_ = 0;    // relaxed
};

struct RecoveryOptions {
  OnCorruption on_corruption = OnCorruption::kFail;
  // Told of each region, in their order in the file, before the records behind
  // it are given. Required where anything may be skipped.
  Callback<void(const SkippedRegion&)> on_skipped = nullptr;
  // More in one file is kResourceExhausted.
  SkipLimit per_file = {};
  // Null for no limit over several files.
  std::shared_ptr<SkipBudget> total = nullptr;
};

// Errors:  kInvalidArgument where regions would be skipped and nobody told.
Status CheckRecovery(const std::string& path, const RecoveryOptions& options);

// Keeps one file to its limits.
//
// Threads: one at a time.
class SkipMeter {
 public:
  explicit SkipMeter(RecoveryOptions options);

  OnCorruption on_corruption() const { return options_.on_corruption; }

  // Tells of the region, or returns why it is one too many.
  Status Skip(SkippedRegion region);

 private:
  const RecoveryOptions options_;
  SkipLimit used_ = {.regions = 0, .bytes = 0};
};

}  // namespace penstock
