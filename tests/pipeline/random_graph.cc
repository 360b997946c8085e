#include "tests/pipeline/random_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <filesystem>

#include "formats/files/file.h"
#include "pipeline/derive.h"
#include "pipeline/objective.h"
#include "pipeline/order/kept_order.h"
#include "pipeline/row_function.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

constexpr uint32_t kMostTokens = 40;
// Has the first record, as some data have no other.
constexpr SplitOptions kPart = {.seed = 7, .end = 0.7};

std::vector<uint32_t> LengthsOf(size_t kind) {
  constexpr size_t kSizes[] = {1, 3, 17, 64, 155, 400, 1500, 64};
  const size_t records = kSizes[kind % 8];
  std::vector<uint32_t> lengths = RandomLengths(records, kMostTokens, kind);
  // Lengths that go with the number of the record, and none at all.
  if (kind % 3 == 1) {
    for (size_t i = 0; i < records; i += 3) lengths[i] = 1;
  }
  if (kind % 4 == 2) {
    for (size_t i = 0; i < records; i += 5) lengths[i] = 0;
  }
  return lengths;
}

DatasetFiles FilesOf(size_t kind) {
  DatasetFiles files = {
      .files = static_cast<uint32_t>(1 + kind % 4),
      .compression = kind % 6 == 5 ? Compression::kGzip : Compression::kNone,
      .index = kind % 5 != 4,
      .length_column = kind % 7 != 3};
  const bool in_sequence =
      !files.index || files.compression != Compression::kNone;
  if (in_sequence && kind % 2 == 0) {
    // Files of very unequal length, some of them empty.
    const uint64_t records = LengthsOf(kind).size();
    files.records = {
        0, records / 7, 0, records - records / 7 - records / 3, records / 3, 0};
  }
  return files;
}

// Columns that stand as batches have them, of tokens or of ids and tokens, may
// be placed from where they are.
std::shared_ptr<const Examples> InPlace(size_t kind, const Examples& rows) {
  auto made = std::make_shared<Examples>(rows);
  std::vector<Column>& columns = made->columns;  // id, half, tokens, text
  columns[0].row_offsets = Iota(rows.rows + 1);
  std::swap(columns[1], columns[2]);
  if (kind % 4 < 2) std::swap(columns[0], columns[1]);
  return made;
}

}  // namespace

std::string DataPool::Copy(size_t kind, const std::string& why,
                           DatasetFiles files,
                           const std::vector<uint32_t>& lengths) {
  auto& folder = folders_[why + std::to_string(kind)];
  if (folder != nullptr) return folder->path();
  folder = std::make_unique<ScratchFolder>();
  return WriteDataset(*folder, lengths, files);
}

const MadeData& DataPool::Get(size_t kind) {
  auto [place, added] = made_.try_emplace(kind);
  MadeData& made = place->second;
  if (!added) return made;
  const DatasetFiles files = FilesOf(kind);
  made.lengths = LengthsOf(kind);
  made.indexed = files.index && files.compression == Compression::kNone;
  made.length_column = made.indexed && files.length_column;
  made.pattern = Copy(kind, "data", files, made.lengths);
  made.rows = InPlace(kind, *RowsInMemory(made.lengths));
  if (made.indexed) return made;
  made.beside = Copy(
      kind, "beside",
      {.files = static_cast<uint32_t>(1 + kind / 2 % 3),
       .compression = kind % 6 == 5 ? Compression::kNone : Compression::kGzip,
       .index = false},
      made.lengths);
  return made;
}

