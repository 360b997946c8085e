// Graphs of several sources and views, from files to batches.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>

#include "formats/example/examples.h"
#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/pipeline/graph/views_fixture.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;

using ::testing::HasSubstr;

TEST_F(ViewsTest, AMixKeepsItsRatioAndTheOrderOfItsSources) {
  const Dataset mix =
      Dataset::Mix({{Read(Write(700)), 0.7}, {Read(Write(300)), 0.3}});
  const std::vector<uint64_t> ids = Ids(Batched(mix, 10));
  ASSERT_EQ(ids.size(), 1000u);
  for (size_t begin = 0; begin < ids.size(); begin += 10) {
    EXPECT_EQ(std::count_if(ids.begin() + begin, ids.begin() + begin + 10,
                            [](uint64_t id) { return id < 700; }),
              7);
  }
  std::vector<uint64_t> second;
  for (const uint64_t id : ids) {
    if (id >= 700) second.push_back(id);
  }
  EXPECT_TRUE(std::ranges::is_sorted(second));
}

TEST_F(ViewsTest, TakeSkipAndSliceAreParts) {
  const Dataset all = Read(Write(20));
  EXPECT_EQ(Ids(Batched(all.Take(5))), Iota(5));
  EXPECT_EQ(Ids(Batched(all.Skip(18))), (std::vector<uint64_t>{18, 19}));
  EXPECT_EQ(Ids(Batched(all.Slice({.begin = 3, .end = 5}))),
            (std::vector<uint64_t>{3, 4}));
  EXPECT_EQ(Ids(Batched(all.Repeat({.epochs = 0}).Take(25))).size(), 25u);
  EXPECT_EQ(Ids(Batched(all.Take(3).Repeat({.epochs = 2}))),
            (std::vector<uint64_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(Ids(Batched(Dataset::Concat({all.Skip(18), all.Take(2)}))),
            (std::vector<uint64_t>{18, 19, 20, 21}));
}

// Train and test of one dataset have nothing in common, and leave nothing out.
TEST_F(ViewsTest, APartOfAShuffledDatasetAndTheRestAreAllOfIt) {
  const Dataset all = Read(Write(50)).Shuffle({.seed = 3});
  std::vector<uint64_t> ids = Ids(Batched(all.Take(10)));
  const std::vector<uint64_t> rest = Ids(Batched(all.Skip(10)));
  EXPECT_EQ(ids.size(), 10u);
  ids.insert(ids.end(), rest.begin(), rest.end());
  std::ranges::sort(ids);
  EXPECT_EQ(ids, Iota(50));
}

TEST_F(ViewsTest, ExcludedRecordsNeverComeAndTheirTableIsInTheSum) {
  std::vector<uint64_t> excluded;
  for (uint64_t id = 7; id < 500; id += 3) excluded.push_back(id);
  const Dataset mix = Dataset::Concat({Read(Write(300)), Read(Write(200))})
                          .Shuffle({.seed = 1})
                          .Repeat({.epochs = 2})
                          .Exclude(excluded);
  const std::vector<uint64_t> ids = Ids(Batched(mix));
  EXPECT_EQ(ids.size(), 2 * (500 - excluded.size()));
  const std::set<uint64_t> came(ids.begin(), ids.end());
  for (const uint64_t id : excluded) EXPECT_FALSE(came.contains(id));
  const std::string text = Explained(Batched(mix));
  EXPECT_THAT(text, HasSubstr("of 300 records, by a table of"));
  EXPECT_THAT(text, HasSubstr(fmt::format("{} bytes  tables of the order",
                                          8 * excluded.size())));
  ExpectRefused(Batched(mix.Exclude({500})), StatusCode::kInvalidArgument,
                "Exclude record 500, but there are only 500");
  ExpectRefused(Batched(mix.Take(9).Exclude({5})), StatusCode::kInvalidArgument,
                "put it before");
}

// Stored tokens, tokens as text, and features in another order.
TEST_F(ViewsTest, EachSourceIsDecodedInItsOwnWay) {
  const auto bytes = *LoadTokenizer(LocalFiles(), "bytes");
  const Feature text = {
      .name = "text", .type = FeatureType::kBytes, .length = 1};
  const Dataset mix =
      Dataset::Mix({{Read(Write(40, 5)).Parse({kId, kTokens})},
                    {Read(Write(40, 6)).Parse({text, kId}).Tokenize(bytes)},
                    {Read(Write(40, 7)).Parse({kTokens, kId})}});
  RunOptions options = {.shards = 2, .hosts = 2};
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Batched(mix), options));
  uint64_t rows = 0;
  for (const GlobalBatch& batch : batches) {
    for (size_t row = 0; row < batch.record_ids.size(); ++row) {
      const uint64_t id = batch.record_ids[row];
      if (id == kNoRecord) continue;
      ++rows;
      int64_t stored = 0;
      std::memcpy(&stored, batch.tensors[0].data() + row * 8, 8);
      EXPECT_EQ(stored, id % 40);
      const size_t width = batch.shape == 0 ? 8 : 40;
      std::vector<int32_t> tokens(width);
      std::memcpy(tokens.data(), batch.tensors[1].data() + row * width * 4,
                  width * 4);
      int32_t length = 0;
      std::memcpy(&length, batch.tensors[2].data() + row * 4, 4);
      EXPECT_EQ(length, 5 + static_cast<int32_t>(id / 40));
      for (int32_t j = 0; j < length; ++j) {
        EXPECT_EQ(tokens[j], id / 40 == 1
                                 ? 'a' + static_cast<int32_t>(id % 40) % 26
                                 : TokenOf(id % 40, j));
      }
    }
  }
  EXPECT_EQ(rows, 120u);
}

