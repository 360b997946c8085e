// Columns in memory as a source.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/example/examples.h"
#include "formats/files/file.h"
#include "pipeline/derive.h"
#include "pipeline/objective.h"
#include "tests/pipeline/graph/views_fixture.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

class ColumnsTest : public ViewsTest {
 protected:
  static Dataset Taken(const Dataset& dataset) {
    return dataset.Parse({kId, kHalf, kTokens});
  }
  static Dataset InBuckets(const Dataset& dataset) {
    return Taken(dataset)
        .Bucket({.by = "tokens", .lengths = {4, 12}})
        .Batch({.size = 8});
  }
  // One column as told.
  static Status Refusal(Column column, uint64_t rows, const Feature& feature) {
    const auto examples = std::make_shared<Examples>();
    examples->rows = rows;
    examples->columns = {std::move(column)};
    return Compile(Dataset::Columns(examples, "clicks")
                       .Parse({feature})
                       .Batch({.size = 2}),
                   {})
        .status();
  }
  // The same rows with integers of 32 bits.
  static std::shared_ptr<const Examples> Narrowed(const Examples& rows) {
    auto narrow = std::make_shared<Examples>(rows);
    for (Column& column : narrow->columns) {
      if (column.type != FeatureType::kInt64) continue;
      column.narrow = true;
      column.narrow_ints.assign(column.ints.begin(), column.ints.end());
      column.ints = {};
    }
    return narrow;
  }
  // Graphs whose rows are placed from where they are: of columns of which "id"
  // is the first, and "tokens".
  static std::vector<Dataset> ManyGraphs(
      const std::shared_ptr<const Examples>& first,
      const std::shared_ptr<const Examples>& tokens_first) {
    const Feature left = {
        .name = "tokens", .pad_side = Side::kLeft, .cut_side = Side::kLeft};
    const auto repeated = [](const Dataset& dataset) {
      return dataset.Shuffle({.seed = 3}).Repeat({.epochs = 2});
    };
    const Dataset tokens =
        repeated(Dataset::Columns(tokens_first).Parse({{.name = "tokens"}}));
    const auto pack = [&](const PackOptions& options) {
      return tokens.Pack(options)
          .Derive({Labels("tokens"), SegmentIds("tokens"), Positions("tokens"),
                   LossWeights("tokens")})
          .Batch({.size = 6});
    };
    const Dataset ids = Dataset::Columns(first).Parse({kId, kTokens});
    const auto bucket = [&](const Dataset& dataset) {
      return repeated(dataset)
          .Bucket(
              {.by = "tokens", .lengths = {8, 30}, .too_long = TooLong::kDrop})
          .Batch({.size = 6});
    };
    return {pack({.by = "tokens", .length = 64}),
            pack({.by = "tokens", .length = 64, .kind = PackKind::kBestFit}),
            pack({.by = "tokens", .length = 64, .kind = PackKind::kChunk}),
            bucket(ids), bucket(ids.Skip(31)),
            bucket(Dataset::Mix({{ids}, {ids.Take(100), 2}})),
            // In another order than in the table, and in another for each.
            bucket(Dataset::Columns(first).Parse({kTokens, kId})),
            bucket(Dataset::Mix(
                {{ids},
                 {Dataset::Columns(tokens_first).Parse({kId, kTokens}), 2}})),
            repeated(Dataset::Columns(first).Parse({kTokens, kId}))
                .Bucket({.by = "tokens", .lengths = {40}})
                .Derive({LossWeights("tokens", {.prompt = "id"})})
                .Batch({.size = 6}),
            repeated(Dataset::Columns(first).Parse({kId, left}))
                .Bucket({.by = "tokens",
                         .lengths = {8, 30},
                         .too_long = TooLong::kTruncate})
                .Batch({.size = 6}),
            tokens
                .Objective(FillInMiddle{
                    .prefix_id = 100, .middle_id = 101, .suffix_id = 102})
                .Bucket({.by = "tokens", .lengths = {48}})
                .Batch({.size = 6}),
            tokens.Objective(SpanCorruption{.sentinel = 30'000})
                .Bucket({.by = "tokens", .lengths = {48}})
                .Batch({.size = 6})};
  }
  static void ExpectSameRows(const std::vector<GlobalBatch>& one,
                             const std::vector<GlobalBatch>& two) {
    ASSERT_EQ(one.size(), two.size());
    for (size_t step = 0; step < one.size(); ++step) {
      EXPECT_EQ(one[step].tensors, two[step].tensors) << step;
      EXPECT_EQ(one[step].record_ids, two[step].record_ids) << step;
    }
  }

  const std::vector<uint32_t> lengths_ = RandomLengths(100, 12, 3);
  const std::shared_ptr<const Examples> rows_ = RowsInMemory(lengths_);
};

TEST_F(ColumnsTest, ColumnsGiveTheBatchesOfFilesOfTheSameRows) {
  ScratchFolder folder;
  const std::string pattern = WriteDataset(folder, lengths_);
  ASSERT_OK_AND_ASSIGN(const auto files,
                       RunAll(InBuckets(Dataset::TfRecords(pattern))));
  const Dataset columns = InBuckets(Dataset::Columns(rows_));
  for (const RunOptions& options : std::vector<RunOptions>{
           {},
           {.shards = 4, .hosts = 2, .threads = 3},
           {.shards = 2, .hosts = 2, .force_streamed = true}}) {
    ASSERT_OK_AND_ASSIGN(const auto found, RunAll(columns, options));
    ExpectSameRows(files, found);
  }
  EXPECT_THAT(
      Explained(columns),
      ::testing::AllOf(
          HasSubstr("planned: all rows are in memory, with the lengths"),
          HasSubstr("read      columns: 100 rows in memory")));
}

// Planned, they are placed from where they are; streamed, they are copied.
TEST_F(ColumnsTest, RowsThatAreNotCopiedGiveTheSameBatches) {
  const std::vector<uint32_t> lengths = RandomLengths(300, 40, 7);
  Examples rows = *RowsInMemory(lengths);
  rows.columns[0].row_offsets = Iota(rows.rows + 1);
  std::swap(rows.columns[1], rows.columns[2]);  // id, tokens, half, text
  const auto first = std::make_shared<const Examples>(rows);
  std::swap(rows.columns[0], rows.columns[1]);
  const auto tokens_first = std::make_shared<const Examples>(rows);
  const std::vector<Dataset> wide = ManyGraphs(first, tokens_first);
  const std::vector<Dataset> narrow =
      ManyGraphs(Narrowed(*first), Narrowed(*tokens_first));
  for (size_t i = 0; i < wide.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_OK_AND_ASSIGN(const auto copied,
                         RunAll(wide[i], {.force_streamed = true}));
    ASSERT_FALSE(copied.empty());
    for (const Dataset& dataset : {wide[i], narrow[i]}) {
      ASSERT_OK_AND_ASSIGN(const auto placed, RunAll(dataset));
      EXPECT_EQ(placed, copied);
      ASSERT_OK_AND_ASSIGN(const auto of_hosts,
                           RunAll(dataset, {.shards = 6, .hosts = 3}));
      EXPECT_EQ(of_hosts, copied);
    }
    ASSERT_OK_AND_ASSIGN(const auto streamed,
                         RunAll(narrow[i], {.force_streamed = true}));
    EXPECT_EQ(streamed, copied);
  }
}

TEST_F(ColumnsTest, IntegersOf32BitsFitAnyTypeOrAreNamed) {
  const auto rows = std::make_shared<Examples>();
  rows->rows = 400;
  Column& ids = rows->columns.emplace_back();
  ids.name = "id";
  ids.type = FeatureType::kInt64;
  ids.narrow = true;
  for (int32_t row = 0; row < 400; ++row) ids.narrow_ints.push_back(row - 100);
  ids.row_offsets = {0};
  const auto run = [&](ElementType as) {
    return RunAll(Dataset::Columns(rows)
                      .Parse({{.name = "id", .length = 1, .as = as}})
                      .Batch({.size = 400}));
  };
  ASSERT_OK_AND_ASSIGN(const auto longs, run(ElementType::kInt64));
  ASSERT_OK_AND_ASSIGN(const auto shorts, run(ElementType::kInt16));
  for (int64_t row = 0; row < 400; ++row) {
    EXPECT_EQ(ValuesOf<int64_t>(longs[0].tensors[0])[row], row - 100);
    EXPECT_EQ(ValuesOf<int16_t>(shorts[0].tensors[0])[row], row - 100);
  }
  EXPECT_THAT(run(ElementType::kInt8).status(),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("columns: row 228: value 0 of feature \"id\" "
                                 "is 128")));
}

TEST_F(ColumnsTest, ARowThatIsTooLargeIsNamed) {
  const auto rows = std::make_shared<Examples>();
  Column& tokens = rows->columns.emplace_back();
  tokens.name = "tokens";
  tokens.type = FeatureType::kInt64;
  for (const size_t length : {3, 140'000, 4}) {
    tokens.ints.resize(tokens.ints.size() + length);
    tokens.EndRow();
    ++rows->rows;
  }
  const Dataset dataset = Dataset::Columns(rows)
                              .Parse({{.name = "tokens"}})
                              .Bucket({.by = "tokens", .lengths = {4, 140'000}})
                              .Batch({.size = 1});
  const auto run = [&](uint64_t max_record_bytes) {
    RunOptions options;
    options.change = [&](uint32_t, HostRun& host) {
      host.compile.max_record_bytes = max_record_bytes;
    };
    return RunAll(dataset, options).status();
  };
  EXPECT_THAT(run(1 << 20),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("row 1")));
  EXPECT_OK(run(2 << 20));
}

TEST_F(ColumnsTest, TheBudgetHasTheirOffsetsAndLengths) {
  uint64_t bytes = 0;
  for (const Column& column : rows_->columns) {
    bytes += 8 * (column.row_offsets.size() + column.byte_offsets.size());
    bytes += 4 * rows_->rows;
  }
  EXPECT_THAT(Explained(InBuckets(Dataset::Columns(rows_))),
              HasSubstr(fmt::format("{:>14} bytes  offsets and lengths of rows "
                                    "in memory",
                                    bytes)));
}

TEST_F(ColumnsTest, TheyAreMixedWithFilesInAnyOrder) {
  const Dataset mix = Dataset::Mix(
      {{Taken(Dataset::Columns(rows_)).Shuffle({.seed = 1}), 2},
       {Taken(Read(Write(40))), 1},
       {Taken(Dataset::Columns(rows_, "more")).Take(10).Repeat({.epochs = 2}),
        1},
       {Taken(Read(Write(30))), 1}},
      {.stop = MixStop::kLast});
  const Dataset dataset = Batched(mix, 6);
  ASSERT_OK_AND_ASSIGN(const auto one, RunAll(dataset));
  EXPECT_EQ(RealIds(one).size(), 100u + 40 + 20 + 30);
  for (const GlobalBatch& batch : one) {
    const auto ids = ValuesOf<int64_t>(batch.tensors[0]);
    for (size_t row = 0; row < ids.size(); ++row) {
      const uint64_t id = batch.record_ids[row];
      if (id == kNoRecord) continue;
      const uint64_t first = id < 100   ? 0
                             : id < 140 ? 100
                             : id < 240 ? 140
                                        : 240;
      EXPECT_EQ(ids[row], static_cast<int64_t>(id - first));
    }
  }
  ASSERT_OK_AND_ASSIGN(const auto rest,
                       RunAll(dataset, {.shards = 6,
                                        .hosts = 3,
                                        .force_streamed = true,
                                        .restore = one[9].state_after}));
  EXPECT_EQ(std::vector(one.begin() + 10, one.end()), rest);
  EXPECT_THAT(Explained(dataset), HasSubstr("source 2 (more): in memory"));
}

TEST_F(ColumnsTest, BytesAreTokenizedAndFixedRowsNeedNoOffsets) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Tokenizer> bytes,
                       LoadTokenizer(LocalFiles(), "bytes"));
  const auto with = [&](const Dataset& dataset) {
    return dataset
        .Parse({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
        .Tokenize(bytes)
        .Bucket({.by = "tokens", .lengths = {12}})
        .Batch({.size = 8});
  };
  ScratchFolder folder;
  const std::string pattern = WriteDataset(folder, lengths_);
  ASSERT_OK_AND_ASSIGN(const auto files,
                       RunAll(with(Dataset::TfRecords(pattern))));
  ASSERT_OK_AND_ASSIGN(const auto columns,
                       RunAll(with(Dataset::Columns(rows_))));
  ExpectSameRows(files, columns);
}

TEST_F(ColumnsTest, AStateIsOfTheSameValues) {
  const auto changed = std::make_shared<Examples>(*rows_);
  ++changed->columns[2].ints.back();
  const Dataset before = InBuckets(Dataset::Columns(rows_));
  EXPECT_OK(
      Restored(before, InBuckets(Dataset::Columns(
                           std::make_shared<Examples>(*rows_), "other"))));
  EXPECT_OK(Restored(before, InBuckets(Dataset::Columns(Narrowed(*rows_)))));
  EXPECT_THAT(
      Restored(before, InBuckets(Dataset::Columns(changed))),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("another dataset")));
}

TEST_F(ColumnsTest, RowsAreSharedAmongHostsAsRecordsAre) {
  RunOptions options = {.shards = 4, .hosts = 4};
  options.change = [](uint32_t, HostRun& run) {
    run.compile.shard_by = ShardBy::kAuto;
  };
  ASSERT_OK_AND_ASSIGN(const auto batches,
                       RunAll(InBuckets(Dataset::Columns(rows_)), options));
  EXPECT_EQ(RealIds(batches), Iota(100));
}

TEST_F(ColumnsTest, WhatDoesNotGoTogetherIsRefusedWithAReason) {
  const Feature id = {.name = "id", .length = 1};
  const auto refused = [&](Column column, uint64_t rows, const Feature& feature,
                           const std::string& words) {
    EXPECT_THAT(Refusal(std::move(column), rows, feature),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
  };
  const Column good = {
      .name = "id", .type = FeatureType::kInt64, .ints = {1, 2, 3, 4}};
  EXPECT_OK(Refusal(good, 4, id));
  refused(good, 4, {.name = "label", .length = 1},
          "clicks: there is no column \"label\": they are id");
  refused(good, 4, {.name = "id", .type = FeatureType::kFloat, .length = 1},
          "column \"id\" is int64, not float");
  refused(good, 2, id, "row 0: column \"id\" has 2 values, not 1");
  refused(good, 3, id, "has 1 offsets and 4 values for 3 rows");
  Column falling = good;
  falling.row_offsets = {0, 3, 2, 4};
  refused(falling, 3, id, "rising from 0");
  Column text = {.name = "id", .type = FeatureType::kBytes, .bytes = "abc"};
  text.byte_offsets = {0, 2};
  refused(text, 1, id, "offsets that do not go with its bytes");
  EXPECT_THAT(Refusal(good, 0, id),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("clicks: there are no records")));
}

}  // namespace
}  // namespace penstock::testing
