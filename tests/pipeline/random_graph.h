// Graphs, data and runs drawn at random, each from one number.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/dataset.h"
#include "tests/pipeline/dataset_fixture.h"

namespace penstock::testing {

// Data on disk, shared by many graphs, as writing takes longest.
struct MadeData {
  std::vector<uint32_t> lengths;
  std::string pattern;
  std::string beside;  // the same in other files that have no index
  std::shared_ptr<const Examples> rows;  // and in memory
  bool indexed = true;
  bool length_column = true;
};

class DataPool {
 public:
  // `kind` of kKinds.
  const MadeData& Get(size_t kind);
  static constexpr size_t kKinds = 24;

 private:
  std::string Copy(size_t kind, const std::string& why, DatasetFiles files,
                   const std::vector<uint32_t>& lengths);

  std::map<std::string, std::unique_ptr<ScratchFolder>> folders_;
  std::map<size_t, MadeData> made_;
};

struct RandomGraph {
  explicit RandomGraph(uint64_t seed, DataPool& pool);

  // The graph over the data, or over files of other names.
  Dataset Make(const std::string& pattern) const;
  Dataset Make() const { return Make(data->pattern); }
  // A run of it on any hosts, shards and threads.
  RunOptions Run();
  uint64_t Draw(uint64_t below) { return random() % below; }
  std::string Describe() const;
  Dataset WithRows(const Dataset& dataset) const;
  Dataset WithLearned(const Dataset& dataset) const;

  uint64_t seed;
  std::mt19937_64 random;
  size_t kind;
  const MadeData* data;
  // What the graph reads, in the order of its record ids; `data` first.
  std::vector<const MadeData*> sources;
  uint64_t epochs;
  enum Arrange { kFixed, kBucket, kPad, kPack } arrange;
  enum Shuffle { kNone, kAll, kWindow } shuffle;
  bool tokenize;  // letters instead of stored tokens
  uint64_t window;
  std::vector<int64_t> lengths;
  TooLong too_long;
  Leftover leftover;
  int64_t batch;
  // Of a batch of each length of kBucket; empty: all have `batch`.
  std::vector<int64_t> length_rows;
  bool merge = false;  // BucketOptions::merge_leftovers
  // Two features have buckets: each length stands twice, once for each of two
  // lengths of the other.
  bool pairs = false;
  PackOptions pack;
  int64_t balance = 0;  // BalanceOptions::parts
  bool force_streamed;
  bool shared = false;  // views are of the share of each host
  // Of the tokens, where rows have any.
  enum Learn {
    kNothing,
    kDerived,
    kCausal,
    kPrefix,
    kFill,
    kMasked,
    kSpans,
  } learn;
  enum Rows { kAsRead, kMapped, kFiltered, kFlatMapped } rows;
  // Small in one of ten.
  uint64_t waiting_bytes = uint64_t{1} << 32;
  uint64_t window_bytes = uint64_t{1} << 28;
  enum View {
    kNoView,
    kTake,
    kShuffledTake,
    kSlice,
    kExclude,
    kSplit,
    kConcat,
    kMix,
    kNested,
    kViews,
    kZip  // drawn by the graph's number
  } view = kNoView;
  MixStop stop = MixStop::kFirst;
  uint64_t taken = 0;
  double weight = 1;

  // What kFlatMapped adds to the first value of a row for each row of its
  // record before it.
  static constexpr int64_t kRowStep = 100'000;
  // The rows that it makes of a record that begins with `value`.
  static uint32_t RowsMade(int64_t value) {
    return static_cast<uint32_t>(value * 7 % 4);
  }

  // The data of a record id, and its number there.
  std::pair<const MadeData*, uint64_t> Find(uint64_t id) const;
  // Of a batch.
  size_t RowsOf(size_t shape) const {
    return static_cast<size_t>(length_rows.empty() ? batch
                                                   : length_rows[shape]);
  }
  int64_t LengthOf(size_t shape) const {
    return lengths[pairs ? shape / 2 : shape];
  }
  // Whether an epoch has no record twice.
  bool once() const;
  // Rows of an epoch, where they are easily told.
  std::optional<uint64_t> rows_of_epoch() const;

 private:
  void DrawView(DataPool& pool);
  // In memory, the same columns.
  bool in_memory() const { return data->indexed && seed % 6 == 5; }
  Dataset Read(const std::string& pattern) const;
  // Of other features than those of `pattern`, side by side.
  Dataset ReadZip(const std::string& pattern) const;
  Dataset Parsed(const std::string& pattern) const;
  std::vector<BucketFeature> WithTwin() const;
};

}  // namespace penstock::testing
