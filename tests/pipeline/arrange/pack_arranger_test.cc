// Rows of several records: first fit, best fit, and records cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/room_lists.h"
#include "pipeline/arrange/room_tree.h"
#include "pipeline/order/seed.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;

// Lengths of the pieces of each row; a row that pads is empty.
using Lengths = std::vector<std::vector<uint32_t>>;

ArrangeOptions PackTo(int64_t length, uint64_t rows, PackRule rule) {
  if (rule.max_segments == 1) {
    rule.max_segments = static_cast<uint64_t>(length);
  }
  rule.window_rows = std::max(rule.window_rows, rows);
  return {.rows = rows, .lengths = {length}, .pack = rule};
}

std::vector<Row> PackRowsOf(const std::vector<uint32_t>& lengths) {
  std::vector<Row> rows;
  for (const uint32_t length : lengths) {
    rows.push_back({.record = rows.size(), .length = length});
  }
  return rows;
}

Lengths LengthsIn(const Assignment& assignment) {
  Lengths lengths;
  for (size_t row = 0; row + 1 < assignment.row_offsets.size(); ++row) {
    auto& pieces = lengths.emplace_back();
    for (uint32_t i = assignment.row_offsets[row];
         i < assignment.row_offsets[row + 1]; ++i) {
      pieces.push_back(assignment.pieces[i].length);
    }
  }
  return lengths;
}

std::vector<Assignment> PackAdd(Arranger& arranger, std::span<const Row> rows) {
  std::vector<Assignment> made;
  for (bool due = true; due || !rows.empty();) {
    Assignment out;
    const Arranged arranged = arranger.Add(rows, out);
    rows = rows.subspan(arranged.taken);
    due = arranged.due;
    if (due) made.push_back(out);
    if (arranged.too_long) break;
  }
  return made;
}

std::vector<Assignment> PackFlush(Arranger& arranger) {
  std::vector<Assignment> made;
  for (Assignment out; arranger.FlushFull(out);) made.push_back(out);
  for (Assignment out; arranger.Flush(out);) made.push_back(out);
  return made;
}

std::vector<Assignment> PackAll(const ArrangeOptions& options,
                                std::span<const Row> rows) {
  const auto arranger = MakeArranger(options);
  std::vector<Assignment> made = PackAdd(*arranger, rows);
  for (Assignment& out : PackFlush(*arranger)) made.push_back(out);
  return made;
}

Lengths FirstBatch(const ArrangeOptions& options,
                   const std::vector<uint32_t>& lengths) {
  return LengthsIn(PackAll(options, PackRowsOf(lengths)).front());
}

// The tables of Grain's packing tests (transformations/testing_util.py).
TEST(PackArrangerTest, GrainsTablesOfFirstFitAndBestFit) {
  const PackRule first = {.kind = PackKind::kFirstFit};
  const PackRule best = {.kind = PackKind::kBestFit};
  EXPECT_THAT(FirstBatch(PackTo(10, 2, first), {4, 8, 2}),
              ElementsAre(ElementsAre(4, 2), ElementsAre(8)));
  EXPECT_THAT(FirstBatch(PackTo(10, 2, best), {4, 8, 2}),
              ElementsAre(ElementsAre(4), ElementsAre(8, 2)));
  EXPECT_THAT(
      FirstBatch(PackTo(100, 3, first), {50, 70, 25, 40}),
      ElementsAre(ElementsAre(50, 25), ElementsAre(70), ElementsAre(40)));
  EXPECT_THAT(
      FirstBatch(PackTo(100, 3, best), {50, 70, 25, 40}),
      ElementsAre(ElementsAre(50, 40), ElementsAre(70, 25), ElementsAre()));
}

TEST(PackArrangerTest, ChunksCutRecordsWhereRowsEnd) {
  const auto made = PackAll(PackTo(4, 2, {.kind = PackKind::kChunk}),
                            PackRowsOf({3, 10, 0, 4}));
  ASSERT_EQ(made.size(), 3u);
  EXPECT_THAT(LengthsIn(made[0]),
              ElementsAre(ElementsAre(3, 1), ElementsAre(4)));
  EXPECT_THAT(LengthsIn(made[1]),
              ElementsAre(ElementsAre(4), ElementsAre(1, 0, 3)));
  EXPECT_THAT(LengthsIn(made[2]), ElementsAre(ElementsAre(1), ElementsAre()));
  const Piece& middle = made[0].pieces.back();
  EXPECT_EQ(middle,
            (Piece{.record = 1, .begin = 1, .length = 4, .last = false}));
  EXPECT_EQ(made[1].pieces[1],
            (Piece{.record = 1, .begin = 9, .length = 1, .last = true}));
}

