// One immutable stage of a dataset's graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "formats/open.h"
#include "pipeline/dataset.h"
#include "pipeline/derive.h"
#include "pipeline/graph/row_ops.h"
#include "pipeline/objective.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

struct ReadStage {
  std::string pattern;
  OpenOptions options;
  bool examples = false;  // records are tf.train.Example, otherwise text
  // Instead of files: rows in memory, which `pattern` is the name of; as if
  // they were Examples.
  std::shared_ptr<const Examples> columns = nullptr;
  bool megatron = false;  // `pattern` is a .bin and its .idx, of "tokens"
};

// Of its parents, as many as weights.
struct MixStage {
  std::vector<double> weights;
  MixOptions options;
};

struct ConcatStage {};

// The rows of its parents side by side: a source as far as orders go.
struct ZipStage {};

struct ExcludeStage {
  std::vector<uint64_t> record_ids;  // rising
};

struct WithdrawStage {
  std::vector<uint64_t> record_ids;  // rising
};

struct ParseStage {
  std::vector<Feature> features;
};

struct TokenizeStage {
  std::shared_ptr<const Tokenizer> tokenizer;
  TokenizeOptions options;
};

struct DeriveStage {
  std::vector<Derived> tensors;
};

using Objective =
    std::variant<CausalLm, PrefixLm, FillInMiddle, MaskedLm, SpanCorruption>;

struct ObjectiveStage {
  Objective objective;
};

// What a stage does; the others hold no more than their options.
using Stage =
    std::variant<ReadStage, ZipStage, MixStage, ConcatStage, SliceOptions,
                 SplitOptions, ExcludeStage, WithdrawStage, ParseStage,
                 ShuffleOptions, RepeatOptions, TokenizeStage, RowOp,
                 DeriveStage, ObjectiveStage, BucketOptions, PadOptions,
                 PackOptions, BatchOptions>;

struct Node {
  // None of ReadStage, any number of ZipStage, MixStage and ConcatStage, else
  // one.
  std::vector<std::shared_ptr<const Node>> parents;
  Stage stage;
};

}  // namespace penstock
