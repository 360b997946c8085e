// Batches that change on their way: what was taken stays taken, what is left
// comes in its order, and any state of the changed run goes on exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "tests/pipeline/lineage_fixture.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(LineageTest, ARampOfTheBatchSizeKeepsTheOrderAtEveryStep) {
  const Dataset all =
      Read(Write(50)).Shuffle({.seed = 3}).Repeat({.epochs = 2});
  const Batches before = Run(InOrder(all, 4));
  const RecordIds order = RecordsOf(before);
  for (size_t step = 1; step <= before.size(); ++step) {
    ASSERT_OK_AND_ASSIGN(
        const Batches after,
        GoOn(InOrder(all, 12, 48), before[step - 1].state_after,
             {Change::kBatches}, 1 + step % 4));
    RecordIds ids = RecordsOf(std::span(before).first(step));
    const RecordIds rest = RecordsOf(after);
    ids.insert(ids.end(), rest.begin(), rest.end());
    ASSERT_EQ(ids, order) << "changed after step " << step;
    for (size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].step, step + i);
    }
  }
}

// Rows that wait under the old lengths come first, are more than a new batch,
// and wait on while they are arranged.
TEST_F(LineageTest, RowsThatWaitedComeFirstAndOnce) {
  folders_.push_back(std::make_unique<ScratchFolder>());
  const Dataset all =
      Read(WriteDataset(*folders_.back(), RandomLengths(160, 40, 7)))
          .Shuffle({.seed = 1})
          .Repeat({.epochs = 2});
  const Dataset old = all.Bucket({.by = "tokens", .lengths = {8, 16, 24, 40}})
                          .Batch({.size = 24});
  const Dataset now =
      all.Bucket({.by = "tokens", .lengths = {40}}).Batch({.size = 12});
  const Batches before = Run(old);
  for (const size_t step : {1, 3, 4, 8}) {
    const State& state = before[step - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const Batches after,
                         GoOn(now, state, {Change::kBatches}));
    const RecordIds rest = RecordsOf(after);
    for (size_t i = 0; i < state.held.size(); ++i) {
      EXPECT_EQ(rest[i], state.held[i].record);
    }
    if (state.held.size() > 12) {
      EXPECT_EQ(after[0].state_after.ahead.size(), state.held.size() - 12);
    }
    RecordIds ids = RecordsOf(std::span(before).first(step));
    ids.insert(ids.end(), rest.begin(), rest.end());
    std::ranges::sort(ids);
    RecordIds twice = Iota(160);
    const RecordIds once = twice;
    twice.insert(twice.end(), once.begin(), once.end());
    std::ranges::sort(twice);
    EXPECT_EQ(ids, twice);
    ExpectResumes(now, after);
  }
}

// Every value of every record once, though one is cut where the length changes.
TEST_F(LineageTest, ALongerRowOfChunksGoesOnInsideARecord) {
  const Dataset all = Read(Write(60, 7)).Shuffle({.seed = 2});
  const auto packed = [&](int64_t length) {
    return all
        .Pack({.by = "tokens", .length = length, .kind = PackKind::kChunk})
        .Batch({.size = 12});
  };
  const Batches before = Run(packed(5));
  size_t cut = 0;
  for (size_t step = 1; step <= before.size(); ++step) {
    const State& state = before[step - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const Batches after,
                         GoOn(packed(11), state, {Change::kBatches}));
    if (!state.held.empty() && state.held[0].begin > 0) {
      ++cut;
      const Status refused =
          GoOn(InOrder(all, 12), state, {Change::kBatches}).status();
      // The stage has another name, and may all the same.
      EXPECT_THAT(refused, StatusIs(StatusCode::kFailedPrecondition,
                                    HasSubstr("was cut by Pack")));
    }
    std::map<uint64_t, std::vector<int32_t>> values;
    Batches both(before.begin(),
                 before.begin() + static_cast<std::ptrdiff_t>(step));
    both.insert(both.end(), after.begin(), after.end());
    for (const GlobalBatch& batch : both) {
      const auto tokens = ValuesOf<int32_t>(batch.tensors[0]);
      const size_t length = tokens.size() / 12;
      for (size_t row = 0; row < 12; ++row) {
        size_t place = 0;
        for (const uint64_t id : batch.row_records[row]) {
          auto& had = values[id];
          while (place < length && had.size() < 7) {
            had.push_back(tokens[row * length + place++]);
          }
        }
      }
    }
    ASSERT_EQ(values.size(), 60u);
    for (const auto& [id, had] : values) {
      ASSERT_EQ(had.size(), 7u) << "record " << id;
      for (size_t j = 0; j < 7; ++j) EXPECT_EQ(had[j], TokenOf(id, j));
    }
    if (step % 2 == 1) ExpectResumes(packed(11), after);
  }
  EXPECT_GT(cut, 0u);
}

TEST_F(LineageTest, EveryWayOfPackingGoesOnFromEveryOther) {
  const Dataset all = Read(Write(90, 5)).Shuffle({.seed = 2});
  const auto packed = [&](PackKind kind, int64_t length) {
    return all.Pack({.by = "tokens", .length = length, .kind = kind})
        .Batch({.size = 12});
  };
  for (const PackKind from : {PackKind::kFirstFit, PackKind::kBestFit}) {
    for (const PackKind to :
         {PackKind::kFirstFit, PackKind::kBestFit, PackKind::kChunk}) {
      const Batches before = Run(packed(from, 11));
      const Dataset now = packed(to, 20);
      ASSERT_OK_AND_ASSIGN(const Batches after, GoOn(now, before[2].state_after,
                                                     {Change::kBatches}));
      RecordIds ids = RecordsOf(std::span(before).first(3));
      const RecordIds rest = RecordsOf(after);
      ids.insert(ids.end(), rest.begin(), rest.end());
      std::ranges::sort(ids);
      ids.erase(std::ranges::unique(ids).begin(), ids.end());
      EXPECT_EQ(ids, Iota(90));
      ExpectResumes(now, after);
    }
  }
}

TEST_F(LineageTest, AStateTellsOf256PlansAndARunHasNoMore) {
  const Dataset all = Read(Write(160, 5));
  State state = Run(InOrder(all, 12)).front().state_after;
  state.lineage = std::vector<PlanBegin>(255, {.graph = state.graph});
  ASSERT_OK_AND_ASSIGN(const Batches last,
                       GoOn(InOrder(all, 24), state, {Change::kBatches}));
  EXPECT_EQ(last.front().state_after.lineage.size(), 256u);
  EXPECT_EQ(RecordsOf(last).size(), 160u - 12u);
  ExpectResumes(InOrder(all, 24), last);
  EXPECT_THAT(
      GoOn(InOrder(all, 12), last.front().state_after, {Change::kBatches}),
      StatusIs(StatusCode::kFailedPrecondition,
               ::testing::HasSubstr("has had 256 plans")));
}

}  // namespace
}  // namespace penstock::testing
