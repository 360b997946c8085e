#include "infeed/reports/step_bins.h"

#include <gtest/gtest.h>

#include <random>

namespace penstock {
namespace {

double PartOf(const StepBin& bin, Phase phase) {
  return bin.parts[static_cast<size_t>(phase)];
}

TEST(StepBinsTest, EachPhaseKeepsItsTimeWhateverTheBins) {
  std::mt19937 random(5);
  std::vector<StepSpan> steps;
  int64_t now = 1000;
  int64_t sums[kPhases] = {};
  for (int s = 0; s < 100; ++s) {
    StepSpan step{.outfeed_ns = static_cast<int64_t>(random() % 20)};
    step.free_ns = now + step.outfeed_ns;
    step.begin_ns = step.free_ns + random() % 50;
    step.compile_ns = s % 10 == 0 ? random() % 300 : 0;
    step.end_ns = step.begin_ns + step.compile_ns + random() % 80;
    sums[0] += step.outfeed_ns;
    sums[1] += step.begin_ns - step.free_ns;
    sums[2] += step.compile_ns;
    sums[3] += step.end_ns - step.begin_ns - step.compile_ns;
    now = step.end_ns;
    steps.push_back(step);
  }
  const int64_t wall_ns = now - 1000 + 500;
  for (const size_t bins : {1, 7, 240, 5000}) {
    const auto out = BinSteps(steps, 1000, wall_ns, bins);
    ASSERT_EQ(out.size(), bins);
    double parts[kPhases] = {};
    for (const StepBin& bin : out) {
      double all = 0;
      for (size_t p = 0; p < kPhases; ++p) {
        parts[p] += bin.parts[p];
        all += bin.parts[p];
      }
      EXPECT_LE(all, 1 + 1e-9);
    }
    for (size_t p = 0; p < kPhases; ++p) {
      EXPECT_NEAR(parts[p] * static_cast<double>(wall_ns) / bins, sums[p], 1e-6)
          << bins;
    }
  }
}

TEST(StepBinsTest, AStepIsInTheBinsThatItTouches) {
  const std::vector<StepSpan> steps = {
      {.free_ns = 0, .begin_ns = 15, .compile_ns = 5, .end_ns = 30},
      {.free_ns = 30, .begin_ns = 30, .end_ns = 35}};
  const auto bins = BinSteps(steps, 0, 40, 4);
  EXPECT_DOUBLE_EQ(PartOf(bins[0], Phase::kWait), 1);
  EXPECT_DOUBLE_EQ(PartOf(bins[1], Phase::kWait), 0.5);
  EXPECT_DOUBLE_EQ(PartOf(bins[1], Phase::kCompile), 0.5);
  EXPECT_DOUBLE_EQ(PartOf(bins[2], Phase::kCompute), 1);
  EXPECT_DOUBLE_EQ(PartOf(bins[3], Phase::kCompute), 0.5);
  EXPECT_EQ(bins[2].first_step, 0u);
  EXPECT_EQ(bins[3].first_step, 1u);
}

TEST(StepBinsTest, ARunOfNoTimeHasNoBins) {
  EXPECT_TRUE(BinSteps({}, 0, 0, 4).empty());
}

}  // namespace
}  // namespace penstock
