// Rows of which a function makes any number: Dataset::FlatMap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/file.h"
#include "tests/pipeline/flat_map_fixture.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(FlatMapTest, RowsAreThoseOfAPlainLoopInItsOrder) {
  const Dataset dataset =
      Windows(Read())
          .Pad({.by = "tokens", .multiple_of = 5, .max_length = 5})
          .Batch({.size = 6});
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
  EXPECT_FALSE(pipeline.planned());
  EXPECT_THAT(
      pipeline.Explain(),
      AllOf(HasSubstr("streamed: FlatMap \"windows\" makes rows that "
                      "are known only after reading"),
            HasSubstr("FlatMap windows"), HasSubstr("up to 6 made of each")));
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  const auto expected = Expected(Iota(lengths_.size()));
  EXPECT_EQ(RowsOf(whole), expected);
  const PipelineCounts& counts = whole.back().state_after.counts;
  EXPECT_EQ(counts.rows, expected.size());
  EXPECT_EQ(counts.records, expected.size());
  // Records that became no row.
  EXPECT_EQ(counts.dropped,
            static_cast<uint64_t>(std::ranges::count(lengths_, 0u)));
  EXPECT_EQ(whole.back().state_after.position, lengths_.size());
  ExpectOneStream(dataset, whole);
}

TEST_F(FlatMapTest, RowsFollowTheirShuffledRecords) {
  const Dataset shuffled = Read().Shuffle({.seed = 4}).Repeat({.epochs = 2});
  ASSERT_OK_AND_ASSIGN(const auto records,
                       RunAll(shuffled.Select({"id"}).Batch({.size = 6})));
  std::vector<uint64_t> order;
  for (const GlobalBatch& batch : records) {
    for (const uint64_t id : batch.record_ids) {
      if (id != kNoRecord) order.push_back(id);
    }
  }
  ASSERT_OK_AND_ASSIGN(
      const auto whole,
      RunAll(Windows(shuffled)
                 .Pad({.by = "tokens", .multiple_of = 5, .max_length = 5})
                 .Batch({.size = 6})));
  EXPECT_EQ(RowsOf(whole), Expected(order));
}

TEST_F(FlatMapTest, EveryStateGoesOnOnAnyHostsEvenAmongTheRowsOfARecord) {
  const Dataset dataset =
      Bucketed(Windows(Read().Shuffle({.seed = 4}).Repeat({.epochs = 2})));
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  EXPECT_GE(std::ranges::count_if(whole,
                                  [](const auto& batch) {
                                    return !batch.state_after.ahead.empty();
                                  }),
            5);
  ExpectOneStream(dataset, whole);
}

TEST_F(FlatMapTest, RowsOfAllArrangersGoOn) {
  const Dataset windows = Windows(Read().Repeat({.epochs = 2}));
  const Dataset packed = windows.Select({"tokens"});
  const auto pack = [&](PackKind kind) {
    return packed.Pack({.by = "tokens", .length = 12, .kind = kind})
        .Batch({.size = 6});
  };
  ExpectOneStream(pack(PackKind::kFirstFit));
  ExpectOneStream(pack(PackKind::kBestFit));
  ExpectOneStream(pack(PackKind::kChunk));
  // Of one size, which come by position without FlatMap.
  ExpectOneStream(windows.Select({"id"}).Batch({.size = 6}));
}

TEST_F(FlatMapTest, RecordsThatAreReadInSequenceGoOn) {
  for (const DatasetFiles& files :
       {DatasetFiles{.index = false},
        DatasetFiles{.compression = Compression::kGzip}}) {
    const Dataset dataset = Read(files).Repeat({.epochs = 2});
    ExpectOneStream(Bucketed(Windows(dataset)));
    ExpectOneStream(
        Bucketed(Windows(dataset.Shuffle({.seed = 3, .window_records = 11}))));
  }
}

TEST_F(FlatMapTest, RecordsOfAMixComeTwiceAndGoOn) {
  const Dataset twice = Read().Repeat({.epochs = 3}).Take(130);
  const Dataset other = Read().Shuffle({.seed = 8});  // without FlatMap
  const Dataset mix = Dataset::Mix(
      {{Windows(twice), 2},
       {other
            .FlatMap({.name = "cut", .most_rows = 1},
                     [](const RowChunk& chunk, Examples& made,
                        std::vector<uint32_t>& rows_of) {
                       std::ranges::fill(rows_of, 1);
                       for (size_t c = 0; c < made.columns.size(); ++c) {
                         made.columns[c] = chunk.rows.columns[c];
                       }
                       return OkStatus();
                     })
            .Filter({.name = "short"},
                    [](const RowChunk& chunk, std::vector<bool>& keep) {
                      for (size_t row = 0; row < keep.size(); ++row) {
                        keep[row] = chunk.rows.columns[1].values_in(row) < 6;
                      }
                      return OkStatus();
                    }),
        1}},
      {.stop = MixStop::kLast});
  ExpectOneStream(Bucketed(mix));
  ExpectOneStream(Bucketed(Dataset::Concat(
      {Windows(twice), other.Map({.name = "none", .keeps_lengths = false},
                                 [](const RowChunk& chunk) {
                                   Column& tokens = chunk.rows.columns[1];
                                   tokens.ints.clear();
                                   for (uint64_t& offset : tokens.row_offsets)
                                     offset = 0;
                                   return OkStatus();
                                 })})));
}

