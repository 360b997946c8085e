// Parts of datasets by a hash of each record.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tests/pipeline/graph/views_fixture.h"
#include "tests/support/effort.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const SplitOptions kTrain = {.seed = 7, .begin = 0, .end = 0.9};
const SplitOptions kValidation = {.seed = 7, .begin = 0.9, .end = 1};

class SplitGraphTest : public ViewsTest {
 protected:
  static std::vector<uint64_t> SortedIds(const Dataset& dataset) {
    std::vector<uint64_t> ids = Ids(Batched(dataset));
    std::ranges::sort(ids);
    return ids;
  }
};

TEST_F(SplitGraphTest, TrainAndValidationAreAllOfItWithNothingInCommon) {
  const Dataset all = Read(Write(1000)).Shuffle({.seed = 3});
  std::vector<uint64_t> ids = SortedIds(all.Split(kTrain));
  const std::vector<uint64_t> rest = SortedIds(all.Split(kValidation));
  EXPECT_NEAR(static_cast<double>(rest.size()), 100, 5 * std::sqrt(90));
  ids.insert(ids.end(), rest.begin(), rest.end());
  std::ranges::sort(ids);
  EXPECT_EQ(ids, Iota(1000));
}

TEST_F(SplitGraphTest, RecordsStayInTheirPartWhenFilesAreAppended) {
  const std::string few = Write(300);
  const std::string more = few + "," + Write(200);
  std::vector<uint64_t> ids = SortedIds(Read(more).Split(kValidation));
  std::erase_if(ids, [](uint64_t id) { return id >= 300; });
  EXPECT_EQ(ids, SortedIds(Read(few).Split(kValidation)));
}

// So a source that grows moves no record of those behind it.
TEST_F(SplitGraphTest, ASplitOfSeveralSourcesIsThatOfEach) {
  const Dataset a = Read(Write(300));
  const Dataset b = Read(Write(200)).Shuffle({.seed = 2});
  EXPECT_EQ(Ids(Batched(Dataset::Concat({a, b}).Split(kTrain))),
            Ids(Batched(Dataset::Concat({a.Split(kTrain), b.Split(kTrain)}))));
  const MixOptions options = {.stop = MixStop::kRepeat};
  EXPECT_EQ(Ids(Batched(Dataset::Mix({{a, 2}, {b, 1}}, options).Split(kTrain))),
            Ids(Batched(Dataset::Mix(
                {{a.Split(kTrain), 2}, {b.Split(kTrain), 1}}, options))));
}

TEST_F(SplitGraphTest, PartsGoWithEveryOtherView) {
  const Dataset all = Read(Write(500));
  const std::vector<uint64_t> part = SortedIds(all.Split(kTrain));
  EXPECT_EQ(SortedIds(all.Split(kTrain).Take(20)),
            std::vector<uint64_t>(part.begin(), part.begin() + 20));
  EXPECT_EQ(
      SortedIds(all.Shuffle({}).Split(kTrain).Repeat({.epochs = 2})).size(),
      2 * part.size());
  // In both parts, whichever comes first.
  const SplitOptions half = {.seed = 8, .end = 0.5};
  std::vector<uint64_t> both;
  std::ranges::set_intersection(part, SortedIds(all.Split(half)),
                                std::back_inserter(both));
  EXPECT_EQ(SortedIds(all.Split(kTrain).Split(half)), both);
  EXPECT_EQ(SortedIds(all.Split(half).Split(kTrain)), both);
  std::vector<uint64_t> kept;
  const std::vector<uint64_t> excluded = {part[0], part[7], part.back()};
  std::ranges::set_difference(part, excluded, std::back_inserter(kept));
  EXPECT_EQ(SortedIds(all.Split(kTrain).Exclude(excluded)), kept);
  EXPECT_EQ(SortedIds(all.Exclude(excluded).Split(kTrain)), kept);
  // Other parts of one order.
  EXPECT_EQ(
      SortedIds(Dataset::Concat({all.Split(kTrain).Take(1), all.Split(kTrain)}))
          .size(),
      1 + part.size());
}

