#include "tokenizer/sentencepiece/path_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/effort.h"

namespace penstock {
namespace {

constexpr TokenId kIds = 50;

// Adds up the scores of parts, beside a PathScore.
template <typename Real>
class Path {
 public:
  using Score = PathScore<Real>;

  explicit Path(const std::vector<Real>& scores)
      : scores_(HugePageVector<Real>(scores.begin(), scores.end())),
        score_(scores_) {}

  void Put(const std::vector<TokenId>& part) {
    PartIds known = {};
    double sum = 0;
    for (const TokenId id : part) {
      sum += std::abs(scores_[id]);
      exact_ = static_cast<float>(scores_[id] + exact_);
      known.ids[known.count++] = id;
    }
    known.reach = static_cast<uint16_t>(Score::Reach(sum));
    score_.Add(known);
  }

  Score& score() { return score_; }
  float exact() const { return exact_; }
  void Set(float score) { score_.Set(exact_ = score); }

 private:
  const Table<Real> scores_;
  Score score_;
  float exact_ = 0;
};

template <typename Real>
class PathScoreTest : public ::testing::Test {
 protected:
  std::vector<Real> Scores(double largest) {
    std::uniform_real_distribution<double> score(-largest, largest / 50);
    std::vector<Real> scores;
    for (TokenId id = 0; id < kIds; ++id) {
      scores.push_back(static_cast<Real>(static_cast<float>(score(random_))));
    }
    return scores;
  }
  std::vector<TokenId> Part() {
    std::vector<TokenId> part(1 + random_() % PartIds::kMost);
    for (TokenId& id : part) id = random_() % kIds;
    return part;
  }

  std::mt19937 random_{3};
};

using Sums = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PathScoreTest, Sums);

TYPED_TEST(PathScoreTest, IsTheSumThatIsAddedUpEachTime) {
  Path<TypeParam> path(this->Scores(/*largest=*/20));
  for (int round = 0; round < testing::Cases(3'000); ++round) {
    path.score().Settle();
    // As many as may wait, with as many ids as they may have, now and then.
    const bool is_full = round % 7 == 0;
    const size_t parts =
        is_full ? Path<TypeParam>::Score::kMostParts
                : this->random_() % (Path<TypeParam>::Score::kMostParts + 1);
    for (size_t i = 0; i < parts; ++i) {
      path.Put(is_full ? std::vector<TokenId>(PartIds::kMost, round % kIds)
                       : this->Part());
    }
    if (round % 2 == 0) {
      ASSERT_EQ(path.score().Get(), path.exact()) << round;
    }
    if (this->random_() % 30 == 0) path.Set(-3.25f);
  }
  EXPECT_EQ(path.score().Get(), path.exact());
}

TYPED_TEST(PathScoreTest, IsWithinExactlyWhatItsSumIsWithin) {
  for (const double largest : {0.01, 1.0, 20.0, 8000.0}) {
    Path<TypeParam> path(this->Scores(largest));
    constexpr int kMostParts = Path<TypeParam>::Score::kMostParts;
    for (int part = 0; part < testing::Cases(20'000); ++part) {
      if (part % kMostParts == 0) path.score().Settle();
      const double exact = std::abs(path.exact());
      // Mostly near what decides.
      const auto safe = static_cast<uint32_t>(
          exact * (0.99 + 0.0001 * (this->random_() % 300)) +
          this->random_() % 3);
      if (this->random_() % 4 == 0) {
        ASSERT_EQ(path.score().IsWithin(safe), exact < safe)
            << exact << ", " << safe;
      }
      path.Put(this->Part());
      if (exact > 1e7) path.Set(0);
    }
  }
}

TYPED_TEST(PathScoreTest, NothingIsWithinWhereTheScoreIsTooLargeOrNoNumber) {
  Path<TypeParam> path(this->Scores(20));
  for (const float score :
       {3e9f, -3e38f, std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    path.Set(score);
    EXPECT_FALSE(path.score().IsWithin(PartIds::kMostSafeScore)) << score;
    EXPECT_FALSE(path.score().IsWithin(0)) << score;
  }
  path.Set(-2e9f);
  EXPECT_TRUE(path.score().IsWithin(PartIds::kMostSafeScore));
}

}  // namespace
}  // namespace penstock
