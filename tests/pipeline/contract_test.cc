#include "pipeline/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace penstock {
namespace {

using ::testing::ElementsAre;

Contract SomeContract() {
  return {
      .rows = 1024,
      .lengths = {128, 256, 512},
      .tensors = {
          {.name = "tokens",
           .type = ElementType::kInt32,
           .row_shape = {TensorSpec::kBucketLength},
           .pad_value = 7},
          {.name = "tokens_lengths", .role = Role::kLengths},
          {.name = "image", .type = ElementType::kFloat32, .row_shape = {3}},
          {.name = "id", .type = ElementType::kInt64}}};
}

TEST(ContractTest, ShapesAndBytesFollowFromTheSpecs) {
  const Contract contract = SomeContract();
  EXPECT_EQ(contract.shapes(), 3u);
  EXPECT_THAT(contract.ShapeOf(0, 1, 32), ElementsAre(32, 256));
  EXPECT_THAT(contract.ShapeOf(1, 1, 32), ElementsAre(32));
  EXPECT_THAT(contract.ShapeOf(2, 1, 32), ElementsAre(32, 3));
  EXPECT_EQ(contract.RowDimension(0, 0, 2), 512);
  EXPECT_EQ(contract.RowDimension(2, 0, 2), 3);
  EXPECT_EQ(contract.RowBytes(0), 128u * 4 + 4 + 3 * 4 + 8);
  EXPECT_EQ(contract.RowBytes(2), 512u * 4 + 4 + 3 * 4 + 8);
}

TEST(ContractTest, DescriptionIsALineForEachTensor) {
  EXPECT_EQ(SomeContract().Describe(),
            "tokens: int32 [1024, 128 | 256 | 512], pad 7\n"
            "tokens_lengths: int32 [1024]\n"
            "image: float32 [1024, 3], pad 0\n"
            "id: int64 [1024], pad 0\n");
}

TEST(ContractTest, ShapesMayHaveRowsOfTheirOwn) {
  Contract contract = SomeContract();
  EXPECT_EQ(contract.RowsOf(2), 1024);
  contract.shape_rows = {1024, 512, 256};
  EXPECT_EQ(contract.RowsOf(0), 1024);
  EXPECT_EQ(contract.RowsOf(2), 256);
  EXPECT_THAT(contract.Describe(),
              ::testing::StartsWith(
                  "tokens: int32 [1024 | 512 | 256, 128 | 256 | 512], pad 7"));
}

TEST(ContractTest, TensorsAreFoundByName) {
  const Contract contract = SomeContract();
  EXPECT_EQ(contract.Find("id"), &contract.tensors[3]);
  EXPECT_EQ(contract.Find("ids"), nullptr);
}

TEST(ContractTest, FingerprintChangesWithEveryPart) {
  std::vector<Contract> contracts(10, SomeContract());
  contracts[1].rows = 512;
  contracts[2].lengths = {128, 256};
  contracts[3].tensors[0].name = "ids";
  contracts[4].tensors[0].type = ElementType::kInt64;
  contracts[5].tensors[0].pad_value = 8;
  contracts[6].tensors[2].row_shape = {4};
  contracts[7].tensors[1].role = Role::kData;
  contracts[8].shape_rows = {1024, 512, 256};
  contracts[9].shape_rows = {1024, 256, 512};
  std::set<uint64_t> fingerprints;
  for (const Contract& contract : contracts) {
    fingerprints.insert(contract.Fingerprint());
  }
  EXPECT_EQ(fingerprints.size(), contracts.size());
  EXPECT_EQ(SomeContract().Fingerprint(), contracts[0].Fingerprint());
}

}  // namespace
}  // namespace penstock
