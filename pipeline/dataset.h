// What to read and what to do with it: an immutable graph that says nothing of
// hosts, threads or devices. Compile() in pipeline/pipeline.h makes it run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/example/examples.h"
#include "formats/example/feature_spec.h"
#include "formats/files/callback.h"
#include "pipeline/contract.h"
#include "tokenizer/interface/call_options.h"

namespace penstock {

struct FilterOptions;  // pipeline/row_function.h
struct MapOptions;
struct RowChunk;
struct CausalLm;  // pipeline/objective.h, with the other objectives
struct FillInMiddle;
struct MaskedLm;
struct PrefixLm;
struct SpanCorruption;
struct Derived;      // pipeline/derive.h
struct Node;         // pipeline/graph/node.h
struct OpenOptions;  // formats/open.h
class Status;        // formats/files/status.h
class Tokenizer;     // tokenizer/interface/tokenizer.h

// One end of a row.
enum class Side { kRight, kLeft };

// A feature to take out of each tf.train.Example.
struct Feature {
  std::string name;
  FeatureType type = FeatureType::kInt64;
  // Values in every row; kVarying allows any number. 1 makes a tensor [rows].
  int64_t length = kVarying;
  // What it becomes in a batch; a value that does not fit is an error. By
  // default int64 features become int32 (any integers and bool are possible)
  // and float features float32 (or bfloat16, float16: the nearest).
  std::optional<ElementType> as = std::nullopt;
  // Rows without the feature have no values instead of being an error.
  bool optional = false;
  // Numbers that lie in one bytes value, as `datagen --token-encoding` writes
  // them. For int64 alone.
  FeatureEncoding encoding = FeatureEncoding::kPlain;
  // Instead of `length`: the sizes of a dense array, row-major, {28, 28, 3}. A
  // bytes feature has it as one value of exactly so many bytes, little-endian
  // numbers of type `as`, by default uint8.
  std::vector<int64_t> shape = {};
  // Of padding, and of rows that pad; by default 0, or for the feature that
  // arranges what Bucket or Pad says.
  std::optional<double> pad_value = std::nullopt;
  // For varying features: where padding goes, and which values a row loses that
  // is cut to its batch's length.
  Side pad_side = Side::kRight;
  Side cut_side = Side::kRight;

  static constexpr int64_t kVarying = -1;
};

struct ShuffleOptions {
  uint64_t seed = 0;
  // 0 shuffles all records, which needs records that are reached by number (an
  // index beside each file). Otherwise windows of this many records that follow
  // each other are shuffled, each kept in memory while it lasts.
  uint64_t window_records = 0;
};

struct RepeatOptions {
  // Each epoch has another order. 0 repeats for ever.
  uint64_t epochs = 1;
};

struct TokenizeOptions {
  std::string from = "text";  // a bytes feature of one value
  std::string to = "tokens";  // varying
  EncodeOptions encode = {};
  // As of a Feature.
  ElementType as = ElementType::kInt32;
  Side pad_side = Side::kRight;
  Side cut_side = Side::kRight;
};

struct RenameOptions {
  std::string from;
  std::string to;
};

// A feature of one value that every row has.
struct ConstantOptions {
  std::string name;
  double value = 0;  // 0 in rows that pad
  ElementType as = ElementType::kInt32;
};

// What happens to a row longer than the longest length. It goes by the feature
// that arranges; another varying feature that is longer than its batch is cut
// under kTruncate and otherwise an error.
enum class TooLong {
  kError,     // kInvalidArgument naming the record and both lengths
  kTruncate,  // the row's first values stay; Feature::cut_side
  kDrop,      // the row is left out, and counted
};

struct BucketOptions {
  std::string by;  // the feature whose length decides
  // Of the buckets, rising. Empty: as many as `shapes`, with which the data
  // needs the least padding; that takes indexes with lengths.
  std::vector<int64_t> lengths;
  TooLong too_long = TooLong::kError;
  double pad_value = 0;  // of `by`, unless its Feature says
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
};

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
  // each record that waits. kChunk needs none.
  int64_t window_rows = 0;
  TooLong too_long = TooLong::kError;  // kChunk cuts records and ignores it
  double pad_value = 0;                // of `by`, unless its Feature says
};

