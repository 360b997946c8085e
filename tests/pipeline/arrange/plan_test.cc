#include "pipeline/arrange/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pipeline/arrange/forecast.h"
#include "pipeline/batch.h"
#include "tests/pipeline/dataset_fixture.h"

namespace penstock {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

struct PlanRun {
  std::vector<PlannedStep> steps;
  uint64_t dropped = 0;
  uint64_t truncated = 0;
};

PlanRun RunPlan(Plan plan) {
  PlanRun run;
  while (auto step = plan.Next()) run.steps.push_back(*step);
  run.dropped = plan.dropped();
  run.truncated = plan.truncated();
  return run;
}

bool Same(const PlannedStep& a, const PlannedStep& b) {
  return a.epoch == b.epoch && a.step_in_epoch == b.step_in_epoch &&
         a.assignment.shape == b.assignment.shape &&
         a.assignment.rows == b.assignment.rows;
}

PlanOptions WithoutLengths(uint64_t records, uint64_t rows, bool keep) {
  return {.order = Order(records, {.shuffle = true, .seed = 3}),
          .lengths = {},
          .arrange = {.rows_per_shard = rows},
          .epochs = 1,
          .keep_left_over = keep};
}

// Vectors of the infeed notes, d.7: 1025 records in global batches of 128 take
// 9 steps with 127 rows of padding; 1003 take 8 with 21; naive sharding by
// stride would give hosts 9, 8, 8 and 8 steps and hang.
TEST(PlanTest, LeftoversTakeTheAgreedStepsAndPadding) {
  for (const auto& [records, steps, pads] :
       std::vector<std::tuple<uint64_t, size_t, uint64_t>>{
           {1025, 9, 127}, {1003, 8, 21}, {3, 1, 125}, {1024, 8, 0}}) {
    const PlanRun run = RunPlan(Plan(WithoutLengths(records, 128, true)));
    ASSERT_EQ(run.steps.size(), steps);
    uint64_t padding = 0;
    for (const PlannedStep& step : run.steps) {
      padding += static_cast<uint64_t>(std::count(
          step.assignment.rows.begin(), step.assignment.rows.end(), kNoRecord));
    }
    EXPECT_EQ(padding, pads);
  }
}

// d.7: dropping the remainder of 1003 in batches of 128 loses 107.
TEST(PlanTest, DroppedLeftoversAreCounted) {
  const PlanRun run = RunPlan(Plan(WithoutLengths(1003, 128, false)));
  EXPECT_EQ(run.steps.size(), 7u);
  EXPECT_EQ(run.dropped, 107u);
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
  PlanOptions Options(TooLong too_long, bool keep) const {
    return {.order = Order(records(), {.shuffle = true, .seed = 3}),
            .lengths = LengthTable({columns_.begin(), columns_.end()}),
            .arrange = {.rows_per_shard = 16,
                        .lengths = {8, 16, 24, 32},
                        .one_queue = GetParam(),
                        .too_long = too_long},
            .epochs = 3,
            .keep_left_over = keep};
  }
  std::vector<std::vector<uint32_t>> columns_;
};
INSTANTIATE_TEST_SUITE_P(Stages, LengthsPlanTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Pad" : "Bucket";
                         });

TEST_P(LengthsPlanTest, LengthsAreFoundInTheirFiles) {
  const LengthTable table({columns_.begin(), columns_.end()});
  uint64_t id = 0;
  for (const auto& column : columns_) {
    for (const uint32_t length : column) EXPECT_EQ(table(id++), length);
  }
}

TEST_P(LengthsPlanTest, EveryRowFitsItsBatch) {
  const PlanOptions options = Options(TooLong::kDrop, true);
  for (const PlannedStep& step : RunPlan(Plan(options)).steps) {
    for (const uint64_t id : step.assignment.rows) {
      if (id == kNoRecord) continue;
      EXPECT_LE(options.lengths(id),
                options.arrange.lengths[step.assignment.shape]);
    }
  }
}

TEST_P(LengthsPlanTest, ForecastIsWhatHappens) {
  for (const TooLong too_long : {TooLong::kDrop, TooLong::kTruncate}) {
    for (const bool keep : {true, false}) {
      const PlanOptions options = Options(too_long, keep);
      const Forecast forecast =
          ForecastEpoch(records(), options.lengths, options.arrange, keep);
      const PlanRun run = RunPlan(Plan(options));
      EXPECT_EQ(run.steps.size(), 3 * forecast.steps);
      EXPECT_EQ(run.truncated, 3 * forecast.truncated);
      EXPECT_EQ(run.dropped,
                3 * (forecast.dropped + (keep ? 0 : forecast.left_over)));
      double values = 0;
      double real = 0;
      uint64_t pads = 0;
      for (const PlannedStep& step : run.steps) {
        const auto length =
            static_cast<double>(options.arrange.lengths[step.assignment.shape]);
        values += 16 * length;
        for (const uint64_t id : step.assignment.rows) {
          pads += id == kNoRecord;
          if (id == kNoRecord) continue;
          real += std::min<double>(options.lengths(id), 32);
        }
      }
      EXPECT_EQ(pads, 3 * forecast.pad_rows);
      // Dropping leftovers leaves out rows whose lengths are not known ahead.
      if (keep) {
        EXPECT_NEAR(forecast.padding, 1 - real / values, 0.02);
      }
    }
  }
}

TEST_P(LengthsPlanTest, SeekingAnywhereGoesOnAsIfNothingHadHappened) {
  for (const bool keep : {true, false}) {
    const PlanOptions options = Options(TooLong::kDrop, keep);
    const PlanRun whole = RunPlan(Plan(options));
    for (size_t done = 0; done <= whole.steps.size(); ++done) {
      Plan plan(options);
      const bool any = done > 0;
      ASSERT_TRUE(plan.Seek(any ? whole.steps[done - 1].epoch : 0,
                            any ? whole.steps[done - 1].step_in_epoch + 1 : 0));
      for (size_t i = done; i < whole.steps.size(); ++i) {
        const auto step = plan.Next();
        ASSERT_TRUE(step.has_value());
        ASSERT_TRUE(Same(*step, whole.steps[i])) << done << " " << i;
      }
      EXPECT_FALSE(plan.Next().has_value());
    }
  }
}

TEST(PlanTest, SeekingWithoutLengthsGoesOnToo) {
  for (const bool keep : {true, false}) {
    PlanOptions options = WithoutLengths(103, 10, keep);
    options.epochs = 2;
    const PlanRun whole = RunPlan(Plan(options));
    for (size_t done = 1; done <= whole.steps.size(); ++done) {
      Plan plan(options);
      ASSERT_TRUE(plan.Seek(whole.steps[done - 1].epoch,
                            whole.steps[done - 1].step_in_epoch + 1));
      for (size_t i = done; i < whole.steps.size(); ++i) {
        const auto step = plan.Next();
        ASSERT_TRUE(step.has_value());
        ASSERT_TRUE(Same(*step, whole.steps[i]));
      }
      EXPECT_FALSE(plan.Next().has_value());
    }
  }
}

TEST(PlanTest, SeekingPastTheRunIsRefused) {
  Plan plan(WithoutLengths(100, 10, true));
  EXPECT_TRUE(plan.Seek(0, 10));
  EXPECT_FALSE(plan.Seek(0, 11));
  EXPECT_TRUE(plan.Seek(1, 0));
  EXPECT_FALSE(plan.Seek(1, 1));
  EXPECT_FALSE(plan.Seek(2, 0));
}

}  // namespace
}  // namespace penstock