// Full rows and an empty one: the epoch ends, and what is no batch is left.
TEST(PackArrangerTest, AnEpochEndsWithItsFullBatches) {
  const auto arranger = MakeArranger(
      PackTo(4, 2, {.kind = PackKind::kBestFit, .window_rows = 9}));
  EXPECT_TRUE(PackAdd(*arranger, PackRowsOf({4, 3, 1, 4, 2, 4})).empty());
  Assignment out;
  ASSERT_TRUE(arranger->FlushFull(out));
  EXPECT_THAT(LengthsIn(out), ElementsAre(ElementsAre(4), ElementsAre(3, 1)));
  ASSERT_TRUE(arranger->FlushFull(out));
  EXPECT_THAT(LengthsIn(out), ElementsAre(ElementsAre(4), ElementsAre(4)));
  EXPECT_FALSE(arranger->FlushFull(out));
  EXPECT_EQ(arranger->Drop(), 1u);
}

// A record for which short ones give up their rows may need more than they did.
TEST(PackArrangerTest, ALongRecordInShortOnesPlaceMayWaitInAState) {
  ArrangeOptions options = PackTo(40, 1,
                                  {.kind = PackKind::kFirstFit,
                                   .window_rows = 2,
                                   .record_bytes = 3,
                                   .value_bytes = 2});
  options.pack->max_segments = 1;
  options.held_bytes = 12;
  const std::vector<Row> rows = PackRowsOf({1, 1, 40, 1});
  const auto arranger = MakeArranger(options);
  Assignment out;
  EXPECT_EQ(arranger->Add(rows, out).taken, 3u);
  const std::vector<HeldPiece> held = arranger->Held();
  ASSERT_EQ(held.size(), 2u);
  ASSERT_TRUE(MakeArranger(options)->Load(held, std::span(rows).subspan(1, 2)));
  // It is no more than one record that is held too much.
  const Arranged next = arranger->Add(std::span(rows).subspan(3), out);
  EXPECT_TRUE(next.due);
  EXPECT_EQ(next.taken, 0u);
  EXPECT_EQ(out.pieces.front().length, 40u);
  EXPECT_EQ(arranger->counts().forced, 1u);
}

struct PackCase {
  PackKind kind;
  uint64_t max_segments;  // 1: any
  uint64_t window_rows;
  const char* name;
};

class PackKindTest : public ::testing::TestWithParam<PackCase> {
 protected:
  PackKindTest() {
    for (uint64_t i = 0; i < 3000; ++i) {
      const uint64_t draw = MixKeys({7, i});
      lengths_.push_back(
          static_cast<uint32_t>(draw % 5 == 0 ? draw / 5 % 40 : draw / 5 % 12));
    }
    rows_ = PackRowsOf(lengths_);
  }

  bool chunk() const { return GetParam().kind == PackKind::kChunk; }
  ArrangeOptions Options(uint64_t held_bytes = uint64_t{1} << 40) const {
    ArrangeOptions options = PackTo(32, 6,
                                    {.kind = GetParam().kind,
                                     .max_segments = GetParam().max_segments,
                                     .window_rows = GetParam().window_rows,
                                     .record_bytes = 3,
                                     .value_bytes = 2});
    options.too_long = TooLong::kTruncate;
    options.held_bytes = held_bytes;
    return options;
  }
  // Each value of each record is in one place of one row of the batches.
  void ExpectEveryValueOnce(const std::vector<Assignment>& made) const;

  std::vector<uint32_t> lengths_;
  std::vector<Row> rows_;
};
INSTANTIATE_TEST_SUITE_P(
    Kinds, PackKindTest,
    ::testing::Values(PackCase{PackKind::kFirstFit, 1, 6, "FirstFit"},
                      PackCase{PackKind::kFirstFit, 3, 10, "FirstFitOfThree"},
                      PackCase{PackKind::kBestFit, 1, 6, "BestFit"},
                      PackCase{PackKind::kBestFit, 3, 40, "BestFitOfThree"},
                      PackCase{PackKind::kChunk, 1, 6, "Chunk"},
                      PackCase{PackKind::kChunk, 3, 6, "ChunkOfThree"}),
    [](const auto& info) { return info.param.name; });

