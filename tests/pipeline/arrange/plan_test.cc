#include "pipeline/arrange/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "pipeline/arrange/forecast.h"
#include "pipeline/arrange/pack_forecast.h"
#include "pipeline/seek/plan_seek.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;
using testing::kCaseStride;
using testing::StatusIs;

// What a plan is made of; each run needs one of its own.
struct PlanParts {
  uint64_t records = 0;
  LengthTable lengths = {};
  ArrangeOptions arrange = {};
  StepOptions steps = {};

  Plan Make() const {
    ArrangeOptions options = arrange;
    options.row_bytes.assign(options.lengths.size(), 1);
    return Plan(ShuffledOrder(records, {.seed = 3}), lengths,
                Steps(MakeArranger(options), steps));
  }
};

TaskQueue& Threads() {
  static const auto& threads = *new auto(*TaskQueue::Create(3));
  return *threads;
}

PlanFacts FactsOf(const PlanParts& parts) {
  PlanFacts facts = {.order = ShuffledOrder(parts.records, {.seed = 3}),
                     .lengths = parts.lengths,
                     .arrange = parts.arrange,
                     .steps = parts.steps,
                     .forecast = {}};
  facts.arrange.row_bytes.assign(facts.arrange.lengths.size(), 1);
  facts.forecast =
      ForecastEpoch(parts.records, facts.lengths, facts.arrange,
                    parts.steps.leftover == Leftover::kPad, Threads());
  return facts;
}

struct PlanRun {
  std::vector<Step> steps;
  PipelineCounts counts;
};

PlanRun RunPlan(Plan plan) {
  PlanRun run;
  Step step;
  for (;;) {
    const auto made = plan.Next({}, step);
    EXPECT_TRUE(made.ok()) << made.status();
    if (!made.ok() || !*made) break;
    run.steps.push_back(step);
  }
  run.counts = plan.steps().counts();
  return run;
}

void ExpectSame(const Step& a, const Step& b) {
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.after, b.after);
  EXPECT_EQ(a.assignment.shape, b.assignment.shape);
  EXPECT_EQ(a.assignment.row_offsets, b.assignment.row_offsets);
  EXPECT_EQ(a.assignment.pieces, b.assignment.pieces);
}

uint64_t PadRows(const Step& step) {
  return step.assignment.row_offsets.size() - 1 - step.assignment.real_rows;
}

PlanParts WithoutLengths(uint64_t records, uint64_t rows, Leftover leftover) {
  return {.records = records,
          .arrange = {.rows = rows},
          .steps = {.leftover = leftover}};
}

// Vectors of the infeed notes, d.7: 1025 records in global batches of 128 take
// 9 steps with 127 rows of padding; 1003 take 8 with 21; naive sharding by
// stride would give hosts 9, 8, 8 and 8 steps and hang.
TEST(PlanTest, LeftoversTakeTheAgreedStepsAndPadding) {
  for (const auto& [records, steps, pads] :
       std::vector<std::tuple<uint64_t, size_t, uint64_t>>{
           {1025, 9, 127}, {1003, 8, 21}, {3, 1, 125}, {1024, 8, 0}}) {
    const PlanRun run =
        RunPlan(WithoutLengths(records, 128, Leftover::kPad).Make());
    ASSERT_EQ(run.steps.size(), steps);
    uint64_t padding = 0;
    for (const Step& step : run.steps) padding += PadRows(step);
    EXPECT_EQ(padding, pads);
    EXPECT_EQ(run.counts.pad_rows, pads);
    EXPECT_EQ(run.counts.records, records);
    EXPECT_EQ(run.counts.rows, records);
  }
}

// d.7: dropping the remainder of 1003 in batches of 128 loses 107.
TEST(PlanTest, DroppedLeftoversAreCounted) {
  const PlanRun run =
      RunPlan(WithoutLengths(1003, 128, Leftover::kDrop).Make());
  EXPECT_EQ(run.steps.size(), 7u);
  EXPECT_EQ(run.counts.dropped, 107u);
}

TEST(PlanTest, LeftoversMayBeAnError) {
  Plan plan = WithoutLengths(1003, 1000, Leftover::kError).Make();
  Step step;
  EXPECT_OK(plan.Next({}, step));
  EXPECT_THAT(plan.Next({}, step).status(),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("epoch 0 leaves 3 rows")));
}

