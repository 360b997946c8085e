// What FlatMap draws, refuses and is known by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "pipeline/objective.h"
#include "tests/pipeline/flat_map_fixture.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using FlatMapRulesTest = FlatMapTest;

// As many copies of each row as `copies`.
Dataset Copied(const Dataset& dataset, uint32_t copies, uint64_t most_rows) {
  return dataset.FlatMap(
      {.name = "copies", .most_rows = most_rows},
      [copies](const RowChunk& chunk, Examples& made,
               std::vector<uint32_t>& rows_of) {
        for (size_t row = 0; row < chunk.rows.rows; ++row) {
          for (uint32_t i = 0; i < copies; ++i) {
            for (size_t c = 0; c < made.columns.size(); ++c) {
              CopyRow(chunk.rows.columns[c], row, made.columns[c]);
            }
          }
          rows_of[row] = copies;
        }
        return OkStatus();
      });
}

// Puts what the key draws in place of the id.
Dataset Drawn(const Dataset& dataset) {
  return dataset.Map({.name = "key"}, [](const RowChunk& chunk) {
    for (size_t row = 0; row < chunk.rows.rows; ++row) {
      chunk.rows.columns[0].ints[row] =
          static_cast<int64_t>(chunk.keys[row] >> 1);
    }
    return OkStatus();
  });
}

TEST_F(FlatMapRulesTest, KeysDifferBetweenTheRowsOfARecord) {
  const auto drawn = [&](const Dataset& dataset) {
    std::map<uint64_t, std::vector<int64_t>> keys;
    const auto whole = RunAll(dataset.Select({"id"}).Batch({.size = 6}));
    EXPECT_OK(whole);
    for (const GlobalBatch& batch : *whole) {
      const auto ids = ValuesOf<int64_t>(batch.tensors[0]);
      for (size_t row = 0; row < ids.size(); ++row) {
        if (batch.record_ids[row] != kNoRecord) {
          keys[batch.record_ids[row]].push_back(ids[row]);
        }
      }
    }
    return keys;
  };
  const auto many = drawn(Drawn(Copied(Read(), 3, 4)));
  const auto one = drawn(Drawn(Copied(Read(), 1, 1)));
  std::set<int64_t> all;
  for (const auto& [id, keys] : many) {
    ASSERT_EQ(keys.size(), 3u);
    all.insert(keys.begin(), keys.end());
    // The first row has the key that the record has.
    EXPECT_EQ(keys[0], one.at(id)[0]);
  }
  EXPECT_EQ(all.size(), 3 * lengths_.size());
}

TEST_F(FlatMapRulesTest, ObjectivesDrawAnewForEachRowOfARecord) {
  const Dataset dataset =
      Copied(Read(), 2, 2)
          .Objective(MaskedLm{.seed = 1, .mask_id = 4, .vocabulary = 1000})
          .Pad({.by = "tokens", .multiple_of = 28, .max_length = 28})
          .Batch({.size = 6});
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  std::map<uint64_t, std::set<std::vector<int32_t>>> rows;
  for (const auto& [id, tokens] : RowsOf(whole)) rows[id].insert(tokens);
  uint64_t differ = 0;
  uint64_t is_long = 0;
  for (const auto& [id, kinds] : rows) {
    if (lengths_[id] < 15) continue;
    ++is_long;
    if (kinds.size() == 2) ++differ;
  }
  EXPECT_GT(is_long, 10u);
  EXPECT_GE(differ, is_long - 2);
  ExpectOneStream(dataset, whole);
}

TEST_F(FlatMapRulesTest, MoreRowsThanItSaysNameRecordFunctionAndNumbers) {
  lengths_[41] = 28;  // six windows
  EXPECT_THAT(
      RunAll(Bucketed(Windows(Read(), {.name = "few", .most_rows = 5}))),
      StatusIs(StatusCode::kInvalidArgument,
               AllOf(HasSubstr("data.tfrecord-0000"), HasSubstr("record "),
                     HasSubstr("FlatMap \"few\" makes 6 rows of it, but its "
                               "most_rows is 5"))));
  EXPECT_OK(RunAll(Bucketed(Windows(Read(), {.name = "few", .most_rows = 6}))));
}

TEST_F(FlatMapRulesTest, ErrorsOfTheFunctionNameIt) {
  const auto run = [&](FlatMapFunction function) {
    return RunAll(Bucketed(
        Read().FlatMap({.name = "odd", .most_rows = 2}, std::move(function))));
  };
  EXPECT_THAT(
      run([](const RowChunk&, Examples&, std::vector<uint32_t>&) {
        return DataLossError("half a row");
      }),
      StatusIs(StatusCode::kDataLoss,
               AllOf(HasSubstr("FlatMap \"odd\""), HasSubstr("half a row"))));
  EXPECT_THAT(run([](const RowChunk&, Examples& made, std::vector<uint32_t>&) {
                made.columns[0].EndRow();
                return OkStatus();
              }),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("FlatMap \"odd\" made other columns or "
                                 "types, or not the 0 rows")));
  EXPECT_THAT(run([](const RowChunk&, Examples& made, std::vector<uint32_t>&) {
                made.columns.pop_back();
                return OkStatus();
              }),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("columns")));
  EXPECT_THAT(
      run([](const RowChunk&, Examples&, std::vector<uint32_t>& rows_of) {
        rows_of.push_back(0);
        return OkStatus();
      }),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("FlatMap \"odd\" says of")));
}

