#include "pipeline/graph/check_arranging.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/status.h"
#include "pipeline/graph/check_stages.h"

namespace penstock {
namespace {

// Packing keeps a few bytes for each length that may be left in a row.
constexpr int64_t kMaxPackedLength = int64_t{1} << 24;

Status CheckMegatron(const Stages& stages) {
  const PackOptions& pack = *stages.pack;
  if (pack.kind != PackKind::kMegatron) {
    if (pack.seed == 0 && pack.samples == 0) return OkStatus();
    return InvalidArgumentError(
        "Pack with a seed or samples, which are of PackKind::kMegatron: leave "
        "them out");
  }
  if (pack.length < 2 || pack.seed > UINT32_MAX || pack.max_segments != 0) {
    return InvalidArgumentError(fmt::format(
        "PackKind::kMegatron with length {}, seed {} and max_segments {}: give "
        "a length from 2 on, the sequence length and 1, a seed below 2^32 and "
        "no max_segments",
        pack.length, pack.seed, pack.max_segments));
  }
  if (stages.epochs != 1 || !stages.withdrawn.empty()) {
    return InvalidArgumentError(
        "PackKind::kMegatron with Repeat or Withdraw: its samples are of as "
        "many passes as PackOptions::samples takes, and any record less moves "
        "all others; leave them out");
  }
  return OkStatus();
}

// Far more than anyone wants to compile, few enough to list.
constexpr int64_t kMaxShapes = 4096;

// Of lengths that are chosen.
constexpr int64_t kMaxMultiple = int64_t{1} << 24;

Status WrongBuckets(std::string message) {
  return InvalidArgumentError(std::move(message));
}

Status CheckLongest(int64_t length, std::string_view stage) {
  if (length <= std::numeric_limits<int32_t>::max()) return OkStatus();
  return WrongBuckets(
      fmt::format("{} to a length of {}: lengths are int32", stage, length));
}

Status CheckBucketRows(const Stages& stages) {
  const BucketOptions& bucket = *stages.bucket;
  if (bucket.rows.empty()) return OkStatus();
  const size_t shapes = stages.lengths().size();
  if (bucket.rows.size() != shapes) {
    return WrongBuckets(
        fmt::format("Bucket has {} lengths and the rows of {} batches: give "
                    "one number for each length{}",
                    shapes, bucket.rows.size(),
                    bucket.with.empty() ? "" : ", which are pairs here"));
  }
  for (const int64_t rows : bucket.rows) {
    if (rows >= 1 && rows <= kMaxRows) continue;
    return WrongBuckets(fmt::format(
        "Bucket with batches of {} rows: give from 1 to {}", rows, kMaxRows));
  }
  if (stages.batch.size != *std::ranges::max_element(bucket.rows)) {
    return WrongBuckets(
        fmt::format("Bucket says how many rows batches have, and Batch, too: "
                    "leave out its size of {}",
                    stages.batch.size));
  }
  return OkStatus();
}

Status CheckLeftovers(const Stages& stages) {
  const BucketOptions& bucket = *stages.bucket;
  const std::vector<Leftover>& each = bucket.leftovers;
  const size_t shapes = stages.lengths().size();
  if (!each.empty() && each.size() != shapes) {
    return WrongBuckets(fmt::format(
        "Bucket has {} lengths and says what happens to the leftovers of {}: "
        "say it for each length, or leave it to Batch",
        shapes, each.size()));
  }
  if (bucket.merge_leftovers && !bucket.with.empty()) {
    return WrongBuckets(
        "Bucket merges leftovers into longer lengths, but pairs of lengths are "
        "not longer or shorter: leave out merge_leftovers");
  }
  if (!each.empty() && stages.batch.leftover != Leftover::kPad) {
    return WrongBuckets(
        "Bucket says what happens to leftovers, and Batch, too: leave out "
        "BatchOptions::leftover");
  }
  const bool pads = each.empty()
                        ? stages.batch.leftover == Leftover::kPad
                        : std::ranges::find(each, Leftover::kPad) != each.end();
  if (bucket.merge_leftovers && !pads) {
    return WrongBuckets(
        "Bucket merges leftovers that pad, but none do: leave out "
        "merge_leftovers");
  }
  return OkStatus();
}

Status CheckRising(const std::vector<int64_t>& lengths) {
  int64_t last = 0;
  for (const int64_t length : lengths) {
    if (length <= last) {
      return WrongBuckets(
          fmt::format("the lengths of buckets must be positive and "
                      "rise; {} do not",
                      fmt::join(lengths, ", ")));
    }
    last = length;
  }
  return CheckLongest(last, "Bucket");
}

Status CheckVaries(const Stages& stages, const std::string& name,
                   std::string_view stage) {
  const Feature* by = FindFeature(stages.batched, name);
  if (by == nullptr) {
    return WrongBuckets(fmt::format("{} by \"{}\", but the features are {}",
                                    stage, name, FeatureNames(stages.batched)));
  }
  if (by->length == Feature::kVarying) return OkStatus();
  return WrongBuckets(
      fmt::format("{} by \"{}\", which always has {} values: leave "
                  "{} out",
                  stage, by->name, by->length, stage));
}

// Those that have buckets beside the first.
Status CheckBucketFeatures(const Stages& stages) {
  const BucketOptions& bucket = *stages.bucket;
  if (bucket.with.empty()) return OkStatus();
  if (bucket.with.size() >= LengthGrid::kMostFeatures) {
    return WrongBuckets(fmt::format("Bucket by {} features: {} are the most",
                                    bucket.with.size() + 1,
                                    LengthGrid::kMostFeatures));
  }
  std::set<std::string> names = {bucket.by};
  size_t shapes = bucket.lengths.size();
  for (const BucketFeature& feature : bucket.with) {
    PENSTOCK_RETURN_IF_ERROR(CheckVaries(stages, feature.by, "Bucket"));
    if (!names.insert(feature.by).second) {
      return WrongBuckets(fmt::format("Bucket by \"{}\" twice", feature.by));
    }
    if (feature.lengths.empty() || bucket.lengths.empty()) {
      return WrongBuckets(
          "Bucket by several features: give the lengths of each, as only those "
          "of one are chosen");
    }
    PENSTOCK_RETURN_IF_ERROR(CheckRising(feature.lengths));
    shapes *= std::min<size_t>(feature.lengths.size(), kMaxShapes + 1);
    if (shapes <= static_cast<size_t>(kMaxShapes)) continue;
    return WrongBuckets(
        fmt::format("Bucket by several features makes more than {} pairs of "
                    "lengths, and a compile for each: use fewer lengths",
                    kMaxShapes));
  }
  return OkStatus();
}

Status CheckBucketLengths(const BucketOptions& bucket) {
  const std::vector<int64_t>& lengths = bucket.lengths;
  if (lengths.empty()) {
    if (bucket.shapes > 0 && bucket.shapes <= kMaxShapes &&
        bucket.multiple_of > 0 && bucket.multiple_of <= kMaxMultiple) {
      return OkStatus();
    }
    return WrongBuckets(fmt::format(
        "Bucket without lengths, with {} shapes of multiples of {}: give from "
        "1 to {} and from 1 to {}",
        bucket.shapes, bucket.multiple_of, kMaxShapes, kMaxMultiple));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckRising(lengths));
  if (lengths.size() > static_cast<size_t>(kMaxShapes)) {
    return WrongBuckets(
        fmt::format("Bucket with {} lengths makes as many compiles; at most {} "
                    "are allowed",
                    lengths.size(), kMaxShapes));
  }
  return OkStatus();
}

Status CheckPad(const PadOptions& pad) {
  if (pad.multiple_of <= 0) {
    return WrongBuckets(fmt::format(
        "Pad to a multiple of {}: give a positive number", pad.multiple_of));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckLongest(pad.max_length, "Pad"));
  if (pad.max_length <= 0 || pad.max_length % pad.multiple_of != 0) {
    return WrongBuckets(
        fmt::format("Pad needs max_length, a multiple of {}; it is {}",
                    pad.multiple_of, pad.max_length));
  }
  if (pad.max_length / pad.multiple_of > kMaxShapes) {
    return WrongBuckets(
        fmt::format("Pad to multiples of {} up to {} makes {} shapes, "
                    "and a compile for each; at most {} are allowed",
                    pad.multiple_of, pad.max_length,
                    pad.max_length / pad.multiple_of, kMaxShapes));
  }
  return OkStatus();
}

}  // namespace

// How many rows a batch of each length has, by its values.
Status SetBucketRows(Stages& stages) {
  if (!stages.bucket) return OkStatus();
  BucketOptions& bucket = *stages.bucket;
  if (bucket.batch_values == 0 && bucket.rows_multiple_of == 1) {
    return OkStatus();
  }
  if (bucket.batch_values < 1 || bucket.rows_multiple_of < 1 ||
      bucket.rows_multiple_of > kMaxRows || !bucket.rows.empty() ||
      bucket.lengths.empty()) {
    return WrongBuckets(fmt::format(
        "Bucket with batch_values of {} and rows a multiple of {}: give both "
        "from 1 on, with lengths and without rows",
        bucket.batch_values, bucket.rows_multiple_of));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckBucketLengths(bucket));
  PENSTOCK_RETURN_IF_ERROR(CheckBucketFeatures(stages));
  std::vector<int64_t> values(stages.lengths().size());  // of a row of each
  for (const std::string& feature : stages.arranging()) {
    const std::vector<int64_t> lengths = stages.LengthsOf(feature);
    for (size_t shape = 0; shape < values.size(); ++shape) {
      values[shape] += lengths[shape];
    }
  }
  for (const int64_t of_row : values) {
    const int64_t multiple = bucket.rows_multiple_of;
    const int64_t fit = bucket.batch_values / of_row / multiple * multiple;
    bucket.rows.push_back(std::max(multiple, fit));
  }
  return OkStatus();
}

Status CheckArranging(const Stages& stages) {
  if (!stages.bucket && !stages.pad && !stages.pack) return OkStatus();
  const std::string stage =
      stages.bucket ? "Bucket" : (stages.pad ? "Pad" : "Pack");
  PENSTOCK_RETURN_IF_ERROR(CheckVaries(stages, stages.by(), stage));
  if (stages.bucket) {
    PENSTOCK_RETURN_IF_ERROR(CheckBucketLengths(*stages.bucket));
    PENSTOCK_RETURN_IF_ERROR(CheckBucketFeatures(stages));
    PENSTOCK_RETURN_IF_ERROR(CheckLeftovers(stages));
    PENSTOCK_RETURN_IF_ERROR(CheckBucketRows(stages));
  } else if (stages.pad) {
    PENSTOCK_RETURN_IF_ERROR(CheckPad(*stages.pad));
  } else {
    PENSTOCK_RETURN_IF_ERROR(CheckPack(stages));
  }
  return OkStatus();
}

Status CheckPack(const Stages& stages) {
  const PackOptions& pack = *stages.pack;
  const int64_t batch_rows = stages.batch.size;
  if (pack.length < 1 || pack.length > kMaxPackedLength) {
    return InvalidArgumentError(
        fmt::format("Pack to a length of {}: give one from 1 to {}",
                    pack.length, kMaxPackedLength));
  }
  if (pack.max_segments < 0 || pack.max_segments > kMaxPackedLength) {
    return InvalidArgumentError(fmt::format(
        "Pack with at most {} segments in a row: give a number up to {}, or 0 "
        "for as many as fit",
        pack.max_segments, kMaxPackedLength));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckMegatron(stages));
  if (pack.window_rows == 0 ||
      (pack.window_rows >= batch_rows && pack.window_rows <= kMaxRows)) {
    return OkStatus();
  }
  return InvalidArgumentError(fmt::format(
      "Pack with window_rows {}: give no fewer than the {} rows of a batch and "
      "at most {}, or 0",
      pack.window_rows, batch_rows, kMaxRows));
}

}  // namespace penstock
