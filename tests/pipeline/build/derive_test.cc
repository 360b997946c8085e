// Tensors made from where pieces lie: pieces by hand, also several a row.
#include "pipeline/derive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "pipeline/graph/stages.h"
#include "pipeline/objective.h"
#include "tests/pipeline/build/placed_rows.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dataset Rows(int64_t length, Feature tokens = {.name = "tokens"}) {
  return Dataset::TfRecords("a")
      .Parse({std::move(tokens)})
      .Bucket({.by = "tokens", .lengths = {length}, .pad_value = 9})
      .Batch({.size = 1});
}

Dataset Derived10(std::vector<Derived> derived,
                  Feature tokens = {.name = "tokens"}) {
  return Dataset::TfRecords("a")
      .Parse({std::move(tokens)})
      .Derive(std::move(derived))
      .Bucket({.by = "tokens", .lengths = {10}, .pad_value = 9})
      .Batch({.size = 1});
}

std::vector<Derived> All() {
  return {SegmentIds("tokens"), Positions("tokens"), Labels("tokens"),
          LossWeights("tokens")};
}

// Record 1 is cut: its middle comes here and its end is elsewhere. Token 9 is
// also the pad value.
PlacedRows ThreePieces(std::vector<Derived> derived) {
  PlacedRows rows(Derived10(std::move(derived)),
                  {{11, 9, 13}, {20, 21, 22, 23, 24, 25}, {31}});
  rows.AddRow({{.record = 0, .length = 3, .place = 0},
               {.record = 1, .begin = 2, .length = 3, .place = 3},
               {.record = 2, .length = 1, .place = 7}});
  return rows;
}

TEST(DeriveTest, PiecesOfARowAreSegmentsWithPositionsAndLabelsOfTheirOwn) {
  PlacedRows rows = ThreePieces(All());
  rows.AddRow({});
  rows.Placed();
  EXPECT_THAT(rows.Row<int32_t>("tokens"),
              ElementsAre(11, 9, 13, 22, 23, 24, 9, 31, 9, 9));
  EXPECT_THAT(rows.Row<int32_t>("tokens_lengths"), ElementsAre(7));
  EXPECT_THAT(rows.Row<int32_t>("tokens_segment_ids"),
              ElementsAre(1, 1, 1, 2, 2, 2, 0, 3, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_positions"),
              ElementsAre(0, 1, 2, 0, 1, 2, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_labels"),
              ElementsAre(9, 13, -100, 23, 24, 25, -100, -100, -100, -100));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights"),
              ElementsAre(1, 1, 0, 1, 1, 1, 0, 0, 0, 0));
  // A row that pads.
  EXPECT_THAT(rows.Row<int32_t>("tokens_segment_ids", 1),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(
      rows.Row<int32_t>("tokens_labels", 1),
      ElementsAre(-100, -100, -100, -100, -100, -100, -100, -100, -100, -100));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 1),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(DeriveTest, PiecesOfOneRecordMayCountItsPositionsAndEndWithoutLabels) {
  PlacedRows rows = ThreePieces(
      {Positions("tokens", {.in = PositionsIn::kRecord, .to = "at"}),
       Labels("tokens",
              {.ignore = -1, .piece_end = PieceEnd::kIgnore, .to = "next"}),
       LossWeights("tokens", {.piece_end = PieceEnd::kIgnore, .to = "weights"}),
       SegmentLengths("tokens", 4, "sizes")});
  rows.Placed();
  EXPECT_THAT(rows.Row<int32_t>("at"),
              ElementsAre(0, 1, 2, 2, 3, 4, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("next"),
              ElementsAre(9, 13, -1, 23, 24, -1, -1, -1, -1, -1));
  EXPECT_THAT(rows.Row<float>("weights"),
              ElementsAre(1, 1, 0, 1, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("sizes"), ElementsAre(3, 3, 1, 0));
}

TEST(DeriveTest, MoreSegmentsThanLengthsHaveRoomForAreAnError) {
  EXPECT_THAT(ThreePieces({SegmentLengths("tokens", 2)}).Place(),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("record 2"), HasSubstr("room for 2"),
                             HasSubstr("tokens_segment_lengths"))));
}

// Grain's first-fit test, bins of 10: items of 4 and 2 share one, 8 has its
// own.
TEST(DeriveTest, SegmentsAndPositionsAreThoseOfGrainsPacking) {
  PlacedRows rows(Derived10({SegmentIds("tokens"), Positions("tokens")}),
                  {{1, 2, 3, 4}, {5, 6, 7, 8, 9, 10, 11, 12}, {13, 14}});
  rows.AddRow(
      {{.record = 0, .length = 4}, {.record = 2, .length = 2, .place = 4}});
  rows.AddRecord(1);
  rows.Placed();
  EXPECT_THAT(rows.Row<int32_t>("tokens_segment_ids", 0),
              ElementsAre(1, 1, 1, 1, 2, 2, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_positions", 0),
              ElementsAre(0, 1, 2, 3, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_segment_ids", 1),
              ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_positions", 1),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 0, 0));
}

TEST(DeriveTest, RecordsWithoutTokensAreSegmentsOfNoPlace) {
  PlacedRows rows(Derived10(All()), {{}, {5}});
  rows.AddRow({{.record = 0}, {.record = 1, .length = 1}});
  rows.AddRow({{.record = 0}});
  rows.Placed();
  EXPECT_THAT(rows.Row<int32_t>("tokens_segment_ids", 0),
              ElementsAre(2, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_segment_ids", 1),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 0),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(DeriveTest, PaddingAndCutsMayBeOnTheLeft) {
  PlacedRows rows(Derived10(All(), {.name = "tokens",
                                    .pad_value = 7,
                                    .pad_side = Side::kLeft,
                                    .cut_side = Side::kLeft}),
                  {{1, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}});
  rows.AddRecord(0);
  rows.AddRow({{.record = 1, .length = 10}});
  rows.Placed();
  EXPECT_THAT(rows.Row<int32_t>("tokens", 0),
              ElementsAre(7, 7, 7, 7, 7, 7, 7, 1, 2, 3));
  EXPECT_THAT(rows.Row<int32_t>("tokens_segment_ids", 0),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(rows.Row<int32_t>("tokens_positions", 0),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 2));
  EXPECT_THAT(
      rows.Row<int32_t>("tokens_labels", 0),
      ElementsAre(-100, -100, -100, -100, -100, -100, -100, 2, 3, -100));
  EXPECT_THAT(rows.Row<int32_t>("tokens", 1),
              ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(rows.Row<int32_t>("tokens_labels", 1),
              ElementsAre(3, 4, 5, 6, 7, 8, 9, 10, 11, -100));
}

TEST(DeriveTest, TokensOfAPromptHaveNoWeightButItsLastPredictsTheAnswer) {
  PlacedRows rows(
      Dataset::TfRecords("a")
          .Parse({{.name = "tokens"},
                  {.name = "prompt", .length = 1, .as = ElementType::kInt64}})
          .Objective(CausalLm{.prompt = "prompt"})
          .Bucket({.by = "tokens", .lengths = {5}})
          .Batch({.size = 1}),
      std::vector<std::vector<int64_t>>(5, {1, 2, 3, 4}));
  rows.AddColumn({{0}, {1}, {3}, {9}, {std::numeric_limits<int64_t>::min()}});
  rows.AddRecords(5);
  // A piece from the middle of record 2.
  rows.AddRow({{.record = 2, .begin = 1, .length = 2}});
  rows.Placed();
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 0),
              ElementsAre(1, 1, 1, 0, 0));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 1),
              ElementsAre(1, 1, 1, 0, 0));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 2),
              ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 3),
              ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 4),
              ElementsAre(1, 1, 1, 0, 0));
  EXPECT_THAT(rows.Row<float>("tokens_loss_weights", 5),
              ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("tokens_labels", 2),
              ElementsAre(2, 3, 4, -100, -100));
}

