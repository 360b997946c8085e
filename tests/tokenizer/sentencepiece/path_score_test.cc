#include "tokenizer/sentencepiece/path_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/effort.h"

namespace penstock {
namespace {

constexpr TokenId kScored = 50;

// Puts parts in a sink and adds up their scores, beside a PathScore.
template <typename Real>
class Path {
 public:
  using Score = PathScore<Real>;

  Path(const std::vector<Real>& scores, const UnknownRule& rule)
      : scores_(HugePageVector<Real>(scores.begin(), scores.end())),
        sink_(rule, 100, ids_),
        score_(scores_, sink_, unknown_) {}

  // kScored is a character without a piece.
  void Put(const std::vector<TokenId>& part) {
    PartIds known = {};
    double sum = 0;
    for (const TokenId id : part) {
      sum += std::abs(scores_[id]);
      exact_ = static_cast<float>(scores_[id] + exact_);
      const size_t before = sink_.size();
      if (id == kScored) {
        sink_.PutUnknown("\xe6\xbc\xa2");
        score_.AddUnknown(before);
      } else {
        sink_.Put(id);
      }
    }
    known.reach = static_cast<uint16_t>(Score::Reach(sum));
    score_.Add(known);
  }

  Score& score() { return score_; }
  float exact() const { return exact_; }
  void Set(float score) { score_.Set(exact_ = score); }

 private:
  const Table<Real> scores_;
  std::vector<TokenId> ids_ = {1, 2, 3};  // of another text
  std::vector<typename Score::UnknownIds> unknown_ = {{1, 2}};
  PieceSink sink_;
  Score score_;
  float exact_ = 0;
};

template <typename Real>
class PathScoreTest : public ::testing::Test {
 protected:
  // The last is of a character without a piece.
  std::vector<Real> Scores(double largest) {
    std::uniform_real_distribution<double> score(-largest, largest / 50);
    std::vector<Real> scores;
    for (TokenId id = 0; id <= kScored; ++id) {
      scores.push_back(static_cast<Real>(static_cast<float>(score(random_))));
    }
    return scores;
  }
  std::vector<TokenId> Part(bool with_unknown) {
    std::vector<TokenId> part(1 + random_() % PartIds::kMost);
    for (TokenId& id : part) id = random_() % (kScored + with_unknown);
    return part;
  }

  std::mt19937 random_{3};
};

using Sums = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PathScoreTest, Sums);

TYPED_TEST(PathScoreTest, IsTheSumThatIsAddedUpEachTime) {
  for (const bool as_bytes : {false, true}) {
    UnknownRule rule = {.as_bytes = as_bytes, .id = 7};
    Path<TypeParam> path(this->Scores(/*largest=*/20), rule);
    // Far past where it settles.
    for (int part = 0; part < testing::Cases(60'000); ++part) {
      path.score().Settle();
      path.Put(this->Part(/*with_unknown=*/part % 3 == 0));
      if (this->random_() % 1000 != 0) continue;
      ASSERT_EQ(path.score().Get(), path.exact()) << part;
      if (this->random_() % 3 == 0) path.Set(-3.25f);
    }
    EXPECT_EQ(path.score().Get(), path.exact());
  }
}

TYPED_TEST(PathScoreTest, IsWithinExactlyWhatItsSumIsWithin) {
  for (const double largest : {0.01, 1.0, 20.0, 8000.0}) {
    Path<TypeParam> path(this->Scores(largest), {});
    for (int part = 0; part < testing::Cases(20'000); ++part) {
      path.score().Settle();
      const double exact = std::abs(path.exact());
      // Mostly near what decides.
      const auto safe = static_cast<uint32_t>(
          exact * (0.99 + 0.0001 * (this->random_() % 300)) +
          this->random_() % 3);
      if (this->random_() % 4 == 0) {
        ASSERT_EQ(path.score().IsWithin(safe), exact < safe)
            << exact << ", " << safe;
      }
      path.Put(this->Part(/*with_unknown=*/false));
      if (exact > 1e7) path.Set(0);
    }
  }
}

TYPED_TEST(PathScoreTest, NothingIsWithinWhereTheScoreIsTooLargeOrNoNumber) {
  Path<TypeParam> path(this->Scores(20), {});
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
