// A dataset's graph, checked and flattened: what Compile() works from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/rows.h"
#include "pipeline/contract.h"
#include "pipeline/dataset.h"
#include "pipeline/graph/node.h"
#include "pipeline/order/length_grid.h"
#include "pipeline/state.h"

namespace penstock {

// Where a feature of rows is in the records of a source.
struct Origin {
  size_t side = 0;   // of a zip
  std::string name;  // empty where it is made on the way

  bool operator==(const Origin&) const = default;
};

// The same in the records of all sources, which call it alike.
struct RecordFeature {
  std::string name;           // empty where one does not have it
  std::vector<size_t> sides;  // [sources]
};

// From records to rows, for the records of one source.
struct SourceStages {
  ReadStage read;
  // Of a zip: its sides, the features of which stand one after the other, and
  // which `part` of its records each of these gives. What follows here is done
  // to rows that are put together.
  std::vector<SourceStages> sides = {};
  SliceOptions part = {};
  // To take out of each example; one bytes feature, "text", for a corpus.
  std::vector<Feature> features;
  std::optional<TokenizeStage> tokenize;
  // What happens to rows, in order; Tokenize comes before operation
  // ops_before_tokenize.
  std::vector<RowOp> row_ops;
  size_t ops_before_tokenize = 0;
  uint64_t most_rows = 1;  // that a record becomes
  // What reaches the batch: Tokenize takes its bytes feature's place.
  std::vector<Feature> batched;
  std::vector<Origin> origins;
};

struct Stages {
  std::vector<SourceStages> sources;  // in the order of the graph
  // Mix, Take and so on stand somewhere, not inside a zip, so that only
  // graph/order_tree.h knows which records come. Otherwise there is one source,
  // and `shuffle` says.
  bool views = false;
  std::shared_ptr<const Node> root;
  std::optional<ShuffleOptions> shuffle;
  uint64_t epochs = 1;              // 0 for ever
  std::vector<uint64_t> withdrawn;  // rising
  // Of the three, one or none.
  std::optional<BucketOptions> bucket;
  std::optional<PadOptions> pad;
  std::optional<PackOptions> pack;
  BatchOptions batch;
  // Also those that the objective is made of.
  std::vector<Derived> derived;
  std::optional<Objective> objective;

  // The features that reach the batch, in order, the same of all sources. Bytes
  // are of fixed size.
  std::vector<Feature> batched;

  // The feature whose length arranges rows; empty without the three.
  std::string by() const;
  // by() in the records, by which an index knows its lengths.
  RecordFeature length_column() const { return OriginOf(by()); }
  // One of `batched`.
  RecordFeature OriginOf(const std::string& feature) const;
  // Those that read records or put them together: of each source its sides,
  // then itself.
  std::vector<const SourceStages*> readers() const;
  // Which batch a row is in depends on more than its position.
  bool rows_vary() const;
  RowIds row_ids() const;  // of the rows of any source
  TooLong too_long() const;
  double pad_value() const;  // of by()
  // [shapes]: every length a batch may have, of by(); {0} without the three.
  std::vector<int64_t> lengths() const;
  // The same of the tensors of a varying feature: by()'s, unless it has buckets
  // of its own.
  std::vector<int64_t> LengthsOf(const std::string& feature) const;
  // Where several features have buckets, by() the first.
  std::optional<LengthGrid> grid() const;
  // Those features; by() alone without a grid.
  std::vector<std::string> arranging() const;
  // What arrangers go by, rising: lengths(), or measures of a grid.
  std::vector<int64_t> measures() const;
  // "128", or "128 x 64".
  std::string ShapeName(size_t shape) const;
  // [lengths]: the rows of a batch of each; empty where all are of batch.size,
  // otherwise that is the most.
  std::vector<int64_t> shape_rows() const {
    return bucket ? bucket->rows : std::vector<int64_t>();
  }
  // [lengths]; empty where batch.leftover is that of all.
  std::vector<Leftover> leftovers() const {
    return bucket ? bucket->leftovers : std::vector<Leftover>();
  }
  // Whether records may be cut, and so have any length.
  bool chunks() const { return pack && IsCut(pack->kind); }
  // Of Pack, with their defaults.
  uint64_t max_segments() const;
  uint64_t window_rows() const;
  // Everything that decides batches but the data, by stage. Epochs do not: a
  // longer run begins with the same ones.
  std::vector<StatePart> Parts() const;
  Contract MakeContract() const;
};

// Follows the graph to its sources and checks it.
// Errors:  kInvalidArgument saying what to change.
StatusOr<Stages> FlattenStages(const Dataset& dataset);

}  // namespace penstock
