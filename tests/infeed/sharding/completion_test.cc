#include "infeed/sharding/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infeed/sharding/sharding_text.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CompletionTest : public ::testing::Test {
 protected:
  StatusOr<Completion> CompleteWith(
      const std::vector<std::pair<std::string, std::string>>& given) {
    std::vector<TensorSharding> shardings;
    for (const auto& [name, spec] : given) {
      shardings.push_back({name, *ParsePartitionSpec(spec)});
    }
    return Complete(mesh_, tensors_, shardings);
  }
  std::vector<std::string> SpecsOf(const Completion& completion) {
    std::vector<std::string> specs;
    for (const CompletedSharding& sharding : completion.shardings) {
      specs.push_back(PartitionSpecText(sharding.spec));
    }
    return specs;
  }

  const Mesh mesh_ = *Mesh::Create({{"data", 4}, {"seq", 2}});
  std::vector<NamedTensor> tensors_ = {
      {"tokens", {"rows", "length"}, {16, 128}},
      {"tokens_length", {"rows"}, {16}},
      {"segments", {"rows", "length"}, {16, 128}},
      {"image", {"rows", "", ""}, {16, 8, 3}},
      {"weights", {"rows"}, {16}}};
};

TEST_F(CompletionTest, AShardingIsCarriedOverSharedDimensions) {
  ASSERT_OK_AND_ASSIGN(const Completion completion,
                       CompleteWith({{"tokens", "data,seq"}}));
  EXPECT_THAT(SpecsOf(completion), ElementsAre("data,seq", "data", "data,seq",
                                               "data,None,None", "data"));
  EXPECT_THAT(completion.shardings[3].from, ElementsAre("tokens", "", ""));
  EXPECT_THAT(completion.warnings, IsEmpty());
}

TEST_F(CompletionTest, ShortSpecsLeaveTheRestWhole) {
  ASSERT_OK_AND_ASSIGN(const Completion completion,
                       CompleteWith({{"tokens", "(data,seq)"}}));
  EXPECT_THAT(SpecsOf(completion),
              ElementsAre("(data,seq),None", "(data,seq)", "(data,seq),None",
                          "(data,seq),None,None", "(data,seq)"));
  EXPECT_THAT(completion.warnings, IsEmpty());
}

TEST_F(CompletionTest, AnAxisCutsATensorOnce) {
  ASSERT_OK_AND_ASSIGN(
      const Completion completion,
      CompleteWith({{"tokens_length", "seq"}, {"tokens", "data,seq"}}));
  // Rows are cut over seq as said first, so that the length cannot be.
  EXPECT_EQ(SpecsOf(completion)[2], "seq,None");
  EXPECT_THAT(completion.warnings,
              ElementsAre(HasSubstr("tokens_length cuts its rows over seq, "
                                    "tokens over data")));
}

TEST_F(CompletionTest, IdleAxesAreCountedInBytes) {
  ASSERT_OK_AND_ASSIGN(const Completion completion,
                       CompleteWith({{"tokens", "data"}}));
  // 16 rows of 128 + 1 + 128 + 24 + 1 values.
  EXPECT_THAT(completion.warnings,
              ElementsAre(HasSubstr("no tensor is cut over seq: each byte of "
                                    "the batch goes to 2 times as many "
                                    "devices, 18048 bytes")));
}

TEST_F(CompletionTest, TilesWithoutRowsAreNamed) {
  tensors_ = {{"rows", {"rows"}, {5}}};
  ASSERT_OK_AND_ASSIGN(const Completion completion,
                       CompleteWith({{"rows", "(data,seq)"}}));
  EXPECT_THAT(completion.warnings,
              ElementsAre(HasSubstr("5 places for 8 tiles: the last 3 hold "
                                    "padding alone")));
}

TEST_F(CompletionTest, MistakesAreNamed) {
  EXPECT_THAT(CompleteWith({{"labels", "data"}}),
              StatusIs(kInvalid, HasSubstr("given for labels, but the batch "
                                           "has tokens, tokens_length")));
  EXPECT_THAT(CompleteWith({{"tokens", "data"}, {"tokens", "data"}}),
              StatusIs(kInvalid, HasSubstr("two shardings are given for")));
  EXPECT_THAT(
      CompleteWith({{"weights", "data,seq"}}),
      StatusIs(kInvalid, HasSubstr("2 entries, but its shape is [16]")));
  EXPECT_THAT(CompleteWith({{"tokens", "model"}}),
              StatusIs(kInvalid, HasSubstr("has no axis \"model\"")));
}

}  // namespace
}  // namespace penstock