TEST_F(ViewsTest, FeaturesThatDifferAreNamed) {
  const Dataset one = Read("d/a.tfrecord").Parse({kId, kTokens});
  const auto refused = [&](std::vector<Feature> features,
                           const std::string& words) {
    ExpectRefused(
        Batched(Dataset::Mix(
            {{one}, {Read("d/b.tfrecord@4").Parse(std::move(features))}})),
        StatusCode::kInvalidArgument, words);
  };
  refused({kTokens},
          "source 0 (a.tfrecord) has a feature \"id\", which source 1 "
          "(b.tfrecord@4) has not");
  refused({kId, kTokens, {.name = "x", .length = 1}},
          "source 1 (b.tfrecord@4) has a feature \"x\", which source 0");
  refused({kTokens, {.name = "id", .length = 1}},
          "feature \"id\" is int64 with 1 values in source 0 (a.tfrecord), but "
          "int32 with 1 values in source 1");
  refused({kId, {.name = "tokens", .length = 3}},
          "any number of values in source 0");
}

TEST_F(ViewsTest, StagesInTheWrongPlaceAreNamed) {
  const Dataset one = Read(Write(10));
  const auto refused = [&](const Dataset& dataset, const std::string& words) {
    ExpectRefused(dataset, StatusCode::kInvalidArgument, words);
  };
  refused(Dataset::Mix({{Batched(one)}, {one}}), "put them after Mix");
  refused(Dataset::Concat({Batched(one)}), "put them after Concat");
  refused(Batched(Dataset::Mix({})), "Mix of no datasets");
  refused(Batched(Dataset::Concat({})), "Concat of no datasets");
  refused(Batched(one.Take(0)), "Take of no records");
  refused(Batched(one.Skip(10)), "no records left");
  refused(Batched(one).Take(3), "Take after Batch");
  refused(Batched(one.Repeat({.epochs = 0}).Skip(3)), "never ends");
  refused(Batched(one.Repeat({.epochs = 0}).Skip(3).Shuffle({})),
          "Shuffle of what never ends");
  refused(Batched(Dataset::Mix({{one}, {one.Skip(10)}})),
          "source 1 of Mix has no records");
  refused(Batched(Dataset::Mix({{one}, {one, -1}})), "weight -1");
  refused(Batched(Dataset::Concat({one, one.Repeat({.epochs = 0})})),
          "put Repeat after it");
}