void PackKindTest::ExpectEveryValueOnce(
    const std::vector<Assignment>& made) const {
  std::vector<uint32_t> next(lengths_.size());
  std::vector<int> ends(lengths_.size());
  const uint64_t most = Options().pack->max_segments;
  for (const Assignment& batch : made) {
    ASSERT_EQ(batch.row_offsets.size(), 7u);
    uint64_t real_rows = 0;
    for (size_t row = 0; row < 6; ++row) {
      uint32_t place = 0;
      const uint32_t begin = batch.row_offsets[row];
      const uint32_t end = batch.row_offsets[row + 1];
      ASSERT_LE(end - begin, most);
      if (begin < end) ++real_rows;
      for (uint32_t i = begin; i < end; ++i) {
        const Piece& piece = batch.pieces[i];
        ASSERT_EQ(piece.place, place);
        ASSERT_EQ(piece.begin, next[piece.record]);
        place += piece.length;
        next[piece.record] += piece.length;
        if (piece.last) ++ends[piece.record];
      }
      ASSERT_LE(place, 32u);
    }
    ASSERT_EQ(batch.real_rows, real_rows);
    ASSERT_EQ(batch.row_offsets.back(), batch.pieces.size());
  }
  for (size_t i = 0; i < lengths_.size(); ++i) {
    ASSERT_EQ(ends[i], 1) << i;
    ASSERT_EQ(next[i], chunk() ? lengths_[i] : std::min(lengths_[i], 32u));
  }
}

TEST_P(PackKindTest, EveryValueIsInOnePlace) {
  ExpectEveryValueOnce(PackAll(Options(), rows_));
}

TEST_P(PackKindTest, ForcedBatchesLoseNothing) {
  for (const uint64_t held_bytes : {1, 60, 300}) {
    const auto arranger = MakeArranger(Options(held_bytes));
    std::vector<Assignment> made = PackAdd(*arranger, rows_);
    EXPECT_GT(arranger->counts().forced, 0u);
    for (Assignment& out : PackFlush(*arranger)) made.push_back(out);
    ExpectEveryValueOnce(made);
  }
}

// Law 5, of the arranger alone, after every row and after every batch.
TEST_P(PackKindTest, ALoadedArrangerGoesOnAsIfNothingHadHappened) {
  const auto same = [](const std::vector<Assignment>& a,
                       const std::vector<Assignment>& b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
      return x.pieces == y.pieces && x.row_offsets == y.row_offsets;
    });
  };
  for (const uint64_t held_bytes : {uint64_t{70}, uint64_t{1} << 40}) {
    const ArrangeOptions options = Options(held_bytes);
    const auto whole = PackAll(options, rows_);
    const auto running = MakeArranger(options);
    std::span<const Row> rest = rows_;
    for (size_t done = 0; done < whole.size();) {
      Assignment out;
      const bool in_rows = !rest.empty();
      const Arranged arranged = running->Add(rest.first(in_rows ? 1 : 0), out);
      rest = rest.subspan(arranged.taken);
      bool due = arranged.due;
      if (!due && !in_rows) {
        due = running->FlushFull(out) || running->Flush(out);
        ASSERT_TRUE(due);
      }
      if (due) ++done;
      if (!due && rest.size() % 101 != 0) continue;
      const auto held = running->Held();
      ASSERT_LE(held.size(), running->MostHeldPieces());
      std::vector<Row> held_rows;
      for (const HeldPiece& piece : held) {
        held_rows.push_back(rows_[piece.record]);
        held_rows.back().tag = piece.record;
      }
      const auto loaded = MakeArranger(options);
      ASSERT_TRUE(loaded->Load(held, held_rows));
      EXPECT_EQ(loaded->Held(), held);
      EXPECT_EQ(loaded->held_rows(), running->held_rows());
      if (done % 7 != 0) continue;
      // The rest of the run, of rows that carry no tags.
      for (Row& row : held_rows) row.tag = 0;
      ASSERT_TRUE(loaded->Load(held, held_rows));
      auto after = PackAdd(*loaded, rest);
      for (Assignment& flushed : PackFlush(*loaded)) after.push_back(flushed);
      ASSERT_TRUE(same(
          after, {whole.begin() + static_cast<ptrdiff_t>(done), whole.end()}))
          << done;
    }
  }
}

TEST_P(PackKindTest, WhatWaitsStaysUnderWhatIsTold) {
  for (const uint64_t held_bytes : {uint64_t{50}, uint64_t{500}}) {
    const auto arranger = MakeArranger(Options(held_bytes));
    for (std::span<const Row> rest = rows_; !rest.empty();) {
      Assignment out;
      rest = rest.subspan(arranger->Add(rest.first(1), out).taken);
      uint64_t bytes = 0;
      for (const HeldPiece& piece : arranger->Held()) {
        bytes += 3 + 2 * std::min(32u, lengths_[piece.record]);
      }
      // A record that is cut waits whole.
      ASSERT_LE(bytes, arranger->MostHeldBytes() + (chunk() ? 2 * 83 : 0));
    }
    EXPECT_LE(arranger->MostHeldBytes(), held_bytes + 3 + 2 * 32);
  }
}

