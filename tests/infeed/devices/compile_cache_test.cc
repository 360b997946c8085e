#include "infeed/devices/compile_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/infeed/made_batches.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CompileCacheTest, EachShapeIsCompiledOnceWithItsCause) {
  const Contract contract = TokenContract(1024, {128, 256, 512});
  CompileCache cache;
  const std::vector<size_t> shapes = {0, 1, 0, 2, 1, 2, 0};
  for (size_t step = 0; step < shapes.size(); ++step) {
    ASSERT_OK(cache.NeedsCompile(KeyOf(contract, shapes[step]), step, 7));
  }
  ASSERT_EQ(cache.events().size(), 3u);
  EXPECT_EQ(cache.events()[0].program,
            "tokens int32 [1024, 128], tokens_length int32 [1024], weights "
            "float32 [1024]");
  EXPECT_EQ(cache.events()[0].cause, "first program");
  EXPECT_EQ(cache.events()[1].step, 1u);
  EXPECT_EQ(cache.events()[1].cause, "tokens dim 1: 128 -> 256");
  EXPECT_EQ(cache.events()[2].step, 3u);
  EXPECT_EQ(cache.events()[2].cause, "tokens dim 1: 256 -> 512");
  EXPECT_EQ(cache.events()[2].compile_ns, 7);
}

TEST(CompileCacheTest, TheCauseIsAgainstTheNearestProgram) {
  const ProgramKey small = {{"a", ElementType::kInt32, {8, 2}},
                            {"b", ElementType::kInt32, {8, 2}}};
  const ProgramKey far = {{"a", ElementType::kInt64, {4, 9}},
                          {"c", ElementType::kInt32, {8, 2, 1}}};
  const ProgramKey near_small = {{"a", ElementType::kInt32, {8, 3}},
                                 {"b", ElementType::kInt32, {8, 2}}};
  CompileCache cache;
  ASSERT_OK(cache.NeedsCompile(small, 0, 0));
  ASSERT_OK(cache.NeedsCompile(far, 1, 0));
  ASSERT_OK(cache.NeedsCompile(near_small, 2, 0));
  EXPECT_EQ(cache.events()[1].cause,
            "a: int32 -> int64; a dim 0: 8 -> 4; a dim 1: 2 -> 9; c is new; b "
            "is gone");
  EXPECT_EQ(cache.events()[2].cause, "a dim 1: 2 -> 3");
}

TEST(CompileCacheTest, BudgetIsAnErrorThatNamesTheCause) {
  const Contract contract = TokenContract(8, {1, 2});
  CompileCache cache({.budget = 1});
  ASSERT_OK_AND_ASSIGN(const bool first,
                       cache.NeedsCompile(KeyOf(contract, 0), 0, 0));
  EXPECT_TRUE(first);
  EXPECT_THAT(cache.NeedsCompile(KeyOf(contract, 1), 4, 0),
              StatusIs(StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("step 4 needs compile number 2"),
                             HasSubstr("tokens dim 1: 1 -> 2"))));
  ASSERT_OK_AND_ASSIGN(const bool again,
                       cache.NeedsCompile(KeyOf(contract, 0), 5, 0));
  EXPECT_FALSE(again);
}

}  // namespace
}  // namespace penstock