TEST(DeriveTest, LabelsHaveRoomForTokensAndForWhatIsIgnored) {
  for (const auto& [type, wide] :
       std::vector<std::pair<ElementType, bool>>{{ElementType::kInt8, false},
                                                 {ElementType::kUint8, false},
                                                 {ElementType::kInt16, false},
                                                 {ElementType::kUint16, false},
                                                 {ElementType::kInt32, false},
                                                 {ElementType::kUint32, true},
                                                 {ElementType::kInt64, true}}) {
    PlacedRows rows(
        Derived10({Labels("tokens")}, {.name = "tokens", .as = type}),
        {{1, 2, 127, 4}});
    rows.AddRow({{.length = 3}});
    rows.Placed();
    const std::vector<int64_t> expected = {2,    127,  4,    -100, -100,
                                           -100, -100, -100, -100, -100};
    std::vector<int64_t> labels;
    if (wide) {
      labels = rows.Row<int64_t>("tokens_labels");
    } else {
      const auto narrow = rows.Row<int32_t>("tokens_labels");
      labels.assign(narrow.begin(), narrow.end());
    }
    EXPECT_EQ(labels, expected) << ElementTypeName(type);
  }
}

TEST(DeriveTest, ALabelBehindThePieceMustFit) {
  PlacedRows rows(Derived10({Labels("tokens")}), {{1, 2, INT64_MAX}});
  rows.AddRow({{.length = 2}});
  EXPECT_THAT(rows.Place(),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("record 0: value 2"),
                             HasSubstr("\"tokens\""), HasSubstr("int32"))));
}