TEST_P(PackKindTest, WhatCannotHaveWaitedIsRefused) {
  const auto load = [&](std::vector<HeldPiece> held,
                        std::vector<uint32_t> lengths) {
    return MakeArranger(Options())->Load(held, PackRowsOf(lengths));
  };
  const bool loose = GetParam().kind != PackKind::kFirstFit;
  EXPECT_EQ(load({{.record = 0}}, {4}), loose);
  EXPECT_FALSE(load({{.record = 0, .begin = 5}}, {4}));
  EXPECT_FALSE(load({{.record = 0, .bin = 900}}, {4}));
  EXPECT_FALSE(
      load({{.record = 0, .bin = 1}, {.record = 1, .bin = 1}}, {20, 20}));
  EXPECT_FALSE(load({{.record = 0, .bin = 3}}, {4}));
}

TEST_P(PackKindTest, LongRecordsFollowThePolicy) {
  ArrangeOptions options = Options();
  options.too_long = TooLong::kError;
  const auto rows = PackRowsOf({3, 33});
  Assignment out;
  const Arranged refused = MakeArranger(options)->Add(rows, out);
  EXPECT_EQ(refused.too_long, !chunk());
  if (chunk()) return;
  EXPECT_EQ(refused.taken, 1u);
  options.too_long = TooLong::kDrop;
  const auto arranger = MakeArranger(options);
  arranger->Add(rows, out);
  EXPECT_EQ(arranger->counts().dropped, 1u);
  EXPECT_EQ(arranger->held_rows(), 1u);
}

// More open rows are fuller ones.
TEST(PackArrangerTest, RowsAreFull) {
  std::vector<uint32_t> lengths;
  for (uint64_t i = 0; i < 40'000; ++i) {
    const uint64_t draw = MixKeys({3, i});
    lengths.push_back(
        static_cast<uint32_t>(1 + draw % 700 * (draw / 999 % 700) / 700));
  }
  const auto fill = [&](PackRule rule) {
    const auto arranger = MakeArranger(PackTo(1024, 64, rule));
    uint64_t values = 0;
    uint64_t rows = 0;
    for (const Assignment& made : PackAdd(*arranger, PackRowsOf(lengths))) {
      rows += made.real_rows;
      for (const Piece& piece : made.pieces) values += piece.length;
    }
    return static_cast<double>(values) / static_cast<double>(rows * 1024);
  };
  EXPECT_GT(fill({.kind = PackKind::kBestFit, .window_rows = 224}), 0.999);
  EXPECT_GT(fill({.kind = PackKind::kFirstFit, .window_rows = 224}), 0.99);
  EXPECT_EQ(fill({.kind = PackKind::kChunk}), 1);
}

// Against a look at all rows.
TEST(RoomTest, TheFirstAndTheBestRowAreFound) {
  std::vector<int32_t> room(13, 20'000);
  RoomTree tree(room.size(), 20'000);
  RoomLists lists(20'000);
  for (uint32_t row = 0; row < room.size(); ++row) lists.Put(row, 20'000);
  for (uint64_t i = 0; i < 2000; ++i) {
    const auto wanted = static_cast<int32_t>(MixKeys({i}) % 6000);
    const auto first =
        std::ranges::find_if(room, [&](int32_t has) { return has >= wanted; });
    EXPECT_EQ(tree.First(wanted),
              first == room.end() ? RoomTree::kNone
                                  : static_cast<size_t>(first - room.begin()));
    int32_t least = INT32_MAX;
    for (const int32_t has : room) {
      if (has >= wanted) least = std::min(least, has);
    }
    size_t found = static_cast<size_t>(wanted);
    uint32_t row = lists.Take(found);
    if (least == INT32_MAX) {
      ASSERT_EQ(row, RoomLists::kNone);
      row = static_cast<uint32_t>(MixKeys({i}) % room.size());
      lists.Clear();
      room.assign(room.size(), 20'000);
      for (uint32_t r = 0; r < room.size(); ++r) {
        tree.Set(r, 20'000);
        lists.Put(r, 20'000);
      }
      continue;
    }
    ASSERT_EQ(found, static_cast<size_t>(least));
    ASSERT_EQ(room[row], least);
    room[row] -= wanted;
    tree.Set(row, room[row]);
    lists.Put(row, static_cast<size_t>(room[row]));
  }
}

}  // namespace
}  // namespace penstock
