#include "tokenizer/vocabulary/stored_tables.h"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <utility>

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TableTest, ChangingValuesThatAreElsewhereChangesACopy) {
  const std::array<int, 3> elsewhere = {1, 2, 3};
  Table<int> table = Table<int>::Of(elsewhere);
  const Table<int> view = table;
  EXPECT_EQ(view.data(), elsewhere.data());
  table.At(1) = 7;
  table.Append(elsewhere);
  EXPECT_THAT(table.values(), ElementsAre(1, 7, 3, 1, 2, 3));
  EXPECT_THAT(elsewhere, ElementsAre(1, 2, 3));
  EXPECT_THAT(view.values(), ElementsAre(1, 2, 3));
}

TEST(TableTest, CopiesOfOwnValuesAreApartAndMovesTakeThem) {
  Table<int> table(2, 5);
  Table<int> copy = table;
  copy.At(0) = 6;
  EXPECT_THAT(table.values(), ElementsAre(5, 5));
  Table<int> moved = std::move(copy);
  EXPECT_THAT(moved.values(), ElementsAre(6, 5));
  table = std::move(moved);
  EXPECT_THAT(table.values(), ElementsAre(6, 5));
  table.Resize(3);
  EXPECT_THAT(table.values(), ElementsAre(6, 5, 0));
}

std::string Written() {
  TableWriter writer;
  writer.PutNumber(7);
  writer.PutText("abc");
  writer.PutTable(Table<uint16_t>(3, 9));
  writer.PutText("");
  writer.PutTable(Table<uint64_t>());
  return std::string(writer.bytes());
}

TEST(StoredTablesTest, WhatIsWrittenIsRead) {
  const std::string bytes = Written();
  TableReader reader(bytes);
  EXPECT_EQ(reader.Number(), 7u);
  EXPECT_EQ(reader.Text(), "abc");
  EXPECT_THAT(reader.TakeTable<uint16_t>().values(), ElementsAre(9, 9, 9));
  EXPECT_EQ(reader.Text(), "");
  EXPECT_THAT(reader.TakeTable<uint64_t>().values(), IsEmpty());
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.Number(), 0u);
  EXPECT_FALSE(reader.ok());
}

TEST(StoredTablesTest, WhatIsMissingIsSeen) {
  const std::string whole = Written();
  const auto ok = [](const std::string& bytes) {
    TableReader reader(bytes);
    reader.Number();
    reader.Text();
    reader.TakeTable<uint16_t>();
    reader.Text();
    reader.TakeTable<uint64_t>();
    return reader.ok();
  };
  EXPECT_TRUE(ok(whole));
  // Up to the size of the empty table, behind that of the empty text.
  constexpr size_t kNeeded = 64 + 8 + 8 + 8;
  for (size_t size = 0; size < kNeeded; ++size) {
    EXPECT_EQ(ok(whole.substr(0, size)), false) << size;
  }
}

TEST(StoredTablesTest, SizesBeyondAllMemoryAreNotRead) {
  TableWriter writer;
  writer.PutNumber(~uint64_t{0} / 2);
  const std::string bytes(writer.bytes());
  TableReader text(bytes), table(bytes);
  EXPECT_EQ(text.Text(), "");
  EXPECT_THAT(table.TakeTable<uint64_t>().values(), IsEmpty());
  EXPECT_FALSE(text.ok() || table.ok());
}

}  // namespace
}  // namespace penstock
