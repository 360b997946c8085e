#include "infeed/sharding/core_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/infeed/made_batches.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::MakeBatch;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CoreSliceTest : public ::testing::Test {
 protected:
  StatusOr<CoreSlice> Slice(Batch batch, SlicePlace place) {
    return CoreSlice::Create(std::make_shared<const Batch>(std::move(batch)),
                             contract_, place);
  }
  Batch Whole() { return MakeBatch(*contract_, TopologyOf(4, 1, 0), 0, 1, 6); }

  const std::shared_ptr<const Contract> contract_ =
      std::make_shared<const Contract>(TokenContract(8, {2, 3}));
};

TEST_F(CoreSliceTest, SliceIsAViewOfItsRows) {
  ASSERT_OK_AND_ASSIGN(
      const CoreSlice slice,
      Slice(Whole(), {.device = 5, .shard = 2, .row_begin = 4, .rows = 2}));
  const TensorView tokens = slice.tensor(0);
  EXPECT_EQ(tokens.spec->name, "tokens");
  EXPECT_THAT(tokens.shape, ElementsAre(2, 3));
  EXPECT_THAT(tokens.values<int32_t>(),
              ElementsAre(4000, 4001, 0, 5000, 5001, 0));
  EXPECT_THAT(slice.record_ids(), ElementsAre(4, 5));
  EXPECT_EQ(slice.pad_rows(), 0u);
  // 3 tokens, a length and a weight a row, of 4 bytes each.
  EXPECT_EQ(slice.size_bytes(), 2u * 5 * 4);
  ASSERT_TRUE(slice.Find("weights").has_value());
  EXPECT_THAT(slice.Find("weights")->values<float>(), ElementsAre(1, 1));
  EXPECT_FALSE(slice.Find("labels").has_value());
}

TEST_F(CoreSliceTest, EveryTypeIsSlicedByItsSize) {
  Contract contract = {.rows = 4};
  for (int type = 0; !ElementTypeName(static_cast<ElementType>(type)).empty() &&
                     SizeBytes(static_cast<ElementType>(type)) > 0;
       ++type) {
    contract.tensors.push_back({.name = std::to_string(type),
                                .type = static_cast<ElementType>(type),
                                .row_shape = {3, 5}});
  }
  EXPECT_EQ(contract.tensors.size(), 11u);
  Batch batch{.row_offsets = {0, 0, 0, 0, 0}};
  std::vector<std::vector<std::byte>> memory;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    memory.emplace_back(4 * 15 * SizeBytes(contract.tensors[t].type));
    for (size_t i = 0; i < memory[t].size(); ++i) {
      memory[t][i] = static_cast<std::byte>(i);
    }
    batch.tensors.push_back({contract.ShapeOf(t, 0, 4), memory[t]});
  }
  ASSERT_OK_AND_ASSIGN(
      const CoreSlice slice,
      CoreSlice::Create(std::make_shared<const Batch>(std::move(batch)),
                        std::make_shared<const Contract>(contract),
                        {.row_begin = 1, .rows = 2}));
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    const size_t row_bytes = 15 * SizeBytes(contract.tensors[t].type);
    const TensorView view = slice.tensor(t);
    EXPECT_THAT(view.shape, ElementsAre(2, 3, 5));
    EXPECT_EQ(view.bytes.data(), memory[t].data() + row_bytes);
    EXPECT_EQ(view.bytes.size(), 2 * row_bytes);
  }
}

TEST_F(CoreSliceTest, RowsThatPadAreCounted) {
  ASSERT_OK_AND_ASSIGN(const CoreSlice slice,
                       Slice(Whole(), {.row_begin = 5, .rows = 3}));
  EXPECT_EQ(slice.pad_rows(), 2u);
}

TEST_F(CoreSliceTest, BatchesThatBreakTheContractAreRefused) {
  constexpr auto kInternal = StatusCode::kInternal;
  const SlicePlace place = {.rows = 2};
  Batch batch = Whole();
  batch.shape = 2;
  EXPECT_THAT(Slice(batch, place),
              StatusIs(kInternal, HasSubstr("shape number 2")));
  batch = Whole();
  batch.shape = 0;
  EXPECT_THAT(Slice(batch, place),
              StatusIs(kInternal, HasSubstr("tensor tokens of step 0 has shape "
                                            "[8, 3], but the contract declares "
                                            "[8, 2]")));
  batch = Whole();
  batch.tensors[0].shape[0] = 7;
  EXPECT_THAT(Slice(batch, place),
              StatusIs(kInternal, HasSubstr("has shape [7, 3], but the "
                                            "contract declares [8, 3]")));
  batch = Whole();
  batch.tensors[0].shape.push_back(1);
  EXPECT_THAT(Slice(batch, place),
              StatusIs(kInternal, HasSubstr("has shape [8, 3, 1]")));
  batch = Whole();
  batch.tensors.pop_back();
  EXPECT_THAT(Slice(batch, place),
              StatusIs(kInternal, HasSubstr("has 2 tensors")));
  batch = Whole();
  // int64 where int32 is declared
  batch.tensors[1].bytes = {batch.tensors[1].bytes.data(), 64};
  EXPECT_THAT(Slice(batch, place),
              StatusIs(kInternal, HasSubstr("tensor tokens_length of step 0 "
                                            "holds 64 bytes, but int32 [8]")));
  EXPECT_THAT(Slice(Whole(), {.device = 3, .row_begin = 7, .rows = 2}),
              StatusIs(kInternal, HasSubstr("device 3 takes rows [7, 9)")));
}

}  // namespace
}  // namespace penstock