TEST_F(FlatMapRulesTest, ARunOfNoRowsEndsWithoutAStep) {
  const Dataset dataset = Bucketed(Copied(Read(), 0, 3));
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  EXPECT_TRUE(whole.empty());
}

TEST_F(FlatMapRulesTest, AnotherNameVersionSeedOrMostRowsIsAnotherGraph) {
  const Dataset read = Read();
  const FlatMapOptions same = {.name = "windows", .most_rows = 6};
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(Bucketed(Windows(read, same))));
  const auto refused = [&](const Dataset& dataset) {
    EXPECT_THAT(RunAll(Bucketed(dataset), {.restore = whole[0].state_after}),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("FlatMap windows")));
  };
  refused(Windows(read, {.name = "panes", .most_rows = 6}));
  refused(Windows(read, {.name = "windows", .version = 2, .most_rows = 6}));
  refused(Windows(read, {.name = "windows", .seed = 1, .most_rows = 6}));
  refused(Windows(read, {.name = "windows", .most_rows = 7}));
}

// Hosts whose graphs differ in it find out before the first step, whoever of
// them is asked.
TEST_F(FlatMapRulesTest, HostsWithOtherMostRowsOrVersionsAllEndWithOneCause) {
  const Dataset read = Read();
  for (const FlatMapOptions& other :
       {FlatMapOptions{.name = "windows", .most_rows = 7},
        FlatMapOptions{.name = "windows", .version = 2, .most_rows = 6}}) {
    RunOptions options = {.shards = 3, .hosts = 3};
    options.change = [&](uint32_t host, HostRun& run) {
      if (host == 1) run.dataset = Bucketed(Windows(read, other));
    };
    const auto results = RunHosts(Bucketed(Windows(read)), options);
    for (const auto& result : results) {
      EXPECT_THAT(result.status(),
                  StatusIs(StatusCode::kFailedPrecondition,
                           AllOf(HasSubstr("hosts 0 and 1 differ"),
                                 HasSubstr("FlatMap windows"))));
      EXPECT_EQ(result.status(), results[0].status());
    }
  }
}

TEST_F(FlatMapRulesTest, AFunctionThatFailsOnOneHostEndsAllWithItsCause) {
  const Dataset read = Read();
  RunOptions options = {.shards = 3, .hosts = 3};
  options.change = [&](uint32_t host, HostRun& run) {
    if (host != 2) return;
    run.dataset = Bucketed(
        read.FlatMap({.name = "windows", .most_rows = 6},
                     [](const RowChunk&, Examples&, std::vector<uint32_t>&) {
                       return DataLossError("half a row");
                     }));
  };
  const auto results = RunHosts(Bucketed(Windows(read)), options);
  for (const auto& result : results) {
    EXPECT_THAT(
        result.status(),
        StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("FlatMap \"windows\""),
                                              HasSubstr("half a row"))));
    EXPECT_EQ(result.status(), results[2].status());
  }
}

TEST_F(FlatMapRulesTest, ARunDoesNotChangeOnItsWay) {
  const Dataset windows = Windows(Read());
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(Bucketed(windows)));
  RunOptions options = {.restore = whole[2].state_after};
  options.change = [](uint32_t, HostRun& run) {
    run.compile.changed = {Change::kBatches};
  };
  EXPECT_THAT(
      RunAll(
          windows.Bucket({.by = "tokens", .lengths = {5}}).Batch({.size = 6}),
          options),
      StatusIs(StatusCode::kUnimplemented,
               HasSubstr("which only planned pipelines go on from")));
}

TEST_F(FlatMapRulesTest, WhatCannotWorkIsRefusedWithAReason) {
  const auto refused = [](const Dataset& dataset, const std::string& words) {
    EXPECT_THAT(Compile(dataset, {}),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
  };
  const Dataset read = Read();
  const auto with = [&](FlatMapOptions options) {
    return Bucketed(Windows(read, std::move(options)));
  };
  refused(with({.most_rows = 2}), "FlatMap without a name");
  refused(with({.name = "w"}), "FlatMap \"w\" with most_rows 0: say how many");
  refused(with({.name = "w", .most_rows = 65'537}), "from 1 to 65536");
  refused(Bucketed(read.FlatMap({.name = "w", .most_rows = 2}, nullptr)),
          "FlatMap \"w\" without a function");
  refused(Bucketed(Windows(Windows(read, {.name = "v", .most_rows = 300}),
                           {.name = "w", .most_rows = 300})),
          "FlatMap \"w\" and those before it make up to 90000 rows");
  refused(Bucketed(Windows(read).Withdraw({1})), "Withdraw is of planned");
  refused(Windows(read)
              .Bucket({.by = "tokens", .lengths = {5}})
              .Batch({.size = 6, .leftover = Leftover::kCarry}),
          "Leftover::kCarry is of planned");
  refused(Windows(read)
              .Select({"tokens"})
              .Pack({.by = "tokens", .length = 9, .kind = PackKind::kMegatron})
              .Batch({.size = 6}),
          "PackKind::kMegatron is of planned");
  // The lengths of an index are those of records.
  refused(
      Windows(read).Bucket({.by = "tokens", .shapes = 2}).Batch({.size = 6}),
      "Bucket without lengths");
  refused(Bucketed(Windows(Dataset::TfRecords("a"))), "there is no Parse");
}

}  // namespace
}  // namespace penstock::testing