// Every record is dropped, for ever: only a stop ends it.
TEST(PlanTest, AStopEndsAnEpochWithoutBatches) {
  PlanParts parts = WithoutLengths(5, 10, Leftover::kDrop);
  parts.steps.epochs = 1'000'000'000'000;
  Plan plan = parts.Make();
  std::stop_source stop;
  stop.request_stop();
  Step step;
  EXPECT_THAT(plan.Next(stop.get_token(), step).status(),
              StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
}

class LengthsPlanTest : public ::testing::TestWithParam<bool> {
 protected:
  LengthsPlanTest() {
    for (uint32_t i = 0; i < 3; ++i) {
      columns_.push_back(testing::RandomLengths(200 + 10 * i, 40, i));
    }
    columns_.insert(columns_.begin() + 1, std::vector<uint32_t>());
  }
  uint64_t records() const { return 630; }
  PlanParts Parts(TooLong too_long, Leftover leftover) const {
    return {.records = records(),
            .lengths = LengthTable({columns_.begin(), columns_.end()}),
            .arrange = {.rows = 16,
                        .lengths = {8, 16, 24, 32},
                        .too_long = too_long,
                        .one_queue = GetParam()},
            .steps = {.leftover = leftover, .epochs = 3}};
  }
  std::vector<std::vector<uint32_t>> columns_;
};
INSTANTIATE_TEST_SUITE_P(Stages, LengthsPlanTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Pad" : "Bucket";
                         });

TEST_P(LengthsPlanTest, EveryRowFitsItsBatch) {
  const PlanParts parts = Parts(TooLong::kDrop, Leftover::kPad);
  for (const Step& step : RunPlan(parts.Make()).steps) {
    for (const Piece& piece : step.assignment.pieces) {
      EXPECT_EQ(parts.lengths(piece.record), piece.length);
      EXPECT_LE(piece.length, parts.arrange.lengths[step.assignment.shape]);
    }
  }
}

TEST_P(LengthsPlanTest, ForecastIsWhatHappens) {
  for (const TooLong too_long : {TooLong::kDrop, TooLong::kTruncate}) {
    for (const bool keep : {true, false}) {
      const PlanParts parts =
          Parts(too_long, keep ? Leftover::kPad : Leftover::kDrop);
      const Forecast forecast = ForecastEpoch(records(), parts.lengths,
                                              parts.arrange, keep, Threads());
      const PlanRun run = RunPlan(parts.Make());
      EXPECT_EQ(run.steps.size(), 3 * forecast.steps);
      EXPECT_EQ(run.counts.truncated, 3 * forecast.truncated);
      EXPECT_EQ(run.counts.dropped,
                3 * (forecast.dropped + (keep ? 0 : forecast.left_over)));
      EXPECT_EQ(run.counts.pad_rows, 3 * forecast.pad_rows);
      double values = 0;
      double real = 0;
      for (const Step& step : run.steps) {
        values += 16 * static_cast<double>(
                           parts.arrange.lengths[step.assignment.shape]);
        for (const Piece& piece : step.assignment.pieces) real += piece.length;
      }
      // Dropping leftovers leaves out rows whose lengths are not known ahead.
      if (keep) {
        EXPECT_NEAR(forecast.padding, 1 - real / values, 0.02);
      }
    }
  }
}

TEST_P(LengthsPlanTest, EveryStateGoesOnAsIfNothingHadHappened) {
  for (const Leftover leftover : {Leftover::kPad, Leftover::kDrop}) {
    const PlanParts parts = Parts(TooLong::kTruncate, leftover);
    const PlanRun whole = RunPlan(parts.Make());
    for (size_t done = 0; done <= whole.steps.size(); done += kCaseStride) {
      Plan plan = parts.Make();
      ASSERT_OK(plan.Load(done > 0 ? whole.steps[done - 1].after : State()));
      const PlanRun rest = RunPlan(std::move(plan));
      ASSERT_EQ(rest.steps.size(), whole.steps.size() - done);
      for (size_t i = 0; i < rest.steps.size(); ++i) {
        ExpectSame(rest.steps[i], whole.steps[done + i]);
      }
      EXPECT_EQ(rest.counts, whole.counts);
    }
  }
}

