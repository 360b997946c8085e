#include "tests/pipeline/varied_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "pipeline/derive.h"
#include "pipeline/objective.h"
#include "pipeline/row_function.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

constexpr int64_t kLongest = 40;

// Each row once or twice.
Status MakeTwice(const RowChunk& chunk, Examples& made,
                 std::vector<uint32_t>& rows_of) {
  for (size_t row = 0; row < chunk.rows.rows; ++row) {
    rows_of[row] = static_cast<uint32_t>(1 + chunk.records[row] % 2);
    for (uint32_t copy = 0; copy < rows_of[row]; ++copy) {
      for (size_t c = 0; c < made.columns.size(); ++c) {
        CopyRow(chunk.rows.columns[c], row, made.columns[c]);
      }
    }
  }
  return OkStatus();
}

// All but a fifth, as the keys have it.
Status KeepByKey(const RowChunk& chunk, std::vector<bool>& keep) {
  for (size_t row = 0; row < keep.size(); ++row) {
    keep[row] = chunk.keys[row] % 5 != 0;
  }
  return OkStatus();
}

// The integers with something of the keys.
Status AddKey(const RowChunk& chunk) {
  for (Column& column : chunk.rows.columns) {
    if (column.type != FeatureType::kInt64) continue;
    for (size_t row = 0; row < chunk.rows.rows; ++row) {
      for (uint64_t v = column.row_offsets[row];
           v < column.row_offsets[row + 1]; ++v) {
        column.ints[v] += static_cast<int64_t>(chunk.keys[row] % 7);
      }
    }
  }
  return OkStatus();
}

}  // namespace

