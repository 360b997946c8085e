#include "pipeline/arrange/arranger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;

using Make = std::function<std::unique_ptr<Arranger>(ArrangeOptions)>;

// A batch as "shape, records of its rows"; -1 for rows that pad.
struct Emitted {
  size_t shape;
  std::vector<int64_t> rows;
  bool operator==(const Emitted&) const = default;
};

Emitted Of(const Assignment& assignment) {
  Emitted emitted = {assignment.shape, {}};
  for (size_t row = 0; row + 1 < assignment.row_offsets.size(); ++row) {
    const uint32_t begin = assignment.row_offsets[row];
    const bool pads = begin == assignment.row_offsets[row + 1];
    emitted.rows.push_back(
        pads ? -1 : static_cast<int64_t>(assignment.pieces[begin].record));
  }
  return emitted;
}

std::vector<Row> RowsOf(const std::vector<uint32_t>& lengths) {
  std::vector<Row> rows;
  for (const uint32_t length : lengths) {
    rows.push_back({.record = rows.size(), .length = length});
  }
  return rows;
}

// All batches that the rows complete.
std::vector<Emitted> AddAll(Arranger& arranger, std::span<const Row> rows) {
  std::vector<Emitted> emitted;
  Assignment assignment;
  while (!rows.empty()) {
    const Arranged arranged = arranger.Add(rows, assignment);
    rows = rows.subspan(arranged.taken);
    if (arranged.due) emitted.push_back(Of(assignment));
    if (arranged.too_long) break;
  }
  return emitted;
}

std::vector<Emitted> FlushAll(Arranger& arranger) {
  std::vector<Emitted> emitted;
  Assignment assignment;
  while (arranger.Flush(assignment)) emitted.push_back(Of(assignment));
  return emitted;
}

std::vector<Emitted> Arrange(const Make& make, ArrangeOptions options,
                             const std::vector<uint32_t>& lengths) {
  options.row_bytes.assign(options.lengths.begin(), options.lengths.end());
  const auto arranger = make(std::move(options));
  std::vector<Emitted> emitted = AddAll(*arranger, RowsOf(lengths));
  for (Emitted& batch : FlushAll(*arranger)) emitted.push_back(batch);
  return emitted;
}

// Lengths 1..10 in buckets whose boundaries are those of TensorFlow's
// bucket_by_sequence_length_test.py, [3, 7, 11], which are ends: a row of
// length 3 goes to the second there. Ours are lengths that fit: 2, 6, 10.
TEST(BucketArrangerTest, TensorFlowsReferenceRowsGoTogether) {
  EXPECT_THAT(
      Arrange(MakeBucketArranger, {.rows = 2, .lengths = {2, 6, 10}},
              {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
      ElementsAre(Emitted{0, {0, 1}}, Emitted{1, {2, 3}}, Emitted{1, {4, 5}},
                  Emitted{2, {6, 7}}, Emitted{2, {8, 9}}));
}

TEST(BucketArrangerTest, RowsFitALengthThatIsNoLessThanTheirs) {
  EXPECT_THAT(
      Arrange(MakeBucketArranger, {.rows = 1, .lengths = {4, 8}}, {0, 4, 5, 8}),
      ElementsAre(Emitted{0, {0}}, Emitted{0, {1}}, Emitted{1, {2}},
                  Emitted{1, {3}}));
}

// Lengths beyond those that a table is kept for.
TEST(BucketArrangerTest, VeryLongLengthsAreFoundToo) {
  EXPECT_THAT(
      Arrange(MakeBucketArranger, {.rows = 1, .lengths = {4, 100'000, 200'000}},
              {3, 5, 100'000, 100'001}),
      ElementsAre(Emitted{0, {0}}, Emitted{1, {1}}, Emitted{1, {2}},
                  Emitted{2, {3}}));
}

TEST(BucketArrangerTest, EpochsEndWithBucketsInRisingOrder) {
  EXPECT_THAT(
      Arrange(MakeBucketArranger, {.rows = 4, .lengths = {4, 8}},
              {8, 1, 8, 8, 2}),
      ElementsAre(Emitted{0, {1, 4, -1, -1}}, Emitted{1, {0, 2, 3, -1}}));
}

TEST(BucketArrangerTest, TheQueueOfMostBytesIsForcedOutPastTheLimit) {
  const auto arranger = MakeBucketArranger(
      {.rows = 100, .lengths = {4, 8}, .row_bytes = {1, 10}, .held_bytes = 35});
  // Six short rows are fewer bytes than three long ones.
  EXPECT_THAT(AddAll(*arranger, RowsOf({1, 8, 1, 8, 1, 1, 8, 1, 1, 1})),
              ElementsAre(::testing::FieldsAre(1, ::testing::Contains(6))));
  EXPECT_EQ(arranger->counts().forced, 1u);
  EXPECT_EQ(arranger->held_rows(), 7u);
}

TEST(PadArrangerTest, BatchesAreAsLongAsTheirLongestRow) {
  EXPECT_THAT(
      Arrange(MakePadArranger, {.rows = 2, .lengths = {4, 8, 12}},
              {1, 4, 1, 5, 12, 1, 0, 0, 3}),
      ElementsAre(Emitted{0, {0, 1}}, Emitted{1, {2, 3}}, Emitted{2, {4, 5}},
                  Emitted{0, {6, 7}}, Emitted{0, {8, -1}}));
}

class ArrangerTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Arranger> New(ArrangeOptions options) const {
    options.row_bytes.assign(options.lengths.begin(), options.lengths.end());
    options.one_queue = GetParam();
    return MakeArranger(std::move(options));
  }
};
INSTANTIATE_TEST_SUITE_P(Stages, ArrangerTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Pad" : "Bucket";
                         });

