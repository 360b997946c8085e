#include "tests/pipeline/varied_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "pipeline/derive.h"
#include "pipeline/objective.h"
#include "pipeline/order/kept_order.h"
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

void AddOffset(std::optional<std::vector<uint64_t>>& ids, uint64_t offset) {
  if (!ids) return;
  for (uint64_t& id : *ids) id += offset;
}

}  // namespace

VariedGraph::VariedGraph(uint64_t number, DataPool& pool)
    : number_(number),
      random_(number + 0x9e3779b97f4a7c15),
      pool_(pool),
      in_sequence_(One(4)),
      packing_(One(3)) {
  if (One(6)) {
    waiting_bytes_ = 1 + Draw(One(2) ? 2'000 : 20'000);
    window_bytes_ = 1 + Draw(4'000);
    streams_ = false;
  }
  VariedView view = in_sequence_ ? InSequence() : Together(Draw(3));
  if (!in_sequence_ && One(4)) view = Between(std::move(view));
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
                        static_cast<std::ptrdiff_t>(Draw(4)), random_);
    Say(fmt::format("Withdraw({})", fmt::join(gone, " ")));
    for (const uint64_t id : gone) std::erase(*view.ids, id);
    made = made.Withdraw(std::move(gone));
    streams_ = false;
  }
  made = Changed(Parsed(made));
  made = Learned(made);
  dataset_ = Arranged(made);
  if (dropping_ || !view.ids) return;
  ids_.emplace();
  for (uint64_t epoch = 0; epoch < epochs; ++epoch) {
    ids_->insert(ids_->end(), view.ids->begin(), view.ids->end());
  }
  std::ranges::sort(*ids_);
}

