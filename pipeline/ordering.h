// In which order records come: the options of Shuffle, Repeat, Mix, Split
// and Slice.
#pragma once

#include <cstdint>
#include <string>

namespace penstock {

struct ShuffleOptions {
  uint64_t seed = 0;
  // 0 shuffles all records, which needs records that are reached by number (an
  // index beside each file). Otherwise windows of this many records that follow
  // each other are shuffled, each kept in memory while it lasts.
  uint64_t window_records = 0;
  // Not 0: blocks of this many records that follow each other change places
  // first, and windows (of 16 blocks, where window_records is 0) mix the rows
  // of blocks that have come together. Then only a window's blocks are being
  // read, each from its begin to its end, as disks and stores over a network
  // like it. Needs records that are reached by number.
  uint64_t block_records = 0;
};

struct RepeatOptions {
  // Each epoch has another order. 0 repeats for ever.
  uint64_t epochs = 1;
};

// When a mix of datasets ends.
enum class MixStop {
  kFirst,   // where the first of them has no more rows
  kLast,    // those that end leave it; where the last one ends
  kRepeat,  // those that end begin again; where each has ended once
};

struct MixOptions {
  MixStop stop = MixStop::kFirst;
  // Weights are of values of this feature, not of rows: each is divided by the
  // mean length of its dataset, which the indexes must have.
  std::string by = {};
};

// A part of all records, by a number in [0, 1) that is hashed from `seed` and
// the record's own number in its source. So parts that do not overlap have
// nothing in common, [0, 0.99) and [0.99, 1) leave nothing out, and where files
// are appended to a source, or sources to a graph, records stay in their part.
struct SplitOptions {
  uint64_t seed = 0;
  double begin = 0;
  double end = 1;
};

struct SliceOptions {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;  // beyond the last record is the end
};

}  // namespace penstock
