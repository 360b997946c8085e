// Masking draws as often as it should, the same wherever it is drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/pipeline/build/learned.h"

namespace penstock::testing {
namespace {

MaskedLm Masked() { return {.seed = 5, .mask_id = 103, .vocabulary = 30522}; }

TEST(MaskedLmTest, AFifteenthOfTokensIsChosenAndEightOfTenAreMasked) {
  constexpr size_t kRecords = 400;
  constexpr size_t kLength = 250;
  const auto records = Records(kRecords, kLength, 100'000);
  PlacedRows rows(Learn(Masked(), kLength + 2), records);
  rows.AddRecords(kRecords);
  rows.Placed();
  int64_t chosen = 0;
  int64_t masked = 0;
  int64_t same = 0;
  int64_t low_random = 0;
  for (size_t r = 0; r < kRecords; ++r) {
    const auto tokens = rows.Row<int32_t>("tokens", r);
    const auto labels = rows.Row<int32_t>("tokens_labels", r);
    const auto weights = rows.Row<float>("tokens_loss_weights", r);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const bool is_chosen = labels[i] != -100;
      ASSERT_EQ(weights[i], is_chosen ? 1 : 0);
      if (i >= kLength) {
        ASSERT_FALSE(is_chosen);
        ASSERT_EQ(tokens[i], 0);
        continue;
      }
      const auto was = static_cast<int32_t>(records[r][i]);
      if (!is_chosen) {
        ASSERT_EQ(tokens[i], was);
        continue;
      }
      ASSERT_EQ(labels[i], was);
      ++chosen;
      if (tokens[i] == 103) {
        ++masked;
      } else if (tokens[i] == was) {
        ++same;
      } else {
        ASSERT_LT(tokens[i], 30522);
        low_random += tokens[i] < 30522 / 2 ? 1 : 0;
      }
    }
  }
  ExpectPart(chosen, kRecords * kLength, 0.15);
  ExpectPart(masked, chosen, 0.8);
  ExpectPart(same, chosen, 0.1);
  ExpectPart(low_random, chosen - masked - same, 0.5);
}

TEST(MaskedLmTest, WholeWordsAreChosenTogether) {
  MaskedLm options = Masked();
  options.vocabulary = 40'000;
  options.random_part = 0;
  options.mask_part = 1;
  options.never = {0};
  // Every third token begins a word.
  options.word_starts.resize(40'000);
  for (size_t i = 0; i < 40'000; i += 3) options.word_starts[i] = true;
  constexpr size_t kRecords = 100;
  const auto records = Records(kRecords, 300, 0);
  PlacedRows rows(Learn(options, 300), records);
  rows.AddRecords(kRecords);
  rows.Placed();
  int64_t words = 0;
  for (size_t r = 0; r < kRecords; ++r) {
    const auto tokens = rows.Row<int32_t>("tokens", r);
    for (size_t i = 0; i < 300; i += 3) {
      const auto is = [&](size_t at) { return tokens[at] == 103; };
      if (r == 0 && i == 0) {
        EXPECT_FALSE(is(0));  // never
        continue;
      }
      ASSERT_EQ(is(i), is(i + 1));
      ASSERT_EQ(is(i), is(i + 2));
      words += is(i) ? 1 : 0;
    }
  }
  ExpectPart(words, kRecords * 100, 0.15);
}

TEST(MaskedLmTest, CutsOfARecordChangeNoChoice) {
  MaskedLm options = Masked();
  options.word_starts.resize(30522);
  for (size_t i = 0; i < 30522; i += 4) options.word_starts[i] = true;
  PlacedRows rows(Learn(options, 100), Records(1, 100));
  rows.AddRecord(0);
  // In the middle of words.
  rows.AddRow({{.begin = 0, .length = 33, .place = 0},
               {.begin = 33, .length = 41, .place = 33},
               {.begin = 74, .length = 26, .place = 74}});
  rows.Placed();
  EXPECT_EQ(rows.Row<int32_t>("tokens", 0), rows.Row<int32_t>("tokens", 1));
  EXPECT_EQ(rows.Row<int32_t>("tokens_labels", 0),
            rows.Row<int32_t>("tokens_labels", 1));
}

TEST(MaskedLmTest, EpochSeedDataAndRecordEachDrawAnew) {
  std::vector<std::vector<int64_t>> same(2, Records(1, 200)[0]);
  MaskedLm other_seed = Masked();
  ++other_seed.seed;
  std::set<std::vector<int32_t>> seen;
  for (const MaskedLm& options : {Masked(), other_seed}) {
    PlacedRows rows(Learn(options, 200), same);
    rows.AddRecords(2);
    for (const uint64_t epoch : {0, 1}) {
      for (const uint64_t dataset : {1, 2}) {
        rows.Placed(epoch, dataset);
        for (const size_t row : {0, 1}) {
          seen.insert(rows.Row<int32_t>("tokens_labels", row));
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 16u);
}

}  // namespace
}  // namespace penstock::testing
