// Which graphs have columns of int32 from the parser on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/example/example_writer.h"
#include "pipeline/build/decode.h"
#include "pipeline/derive.h"
#include "pipeline/graph/stages.h"
#include "pipeline/objective.h"
#include "tests/pipeline/build/placed_rows.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Dataset Packed(Dataset dataset) {
  return dataset.Pack({.by = "tokens", .length = 8}).Batch({.size = 1});
}

Dataset Tokens(Feature tokens = {.name = "tokens"}) {
  return Dataset::TfRecords("a").Parse({std::move(tokens)});
}

// "tokens" as a decoder of the graph gives them.
Column Decoded(const Dataset& dataset, const std::vector<int64_t>& tokens) {
  const auto stages = FlattenStages(dataset);
  EXPECT_OK(stages);
  const auto decoder = Decoder::Create(*stages, stages->sources[0], 1, {{}});
  EXPECT_OK(decoder);
  ExampleWriter writer;
  writer.SetInts("tokens", tokens);
  std::string record;
  writer.Finish(record);
  const std::vector<std::string_view> records = {record};
  const std::vector<uint64_t> ids = {0};
  DecodeScratch scratch;
  DecodedRows rows;
  EXPECT_OK(decoder->Decode(
      records, ids, 0, [](uint64_t) { return "record"; }, scratch, rows));
  return rows.examples.columns[0];
}

TEST(NarrowColumnsTest, TokensOfCausalModelsAreNarrowUpToTheLimitsOfInt32) {
  const Dataset labelled =
      Packed(Tokens().Derive({Labels("tokens"), LossWeights("tokens"),
                              SegmentIds("tokens"), Positions("tokens")}));
  EXPECT_TRUE(Decoded(labelled, {1, INT32_MIN, INT32_MAX}).narrow);
  EXPECT_FALSE(Decoded(labelled, {1, int64_t{INT32_MIN} - 1}).narrow);
  EXPECT_FALSE(Decoded(labelled, {1, int64_t{INT32_MAX} + 1}).narrow);
  EXPECT_TRUE(Decoded(Packed(Tokens().Objective(CausalLm{})), {1}).narrow);
  EXPECT_TRUE(Decoded(Packed(Tokens().Objective(PrefixLm{})), {1}).narrow);
  EXPECT_FALSE(
      Decoded(Packed(Tokens({.name = "tokens", .as = ElementType::kInt64})
                         .Derive({Labels("tokens")})),
              {1})
          .narrow);
}

TEST(NarrowColumnsTest, SpansAreCutFromWideColumns) {
  EXPECT_FALSE(Decoded(Tokens()
                           .Objective(SpanCorruption{.sentinel = 100})
                           .Bucket({.by = "tokens", .lengths = {8}})
                           .Batch({.size = 1}),
                       {1})
                   .narrow);
}

// One value decides how its column is kept, and nothing else.
TEST(NarrowColumnsTest, AValueBeyondInt32IsTheSameErrorInALabelledPiece) {
  const auto placed = [](int64_t value, uint32_t length) {
    PlacedRows rows(Packed(Tokens().Derive({Labels("tokens")})),
                    {{1, 2, value}});
    rows.AddRow({{.length = length}});
    return rows.Place();
  };
  EXPECT_OK(placed(INT32_MAX, 2));
  EXPECT_OK(placed(INT32_MIN, 3));
  for (const int64_t value : {int64_t{INT32_MAX} + 1, int64_t{INT32_MIN} - 1}) {
    EXPECT_OK(placed(value, 1));
    for (const uint32_t length : {2, 3}) {
      EXPECT_THAT(placed(value, length),
                  StatusIs(StatusCode::kInvalidArgument,
                           AllOf(HasSubstr("record 0: value 2"),
                                 HasSubstr(std::to_string(value)),
                                 HasSubstr("does not fit int32"))));
    }
  }
}

}  // namespace
}  // namespace penstock::testing