// Data of several parts, in batches that take rows of more than one.
TEST_P(LengthsPlanTest, SeekingFindsWhatTheRunComesTo) {
  columns_.push_back(testing::RandomLengths(150'000, 40, 9));
  uint64_t cases = 0;
  for (const Leftover leftover : {Leftover::kPad, Leftover::kDrop}) {
    for (const TooLong too_long : {TooLong::kTruncate, TooLong::kDrop}) {
      if (cases++ % kCaseStride != 0) continue;
      PlanParts parts = Parts(too_long, leftover);
      parts.records = 150'630;
      parts.lengths = LengthTable({columns_.begin(), columns_.end()});
      parts.arrange.rows = 5000;
      parts.steps.epochs = 2;
      const PlanFacts facts = FactsOf(parts);
      const PlanRun whole = RunPlan(parts.Make());
      ASSERT_EQ(whole.steps.size(), 2 * facts.forecast.steps);
      for (size_t step = 0; step <= whole.steps.size(); step += kCaseStride) {
        ASSERT_OK_AND_ASSIGN(const State state,
                             SeekStep(facts, step, Threads(), {}));
        EXPECT_EQ(state, step == 0 ? State() : whole.steps[step - 1].after);
      }
      EXPECT_THAT(
          SeekStep(facts, whole.steps.size() + 1, Threads(), {}).status(),
          StatusIs(StatusCode::kFailedPrecondition, HasSubstr("2 epochs of")));
    }
  }
}

// What lies in the step before, longer or shorter, is nothing to it.
TEST_P(LengthsPlanTest, AStepInUsedMemoryIsAsInFresh) {
  std::vector<PlanParts> kinds = {Parts(TooLong::kDrop, Leftover::kPad)};
  for (const PackKind kind :
       {PackKind::kFirstFit, PackKind::kBestFit, PackKind::kChunk}) {
    kinds.push_back(kinds[0]);
    kinds.back().arrange.lengths = {32};
    kinds.back().arrange.pack =
        PackRule{.kind = kind, .max_segments = 9, .window_rows = 24};
  }
  for (const PlanParts& parts : kinds) {
    Plan plan = parts.Make();
    for (const Step& used : RunPlan(parts.Make()).steps) {
      Step fresh;
      ASSERT_OK_AND_ASSIGN(const bool made, plan.Next({}, fresh));
      ASSERT_TRUE(made);
      ExpectSame(fresh, used);
    }
  }
}

// The same where records are cut: sums of lengths find it.
TEST(PlanTest, SeekingFindsWhatARunThatCutsRecordsComesTo) {
  for (const uint64_t rows : {7, 900}) {
    const uint64_t records = rows == 7 ? 900 : 150'630;
    const auto lengths = testing::RandomLengths(records, 40, 2);
    PlanFacts facts = {.order = ShuffledOrder(records, {.seed = 3}),
                       .lengths = LengthTable({lengths}),
                       .arrange = {.rows = rows,
                                   .lengths = {24},
                                   .pack = PackRule{.kind = PackKind::kChunk,
                                                    .max_segments = 24,
                                                    .window_rows = rows}},
                       .steps = {.epochs = 2},
                       .forecast = {}};
    facts.forecast =
        ForecastEpoch(records, facts.lengths, facts.arrange, true, Threads());
    facts.forecast.pack = ForecastPacking(facts);
    const PlanRun whole = RunPlan(facts.MakePlan());
    ASSERT_EQ(whole.steps.size(), 2 * *facts.forecast.pack->exact_steps);
    const size_t stride = rows == 7 ? kCaseStride : 29;
    for (size_t step = 1; step <= whole.steps.size(); step += stride) {
      ASSERT_OK_AND_ASSIGN(const State state,
                           SeekStep(facts, step, Threads(), {}));
      ASSERT_EQ(state, whole.steps[step - 1].after) << step;
    }
    EXPECT_THAT(
        SeekStep(facts, whole.steps.size() + 1, Threads(), {}).status(),
        StatusIs(StatusCode::kFailedPrecondition, HasSubstr("2 epochs of")));
  }
}

TEST_P(LengthsPlanTest, SeekingTellsHowFarItIsAndCanBeStopped) {
  const PlanFacts facts = FactsOf(Parts(TooLong::kDrop, Leftover::kPad));
  uint64_t told = 0;
  ASSERT_OK(SeekStep(facts, 3, Threads(),
                     {.progress = [&](uint64_t done, uint64_t of) {
                       EXPECT_EQ(of, 630u);
                       told = done;
                     }}));
  EXPECT_EQ(told, 630u);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      SeekStep(facts, 3, Threads(), {.stop = stop.get_token()}).status().code(),
      StatusCode::kCancelled);
}

// A run may be made longer; what the shorter one gave comes first.
TEST_P(LengthsPlanTest, AStateGoesOnInARunOfMoreEpochs) {
  PlanParts parts = Parts(TooLong::kDrop, Leftover::kPad);
  const PlanRun whole = RunPlan(parts.Make());
  parts.steps.epochs = 1;
  const PlanRun shorter = RunPlan(parts.Make());
  parts.steps.epochs = 3;
  Plan plan = parts.Make();
  ASSERT_OK(plan.Load(shorter.steps.back().after));
  const PlanRun rest = RunPlan(std::move(plan));
  ASSERT_EQ(rest.steps.size(), whole.steps.size() - shorter.steps.size());
  for (size_t i = 0; i < rest.steps.size(); ++i) {
    ExpectSame(rest.steps[i], whole.steps[shorter.steps.size() + i]);
  }
}

TEST_P(LengthsPlanTest, PositionsThatTheRunDoesNotHaveAreRefused) {
  const auto refused = [&](const State& state, const char* words) {
    Plan plan = Parts(TooLong::kDrop, Leftover::kPad).Make();
    EXPECT_THAT(plan.Load(state),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr(words)));
  };
  refused({.position = 631}, "of an epoch that has 630");
  refused({.epoch = 3}, "epoch 3");
  refused({.position = 9, .held = {{.record = 630}}}, "record 630 waits");
  const std::vector<HeldPiece> many(16);
  refused({.position = 20, .held = many}, "wait");
}

}  // namespace
}  // namespace penstock
