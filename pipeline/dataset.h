// What to read and what to do with it: an immutable graph that says nothing of
// hosts, threads or devices. Compile() in pipeline/pipeline.h makes it run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/callback.h"
#include "pipeline/arranging.h"
#include "pipeline/features.h"
#include "pipeline/ordering.h"

namespace penstock {

struct FilterOptions;  // pipeline/row_function.h
struct FlatMapOptions;
struct MapOptions;
struct RowChunk;
struct CausalLm;  // pipeline/objective.h, with the other objectives
struct FillInMiddle;
struct MaskedLm;
struct PrefixLm;
struct SpanCorruption;
struct Derived;      // pipeline/derive.h
struct Examples;     // formats/example/examples.h
struct Node;         // pipeline/graph/node.h
struct OpenOptions;  // formats/open.h
class Status;        // formats/files/status.h
class Tokenizer;     // tokenizer/interface/tokenizer.h
struct MixSource;    // below

// A cheap value: copies share the graph. Every call returns a new graph and
// leaves this one as it is. Mistakes are reported by Compile().
//
// Parse, Shuffle, Repeat and Tokenize may stand in any order (but Parse before
// Tokenize): each says something about the epoch, and epochs never mix. What
// stands before Mix, Concat, Take, Skip or Slice is of its own: epochs that end
// there are none of the run's. Then comes Bucket, Pad or Pack, and Batch last.
// What Select to FlatMap do comes one after the other between Parse and these.
// Derive and Objective may stand anywhere before Batch, behind Mix.
//
// Record ids of several sources are counted through, in the graph's order.
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

  // Rows in memory, shared and not copied, as Examples of the same features
  // would give them. A column without row_offsets has as many values in every
  // row; none is ragged, and any may be narrow. `name` stands in messages.
  // Cost:    a checksum at Compile(), and 4 bytes a row and column. Planned.
  static Dataset Columns(std::shared_ptr<const Examples> rows,
                         std::string name = "columns");

  // Token files of Megatron-LM: each sequence of `path`.bin is a record of one
  // feature, "tokens", as long as `path`.idx says; planned.
  static Dataset MegatronTokens(std::string path);

  // Rows of several datasets in fixed ratios, whose features must be the same.
  // Each keeps its own shuffle and epochs: one that was not through where the
  // mix ended goes on there in the mix's next epoch. No prefix of an epoch has
  // a row more or less of any than its share (under kLast: of what came since
  // one left). Weights are positive, and rounded to a period of 65,536 rows at
  // most, a row of it at least; 1,024 datasets at most.
  // Mix, Concat, Take, Skip, Slice, Split and Exclude need records that are
  // reached by number (an index beside each file), but inside Zip.
  static Dataset Mix(std::vector<MixSource> sources, MixOptions options = {});
  // Side by side: record i has the features of record i of each dataset in the
  // order of its files. All have as many, which is known at the end of what is
  // read in sequence, and no two a feature of one name.
  // Before it stand Take, Skip, Slice, Parse, Tokenize and what changes rows
  // but Filter and FlatMap: docs/sources.md. Cost: a copy of files' records.
  static Dataset Zip(std::vector<Dataset> datasets);
  // One after the other, with the same features.
  static Dataset Concat(std::vector<Dataset> datasets);

  // The first rows of each epoch; all but the first; those between.
  Dataset Take(uint64_t records) const;
  Dataset Skip(uint64_t records) const;
  Dataset Slice(SliceOptions options) const;
  // The records whose hash lies in a part of [0, 1): train and validation of
  // one dataset. Parts of other seeds are independent; behind another Split,
  // the records that are in both parts. Before Take, Skip and Slice.
  // Cost:    about 3 ns and 1.25 bits a record of the files, at Compile().
  Dataset Split(SplitOptions options) const;
  // Without the records of these ids, as batches of this dataset have them.
  // Before Take, Skip and Slice. 8 bytes a record that is left out.
  Dataset Exclude(std::vector<uint64_t> record_ids) const;
  // The same, but their places in the order stay empty, so that all others keep
  // theirs and a run may do it on its way: Change::kWithdrawn. They count as
  // dropped. Behind Mix and Concat, planned; a search for each record.
  Dataset Withdraw(std::vector<uint64_t> record_ids) const;

  // Which features to take. Without it: those that later stages name.
  Dataset Parse(std::vector<Feature> features) const;
  Dataset Shuffle(ShuffleOptions options) const;
  Dataset Repeat(RepeatOptions options) const;
  Dataset Tokenize(std::shared_ptr<const Tokenizer> tokenizer,
                   TokenizeOptions options = {}) const;
  // Features that stay, another name for one, one more.
  Dataset Select(std::vector<std::string> names) const;
  Dataset Rename(RenameOptions options) const;
  Dataset Constant(ConstantOptions options) const;
  // Functions of one's own over rows: pipeline/row_function.h.
  Dataset Map(MapOptions options,
              Callback<Status(const RowChunk&)> function) const;
  Dataset Filter(FilterOptions options,
                 Callback<Status(const RowChunk&, std::vector<bool>& keep)>
                     function) const;
  Dataset FlatMap(FlatMapOptions options,
                  Callback<Status(const RowChunk&, Examples& made,
                                  std::vector<uint32_t>& rows_of)>
                      function) const;
  // Tensors made from where the pieces of a row lie: pipeline/derive.h.
  Dataset Derive(std::vector<Derived> tensors) const;
  // What a model is to learn, one of pipeline/objective.h.
  Dataset Objective(CausalLm objective) const;
  Dataset Objective(PrefixLm objective) const;
  Dataset Objective(FillInMiddle objective) const;
  Dataset Objective(MaskedLm objective) const;
  Dataset Objective(SpanCorruption objective) const;
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
