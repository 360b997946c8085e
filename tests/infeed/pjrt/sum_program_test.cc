// The step that a host can check.
#include "infeed/pjrt/sum_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/infeed/made_batches.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kUnimplemented;
using ::penstock::testing::MakeBatch;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CoreSlice SliceOf(Contract contract,
                  const std::function<void(Batch&)>& change) {
  auto frozen = std::make_shared<const Contract>(std::move(contract));
  // Rows 0 to 2 are real, tokens are 1000 * row + place, lengths 3.
  Batch batch = MakeBatch(TokenContract(4, {4}), TopologyOf(1, 1, 0), 0, 0, 3);
  if (change) change(batch);
  return *CoreSlice::Create(std::make_shared<const Batch>(std::move(batch)),
                            frozen, {.rows = 4});
}

TEST(SumProgramTest, TokensCountUpToTheLengthOfTheirRow) {
  const CoreSlice slice = SliceOf(TokenContract(4, {4}), [](Batch& batch) {
    auto* const tokens =
        reinterpret_cast<int32_t*>(batch.tensors[0].bytes.data());
    tokens[3] = 77;  // behind its row's length
  });
  ASSERT_OK_AND_ASSIGN(const SumProgram program, SumProgramOf(slice));
  EXPECT_THAT(program.arguments, ElementsAre(0, 1));
  EXPECT_THAT(program.mlir, HasSubstr("%values: tensor<4x4xi32>, %mask: "
                                      "tensor<4xi32>"));
  EXPECT_EQ(HostSum(program, slice), 3u * (0 + 1 + 2) + 3u * 1000 + 3u * 2000);
}

TEST(SumProgramTest, WithoutLengthsRowsOfWeightOneCount) {
  Contract contract = TokenContract(4, {4});
  contract.tensors[1].role = Role::kDerived;
  const CoreSlice slice = SliceOf(std::move(contract), [](Batch& batch) {
    auto* const tokens =
        reinterpret_cast<int32_t*>(batch.tensors[0].bytes.data());
    tokens[3] = -77;
    tokens[15] = 5;  // in the row that pads
  });
  ASSERT_OK_AND_ASSIGN(const SumProgram program, SumProgramOf(slice));
  EXPECT_THAT(program.arguments, ElementsAre(0, 2));
  EXPECT_EQ(HostSum(program, slice),
            3u * (0 + 1 + 2) + 3u * 1000 + 3u * 2000 - 77u);
}

TEST(SumProgramTest, WithoutIntegersThereIsNothingToSum) {
  Contract contract = TokenContract(4, {4});
  contract.tensors[0].type = ElementType::kFloat32;
  contract.tensors[1].type = ElementType::kFloat32;
  EXPECT_THAT(
      SumProgramOf(SliceOf(std::move(contract), {})).status(),
      StatusIs(kUnimplemented, HasSubstr("feed a feature of integers")));
}

}  // namespace
}  // namespace penstock
