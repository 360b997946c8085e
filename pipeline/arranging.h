// How rows are put into batches: the options of Bucket, Pad, Pack and Batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

// What happens to a row longer than the longest length. It goes by the feature
// that arranges; another varying feature that is longer than its batch is cut
// under kTruncate and otherwise an error.
enum class TooLong {
  kError,     // kInvalidArgument naming the record and both lengths
  kTruncate,  // the row's first values stay; Feature::cut_side
  kDrop,      // the row is left out, and counted
};

// What happens to rows that do not fill the last batch of a shape in an epoch.
enum class Leftover {
  kPad,    // rows of weight 0 fill it
  kDrop,   // they are left out, and counted
  kError,  // kFailedPrecondition: before step 0 when planned
  // They wait for rows of the next epoch, so that a batch may have rows of two;
  // those of the last epoch are padded. Planned only.
  kCarry,
};

// A feature with buckets of its own beside those of BucketOptions::by.
struct BucketFeature {
  std::string by;
  std::vector<int64_t> lengths;  // rising
  double pad_value = 0;          // unless its Feature says
};

struct BucketOptions {
  std::string by;  // the feature whose length decides
  // Of the buckets, rising. Empty: as many as `shapes`, with which the data
  // needs the least padding; that takes indexes with lengths.
  std::vector<int64_t> lengths;
  TooLong too_long = TooLong::kError;
  double pad_value = 0;  // of `by`, unless its Feature says
  // Other features of any number of values, encoder and decoder: the shapes of
  // batches are then all pairs of their lengths, those of the last changing
  // first, and what is said of each length is of each pair. A row is too long
  // where it is in any of them.
  std::vector<BucketFeature> with = {};
  // Of a global batch of each length, so that batches of long rows have fewer;
  // BatchOptions::size is left out then. Empty: all have that size.
  std::vector<int64_t> rows = {};
  // The same, told by values: each length has as many rows as fit into this
  // many values, padding included, of all features that have buckets; a
  // multiple of rows_multiple_of, and that at least. 0: not told so.
  int64_t batch_values = 0;
  int64_t rows_multiple_of = 1;
  // Of each length; BatchOptions::leftover is left out then. Empty: that is it
  // for all.
  std::vector<Leftover> leftovers = {};
  // Of lengths under kPad: where a batch of a longer one of them is not full
  // and has room for all rows that are left of a length, they join the first
  // such. Fewer steps and rows that pad, for longer rows.
  bool merge_leftovers = false;
  // Of lengths that are chosen: how many, at most, and what each is a multiple
  // of.
  int64_t shapes = 8;
  int64_t multiple_of = 1;
};

// Rows stay in order; each batch is as long as its longest row, rounded up.
struct PadOptions {
  std::string by;
  int64_t multiple_of = 128;
  int64_t max_length = 0;  // a multiple of multiple_of; must be given
  TooLong too_long = TooLong::kError;
  double pad_value = 0;  // of `by`, unless its Feature says
};

// How records are put together into rows of one length.
enum class PackKind {
  // The first open row that has room takes a record. Once none has, the fullest
  // rows become a batch.
  kFirstFit,
  // Records are gathered until they fill a window of rows, and put there, the
  // longest first, each where the least room is left. Rows that are not full
  // come apart and wait for the next window. The fullest rows of all.
  kBestFit,
  // Records follow each other in the order of the epoch, and are cut where a
  // row ends. No padding but at the end of an epoch.
  kChunk,
  // The samples of Megatron-LM's GPTDataset, in its order, for runs that began
  // there: `length` is its sequence length and the value more that labels take,
  // with which the next sample begins. Behind records in the order of their
  // files, without Shuffle, Mix, Repeat and Withdraw; planned only.
  kMegatron,
};

// Whether records are cut where a row ends.
constexpr bool IsCut(PackKind kind) {
  return kind == PackKind::kChunk || kind == PackKind::kMegatron;
}

// Several records a row. Other features go with `by`: each has as many values
// in a record as `by` has, or is optional and has none.
struct PackOptions {
  std::string by;
  int64_t length = 0;  // of every row; up to 2^24
  PackKind kind = PackKind::kBestFit;
  // Records in a row, at most; 0 is as many as the row has values, which bounds
  // records without values.
  int64_t max_segments = 0;
  // Rows that are open, or made, at once; no less than the batch has. 0 is a
  // batch, a quarter of one and 64: more of them are fuller, but records travel
  // further from where the order has them, and the state grows, by 16 bytes for
  // each record that waits. Where records are cut it needs none.
  int64_t window_rows = 0;
  TooLong too_long = TooLong::kError;  // ignored where records are cut
  double pad_value = 0;                // of `by`, unless its Feature says
  // Of kMegatron: its seed, below 2^32, and how many samples its run asked for
  // in all: train iterations times the global batch. 0: as many as one pass
  // over the records has. Other numbers give other samples from the first on.
  uint64_t seed = 0;
  uint64_t samples = 0;
};

// Which row of a packed batch goes where. Which rows it has, and how many each
// device gets, stays.
struct BalanceOptions {
  // Equal parts of a batch that shall cost the same: its shards times the
  // micro-batches of each, or a multiple. 0 leaves rows as they come. It is the
  // graph's, so that batches do not depend on devices.
  int64_t parts = 0;
  // A record of L values costs linear L + quadratic L^2: the layers, and
  // attention. As much for both at 8,192 values.
  double linear = 1;
  double quadratic = 1.0 / 8192;
};

struct BatchOptions {
  int64_t size = 0;  // rows of a global batch; see BucketOptions::rows, too
  Leftover leftover = Leftover::kPad;
  BalanceOptions balance = {};  // with Pack
};

}  // namespace penstock
