// Streamed rows that are placed before their batch is whole.
#include "pipeline/run/open_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::RowIds;
using ::penstock::testing::RowsInMemory;
using ::penstock::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Rows of one token, and every kApart-th of five: those wait through many
// rounds for a batch of their own.
constexpr size_t kAllRows = 20'000;
constexpr size_t kApart = 1000;
constexpr size_t kBatchRows = 8;

// Of the token of row `bad`, which does not fit; none for kAllRows.
std::shared_ptr<const Examples> RowsWith(size_t bad) {
  std::vector<uint32_t> lengths(kAllRows, 1);
  for (size_t row = 0; row < kAllRows; row += kApart) lengths[row] = 5;
  auto rows = std::make_shared<Examples>(*RowsInMemory(lengths));
  if (bad == kAllRows) return rows;
  for (Column& column : rows->columns) {
    if (column.name != "tokens") continue;
    column.ints[column.row_offsets[bad]] = int64_t{1} << 40;
  }
  return rows;
}

CompileOptions Streamed(uint64_t buffer_bytes, int threads) {
  return {
      .threads = threads, .buffer_bytes = buffer_bytes, .force_streamed = true};
}

struct Ran {
  std::vector<std::vector<uint64_t>> rows;
  std::vector<std::vector<int32_t>> tokens;
  Status status;
};

Ran RunOn(const std::shared_ptr<const Examples>& rows, Leftover leftover,
          const CompileOptions& options) {
  Ran ran;
  auto pipeline =
      Compile(Dataset::Columns(rows)
                  .Bucket({.by = "tokens", .lengths = {1, 5}})
                  .Batch({.size = kBatchRows, .leftover = leftover}),
              {}, options);
  ran.status = pipeline.status();
  while (ran.status.ok()) {
    const auto batch = pipeline->Next();
    ran.status = batch.status();
    if (!batch.ok() || !*batch) break;
    ran.rows.push_back(RowIds(**batch));
    for (size_t t = 0; t < (*batch)->tensors.size(); ++t) {
      if (pipeline->contract().tensors[t].name != "tokens") continue;
      const auto values = (*batch)->tensors[t].values<int32_t>();
      ran.tokens.emplace_back(values.begin(), values.end());
    }
  }
  return ran;
}

// The number of the first batch of long rows.
size_t FirstLong(const Ran& ran) {
  size_t first = 0;
  while (ran.tokens.at(first).size() < kBatchRows * 5) ++first;
  return first;
}

TEST(OpenBatchesTest, BatchesAreTheSameWhereThereIsNoRoomForOpenOnes) {
  // A quarter is for open batches, of two shapes.
  for (const int threads : {1, 3}) {
    const CompileOptions early = Streamed(1 << 20, threads);
    const CompileOptions late = Streamed(64, threads);
    const Ran a = RunOn(RowsWith(kAllRows), Leftover::kPad, early);
    const Ran b = RunOn(RowsWith(kAllRows), Leftover::kPad, late);
    ASSERT_OK(a.status);
    ASSERT_OK(b.status);
    EXPECT_EQ(a.rows.size(), (kAllRows - 20) / kBatchRows + 1 + 3);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.tokens, b.tokens);
  }
}

TEST(OpenBatchesTest, ExplainSaysWhichItIs) {
  const auto explain = [](uint64_t buffer_bytes) {
    auto pipeline = Compile(Dataset::Columns(RowsWith(kAllRows))
                                .Bucket({.by = "tokens", .lengths = {1, 5}})
                                .Batch({.size = kBatchRows}),
                            {}, Streamed(buffer_bytes, 1));
    return pipeline.ok() ? pipeline->Explain() : pipeline.status().ToString();
  };
  EXPECT_THAT(explain(1 << 20), HasSubstr("batches that are not whole"));
  EXPECT_THAT(explain(64), AllOf(HasSubstr("rows that wait for a batch"),
                                 Not(HasSubstr("batches that are not whole"))));
}

// The row was placed long before its batch is whole.
TEST(OpenBatchesTest, AnErrorComesBehindTheBatchesBeforeItsOwn) {
  const Ran good =
      RunOn(RowsWith(kAllRows), Leftover::kPad, Streamed(1 << 20, 2));
  ASSERT_OK(good.status);
  const size_t first = FirstLong(good);
  ASSERT_GT(first, 3 * kApart / kBatchRows);
  for (const uint64_t buffer_bytes : {1 << 20, 64}) {
    const Ran bad =
        RunOn(RowsWith(kApart), Leftover::kPad, Streamed(buffer_bytes, 2));
    EXPECT_THAT(bad.status, StatusIs(StatusCode::kInvalidArgument,
                                     AllOf(HasSubstr("row 1000"),
                                           HasSubstr("does not fit"))));
    EXPECT_EQ(bad.rows, std::vector(good.rows.begin(),
                                    good.rows.begin() +
                                        static_cast<std::ptrdiff_t>(first)));
  }
}

// Of the long rows the last four are left over.
TEST(OpenBatchesTest, NobodyHearsOfRowsThatAreDropped) {
  const size_t last = kAllRows - kApart;
  for (const uint64_t buffer_bytes : {1 << 20, 64}) {
    const CompileOptions options = Streamed(buffer_bytes, 2);
    EXPECT_OK(RunOn(RowsWith(last), Leftover::kDrop, options).status);
    EXPECT_THAT(RunOn(RowsWith(last), Leftover::kPad, options).status,
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("19000")));
  }
}

}  // namespace
}  // namespace penstock