VariedGraph::VariedGraph(uint64_t number, DataPool& pool)
    : number_(number),
      drawing_(number + 0x9e3779b97f4a7c15),
      in_sequence_(One(4)),
      packing_(One(3)) {
  if (One(6)) {
    waiting_bytes_ = 1 + Draw(One(2) ? 2'000 : 20'000);
    window_bytes_ = 1 + Draw(4'000);
    streams_ = false;
  }
  VariedView view = DrawView(drawing_, pool, in_sequence_);
  const uint64_t epochs = 1 + Draw(3);
  Say(fmt::format("Repeat({})", epochs));
  Dataset made = view.dataset.Repeat({.epochs = epochs});
  if (!One(3)) {
    const uint64_t window =
        in_sequence_ ? 1 + Draw(60) : Draw(2) * (1 + Draw(60));
    const uint64_t block = !in_sequence_ && One(3) ? 1 + Draw(9) : 0;
    Say(fmt::format("Shuffle({}, {})", window, block));
    made = made.Shuffle(
        {.seed = number, .window_records = window, .block_records = block});
  }
  if (!in_sequence_ && view.ids && !view.ids->empty() && One(6)) {
    std::vector<uint64_t> gone;
    std::ranges::sample(*view.ids, std::back_inserter(gone),
                        static_cast<std::ptrdiff_t>(Draw(4)),
                        drawing_.random());
    Say(fmt::format("Withdraw({})", fmt::join(gone, " ")));
    for (const uint64_t id : gone) std::erase(*view.ids, id);
    made = made.Withdraw(std::move(gone));
    streams_ = false;
  }
  made = Changed(Parsed(made));
  made = Learned(made);
  dataset_ = Arranged(made);
  if (!view.ids) return;
  ids_.emplace();
  for (uint64_t epoch = 0; epoch < epochs; ++epoch) {
    ids_->insert(ids_->end(), view.ids->begin(), view.ids->end());
  }
  std::ranges::sort(*ids_);
}

std::string VariedGraph::Describe() const {
  return fmt::format("PENSTOCK_GRAPH={}: {}", number_,
                     fmt::join(drawing_.said(), " "));
}

RunOptions VariedGraph::RunOnOne() const {
  return {.threads = 1, .change = [this](uint32_t, HostRun& run) {
            run.compile.waiting_bytes = waiting_bytes_;
            run.compile.window_bytes = window_bytes_;
          }};
}

RunOptions VariedGraph::Run() {
  constexpr uint32_t kShards[] = {1, 2, 3, 4, 6, 12};
  RunOptions options = RunOnOne();
  options.shards = kShards[Draw(6)];
  options.hosts = static_cast<uint32_t>(1 + Draw(options.shards));
  options.threads = static_cast<int>(1 + Draw(4));
  options.sequence = static_cast<SequenceReading>(Draw(4));
  options.buffer_bytes = One(3) ? 1u : 1u << 20;
  return options;
}

Dataset VariedGraph::Parsed(const Dataset& dataset) {
  Feature tokens = {.name = "tokens"};
  if (One(3)) tokens.pad_side = Side::kLeft;
  if (One(3)) tokens.cut_side = Side::kLeft;
  if (One(3)) tokens.as = One(2) ? ElementType::kInt64 : ElementType::kUint32;
  tokens.optional = One(5);
  tokens.pad_value = One(3) ? std::optional<double>(7) : std::nullopt;
  cuts_left_ = tokens.cut_side == Side::kLeft;
  Say(fmt::format("Parse({}{}{})", tokens.pad_side == Side::kLeft ? "l" : "r",
                  tokens.cut_side == Side::kLeft ? "l" : "r",
                  tokens.as ? static_cast<int>(*tokens.as) : -1));
  if (One(5)) {
    const Feature text = {
        .name = "text", .type = FeatureType::kBytes, .length = 1};
    Say("Tokenize");
    const TokenizeOptions to = {.pad_side = tokens.pad_side,
                                .cut_side = tokens.cut_side};
    return dataset.Parse(packing_ ? std::vector{text} : std::vector{text, kId})
        .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"), to);
  }
  if (packing_) return dataset.Parse({tokens});
  return dataset.Parse(One(2) ? std::vector{tokens, kId}
                              : std::vector{kHalf, tokens});
}

// Any of what changes rows, one behind the other.
Dataset VariedGraph::Changed(Dataset dataset) {
  for (int stages = 0; stages < 4 && !One(3); ++stages) {
    const std::string name = fmt::format("s{}", stages);
    switch (Draw(packing_ ? 5 : 6)) {
      case 0:
        dataset = dataset.Rename({.from = tokens_, .to = name});
        tokens_ = name;
        Say("Rename");
        break;
      case 1:
        dataset = dataset.Filter({.name = name, .seed = Draw(3)}, KeepByKey);
        dropping_ = true;
        Say("Filter");
        break;
      case 2:
        dataset = dataset.FlatMap({.name = name, .most_rows = 2}, MakeTwice);
        dropping_ = true;
        Say("FlatMap");
        break;
      case 3:
        dataset = dataset.Map({.name = name, .keeps_lengths = One(2)}, AddKey);
        Say("Map");
        break;
      case 4:
        dataset = dataset.Select({tokens_});
        Say("Select");
        break;
      default:
        dataset = dataset.Constant({.name = name, .value = 3});
        Say("Constant");
    }
  }
  return dataset;
}

Dataset VariedGraph::Learned(const Dataset& dataset) {
  switch (Draw(8)) {
    case 0:
      Say("Derive");
      return dataset.Derive(
          {SegmentIds(tokens_),
           Positions(tokens_, {.in = cuts_left_ ? PositionsIn::kPiece
                                                : PositionsIn::kRecord})});
    case 1:
      Say("CausalLm");
      return dataset.Objective(CausalLm{.of = tokens_});
    case 2:
      Say("MaskedLm");
      return dataset.Objective(MaskedLm{
          .of = tokens_, .seed = number_, .mask_id = 4, .vocabulary = 1000});
    case 3:
      if (packing_) return dataset;  // is of one record a row
      Say("SpanCorruption");
      return dataset.Objective(SpanCorruption{
          .of = tokens_, .seed = number_, .sentinel = 99, .eos = 1});
    case 4:
      Say("FillInMiddle");
      return dataset.Objective(FillInMiddle{.of = tokens_,
                                            .seed = number_,
                                            .prefix_id = 1,
                                            .middle_id = 2,
                                            .suffix_id = 3});
    default:
      return dataset;
  }
}

Dataset VariedGraph::Arranged(const Dataset& dataset) {
  size_ = static_cast<int64_t>(12 * (1 + Draw(3)));
  constexpr Leftover kEnds[] = {Leftover::kPad, Leftover::kPad, Leftover::kDrop,
                                Leftover::kCarry};
  leftover_ = kEnds[Draw(in_sequence_ ? 3 : 4)];
  Dataset arranged = dataset;
  int64_t parts = 0;
  if (packing_) {
    arranged = Packed(dataset);
    if (One(3)) parts = 12;
  } else if (One(4)) {
    Say("Pad");
    dropping_ = dropping_ || One(2);
    arranged = dataset.Pad({.by = tokens_,
                            .multiple_of = 8,
                            .max_length = dropping_ ? 16 : kLongest,
                            .too_long = TooLong::kDrop});
  } else {
    arranged = Bucketed(dataset);
  }
  if (leftover_ == Leftover::kDrop) dropping_ = true;
  if (leftover_ == Leftover::kCarry) streams_ = false;
  Say(fmt::format("Batch({}, {}, {})", size_, static_cast<int>(leftover_),
                  parts));
  return arranged.Batch(
      {.size = size_, .leftover = leftover_, .balance = {.parts = parts}});
}

Dataset VariedGraph::Bucketed(const Dataset& dataset) {
  BucketOptions options = {.by = tokens_};
  if (!in_sequence_ && One(3)) {
    options.shapes = static_cast<int64_t>(1 + Draw(4));
    options.multiple_of = static_cast<int64_t>(1 + Draw(6));
  } else {
    for (int64_t length = 0; length < kLongest;) {
      length += 1 + static_cast<int64_t>(Draw(15));
      options.lengths.push_back(length);
    }
    if (One(3)) {
      options.lengths.back() = kLongest / 2;
      while (options.lengths.size() > 1 &&
             options.lengths[options.lengths.size() - 2] >=
                 options.lengths.back()) {
        options.lengths.erase(options.lengths.end() - 2);
      }
      options.too_long = One(2) ? TooLong::kDrop : TooLong::kTruncate;
      dropping_ = true;
    }
  }
  const size_t lengths = options.lengths.size();
  if (One(3) && lengths > 0) {
    options.batch_values = static_cast<int64_t>(400 + Draw(800));
    options.rows_multiple_of = 12;
    size_ = 0;
  } else if (One(3) && lengths > 0) {
    for (size_t i = 0; i < lengths; ++i) {
      options.rows.push_back(12 * static_cast<int64_t>(1 + Draw(3)));
    }
    size_ = 0;
  }
  options.merge_leftovers = leftover_ == Leftover::kPad && One(2);
  if (One(4) && lengths > 0) {
    for (size_t i = 0; i < lengths; ++i) {
      options.leftovers.push_back(One(3) ? Leftover::kDrop : Leftover::kPad);
    }
    leftover_ = Leftover::kPad;
    dropping_ = true;
  }
  Say(fmt::format("Bucket({} of {}, {} values, rows {}, merge {}, {} ends)",
                  fmt::join(options.lengths, " "), options.shapes,
                  options.batch_values, fmt::join(options.rows, " "),
                  options.merge_leftovers, options.leftovers.size()));
  return dataset.Bucket(std::move(options));
}

Dataset VariedGraph::Packed(const Dataset& dataset) {
  PackOptions options = {
      .by = tokens_,
      .length = static_cast<int64_t>(10 + Draw(50)),
      .kind = static_cast<PackKind>(Draw(3)),
      .max_segments = static_cast<int64_t>(Draw(2) * 4),
      .too_long = One(2) ? TooLong::kDrop : TooLong::kTruncate};
  if (options.kind == PackKind::kChunk || options.too_long == TooLong::kDrop) {
    dropping_ = true;  // records come in parts, or not at all
  }
  if (One(2)) options.window_rows = size_ + static_cast<int64_t>(Draw(60));
  Say(fmt::format("Pack({}, {}, {}, {})", options.length,
                  static_cast<int>(options.kind), options.max_segments,
                  options.window_rows));
  return dataset.Pack(std::move(options));
}

}  // namespace penstock::testing