RandomGraph::RandomGraph(uint64_t number, DataPool& pool)
    : seed(number),
      random(number),
      kind(Draw(DataPool::kKinds)),
      data(&pool.Get(kind)),
      epochs(1 + Draw(3)),
      arrange(static_cast<Arrange>(Draw(4))),
      shuffle(static_cast<Shuffle>(Draw(3))),
      tokenize(Draw(4) == 0),
      window(1 + Draw(50)),
      too_long(Draw(2) == 0 ? TooLong::kTruncate : TooLong::kDrop),
      leftover(Draw(3) == 0 ? Leftover::kDrop : Leftover::kPad),
      batch(static_cast<int64_t>(12 * (1 + Draw(4)))),
      force_streamed(Draw(2) == 0),
      learn(static_cast<Learn>(number % 7)),
      rows(number % 5 < 4 ? static_cast<Rows>(number % 5) : kAsRead) {
  if (!data->indexed && shuffle == kAll) shuffle = kWindow;
  if (arrange == kPack) {
    pack = {.by = "tokens",
            .length = static_cast<int64_t>(10 + Draw(40)),
            .kind = static_cast<PackKind>(Draw(3)),
            .max_segments = static_cast<int64_t>(Draw(2) * Draw(6)),
            .too_long = too_long,
            .pad_value = -1};
    if (Draw(3) > 0) batch = 12;
    if (Draw(2) == 0) pack.window_rows = batch + static_cast<int64_t>(Draw(60));
    lengths = {pack.length};
    if (learn == kSpans) learn = kDerived;  // is of one record a row
    // Parts of a record that is cut are looked for in their order.
    if (Draw(2) == 0 && pack.kind != PackKind::kChunk) balance = 6;
  } else if (arrange == kPad) {
    lengths = {8, 16, 24, 32};
  } else {
    int64_t length = 0;
    while (length < 20) lengths.push_back(length += 1 + Draw(14));
  }
  if (arrange == kBucket && number % 3 == 0) {
    for (size_t i = 0; i < lengths.size(); ++i) {
      length_rows.push_back(12 * (1 + static_cast<int64_t>(Draw(4))));
    }
  }
  if (Draw(10) == 0) {
    waiting_bytes = 1 + Draw(20'000);
    window_bytes = 1 + Draw(4'000);
  }
  merge = arrange == kBucket && leftover == Leftover::kPad && number % 2 == 0;
  sources = {data};
  if (data->indexed && Draw(2) == 0) DrawView(pool);
  if (!data->indexed && number % 3 == 1) {
    // Files that are read in sequence, side by side.
    view = kZip;
    const uint64_t records = data->lengths.size();
    taken = number % 2 == 0 ? records : 1 + number / 3 % records;
  }
  pairs = view == kZip && arrange == kBucket;
  if (!pairs) return;
  merge = false;
  if (learn == kSpans) learn = kDerived;  // of rows that are not cut
  std::vector<int64_t> rows_of_pairs;
  for (const int64_t of_length : length_rows) {
    rows_of_pairs.insert(rows_of_pairs.end(), {of_length, 12});
  }
  length_rows = std::move(rows_of_pairs);
}

void RandomGraph::DrawView(DataPool& pool) {
  view = static_cast<View>(Draw(kViews));
  stop = static_cast<MixStop>(Draw(3));
  weight = 0.1 + static_cast<double>(Draw(40)) / 10;
  taken = 1 + Draw(data->lengths.size());
  const size_t wanted = view == kNested                   ? 3
                        : view == kMix || view == kConcat ? 2
                                                          : 1;
  while (sources.size() < wanted) {
    const MadeData& more = pool.Get(Draw(DataPool::kKinds));
    if (more.indexed) sources.push_back(&more);
  }
  if (seed % 8 != 3) return;
  view = kZip;
  sources.resize(1);
}

std::pair<const MadeData*, uint64_t> RandomGraph::Find(uint64_t id) const {
  size_t source = 0;
  while (id >= sources[source]->lengths.size()) {
    id -= sources[source++]->lengths.size();
  }
  return {sources[source], id};
}

bool RandomGraph::once() const { return view < kMix || view == kZip; }

std::optional<uint64_t> RandomGraph::rows_of_epoch() const {
  const uint64_t records = data->lengths.size();
  switch (view) {
    case kNoView:
      return records;
    case kTake:
    case kShuffledTake:
      if (shared) return std::nullopt;
      return taken;
    case kSlice:
      if (shared) return std::nullopt;
      return records - taken + 1;
    case kExclude:
      return records - (records - 1) / 2;
    case kSplit: {
      uint64_t rows = 0;
      for (const uint64_t bits : SplitBits(kPart, records)) {
        rows += static_cast<uint64_t>(std::popcount(bits));
      }
      return rows;
    }
    case kConcat:
      return records + sources[1]->lengths.size();
    case kZip:
      return taken;
    case kMix:
      if (stop != MixStop::kLast) return std::nullopt;
      return records + 2 * sources[1]->lengths.size();
    default:
      return std::nullopt;
  }
}

// What is read, up to the stages that all graphs have.
Dataset RandomGraph::Read(const std::string& pattern) const {
  const Dataset first = in_memory() && pattern == data->pattern
                            ? Dataset::Columns(data->rows)
                            : Dataset::TfRecords(pattern);
  const auto other = [&](size_t source) {
    return Dataset::TfRecords(sources[source]->pattern);
  };
  std::vector<uint64_t> odd;
  for (uint64_t id = 1; id < data->lengths.size(); id += 2) odd.push_back(id);
  odd.resize((data->lengths.size() - 1) / 2);
  switch (view) {
    case kTake:
      return first.Take(taken);
    case kShuffledTake:
      return first.Shuffle({.seed = seed + 1}).Take(taken);
    case kSlice:
      return first.Slice({.begin = taken - 1});
    case kExclude:
      return first.Exclude(odd);
    case kSplit:
      return first.Split(kPart);
    case kConcat:
      return Dataset::Concat(
          {first, other(1).Shuffle({.seed = seed, .window_records = window})});
    case kMix:
      return Dataset::Mix({{first.Shuffle({.seed = seed}), weight},
                           {other(1).Repeat({.epochs = 2})}},
                          {.stop = stop});
    case kNested:
      return Dataset::Mix(
          {{Dataset::Mix({{first, weight}, {other(1).Repeat({.epochs = 0})}})
                .Take(taken),
            2},
           {other(2).Shuffle({.seed = seed}).Exclude({}).Split({.end = 1}),
            weight}},
          {.stop = stop});
    default:
      return first;
  }
}

// The id, half of it or the tokens are of rows in memory, or of other files,
// the rest of `pattern`.
Dataset RandomGraph::ReadZip(const std::string& pattern) const {
  const auto part = [&](const Dataset& dataset) {
    return taken < data->lengths.size() ? dataset.Take(taken) : dataset;
  };
  const Dataset other =
      part(data->indexed || seed % 5 == 0 ? Dataset::Columns(data->rows)
                                          : Dataset::TfRecords(data->beside));
  const Dataset first = part(in_memory() && pattern == data->pattern
                                 ? Dataset::Columns(data->rows)
                                 : Dataset::TfRecords(pattern));
  const Feature half = {
      .name = "half", .type = FeatureType::kFloat, .length = 1};
  if (arrange == kFixed) {
    return Dataset::Zip({first.Parse({kId}), other.Parse({half})});
  }
  const Dataset twin =
      other.Parse({kTokens}).Rename({.from = "tokens", .to = "twin"});
  if (arrange != kPack) {
    std::vector<Dataset> sides = {other.Parse({kId}),
                                  first.Parse({tokenize ? kText : kTokens})};
    if (pairs) sides.push_back(twin);
    return Dataset::Zip(std::move(sides));
  }
  const Dataset tokens =
      tokenize
          ? first.Parse({kText}).Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
          : first.Parse({kTokens});
  return Dataset::Zip({tokens, twin});
}

Dataset RandomGraph::Parsed(const std::string& pattern) const {
  const bool packs = arrange == kPack;  // a row has many ids
  const auto bytes = *LoadTokenizer(LocalFiles(), "bytes");
  if (view == kZip) {
    const Dataset zip = ReadZip(pattern);
    return tokenize && !packs && arrange != kFixed ? zip.Tokenize(bytes) : zip;
  }
  const Dataset dataset = Read(pattern);
  if (arrange == kFixed) return dataset.Parse({kId});
  const Feature& values = tokenize ? kText : kTokens;
  const Dataset parsed = dataset.Parse(packs ? std::vector<Feature>{values}
                                             : std::vector{kId, values});
  return tokenize ? parsed.Tokenize(bytes) : parsed;
}

Dataset RandomGraph::Make(const std::string& pattern) const {
  const bool packs = arrange == kPack;
  Dataset dataset = Parsed(pattern).Repeat({.epochs = epochs});
  dataset = WithRows(dataset);
  if (shuffle != kNone) {
    dataset = dataset.Shuffle(
        {.seed = seed,
         .window_records = shuffle == kAll ? 0 : window,
         .block_records = data->indexed && seed % 3 == 0 ? 1 + seed % 13 : 0});
  }
  dataset = WithLearned(dataset);
  if (arrange == kBucket) {
    dataset = dataset.Bucket({.by = "tokens",
                              .lengths = lengths,
                              .too_long = too_long,
                              .pad_value = -1,
                              .with = WithTwin(),
                              .rows = length_rows,
                              .merge_leftovers = merge});
  } else if (arrange == kPad) {
    dataset = dataset.Pad({.by = "tokens",
                           .multiple_of = 8,
                           .max_length = 32,
                           .too_long = too_long,
                           .pad_value = -1});
  }
  if (packs) dataset = dataset.Pack(pack);
  return dataset.Batch({.size = length_rows.empty() ? batch : 0,
                        .leftover = leftover,
                        .balance = {.parts = balance}});
}

std::vector<BucketFeature> RandomGraph::WithTwin() const {
  if (!pairs) return {};
  return {{.by = "twin", .lengths = {10, kMostTokens}}};
}

// Copies of a row, told apart by the first value of the first column.
Status MakeCopies(const RowChunk& chunk, Examples& made,
                  std::vector<uint32_t>& rows_of) {
  for (size_t row = 0; row < chunk.rows.rows; ++row) {
    const auto values = chunk.rows.columns[0].ints_of(row);
    rows_of[row] = values.empty() ? 1 : RandomGraph::RowsMade(values[0]);
    for (int64_t copy = 0; copy < rows_of[row]; ++copy) {
      for (size_t c = 0; c < made.columns.size(); ++c) {
        CopyRow(chunk.rows.columns[c], row, made.columns[c]);
      }
      std::vector<int64_t>& first = made.columns[0].ints;
      if (!values.empty()) {
        first[first.size() - values.size()] += copy * RandomGraph::kRowStep;
      }
    }
  }
  return OkStatus();
}

// A function that looks at all rows and changes none, leaves out a fourth or
// makes up to three of each.
Dataset RandomGraph::WithRows(const Dataset& dataset) const {
  switch (rows) {
    case kAsRead:
      return dataset;
    case kMapped:
      return dataset.Map({.name = "same"}, [](const RowChunk& chunk) {
        if (chunk.keys.size() != chunk.rows.rows) {
          return InternalError("there is no key for each row");
        }
        return OkStatus();
      });
    case kFiltered:
      return dataset.Filter({.name = "fourths"}, [](const RowChunk& chunk,
                                                    std::vector<bool>& keep) {
        for (size_t row = 0; row < keep.size(); ++row) {
          const auto values = chunk.rows.columns[0].ints_of(row);
          keep[row] = values.empty() || values[0] % 4 != 1;
        }
        return OkStatus();
      });
    case kFlatMapped:
      return dataset.FlatMap({.name = "copies", .most_rows = 3}, MakeCopies);
  }
  return dataset;
}

Dataset RandomGraph::WithLearned(const Dataset& dataset) const {
  if (arrange == kFixed) return dataset;
  switch (learn) {
    case kNothing:
      return dataset;
    case kDerived:
      return dataset.Derive({SegmentIds("tokens"), Positions("tokens"),
                             Labels("tokens"), LossWeights("tokens")});
    case kCausal:
      return dataset.Objective(CausalLm{});
    case kPrefix:
      return dataset.Objective(PrefixLm{.seed = seed});
    case kFill:
      return dataset.Objective(FillInMiddle{
          .seed = seed, .prefix_id = 1, .middle_id = 2, .suffix_id = 3});
    case kMasked:
      return dataset.Objective(
          MaskedLm{.seed = seed, .mask_id = 4, .vocabulary = 1000});
    case kSpans:
      return dataset.Objective(
          SpanCorruption{.seed = seed, .sentinel = 99, .eos = 1});
  }
  return dataset;
}

RunOptions RandomGraph::Run() {
  constexpr uint32_t kShards[] = {1, 2, 3, 4, 6, 12};
  RunOptions options = {.shards = kShards[Draw(6)],
                        .threads = static_cast<int>(1 + Draw(4)),
                        .force_streamed = force_streamed,
                        .sequence = static_cast<SequenceReading>(Draw(4)),
                        .buffer_bytes = Draw(3) == 0 ? 1u : 1u << 20};
  options.hosts = static_cast<uint32_t>(1 + Draw(options.shards));
  options.change = [this](uint32_t, HostRun& run) {
    run.compile.waiting_bytes = waiting_bytes;
    run.compile.window_bytes = window_bytes;
  };
  return options;
}

std::string RandomGraph::Describe() const {
  return fmt::format(
      "PENSTOCK_GRAPH={}: data {}, {} epochs, arrange {}, shuffle {}, "
      "tokenize {}, window {}, lengths {}, too_long {}, leftover {}, batch {}, "
      "rows of lengths {}, merge {}, "
      "pack {} of {} in {} to {} parts, "
      "streamed {}, waiting {}, window bytes {}, learn {}, rows {}, view {}, "
      "stop {}, taken {}, weight {}",
      seed, kind, epochs, static_cast<int>(arrange), static_cast<int>(shuffle),
      tokenize, window, fmt::join(lengths, " "), static_cast<int>(too_long),
      static_cast<int>(leftover), batch, fmt::join(length_rows, " "), merge,
      static_cast<int>(pack.kind), pack.max_segments, pack.window_rows, balance,
      force_streamed, waiting_bytes, window_bytes, static_cast<int>(learn),
      static_cast<int>(rows), static_cast<int>(view), static_cast<int>(stop),
      taken, weight);
}

}  // namespace penstock::testing