TEST_F(FlatMapTest, HostsThatHaveRecordsOfTheirOwnGoOn) {
  const Dataset dataset =
      Bucketed(Windows(Read().Shuffle({.seed = 2}).Repeat({.epochs = 2})));
  RunOptions options = {.shards = 3, .hosts = 3};
  options.change = [](uint32_t, HostRun& run) {
    run.compile.shard_by = ShardBy::kRecord;
  };
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset, options));
  std::vector<uint64_t> twice = Iota(lengths_.size());
  twice.insert(twice.end(), twice.begin(), twice.end());
  auto found = RowsOf(whole);
  auto expected = Expected(twice);
  std::ranges::sort(found);
  std::ranges::sort(expected);
  EXPECT_EQ(found, expected);
  for (const size_t step : {size_t{0}, whole.size() / 2, whole.size() - 2}) {
    options.restore = whole[step].state_after;
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(dataset, options));
    const std::vector<GlobalBatch> after(
        whole.begin() + static_cast<std::ptrdiff_t>(step) + 1, whole.end());
    EXPECT_EQ(rest, after);
  }
}

TEST_F(FlatMapTest, OneFollowsAnotherWithFiltersBetween) {
  const auto halves = [](const RowChunk& chunk, Examples& made,
                         std::vector<uint32_t>& rows_of) {
    for (size_t row = 0; row < chunk.rows.rows; ++row) {
      for (const int64_t token : chunk.rows.columns[1].ints_of(row)) {
        if (token % 2 == 0) continue;
        CopyRow(chunk.rows.columns[0], row, made.columns[0]);
        made.columns[1].ints.push_back(token);
        made.columns[1].EndRow();
        ++rows_of[row];
      }
    }
    return OkStatus();
  };
  const auto not_third = [](const RowChunk& chunk, std::vector<bool>& keep) {
    for (size_t row = 0; row < keep.size(); ++row) {
      keep[row] = chunk.rows.columns[1].ints_of(row)[0] % 3 != 0;
    }
    return OkStatus();
  };
  const Dataset dataset =
      Windows(Read())
          .Filter({.name = "thirds"}, not_third)
          .FlatMap({.name = "odd", .most_rows = 5}, halves)
          .Filter({.name = "thirds again"}, not_third)
          .Pad({.by = "tokens", .multiple_of = 5, .max_length = 5})
          .Batch({.size = 6});
  std::vector<std::pair<uint64_t, std::vector<int32_t>>> expected;
  for (const auto& [id, tokens] : Expected(Iota(lengths_.size()))) {
    if (tokens[0] % 3 == 0) continue;
    for (const int32_t token : tokens) {
      if (token % 2 != 0 && token % 3 != 0) expected.push_back({id, {token}});
    }
  }
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  EXPECT_EQ(RowsOf(whole), expected);
  ExpectOneStream(dataset, whole);
}

TEST_F(FlatMapTest, TextsBecomeSeveralBeforeTheyAreTokenized) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Tokenizer> bytes,
                       LoadTokenizer(LocalFiles(), "bytes"));
  const ScratchFolder folder;
  const Dataset dataset =
      Dataset::TfRecords(WriteDataset(folder, lengths_))
          .Parse(
              {kId, {.name = "text", .type = FeatureType::kBytes, .length = 1}})
          .FlatMap({.name = "lines", .most_rows = 10},
                   [](const RowChunk& chunk, Examples& made,
                      std::vector<uint32_t>& rows_of) {
                     for (size_t row = 0; row < chunk.rows.rows; ++row) {
                       const auto text = chunk.rows.columns[1].bytes_at(row);
                       for (size_t at = 0; at < text.size(); at += 3) {
                         CopyRow(chunk.rows.columns[0], row, made.columns[0]);
                         Column& to = made.columns[1];
                         to.bytes.append(text.substr(at, 3));
                         to.byte_offsets.push_back(to.bytes.size());
                         to.EndRow();
                         ++rows_of[row];
                       }
                     }
                     return OkStatus();
                   })
          .Tokenize(bytes)
          .Pad({.by = "tokens", .multiple_of = 3, .max_length = 3})
          .Batch({.size = 6});
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  std::map<uint64_t, uint64_t> tokens;
  for (const auto& [id, row] : RowsOf(whole)) {
    tokens[id] += row.size();
    for (const int32_t token : row) {
      EXPECT_EQ(token, static_cast<int32_t>('a' + id % 26));
    }
  }
  for (uint64_t id = 0; id < lengths_.size(); ++id) {
    EXPECT_EQ(tokens[id], lengths_[id]);
  }
  ExpectOneStream(dataset, whole);
}

}  // namespace
}  // namespace penstock::testing