TEST(DeriveTest, OtherFeaturesOfPackedRowsLieWhereTheTokensLie) {
  const auto packed = [](std::vector<int64_t> second) {
    PlacedRows rows(Dataset::TfRecords("a")
                        .Parse({{.name = "tokens"}, {.name = "scores"}})
                        .Bucket({.by = "tokens", .lengths = {6}})
                        .Batch({.size = 1}),
                    {{1, 2, 3}, {4, 5, 6, 7}});
    rows.AddColumn({{10, 20, 30}, std::move(second)});
    rows.AddRow({{.record = 1, .begin = 1, .length = 2, .place = 0},
                 {.record = 0, .length = 3, .place = 2}});
    rows.AddRow({{.record = 1, .begin = 0, .length = 1}});
    return rows;
  };
  PlacedRows rows = packed({40, 50, 60, 70});
  rows.Placed();
  EXPECT_THAT(rows.Row<int32_t>("tokens", 0), ElementsAre(5, 6, 1, 2, 3, 0));
  EXPECT_THAT(rows.Row<int32_t>("scores", 0),
              ElementsAre(50, 60, 10, 20, 30, 0));
  EXPECT_THAT(rows.Row<int32_t>("scores", 1), ElementsAre(40, 0, 0, 0, 0, 0));
  EXPECT_THAT(rows.Row<int32_t>("scores_lengths", 0), ElementsAre(5));
  EXPECT_EQ(rows.cut_rows, 0u);
  EXPECT_THAT(packed({40, 50, 60, 70, 80}).Place(),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("record 1"), HasSubstr("\"scores\""),
                             HasSubstr("5 values"), HasSubstr("go together"))));
}

void ExpectRefused(const Dataset& dataset, const std::string& words) {
  EXPECT_THAT(FlattenStages(dataset),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
}

TEST(DeriveTest, WhatCannotBeDerivedIsRefusedWithAReason) {
  ExpectRefused(Derived10({}), "Derive without a tensor");
  ExpectRefused(Derived10({SegmentIds("words")}), "\"words\"");
  ExpectRefused(Derived10({SegmentIds("tokens"), SegmentIds("tokens")}),
                "two tensors would be called \"tokens_segment_ids\"");
  ExpectRefused(Derived10({SegmentLengths("tokens", 0)}), "0 segments");
  ExpectRefused(Derived10({SegmentIds("tokens", "row_mask")}), "row_mask");
  ExpectRefused(Derived10({Labels("tokens", {.ignore = int64_t{1} << 40})}),
                "no int32 value of \"tokens_labels\"");
  ExpectRefused(Derived10({LossWeights("tokens", {.prompt = "tokens"})}),
                "must be an int64 feature of length 1");
  ExpectRefused(
      Derived10({Labels("tokens"),
                 LossWeights("tokens", {.piece_end = PieceEnd::kIgnore})}),
      "different PieceEnds");
  ExpectRefused(Derived10({Positions("tokens", {.in = PositionsIn::kRecord})},
                          {.name = "tokens", .cut_side = Side::kLeft}),
                "PositionsIn::kPiece");
  ExpectRefused(Rows(4).Derive({SegmentIds("tokens")}), "Derive after Batch");
  ExpectRefused(Dataset::TfRecords("a")
                    .Derive({SegmentIds("tokens")})
                    .Derive({Positions("tokens")})
                    .Batch({.size = 1}),
                "two Derive");
  ExpectRefused(Dataset::TfRecords("a")
                    .Parse({{.name = "id", .length = 3}})
                    .Derive({SegmentIds("id")})
                    .Batch({.size = 1}),
                "always has 3 values");
  ExpectRefused(Dataset::TfRecords("a")
                    .Parse({{.name = "tokens", .type = FeatureType::kFloat}})
                    .Derive({Labels("tokens")})
                    .Bucket({.by = "tokens", .lengths = {4}})
                    .Batch({.size = 1}),
                "tokens are integers");
}

TEST(DeriveTest, EveryOptionOfADerivedTensorIsPartOfTheGraph) {
  const auto part = [](const Dataset& dataset, const std::string& name) {
    auto stages = FlattenStages(dataset);
    EXPECT_OK(stages);
    for (const StatePart& part : stages->Parts()) {
      if (part.name == name) return part.fingerprint;
    }
    return uint64_t{0};
  };
  const std::vector<Dataset> datasets = {
      Rows(10),
      Derived10({SegmentIds("tokens")}),
      Derived10({SegmentIds("tokens", "ids")}),
      Derived10({Positions("tokens")}),
      Derived10({Positions("tokens", {.in = PositionsIn::kRecord})}),
      Derived10({Labels("tokens")}),
      Derived10({Labels("tokens", {.ignore = -1})}),
      Derived10({Labels("tokens", {.piece_end = PieceEnd::kIgnore})}),
      Derived10({SegmentLengths("tokens", 3)}),
      Derived10({SegmentLengths("tokens", 4)})};
  std::set<uint64_t> seen;
  for (const Dataset& dataset : datasets) seen.insert(part(dataset, "Derive"));
  EXPECT_EQ(seen.size(), datasets.size());
  EXPECT_EQ(
      part(Derived10({Labels("tokens"), LossWeights("tokens")}), "Derive"),
      part(Dataset::TfRecords("a")
               .Parse({{.name = "tokens"}})
               .Objective(CausalLm{})
               .Bucket({.by = "tokens", .lengths = {10}, .pad_value = 9})
               .Batch({.size = 1}),
           "Derive"));
}

}  // namespace
}  // namespace penstock::testing