// What happens to rows that do not fill the last batch of a shape in an epoch.
enum class Leftover {
  kPad,    // rows of weight 0 fill it
  kDrop,   // they are left out, and counted
  kError,  // kFailedPrecondition: before step 0 when planned
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
  int64_t size = 0;  // rows of a global batch
  Leftover leftover = Leftover::kPad;
  BalanceOptions balance = {};  // with Pack
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

struct SliceOptions {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;  // beyond the last record is the end
};

struct MixSource;

// A cheap value: copies share the graph. Every call returns a new graph and
// leaves this one as it is. Mistakes are reported by Compile().
//
// Parse, Shuffle, Repeat and Tokenize may stand in any order (but Parse before
// Tokenize): each says something about the epoch, and epochs never mix. What
// stands before Mix, Concat, Take, Skip or Slice is of its own: epochs that end
// there are none of the run's. Then comes Bucket, Pad or Pack, and Batch last.
// Select, Rename, Constant, Map and Filter come one after the other between
// Parse and these. Derive and Objective may stand anywhere before Batch, behind
// Mix.
//
// Record ids of several sources are counted through, in the order of the graph.
class Dataset {
 public:
  // TFRecord files of tf.train.Example. `pattern` as in
  // formats/datasets/shard_names.h.
  static Dataset TfRecords(std::string pattern);
  static Dataset TfRecords(std::string pattern, OpenOptions options);
  // Text, JSONL ... as formats/open.h reads them; one bytes feature, "text". A
  // text file is one document; where `pattern` names it alone, without * or ?,
  // each of its paragraphs is; OpenOptions::text_unit goes before both. Of
  // TFRecords of Examples the feature "text" is read, or example_feature.
  static Dataset Corpus(std::string pattern);
  static Dataset Corpus(std::string pattern, OpenOptions options);

  // Rows of several datasets in fixed ratios, whose features must be the same.
  // Each keeps its own shuffle and epochs: one that was not through where the
  // mix ended goes on there in the mix's next epoch. No prefix of an epoch has
  // a row more or less of any than its share (under kLast: of what came since
  // one left). Weights are positive, and rounded to a period of 65,536 rows at
  // most, a row of it at least; 1,024 datasets at most.
  // Mix, Concat, Take, Skip, Slice and Exclude need records that are reached by
  // number (an index beside each file).
  static Dataset Mix(std::vector<MixSource> sources, MixOptions options = {});
  // One after the other, with the same features.
  static Dataset Concat(std::vector<Dataset> datasets);

  // The first rows of each epoch; all but the first; those between.
  Dataset Take(uint64_t records) const;
  Dataset Skip(uint64_t records) const;
  Dataset Slice(SliceOptions options) const;
  // Without the records of these ids, as batches of this dataset have them.
  // Before Take, Skip and Slice.
  // Memory:  8 bytes a record that is left out.
  Dataset Exclude(std::vector<uint64_t> record_ids) const;

  // Which features to take. Without it: those that later stages name.
  Dataset Parse(std::vector<Feature> features) const;
  Dataset Shuffle(ShuffleOptions options) const;
  Dataset Repeat(RepeatOptions options) const;
  Dataset Tokenize(std::shared_ptr<const Tokenizer> tokenizer,
                   TokenizeOptions options = {}) const;
  // What happens to the features of rows, in the order of the graph: those that
  // stay, another name for one, one more.
  Dataset Select(std::vector<std::string> names) const;
  Dataset Rename(RenameOptions options) const;
  Dataset Constant(ConstantOptions options) const;
  // A function of one's own over rows, MapFunction and FilterFunction of
  // pipeline/row_function.h. Rows that Filter leaves out count as dropped.
  Dataset Map(MapOptions options,
              Callback<Status(const RowChunk&)> function) const;
  Dataset Filter(FilterOptions options,
                 Callback<Status(const RowChunk&, std::vector<bool>& keep)>
                     function) const;
  // Tensors made from where the pieces of a row lie: pipeline/derive.h.
  Dataset Derive(std::vector<Derived> tensors) const;
  // What a model is to learn, one of pipeline/objective.h.
  Dataset Objective(CausalLm objective) const;
  Dataset Objective(PrefixLm objective) const;
  Dataset Objective(FillInMiddle objective) const;
  Dataset Objective(MaskedLm objective) const;
  Dataset Objective(SpanCorruption objective) const;
  // One of the three, before Batch.
  Dataset Bucket(BucketOptions options) const;
  Dataset Pad(PadOptions options) const;
  Dataset Pack(PackOptions options) const;
  Dataset Batch(BatchOptions options) const;

  const std::shared_ptr<const Node>& node() const { return node_; }

 private:
  explicit Dataset(std::shared_ptr<const Node> node);

  std::shared_ptr<const Node> node_;
};

struct MixSource {
  Dataset dataset;
  double weight = 1;
};

}  // namespace penstock
