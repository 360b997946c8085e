#include "pipeline/order/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;

std::vector<uint32_t> Quotas(std::vector<double> weights,
                             uint32_t most = Schedule::kMostTurns) {
  return RoundWeights(weights, most);
}

// By how many rows a prefix of two periods is off, at most, for any source.
double MostOff(const Schedule& schedule) {
  const std::vector<uint32_t>& quotas = schedule.quotas();
  std::vector<double> rows(quotas.size());
  double most = 0;
  for (uint64_t n = 1; n <= 2 * uint64_t{schedule.period()}; ++n) {
    const auto turn =
        schedule.turn(static_cast<uint32_t>((n - 1) % schedule.period()));
    ++rows[turn.source];
    for (size_t i = 0; i < quotas.size(); ++i) {
      const double share =
          static_cast<double>(n) * quotas[i] / schedule.period();
      most = std::max(most, std::abs(rows[i] - share));
    }
  }
  return most;
}

TEST(ScheduleTest, NoPrefixIsOffByARowForAnySource) {
  std::mt19937_64 random(1);
  for (const size_t sources : {1, 2, 3, 5, 8, 20, 50, 100}) {
    for (int repeat = 0; repeat < 12; ++repeat) {
      std::vector<double> weights(sources);
      for (double& weight : weights) {
        // From all alike to some far below others.
        weight = std::exp(std::uniform_real_distribution<>(
            0, static_cast<double>(repeat))(random));
      }
      const Schedule schedule(Quotas(weights, 2000));
      const double bound =
          sources == 1 ? 0 : 1 - 1.0 / static_cast<double>(2 * sources - 2);
      ASSERT_LE(MostOff(schedule), bound + 1e-9)
          << sources << " sources, repeat " << repeat;
    }
  }
}

// The same of the longest period there is.
TEST(ScheduleTest, NoPrefixOfTheLongestPeriodIsOffByARow) {
  const Schedule schedule(Quotas({std::sqrt(2), 1, std::sqrt(3) / 1000, 0.1}));
  EXPECT_GT(schedule.period(), 60'000u);
  EXPECT_LE(MostOff(schedule), 1 - 1.0 / 6 + 1e-9);
}

TEST(ScheduleTest, ARankIsTheTurnsBefore) {
  const Schedule schedule(Quotas({5, 3, 1}));
  std::vector<uint32_t> rows(3);
  for (uint32_t i = 0; i < schedule.period(); ++i) {
    const auto [source, rank] = schedule.turn(i);
    EXPECT_EQ(rank, rows[source]++);
  }
  EXPECT_THAT(rows, ElementsAre(5, 3, 1));
}

TEST(ScheduleTest, RowsAndEndsAreThoseOfCounting) {
  const Schedule schedule(Quotas({4, 3, 2}));
  std::vector<uint64_t> rows(3);
  for (uint64_t n = 0; n < 40; ++n) {
    EXPECT_EQ(schedule.RowsIn(n), rows);
    const auto turn =
        schedule.turn(static_cast<uint32_t>(n % schedule.period()));
    ++rows[turn.source];
    std::vector<uint64_t> wanted(3, 1);
    wanted[turn.source] = rows[turn.source];
    EXPECT_EQ(schedule.EndsOf(wanted)[turn.source], n + 1);
  }
}

// Where marks are looked up on the way.
TEST(ScheduleTest, RowsOfALongPeriodAreThoseOfCounting) {
  const Schedule schedule(Quotas({std::sqrt(2), 1, std::sqrt(3) / 1000, 0.1}));
  std::vector<uint64_t> rows(4);
  for (uint64_t n = 0; n < schedule.period() + 5000; ++n) {
    const uint64_t from_mark = n % Schedule::kMarkTurns;
    if (from_mark < 3 || from_mark > Schedule::kMarkTurns - 3) {
      ASSERT_EQ(schedule.RowsIn(n), rows) << n;
    }
    const auto place = static_cast<uint32_t>(n % schedule.period());
    ++rows[schedule.turn(place).source];
  }
}

TEST(RoundWeightsTest, ExactWeightsHaveTheShortestPeriod) {
  EXPECT_THAT(Quotas({0.7, 0.3}), ElementsAre(7, 3));
  EXPECT_THAT(Quotas({1, 1, 1}), ElementsAre(1, 1, 1));
  EXPECT_THAT(Quotas({10, 20, 30}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Quotas({0.15, 0.25, 0.6}), ElementsAre(3, 5, 12));
  EXPECT_THAT(Quotas({1e300, 1e300}), ElementsAre(1, 1));
  EXPECT_THAT(Quotas({5e-324}), ElementsAre(1));
}

TEST(RoundWeightsTest, OthersAreRoundedByLessThanOneTurn) {
  std::mt19937_64 random(2);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<double> weights(1 + random() % 20);
    for (double& weight : weights) {
      weight = std::uniform_real_distribution<>(0.2, 1)(random);
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::vector<uint32_t> quotas = Quotas(weights, 1000);
    const double turns = std::accumulate(quotas.begin(), quotas.end(), 0.0);
    EXPECT_LE(turns, 1000);
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_LT(std::abs(quotas[i] / turns - weights[i] / sum), 1 / 999.0);
    }
  }
}

TEST(RoundWeightsTest, WhateverIsLeastComesOnceInAPeriod) {
  const auto quotas = Quotas({1, 1e-12, 1e-300}, 1000);
  EXPECT_THAT(quotas, ElementsAre(998, 1, 1));
  EXPECT_THAT(Quotas(std::vector<double>(1000, 0.3), 1000),
              ::testing::Each(1u));
  const auto uneven = Quotas({1e6, 3, 1, 1}, 4);
  EXPECT_THAT(uneven, ElementsAre(1, 1, 1, 1));
}

}  // namespace
}  // namespace penstock
