// Megatron-LM's indexes. Every number here was computed with NumPy 2.4.6: with
// numpy.random.RandomState(seed).shuffle() of int32 and uint32 arrays, in the
// steps of megatron/core/datasets/gpt_dataset.py.
#include "pipeline/order/megatron_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint32_t kFiveDocuments[] = {5, 3, 7, 2, 6};

MegatronIndex IndexOf(uint64_t samples) {
  const auto index = MakeMegatronIndex(
      kFiveDocuments, {.length = 4, .samples = samples, .seed = 1234});
  EXPECT_OK(index);
  return *index;
}

TEST(MegatronIndexTest, OnePassIsThatOfMegatron) {
  for (const uint64_t samples : {0, 1, 5}) {
    const MegatronIndex index = IndexOf(samples);
    EXPECT_EQ(index.passes, 1u);
    EXPECT_FALSE(index.last_apart);
    EXPECT_THAT(index.documents, ElementsAre(4, 0, 1, 2, 3));
    using Begin = MegatronIndex::Begin;
    EXPECT_THAT(index.samples,
                ElementsAre(Begin{0, 0}, Begin{0, 4}, Begin{1, 2}, Begin{2, 1},
                            Begin{3, 2}, Begin{3, 6}));
    EXPECT_THAT(index.shuffled, ElementsAre(3, 2, 1, 0, 4));
  }
}

TEST(MegatronIndexTest, ALastPassOfWhichLittleIsWantedIsShuffledApart) {
  for (const uint64_t samples : {6, 8}) {
    const MegatronIndex index = IndexOf(samples);
    EXPECT_EQ(index.passes, 2u);
    EXPECT_TRUE(index.last_apart);
    EXPECT_THAT(index.documents, ElementsAre(4, 0, 1, 2, 3, 3, 2, 1, 0, 4));
    EXPECT_THAT(index.shuffled, ElementsAre(2, 0, 4, 3, 1, 6, 10, 7, 5, 9, 8));
  }
  const MegatronIndex three = IndexOf(13);
  EXPECT_EQ(three.passes, 3u);
  EXPECT_TRUE(three.last_apart);
  EXPECT_THAT(three.documents,
              ElementsAre(2, 2, 4, 1, 0, 3, 4, 0, 1, 3, 0, 4, 3, 2, 1));
  EXPECT_THAT(three.shuffled, ElementsAre(3, 9, 2, 1, 7, 5, 4, 0, 8, 6, 10, 16,
                                          12, 15, 14, 11, 13));
}

TEST(MegatronIndexTest, ALastPassOfWhichMuchIsWantedIsShuffledWithTheOthers) {
  for (const uint64_t samples : {9, 10, 11}) {
    const MegatronIndex index = IndexOf(samples);
    EXPECT_EQ(index.passes, 2u);
    EXPECT_FALSE(index.last_apart);
    EXPECT_THAT(index.documents, ElementsAre(2, 2, 4, 1, 0, 3, 4, 0, 1, 3));
    EXPECT_THAT(index.shuffled, ElementsAre(3, 10, 2, 1, 7, 5, 4, 0, 8, 6, 9));
  }
}

// a = numpy.arange(70000); numpy.random.RandomState(42).shuffle(a)
TEST(MegatronIndexTest, ManyDocumentsAreShuffledAsNumPyShuffles) {
  const std::vector<uint32_t> lengths(70000, 1);
  ASSERT_OK_AND_ASSIGN(const MegatronIndex index,
                       MakeMegatronIndex(lengths, {.length = 9, .seed = 42}));
  const std::span<const uint32_t> documents = index.documents;
  EXPECT_THAT(documents.first(8), ElementsAre(46730, 48393, 41416, 34506, 43725,
                                              11615, 24656, 22411));
  EXPECT_THAT(documents.last(4), ElementsAre(6265, 54886, 860, 15795));
  uint64_t sum = 0;  // (a * numpy.arange(70000)).sum()
  for (uint64_t i = 0; i < documents.size(); ++i) sum += i * documents[i];
  EXPECT_EQ(sum, 85612547933264u);
}

// A sample of more values than all documents have goes through them again, as
// in tools/interop/compare_megatron.py.
TEST(MegatronIndexTest, ASampleMayTakeSeveralPasses) {
  ASSERT_OK_AND_ASSIGN(const MegatronIndex index,
                       MakeMegatronIndex(std::vector<uint32_t>{2, 1},
                                         {.length = 7, .samples = 2}));
  EXPECT_EQ(index.passes, 5u);  // 15 values
  EXPECT_FALSE(index.last_apart);
  EXPECT_EQ(index.documents.size(), 10u);
  EXPECT_EQ(index.samples.size(), 3u);
}

TEST(MegatronIndexTest, WhatMegatronCannotIndexIsRefused) {
  const auto refused = [](std::vector<uint32_t> lengths,
                          const MegatronOptions& options, const char* words) {
    EXPECT_THAT(MakeMegatronIndex(lengths, options),
                StatusIs(kInvalid, HasSubstr(words)));
  };
  refused({}, {.length = 4}, "have 0 values");
  refused({0, 0}, {.length = 4, .samples = 3}, "have 0 values");
  refused({4}, {.length = 4}, "one sample takes 5");
  EXPECT_OK(MakeMegatronIndex(std::vector<uint32_t>{5}, {.length = 4}));
  refused({5}, {.length = 4, .samples = UINT32_MAX}, "the most are");
  refused({5, 0, 0}, {.length = 4, .samples = UINT32_MAX - 1},
          "more than 4294967294 documents or samples");
}

}  // namespace
}  // namespace penstock::testing