TEST_F(SplitGraphTest, ExplainTellsThePartAndTheBytesOfItsTable) {
  const Dataset all = Read(Write(1000));
  const uint64_t count = SortedIds(all.Split(kTrain)).size();
  // 16 words of bits, the counts before 2 blocks and in all, and a hint of each
  // 512 records.
  const uint64_t bytes = 8 * (16 + 3 + count / 512 + 2);
  EXPECT_THAT(
      Explained(Batched(all.Split(kTrain))),
      AllOf(HasSubstr(fmt::format("split     0 to 0.9 by seed 7: {} of 1000 "
                                  "records, by a table of {} bytes",
                                  count, bytes)),
            HasSubstr(fmt::format("{} bytes  tables of the order", bytes))));
  EXPECT_THAT(
      Explained(Batched(all.Split(kTrain).Split({.end = 0.5}).Exclude({3}))),
      HasSubstr("split     0 to 0.5 by seed 0 and 0 to 0.9 by seed 7 but 1 "
                "excluded: "));
}

TEST_F(SplitGraphTest, AStateOfAnotherPartIsRefused) {
  const Dataset all = Read(Write(100)).Shuffle({.seed = 1});
  const Dataset before = Batched(all.Split(kTrain));
  EXPECT_OK(Restored(before, before));
  for (const SplitOptions& other :
       {SplitOptions{.seed = 8, .end = 0.9},
        SplitOptions{.seed = 7, .end = 0.8},
        SplitOptions{.seed = 7, .begin = 0.1, .end = 0.9}}) {
    EXPECT_THAT(Restored(before, Batched(all.Split(other))),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Split")));
  }
  EXPECT_THAT(Restored(before, Batched(all)),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Split")));
}

TEST_F(SplitGraphTest, ARunOfAPartGoesOnExactlyOnOtherHosts) {
  const Dataset dataset =
      Batched(Dataset::Mix({{Read(Write(90)).Shuffle({.seed = 1}), 2},
                            {Read(Write(60))}})
                  .Split({.seed = 1, .begin = 0.2, .end = 0.8})
                  .Repeat({.epochs = 3}));
  ASSERT_OK_AND_ASSIGN(const auto batches,
                       RunAll(dataset, {.shards = 4, .hosts = 2}));
  ASSERT_GT(batches.size(), 5u);
  for (const GlobalBatch& batch : batches) {
    if (batch.step % kCaseStride != 0) continue;
    for (const bool streamed : {false, true}) {
      ASSERT_OK_AND_ASSIGN(
          const auto rest,
          RunAll(dataset, {.shards = 4,
                           .hosts = 1 + static_cast<uint32_t>(batch.step % 3),
                           .force_streamed = streamed,
                           .restore = batch.state_after}));
      ASSERT_EQ(rest.size(), batches.size() - batch.step - 1);
      for (size_t i = 0; i < rest.size(); ++i) {
        ASSERT_EQ(rest[i].row_records, batches[batch.step + 1 + i].row_records);
      }
    }
  }
}

TEST_F(SplitGraphTest, ASplitThatCannotBeIsRefused) {
  const Dataset all = Read(Write(20));
  for (const SplitOptions& wrong :
       {SplitOptions{.begin = 0.5, .end = 0.5},
        SplitOptions{.begin = 0.6, .end = 0.5}, SplitOptions{.begin = -0.1},
        SplitOptions{.end = 1.5}, SplitOptions{.begin = std::nan("")},
        SplitOptions{.end = std::nan("")}}) {
    ExpectRefused(Batched(all.Split(wrong)), StatusCode::kInvalidArgument,
                  "parts are of 0 to 1");
  }
  ExpectRefused(Batched(all.Take(9).Split(kTrain)),
                StatusCode::kInvalidArgument,
                "Split after Take, Skip or Slice: put it before");
  ExpectRefused(Batched(all.Split({.end = 1e-15})),
                StatusCode::kInvalidArgument, "no records left after");
  ExpectRefused(Batched(Read(Write(20, 4, {.index = false})).Split(kTrain)),
                StatusCode::kFailedPrecondition,
                "Slice, Split and Exclude reach them by number");
}

}  // namespace
}  // namespace penstock::testing
