// Rows that are placed together are those that would be placed alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/pipeline/build/placed_rows.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kPad = -1;

Dataset BatchedAs(std::vector<Feature> features, int64_t width) {
  return Dataset::TfRecords("a")
      .Parse(std::move(features))
      .Bucket({.by = "tokens", .lengths = {width}, .pad_value = kPad})
      .Batch({.size = 1});
}

// Records of every length up to `most`, in no order, of values that rise.
std::vector<std::vector<int64_t>> RecordsUpTo(size_t most, size_t count) {
  std::mt19937 random(most);
  std::vector<std::vector<int64_t>> records(count);
  int64_t next = 1;
  for (auto& record : records) {
    record.resize(random() % (most + 1));
    std::iota(record.begin(), record.end(), next);
    next += static_cast<int64_t>(record.size());
  }
  return records;
}

void ExpectRow(const PlacedRows& rows, size_t row, std::vector<int64_t> record,
               int64_t width) {
  const auto length = static_cast<int32_t>(record.size());
  record.resize(static_cast<size_t>(width), kPad);
  const std::vector<int32_t> placed = rows.Row<int32_t>("tokens", row);
  EXPECT_EQ(std::vector<int64_t>(placed.begin(), placed.end()), record)
      << "row " << row;
  EXPECT_EQ(rows.Row<int32_t>("tokens_lengths", row)[0], length);
}

// Short ones of each width are placed in another way than longer ones, and the
// last of a column in another than those before; there are more of them than
// are placed at once.
TEST(PlaceTest, RowsOfEveryLengthAreTheirRecordAndPadding) {
  for (const int64_t width : {1, 8, 12, 16, 24, 32, 56, 64, 65, 72, 128}) {
    const auto records = RecordsUpTo(static_cast<size_t>(width), 700);
    PlacedRows rows(BatchedAs({{.name = "tokens"}}, width), records);
    rows.AddRecords(records.size());
    rows.Placed();
    for (size_t row = 0; row < records.size(); ++row) {
      ExpectRow(rows, row, records[row], width);
    }
    EXPECT_EQ(rows.cut_rows, 0);
  }
}

TEST(PlaceTest, RowsThatPadLieAnywhereAmongOthers) {
  constexpr int64_t kWidth = 16;
  const auto records = RecordsUpTo(kWidth, 200);
  for (const size_t pads : {size_t{0}, size_t{1}, size_t{63}, size_t{64},
                            size_t{130}, records.size()}) {
    PlacedRows rows(BatchedAs({{.name = "tokens"}}, kWidth), records);
    for (size_t record = 0; record < records.size(); ++record) {
      if (record == pads) rows.AddRow({});
      rows.AddRecord(record);
    }
    if (pads == records.size()) rows.AddRow({});
    rows.Placed();
    for (size_t record = 0; record < records.size(); ++record) {
      ExpectRow(rows, record + (record >= pads), records[record], kWidth);
    }
    ExpectRow(rows, pads, {}, kWidth);
    EXPECT_THAT(rows.Row<int32_t>("tokens", pads), Each(kPad));
  }
}

// A piece of a record, and two in a row, which another row may follow.
TEST(PlaceTest, PiecesOfRecordsLieWhereTheyAreToBe) {
  const auto records = RecordsUpTo(16, 100);
  PlacedRows rows(Dataset::TfRecords("a")
                      .Parse({{.name = "tokens"}})
                      .Pack({.by = "tokens", .length = 32, .pad_value = kPad})
                      .Batch({.size = 1}),
                  records);
  std::vector<std::vector<int32_t>> expected;
  for (size_t i = 0; i + 1 < records.size(); ++i) {
    const auto& one = records[i];
    const auto& two = records[i + 1];
    const auto begin = static_cast<uint32_t>(one.size() / 2);
    const auto length = static_cast<uint32_t>(one.size()) - begin;
    std::vector<Piece> row = {{.record = i, .begin = begin, .length = length}};
    std::vector<int32_t>& values = expected.emplace_back();
    values.assign(one.begin() + begin, one.end());
    if (i % 3 == 0) {
      row.push_back({.record = i + 1,
                     .length = static_cast<uint32_t>(two.size()),
                     .place = length});
      values.insert(values.end(), two.begin(), two.end());
    }
    values.resize(32, kPad);
    rows.AddRow(std::move(row));
  }
  rows.Placed();
  for (size_t row = 0; row < expected.size(); ++row) {
    EXPECT_EQ(rows.Row<int32_t>("tokens", row), expected[row]) << row;
  }
}

// Tensors are placed one after the other; which row is told does not depend on
// it.
TEST(PlaceTest, OfSeveralErrorsThatOfTheFirstRowIsTold) {
  constexpr int64_t kTooLarge = int64_t{1} << 40;
  for (const size_t first : {0, 5, 70}) {
    std::vector<std::vector<int64_t>> records(100, {1, 2, 3});
    std::vector<std::vector<int64_t>> labels(100, {7});
    labels[first] = {kTooLarge};
    for (size_t row = first + 1; row < records.size(); ++row) {
      records[row][1] = kTooLarge;
    }
    PlacedRows rows(
        BatchedAs({{.name = "tokens"}, {.name = "label", .length = 1}}, 8),
        records);
    rows.AddColumn(labels);
    rows.AddRecords(records.size());
    EXPECT_THAT(
        rows.Place(),
        StatusIs(StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("record " + std::to_string(first) + ":"),
                       HasSubstr("\"label\""))));
  }
}

}  // namespace
}  // namespace penstock::testing
