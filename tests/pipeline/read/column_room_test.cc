#include "pipeline/read/column_room.h"

#include <gtest/gtest.h>

#include "tests/pipeline/dataset_fixture.h"

namespace penstock::testing {
namespace {

Examples Rows(size_t rows, uint32_t length) {
  return *RowsInMemory(std::vector<uint32_t>(rows, length));
}

// Appends the rows of `from`, of which `to` has the columns.
void Append(const Examples& from, Examples& to) {
  for (size_t c = 0; c < from.columns.size(); ++c) {
    const Column& column = from.columns[c];
    Column& out = to.columns[c];
    ASSERT_EQ(out.name, column.name);
    ASSERT_EQ(out.type, column.type);
    out.ints.insert(out.ints.end(), column.ints.begin(), column.ints.end());
    out.floats.insert(out.floats.end(), column.floats.begin(),
                      column.floats.end());
    out.bytes += column.bytes;
  }
}

TEST(ColumnRoomTest, ColumnsLikeThoseBeforeDoNotGrow) {
  ColumnRoom room;
  Examples none;
  room.Make(100, none);
  EXPECT_TRUE(none.columns.empty());

  Examples before = Rows(100, 300);
  room.Take(before);
  for (const size_t rows : {1, 40, 100, 1000}) {
    Examples made;
    room.Make(rows, made);
    EXPECT_EQ(made.rows, 0u);
    std::vector<size_t> room_of;
    for (const Column& column : made.columns) {
      EXPECT_EQ(column.values(), 0u);
      room_of.push_back(column.ints.capacity() + column.floats.capacity() +
                        column.bytes.capacity());
    }
    Append(Rows(rows, 300), made);
    for (size_t c = 0; c < room_of.size(); ++c) {
      const Column& column = made.columns[c];
      EXPECT_EQ(room_of[c], column.ints.capacity() + column.floats.capacity() +
                                column.bytes.capacity())
          << column.name;
    }
  }
}

// Rows of a rare length are followed by short ones.
TEST(ColumnRoomTest, WhatWasTooMuchIsGivenBack) {
  ColumnRoom room;
  Examples before = Rows(10, 100'000);
  room.Take(before);
  Examples made;
  room.Make(10, made);
  Append(Rows(10, 3), made);
  made.rows = 10;
  room.Take(made);
  for (const Column& column : made.columns) {
    EXPECT_LE(column.ints.capacity(), 2 * column.ints.size());
    EXPECT_LE(column.floats.capacity(), 2 * column.floats.size());
  }
}

// Of a wide column too many would be kept, of another kind the wrong ones.
TEST(ColumnRoomTest, MemoryStaysWhereTheColumnsAreTheSame) {
  ColumnRoom room;
  Examples before = Rows(10, 300);
  room.Take(before);
  const auto changes = {+[](Column&) {}, +[](Column& c) { c.name += "x"; },
                        +[](Column& c) { c.narrow = !c.narrow; },
                        +[](Column& c) { c.type = FeatureType::kFloat; },
                        +[](Column& c) { c.MakeRagged(); }};
  bool same = true;
  for (const auto change : changes) {
    Examples used;
    room.Make(10, used);
    const int64_t* memory = used.columns[0].ints.data();
    change(used.columns[0]);
    room.Make(10, used);
    EXPECT_EQ(used.columns[0].name, before.columns[0].name);
    EXPECT_EQ(used.columns[0].type, before.columns[0].type);
    EXPECT_EQ(used.columns[0].narrow, before.columns[0].narrow);
    EXPECT_FALSE(used.columns[0].is_ragged());
    if (same) {
      EXPECT_EQ(used.columns[0].ints.data(), memory);
    }
    same = false;
  }
  ColumnRoom knows_nothing;
  knows_nothing.Make(10, before);
  EXPECT_TRUE(before.columns.empty());
}

}  // namespace
}  // namespace penstock::testing