std::string VariedGraph::Describe() const {
  return fmt::format("PENSTOCK_GRAPH={}: {}", number_, fmt::join(said_, " "));
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

// Compressed, or without an index.
VariedView VariedGraph::InSequence() {
  size_t kind = Draw(DataPool::kKinds);
  while (pool_.Get(kind).indexed) kind = Draw(DataPool::kKinds);
  const MadeData& data = pool_.Get(kind);
  Say(fmt::format("sequence{}", kind));
  return {.dataset = Dataset::TfRecords(data.pattern),
          .records = data.lengths.size(),
          .ids = Iota(data.lengths.size())};
}

VariedView VariedGraph::Source() {
  const MadeData* data = nullptr;
  size_t kind = 0;
  while (data == nullptr || !data->indexed) {
    kind = Draw(DataPool::kKinds);
    data = &pool_.Get(kind);
  }
  all_lengths_ = all_lengths_ && data->length_column;
  const bool in_memory = One(4);
  Say(fmt::format("{}{}", in_memory ? "memory" : "data", kind));
  return {.dataset = in_memory ? Dataset::Columns(data->rows)
                               : Dataset::TfRecords(data->pattern),
          .records = data->lengths.size(),
          .ids = Iota(data->lengths.size())};
}

// Parts of all records, that stand before those of an order.
VariedView VariedGraph::Among(VariedView view) {
  while (One(3)) {
    if (One(2)) {
      SplitOptions part = {.seed = Draw(9), .begin = 0, .end = 0.6};
      if (One(2)) part = {.seed = part.seed, .begin = 0.2, .end = 1};
      Say(fmt::format("Split({}, {})", part.seed, part.begin));
      view.dataset = view.dataset.Split(part);
      const std::vector<uint64_t> bits = SplitBits(part, view.records);
      std::erase_if(*view.ids, [&](uint64_t id) {
        return (bits[id / 64] >> id % 64 & 1) == 0;
      });
    } else {
      std::vector<uint64_t> gone;
      for (uint64_t id = Draw(5); id < view.records; id += 1 + Draw(20)) {
        gone.push_back(id);
      }
      Say(fmt::format("Exclude({})", gone.size()));
      for (const uint64_t id : gone) std::erase(*view.ids, id);
      view.dataset = view.dataset.Exclude(std::move(gone));
    }
  }
  return view;
}

// Some of those of an order.
VariedView VariedGraph::Between(VariedView view) {
  const uint64_t all = view.ids ? view.ids->size() : 20;
  if (all < 2) return view;
  const uint64_t some = 1 + Draw(all - 1);
  const uint64_t kind = Draw(3);
  const auto begin = kind == 0 ? 0 : all - some;
  const auto end = kind == 2 ? begin + (some + 1) / 2 : kind == 0 ? some : all;
  if (kind == 0) view.dataset = view.dataset.Take(some);
  if (kind == 1) view.dataset = view.dataset.Skip(all - some);
  if (kind == 2) view.dataset = view.dataset.Slice({begin, end});
  Say(fmt::format("[{}, {})", begin, end));
  if (view.shuffled) view.ids.reset();
  if (!view.ids) return view;
  view.ids->erase(view.ids->begin() + static_cast<std::ptrdiff_t>(end),
                  view.ids->end());
  view.ids->erase(view.ids->begin(),
                  view.ids->begin() + static_cast<std::ptrdiff_t>(begin));
  return view;
}

VariedView VariedGraph::Together(uint64_t depth) {
  if (depth == 0) {
    VariedView view = Among(Source());
    if (One(3)) {
      view.shuffled = true;
      const uint64_t window = Draw(2) * (1 + Draw(20));
      Say(fmt::format("Shuffle({})", window));
      view.dataset =
          view.dataset.Shuffle({.seed = Draw(9), .window_records = window});
    }
    while (One(3)) view = Between(std::move(view));
    return view;
  }
  Say("(");
  std::vector<VariedView> parts;
  for (uint64_t count = 1 + Draw(3); parts.size() < count;) {
    parts.push_back(Together(One(2) ? depth - 1 : 0));
  }
  const bool mixed = One(2);
  VariedView made = {.dataset = parts[0].dataset,
                     .ids = std::vector<uint64_t>()};
  if (mixed) {
    made = Mixed(parts);
  } else {
    std::vector<Dataset> datasets;
    for (const VariedView& part : parts) datasets.push_back(part.dataset);
    made.dataset = Dataset::Concat(std::move(datasets));
  }
  made.records = 0;
  for (VariedView& part : parts) {
    AddOffset(part.ids, made.records);
    made.records += part.records;
    made.shuffled = made.shuffled || part.shuffled;
    if (!part.ids) made.ids.reset();
    if (made.ids) {
      made.ids->insert(made.ids->end(), part.ids->begin(), part.ids->end());
    }
  }
  Say(mixed ? ") Mix" : ") Concat");
  while (One(4)) made = Between(std::move(made));
  return made;
}

VariedView VariedGraph::Mixed(std::vector<VariedView> parts) {
  MixOptions options = {.stop = static_cast<MixStop>(Draw(3))};
  if (all_lengths_ && One(3)) options.by = "tokens";
  VariedView made = {.dataset = parts[0].dataset, .shuffled = true};
  // All rows of an epoch of each, where none begins again.
  if (options.stop == MixStop::kLast) made.ids.emplace();
  std::vector<MixSource> sources;
  for (const VariedView& part : parts) {
    const double weight = 0.1 + static_cast<double>(Draw(30)) / 10;
    sources.push_back({part.dataset, weight});
    Say(fmt::format("{}", weight));
  }
  Say(fmt::format("by '{}' to {}", options.by, static_cast<int>(options.stop)));
  made.dataset = Dataset::Mix(std::move(sources), options);
  return made;
}

Dataset VariedGraph::Parsed(const Dataset& dataset) {
  Feature tokens = {.name = "tokens"};
  if (One(3)) tokens.pad_side = Side::kLeft;
  if (One(3)) tokens.cut_side = Side::kLeft;
  if (One(3)) tokens.as = One(2) ? ElementType::kInt64 : ElementType::kUint32;
  tokens.optional = One(5);
  tokens.pad_value = One(3) ? std::optional<double>(7) : std::nullopt;
  const Feature id = {.name = "id", .length = 1, .as = ElementType::kInt64};
  const Feature half = {
      .name = "half", .type = FeatureType::kFloat, .length = 1};
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
    return dataset.Parse(packing_ ? std::vector{text} : std::vector{text, id})
        .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"), to);
  }
  if (packing_) return dataset.Parse({tokens});
  return dataset.Parse(One(2) ? std::vector{tokens, id}
                              : std::vector{half, tokens});
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
  // Rows that are no longer than the longest length, drops are told.
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
  dropping_ = true;  // records are no rows
  PackOptions options = {
      .by = tokens_,
      .length = static_cast<int64_t>(10 + Draw(50)),
      .kind = static_cast<PackKind>(Draw(3)),
      .max_segments = static_cast<int64_t>(Draw(2) * 4),
      .too_long = One(2) ? TooLong::kDrop : TooLong::kTruncate};
  if (One(2)) options.window_rows = size_ + static_cast<int64_t>(Draw(60));
  Say(fmt::format("Pack({}, {}, {}, {})", options.length,
                  static_cast<int>(options.kind), options.max_segments,
                  options.window_rows));
  return dataset.Pack(std::move(options));
}

}  // namespace penstock::testing