TEST_F(ViewsTest, WhatIsReadInSequenceIsRefusedWithWhatToDo) {
  const std::string gzip = Write(9, 4, {.compression = Compression::kGzip});
  const std::string bare = Write(9, 4, {.index = false});
  for (const std::string& pattern : {gzip, bare}) {
    ExpectRefused(Batched(Dataset::Mix({{Read(Write(9))}, {Read(pattern)}})),
                  StatusCode::kFailedPrecondition, "`recordtool index`");
    ExpectRefused(Batched(Read(pattern).Take(3)),
                  StatusCode::kFailedPrecondition, "read in sequence");
  }
}

TEST_F(ViewsTest, FilesThatAreReadTwiceAreShuffledInTwoWays) {
  const Dataset one = Read(Write(200)).Shuffle({.seed = 5});
  const std::vector<uint64_t> ids = Ids(Batched(Dataset::Concat({one, one})));
  ASSERT_EQ(ids.size(), 400u);
  size_t same = 0;
  for (size_t i = 0; i < 200; ++i) same += ids[i] + 200 == ids[200 + i];
  EXPECT_LT(same, 10u);
}

// A source that comes and goes changes the order of no other.
TEST_F(ViewsTest, ASourceKeepsItsOrderWhateverItIsMixedWith) {
  const Dataset one = Read(Write(60)).Shuffle({.seed = 5});
  const std::vector<uint64_t> alone = Ids(Batched(one));
  const Dataset mix =
      Dataset::Mix({{Read(Write(90)).Shuffle({.seed = 5}), 3}, {one, 2}},
                   {.stop = MixStop::kLast});
  std::vector<uint64_t> mixed;
  for (const uint64_t id : Ids(Batched(mix))) {
    if (id >= 90) mixed.push_back(id - 90);
  }
  EXPECT_EQ(mixed, alone);
}

// Rows of 10 and of 30 values; half of the values are to be of each.
TEST_F(ViewsTest, WeightsByValuesGiveRatiosOfValues) {
  const Dataset mix = Dataset::Mix(
      {{Read(Write(900, 10))}, {Read(Write(300, 30))}}, {.by = "tokens"});
  const std::vector<uint64_t> ids = Ids(Batched(mix, 8));
  ASSERT_EQ(ids.size(), 1200u);
  for (size_t begin = 0; begin < ids.size(); begin += 8) {
    EXPECT_EQ(std::count_if(ids.begin() + begin, ids.begin() + begin + 8,
                            [](uint64_t id) { return id >= 900; }),
              2);
  }
  ExpectRefused(
      Batched(Dataset::Mix(
          {{Read(Write(9))}, {Read(Write(9, 4, {.length_column = false}))}},
          {.by = "tokens"})),
      StatusCode::kInvalidArgument, "recordtool index --length-of tokens");
}

