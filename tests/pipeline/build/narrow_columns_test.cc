// Which graphs have columns of int32 from the parser on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "pipeline/build/decode.h"
#include "pipeline/derive.h"
#include "pipeline/graph/stages.h"
#include "pipeline/objective.h"
#include "tests/pipeline/build/placed_rows.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dataset Packed(Dataset dataset) {
  return dataset.Pack({.by = "tokens", .length = 8}).Batch({.size = 1});
}

Dataset Tokens(Feature tokens = {.name = "tokens"}) {
  return Dataset::TfRecords("a").Parse({std::move(tokens)});
}

// The feature as a decoder of the graph gives it, of one record.
Column DecodedFrom(ExampleWriter& writer, const Dataset& dataset) {
  const auto stages = FlattenStages(dataset);
  EXPECT_OK(stages);
  const auto decoder = Decoder::Create(*stages, stages->sources[0], 1, {{}});
  EXPECT_OK(decoder);
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

Column Decoded(const Dataset& dataset, const std::vector<int64_t>& tokens) {
  ExampleWriter writer;
  writer.SetInts("tokens", tokens);
  return DecodedFrom(writer, dataset);
}

// A text whose bytes are its tokens, as `type` in a batch.
Dataset Text(ElementType type = ElementType::kInt32) {
  auto bytes = LoadTokenizer(LocalFiles(), "bytes");
  EXPECT_OK(bytes);
  return Dataset::TfRecords("a")
      .Parse({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
      .Tokenize(*bytes, {.as = type});
}

Column DecodedText(const Dataset& dataset) {
  ExampleWriter writer;
  writer.SetBytes("text", std::string_view("ab"));
  return DecodedFrom(writer, dataset);
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

TEST(NarrowColumnsTest, IdsOfTextsAreNarrowWhereTheBatchHasThemAsInt32) {
  const Column narrow = DecodedText(Packed(Text().Derive({Labels("tokens")})));
  EXPECT_TRUE(narrow.narrow);
  EXPECT_THAT(narrow.narrow_ints_of(0), ElementsAre('a', 'b'));
  EXPECT_THAT(DecodedText(Packed(Text(ElementType::kInt64))).ints_of(0),
              ElementsAre('a', 'b'));
  EXPECT_THAT(DecodedText(Text()
                              .Objective(SpanCorruption{.sentinel = 300})
                              .Bucket({.by = "tokens", .lengths = {8}})
                              .Batch({.size = 1}))
                  .ints_of(0),
              ElementsAre('a', 'b'));
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
