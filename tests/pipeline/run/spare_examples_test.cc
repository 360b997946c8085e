#include "pipeline/run/spare_examples.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/pipeline/dataset_fixture.h"

namespace penstock::testing {
namespace {

const int64_t* MemoryOf(const Examples& examples) {
  return examples.columns.empty() ? nullptr : examples.columns[0].ints.data();
}

TEST(SpareExamplesTest, MemoryStaysWithRowsThatSomebodyHas) {
  const auto spares = std::make_shared<SpareExamples>();
  EXPECT_TRUE(spares->Take().columns.empty());
  auto shared = SpareExamples::Share(spares, *RowsInMemory({3, 5, 7}));
  auto also = shared;
  shared.reset();
  EXPECT_TRUE(spares->Take().columns.empty());
  const int64_t* memory = MemoryOf(*also);
  ASSERT_NE(memory, nullptr);
  also.reset();
  EXPECT_EQ(MemoryOf(spares->Take()), memory);
}

TEST(SpareExamplesTest, WhatLeftLastIsTakenFirstAndOnce) {
  const auto spares = std::make_shared<SpareExamples>();
  auto first = SpareExamples::Share(spares, *RowsInMemory({3, 5, 7}));
  auto second = SpareExamples::Share(spares, *RowsInMemory({300}));
  const int64_t* memory[] = {MemoryOf(*first), MemoryOf(*second)};
  first.reset();
  second.reset();
  const Examples taken[] = {spares->Take(), spares->Take(), spares->Take()};
  EXPECT_EQ(MemoryOf(taken[0]), memory[1]);
  EXPECT_EQ(MemoryOf(taken[1]), memory[0]);
  EXPECT_EQ(MemoryOf(taken[2]), nullptr);
  for (const Examples& examples : taken) {
    EXPECT_EQ(examples.rows, 0u);
    for (const Column& column : examples.columns) {
      EXPECT_EQ(column.values(), 0u) << column.name;
      EXPECT_EQ(column.row_offsets, std::vector<uint64_t>{0}) << column.name;
    }
  }
}

TEST(SpareExamplesTest, MemoryOfLargeRecordsGoes) {
  const auto spares = std::make_shared<SpareExamples>();
  constexpr uint32_t kValues = SpareExamples::kMostBytes / sizeof(int64_t);
  auto shared = SpareExamples::Share(spares, *RowsInMemory({kValues}));
  shared.reset();
  EXPECT_TRUE(spares->Take().columns.empty());
}

TEST(SpareExamplesTest, RowsMayOutliveWhoSharedThem) {
  auto spares = std::make_shared<SpareExamples>();
  auto shared = SpareExamples::Share(spares, *RowsInMemory({3, 5, 7}));
  spares.reset();
  EXPECT_EQ(shared->rows, 3u);
}

}  // namespace
}  // namespace penstock::testing