// A mix of tokens of a mix of targets: each by its own feature.
TEST_F(ViewsTest, MixesMayWeighValuesOfDifferentFeatures) {
  const auto rows_of = [](uint64_t records, size_t tokens, size_t targets) {
    const auto rows = std::make_shared<Examples>();
    rows->rows = records;
    rows->columns = {{.name = "tokens", .type = FeatureType::kInt64},
                     {.name = "targets", .type = FeatureType::kInt64}};
    for (uint64_t i = 0; i < records; ++i) {
      for (const size_t column : {0, 1}) {
        Column& to = rows->columns[column];
        to.ints.resize(to.ints.size() + (column == 0 ? tokens : targets));
        to.EndRow();
      }
    }
    return Dataset::Columns(rows).Parse(
        {{.name = "tokens"}, {.name = "targets"}});
  };
  // One row of the first to four of the second; 34 tokens a row of both.
  const Dataset targets = Dataset::Mix(
      {{rows_of(100, 10, 40)}, {rows_of(400, 40, 10)}}, {.by = "targets"});
  const Dataset mix =
      Dataset::Mix({{targets}, {rows_of(500, 34, 1)}}, {.by = "tokens"});
  const std::vector<uint64_t> ids = Ids(Batched(mix, 10));
  ASSERT_EQ(ids.size(), 1000u);
  for (size_t begin = 0; begin < ids.size(); begin += 10) {
    const auto some = ids.begin() + static_cast<std::ptrdiff_t>(begin);
    EXPECT_EQ(
        std::count_if(some, some + 10, [](uint64_t id) { return id < 100; }),
        1);
    EXPECT_EQ(
        std::count_if(some, some + 10, [](uint64_t id) { return id >= 500; }),
        5);
  }
}

TEST_F(ViewsTest, AStateIsRefusedByTheNameOfWhatDiffers) {
  const std::string one = Write(50);
  const std::string two = Write(60);
  const std::string three = Write(61);
  const auto graph = [&](const std::string& second, double weight,
                         uint64_t taken, uint64_t seed = 1) {
    return Batched(
        Dataset::Mix({{Read(one), weight},
                      {Read(second).Shuffle({.seed = seed}).Take(taken)}}));
  };
  const Dataset before = graph(two, 2, 40);
  EXPECT_OK(Restored(before, graph(two, 2, 40)));
  const auto refused = [&](const Dataset& after, const std::string& words) {
    EXPECT_THAT(Restored(before, after),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr(words)));
  };
  refused(graph(three, 2, 40), "of the files of source 1 differ");
  refused(graph(two, 3, 40), "Mix differs");
  refused(graph(two, 2, 41), "Take of source 1 differs");
  refused(graph(two, 2, 40, 9), "Shuffle of source 1 differs");
  refused(Batched(Read(one)), "has the data of source 0 where this has");
}

// The same views with the same options, over other datasets.
TEST_F(ViewsTest, AStateOfDatasetsThatAreJoinedOtherwiseIsRefused) {
  const Dataset a = Read(Write(40));
  const Dataset b = Read(Write(50));
  const Dataset c = Read(Write(60));
  EXPECT_THAT(
      Restored(Batched(Dataset::Mix({{Dataset::Mix({{a}, {b}})}, {c}})),
               Batched(Dataset::Mix({{a}, {Dataset::Mix({{b}, {c}})}}))),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Mix differs")));
  EXPECT_THAT(
      Restored(Batched(Dataset::Concat({Dataset::Concat({a, b}).Take(20), c})),
               Batched(Dataset::Concat({a, Dataset::Concat({b, c}).Take(20)}))),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Concat differs")));
}

// What the indexes say of lengths decides the ratio.
TEST_F(ViewsTest, AMixByValuesOfOtherLengthsIsRefused) {
  const auto graph = [](const std::string& one, const std::string& two) {
    return Batched(Dataset::Mix({{Read(one)}, {Read(two)}}, {.by = "tokens"}));
  };
  const std::string pattern = Write(20, 10);
  const Status status =
      Restored(graph(Write(20, 10), pattern), graph(Write(20, 30), pattern));
  EXPECT_THAT(status, StatusIs(StatusCode::kFailedPrecondition,
                               HasSubstr("of the files of source 0 differ")));
}

TEST_F(ViewsTest, ExplainTellsEachSourceAndView) {
  const Dataset mix =
      Dataset::Mix({{Read(Write(50)), 0.7},
                    {Read(Write(60)).Repeat({.epochs = 0}), 0.3}})
          .Shuffle({.seed = 4})
          .Repeat({.epochs = 3});
  const std::string text = Explained(Batched(mix));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("read      source 0 ("), HasSubstr("read      source 1"),
            HasSubstr("50 records by number; 69.44 % of all rows, 1 times "),
            HasSubstr("60 rows for ever"),
            HasSubstr("mix       2 datasets by rows, ends with the first that "
                      "ends; 72 rows, by a table of"),
            HasSubstr("shuffle   72 rows, seed 4"), HasSubstr("3 epochs"),
            HasSubstr("first epoch: "), HasSubstr("tables of the order")));
}