TEST_P(ArrangerTest, LongRowsFollowThePolicy) {
  const auto rows = RowsOf({1, 9, 2});
  Assignment assignment;
  auto arranger = New({.rows = 3, .lengths = {4, 8}});
  const Arranged refused = arranger->Add(rows, assignment);
  EXPECT_TRUE(refused.too_long);
  EXPECT_EQ(refused.taken, 1u);

  arranger = New({.rows = 2, .lengths = {4, 8}, .too_long = TooLong::kDrop});
  EXPECT_TRUE(arranger->Add(rows, assignment).due);
  EXPECT_EQ(Of(assignment), (Emitted{0, {0, 2}}));
  EXPECT_EQ(arranger->counts().dropped, 1u);

  arranger =
      New({.rows = 1, .lengths = {4, 8}, .too_long = TooLong::kTruncate});
  EXPECT_TRUE(arranger->Add(std::span(rows).subspan(1), assignment).due);
  EXPECT_EQ(Of(assignment), (Emitted{1, {1}}));
  EXPECT_EQ(assignment.pieces[0].length, 8u);
  EXPECT_EQ(arranger->counts().truncated, 1u);
}

TEST_P(ArrangerTest, RowsOfAShapeStayInOrder) {
  std::vector<uint32_t> lengths;
  for (uint32_t i = 0; i < 500; ++i) lengths.push_back(i * i % 8 + 1);
  const auto arranger = New({.rows = 5, .lengths = {4, 8}});
  std::vector<int64_t> last(2, -1);
  for (const Emitted& batch : AddAll(*arranger, RowsOf(lengths))) {
    for (const int64_t row : batch.rows) {
      EXPECT_GT(row, last[batch.shape]);
      last[batch.shape] = row;
    }
  }
}