// Epochs of such a mix have other records, and other numbers of steps.
TEST_F(ViewsTest, AnyStepOfAMixIsFoundWithoutRunningIt) {
  folders_.push_back(std::make_unique<ScratchFolder>());
  const std::string one =
      WriteDataset(*folders_.back(), RandomLengths(300, 40, 1));
  const Dataset mix = Batched(
      Dataset::Mix({{Read(one).Shuffle({.seed = 1}), 2}, {Read(Write(40))}})
          .Repeat({.epochs = 4}),
      8);
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(mix));
  ASSERT_GT(batches.size(), 40u);
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(mix, {}));
  EXPECT_TRUE(pipeline.planned());
  EXPECT_EQ(pipeline.steps_per_epoch(), std::nullopt);
  for (const GlobalBatch& batch : batches) {
    ASSERT_OK_AND_ASSIGN(const State state,
                         pipeline.StateAfter(batch.step + 1));
    ASSERT_EQ(state, batch.state_after) << "step " << batch.step;
  }
  EXPECT_THAT(pipeline.StateAfter(batches.size() + 1),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr(fmt::format("{} steps", batches.size()))));
}

// Where epochs have other records, a row that is too long may come late.
TEST_F(ViewsTest, ALateRowThatIsTooLongIsAnErrorThatNamesIt) {
  std::vector<uint32_t> lengths(100, 4);
  lengths[90] = 41;
  folders_.push_back(std::make_unique<ScratchFolder>());
  const std::string late = WriteDataset(*folders_.back(), lengths);
  const Dataset mix = Batched(
      Dataset::Mix({{Read(late), 1}, {Read(Write(50))}}).Repeat({.epochs = 2}));
  EXPECT_THAT(RunAll(mix), StatusIs(StatusCode::kInvalidArgument,
                                    HasSubstr("has 41 values, but the longest "
                                              "length is 40")));
  EXPECT_OK(RunAll(
      Batched(Dataset::Mix({{Read(late).Exclude({90}), 1}, {Read(Write(50))}})
                  .Repeat({.epochs = 2}))));
}

// Mixes and Concats of such could not count their rows.
TEST_F(ViewsTest, NoEpochHasMoreRowsThanCanBeCounted) {
  const Dataset endless = Read(Write(8)).Repeat({.epochs = 0});
  const Dataset taken = endless.Take(uint64_t{1} << 62);
  ExpectRefused(Batched(Dataset::Mix({{taken, 3}, {taken}})),
                StatusCode::kInvalidArgument,
                "Take 4611686018427387904 rows of what never ends");
}

// A record that comes twice in an epoch may wait twice.
TEST_F(ViewsTest, StreamedRowsThatWaitTwiceBothGoOn) {
  folders_.push_back(std::make_unique<ScratchFolder>());
  const std::string rare = WriteDataset(*folders_.back(), {1, 30, 2});
  const Dataset dataset =
      Batched(Read(rare).Repeat({.epochs = 12}).Take(36), 9);
  RunOptions options = {.shards = 3, .hosts = 3, .force_streamed = true};
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(dataset, options));
  for (const GlobalBatch& batch : batches) {
    options.restore = batch.state_after;
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(dataset, options));
    EXPECT_TRUE(
        std::ranges::equal(rest, std::span(batches).subspan(batch.step + 1)));
  }
}

}  // namespace
}  // namespace penstock::testing