// Rows are where it was told, also of batches that the limit forces out.
TEST_P(ArrangerTest, APlaceThatIsToldIsThatOfTheBatch) {
  std::vector<uint32_t> lengths;
  for (uint32_t i = 0; i < 2000; ++i) lengths.push_back(i * i % 64 + 1);
  for (const std::vector<int64_t>& shapes :
       {std::vector<int64_t>{64}, {8, 16, 64}}) {
    for (const uint64_t held_bytes : {1'000, 1 << 30}) {
      const auto arranger =
          New({.rows = 50, .lengths = shapes, .held_bytes = held_bytes});
      // Not while the longest row of a batch may still come.
      EXPECT_EQ(arranger->places_at_once(), !GetParam() || shapes.size() == 1);
      if (!arranger->places_at_once()) continue;
      const auto told = [&] {
        std::vector<std::vector<Piece>> pieces;
        for (size_t queue = 0; queue < arranger->queues(); ++queue) {
          const auto waiting = arranger->WaitingOf(queue);
          pieces.emplace_back(waiting.begin(), waiting.end());
        }
        return pieces;
      };
      size_t batches = 0;
      const auto check = [&](std::vector<std::vector<Piece>> before,
                             const Row* last, const Assignment& made) {
        std::vector<Piece>& pieces = before[made.shape];
        // A batch that another row forced out is without it.
        if (last != nullptr && made.pieces.back().record == last->record) {
          pieces.push_back({.record = last->record, .length = last->length});
        }
        EXPECT_EQ(made.pieces, pieces);
        ++batches;
      };
      Assignment made;
      for (const Row& row : RowsOf(lengths)) {
        const auto before = told();
        if (arranger->Add(std::span(&row, 1), made).due) {
          check(before, &row, made);
        }
      }
      for (auto before = told(); arranger->Flush(made); before = told()) {
        check(before, nullptr, made);
      }
      EXPECT_EQ(told(), std::vector<std::vector<Piece>>(shapes.size()));
      EXPECT_GE(batches, 2000u / 50);
    }
  }
}

TEST_P(ArrangerTest, LeftoversThatMayBeMergedHaveNoPlaceYet) {
  const auto arranger =
      New({.rows = 2, .lengths = {4, 8}, .merge_leftovers = true});
  EXPECT_FALSE(arranger->places_at_once());
}

// Far past the limit: the bytes that wait stay under what is told.
TEST_P(ArrangerTest, WhatWaitsStaysUnderWhatIsTold) {
  std::vector<uint32_t> lengths;
  for (uint32_t i = 0; i < 20'000; ++i) lengths.push_back(i * i % 64 + 1);
  ArrangeOptions options = {.rows = 50, .lengths = {8, 16, 32, 64}};
  const uint64_t most = New(options)->MostHeldBytes();
  for (const uint64_t held_bytes : {uint64_t{1}, most / 9, most - 1, most}) {
    options.held_bytes = held_bytes;
    const auto arranger = New(options);
    Assignment assignment;
    uint64_t batches = 0;
    for (const Row& row : RowsOf(lengths)) {
      batches += arranger->Add(std::span(&row, 1), assignment).due ? 1 : 0;
      uint64_t bytes = 0;
      for (const HeldPiece& piece : arranger->Held()) {
        const uint32_t length = lengths[piece.record];
        bytes += GetParam()     ? 64
                 : length <= 8  ? 8
                 : length <= 16 ? 16
                 : length <= 32 ? 32
                                : 64;
      }
      ASSERT_LE(bytes, arranger->MostHeldBytes());
    }
    EXPECT_LE(arranger->MostHeldBytes(), held_bytes + 64);
    if (held_bytes <= most / 9) {
      EXPECT_GT(arranger->counts().forced, 0u);
    }
    if (held_bytes == most) {
      EXPECT_EQ(arranger->counts().forced, 0u);
    }
    EXPECT_GE(batches, 20'000u / 50 - 4);
  }
}

// Law 5, of the arranger alone: stop anywhere, load what it held, and the rest
// is the same; also past the limit.
TEST_P(ArrangerTest, ALoadedArrangerGoesOnAsIfNothingHadHappened) {
  std::vector<uint32_t> lengths;
  for (uint32_t i = 0; i < 700; ++i) lengths.push_back((i * i + i / 3) % 40);
  const auto rows = RowsOf(lengths);
  for (const uint64_t held_bytes : {1, 90, 300, 1 << 30}) {
    const ArrangeOptions options = {.rows = 12,
                                    .lengths = {8, 16, 32},
                                    .too_long = TooLong::kTruncate,
                                    .held_bytes = held_bytes};
    const auto whole = New(options);
    for (size_t cut = 0; cut <= rows.size(); cut += 7) {
      const auto first = New(options);
      AddAll(*first, std::span(rows).first(cut));
      const auto held = first->Held();
      std::vector<Row> held_rows;
      for (const HeldPiece& piece : held)
        held_rows.push_back(rows[piece.record]);
      const auto second = New(options);
      ASSERT_TRUE(second->Load(held, held_rows));
      EXPECT_EQ(second->held_rows(), first->held_rows());
      EXPECT_EQ(second->counts().truncated, 0u);
      const auto rest = std::span(rows).subspan(cut);
      ASSERT_EQ(AddAll(*second, rest), AddAll(*first, rest)) << cut;
      ASSERT_EQ(FlushAll(*second), FlushAll(*first)) << cut;
    }
  }
}

TEST_P(ArrangerTest, WhatCannotHaveWaitedIsRefused) {
  const auto load = [&](std::vector<HeldPiece> held,
                        std::vector<uint32_t> lengths) {
    return New({.rows = 2, .lengths = {4, 8}})->Load(held, RowsOf(lengths));
  };
  EXPECT_TRUE(load({{.record = 0}}, {4}));
  EXPECT_FALSE(load({{.record = 0}}, {9}));
  EXPECT_FALSE(load({{.record = 0}, {.record = 1}}, {4, 4}));
  EXPECT_FALSE(load({{.record = 0}, {.record = 1}}, {8, 4}));
  EXPECT_FALSE(load({{.record = 0, .begin = 1}}, {4}));
  EXPECT_FALSE(load({{.record = 0, .bin = 1}}, {4}));
}

}  // namespace
}  // namespace penstock
