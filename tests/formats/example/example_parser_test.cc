#include "formats/example/example_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kBadOptions = StatusCode::kInvalidArgument;

std::string IntRecord(std::string_view name, std::vector<int64_t> values) {
  std::string packed;
  for (const int64_t v : values) packed += Varint(v);
  return Record(Entry(name, Int64List(Chunk(1, packed))));
}

Status Parse(std::vector<FeatureSpec> specs,
             const std::vector<std::string>& records, Examples& out) {
  const auto parser = ExampleParser::Create(std::move(specs));
  if (!parser.ok()) return parser.status();
  const std::vector<std::string_view> views(records.begin(), records.end());
  return parser->Parse(
      views, [](size_t i) { return fmt::format("a.tfrecord: record {}", i); },
      out);
}

TEST(ExampleParserTest, ColumnsFollowTheSpecsAndRowsTheRecords) {
  const std::string record = Record(
      Entry("ids", Int64List(Chunk(1, Varint(7) + Varint(300)))) +
      Entry("skipped", Int64List(Chunk(1, Varint(1)))) +
      Entry("score", FloatList(Chunk(1, FloatBytes(0.5)))) +
      Entry("text", BytesList(Chunk(1, "ab") + Chunk(1, "") + Chunk(1, "c"))));
  const std::string other =
      Record(Entry("text", BytesList("")) +
             Entry("score", FloatList(Chunk(1, FloatBytes(-1)))) +
             Entry("ids", Int64List(Chunk(1, Varint(8)))));
  Examples out;
  ASSERT_OK(Parse({{.name = "text", .type = FeatureType::kBytes},
                   {.name = "ids"},
                   {.name = "score", .type = FeatureType::kFloat, .length = 1}},
                  {record, other}, out));
  ASSERT_EQ(out.rows, 2);
  ASSERT_EQ(out.columns.size(), 3);

  const Column& text = out.columns[0];
  EXPECT_EQ(text.name, "text");
  EXPECT_THAT(text.row_offsets, ElementsAre(0, 3, 3));
  EXPECT_EQ(text.bytes_at(0), "ab");
  EXPECT_EQ(text.bytes_at(1), "");
  EXPECT_EQ(text.bytes_at(2), "c");
  EXPECT_THAT(out.columns[1].ints_of(0), ElementsAre(7, 300));
  EXPECT_THAT(out.columns[1].ints_of(1), ElementsAre(8));
  EXPECT_THAT(out.columns[2].floats_of(1), ElementsAre(-1));
  EXPECT_EQ(out.Find("score"), &out.columns[2]);
  EXPECT_EQ(out.Find("skipped"), nullptr);
}

TEST(ExampleParserTest, LaterCallsAppendAndClearKeepsTheColumns) {
  Examples out;
  ASSERT_OK(Parse({{.name = "x"}}, {IntRecord("x", {1, 2})}, out));
  ASSERT_OK(Parse({{.name = "x"}}, {IntRecord("x", {3})}, out));
  EXPECT_EQ(out.rows, 2);
  EXPECT_THAT(out.columns[0].ints_of(1), ElementsAre(3));

  out.Clear();
  EXPECT_EQ(out.rows, 0);
  ASSERT_OK(Parse({{.name = "x"}}, {IntRecord("x", {4})}, out));
  EXPECT_THAT(out.columns[0].ints_of(0), ElementsAre(4));
  EXPECT_THAT(Parse({{.name = "y"}}, {IntRecord("y", {4})}, out),
              StatusIs(kBadOptions, HasSubstr("rows there already")));
}

// Also where one is among others of its record.
TEST(ExampleParserTest, NarrowNumbersBecomeWideWithTheFirstThatDoesNotFit) {
  const std::vector<FeatureSpec> specs = {{.name = "x", .narrow = true}};
  Examples out;
  ASSERT_OK(Parse(specs,
                  {IntRecord("x", {1, -1}), IntRecord("x", {}),
                   IntRecord("x", {INT32_MIN, 300, INT32_MAX})},
                  out));
  const Column& column = out.columns[0];
  ASSERT_TRUE(column.narrow);
  EXPECT_TRUE(column.ints.empty());
  EXPECT_THAT(column.narrow_ints_of(0), ElementsAre(1, -1));
  EXPECT_THAT(column.narrow_ints_of(2), ElementsAre(INT32_MIN, 300, INT32_MAX));

  ASSERT_OK(Parse(
      specs, {IntRecord("x", {5, int64_t{INT32_MAX} + 1}), IntRecord("x", {6})},
      out));
  ASSERT_FALSE(column.narrow);
  EXPECT_THAT(column.ints_of(0), ElementsAre(1, -1));
  EXPECT_THAT(column.ints_of(2), ElementsAre(INT32_MIN, 300, INT32_MAX));
  EXPECT_THAT(column.ints_of(3), ElementsAre(5, int64_t{INT32_MAX} + 1));
  EXPECT_THAT(column.ints_of(4), ElementsAre(6));
}

TEST(ExampleParserTest, TheLastOfTwoNarrowFeaturesOfANameCounts) {
  const std::string twice =
      Record(Entry("x", Int64List(Chunk(1, Varint(1) + Varint(2)))) +
             Entry("x", Int64List(Chunk(1, Varint(3)))));
  Examples out;
  ASSERT_OK(Parse({{.name = "x", .narrow = true}},
                  {IntRecord("x", {7, 8}), twice}, out));
  EXPECT_THAT(out.columns[0].narrow_ints, ElementsAre(7, 8, 3));
}

// As where one parser goes on with the memory of another.
TEST(ExampleParserTest, WhoAsksForNoNarrowNumbersGetsNone) {
  Examples out;
  ASSERT_OK(Parse({{.name = "x", .narrow = true}}, {IntRecord("x", {1})}, out));
  ASSERT_OK(Parse({{.name = "x"}}, {IntRecord("x", {2})}, out));
  EXPECT_THAT(out.columns[0].ints, ElementsAre(1, 2));
  EXPECT_FALSE(out.columns[0].narrow);
}

TEST(ExampleParserTest, AnOptionalFeatureMayBeMissingOrEmpty) {
  Examples out;
  ASSERT_OK(Parse(
      {{.name = "x", .length = 1, .optional = true}},
      {IntRecord("y", {1}), IntRecord("x", {5}), Record(Entry("x", ""))}, out));
  EXPECT_THAT(out.columns[0].row_offsets, ElementsAre(0, 0, 1, 1));
}

TEST(ExampleParserTest, AMissingFeatureIsNamedWithThoseTheRecordHas) {
  Examples out;
  EXPECT_THAT(
      Parse({{.name = "label"}},
            {Record(Entry("text", "") + Entry("id", "") + Entry("id", ""))},
            out),
      StatusIs(kBadOptions,
               "a.tfrecord: record 0: feature \"label\" is "
               "missing; the record has \"text\", \"id\""));
}

TEST(ExampleParserTest, TheListOfNamesInAMessageIsBounded) {
  std::string entries;
  for (int i = 0; i < 1000; ++i) {
    entries += Entry(fmt::format("{}-{}", i, std::string(200, 'n')), "");
  }
  Examples out;
  const Status status = Parse({{.name = "label"}}, {Record(entries)}, out);
  EXPECT_THAT(status, StatusIs(kBadOptions, HasSubstr("and more")));
  EXPECT_LT(status.message().size(), 1000);
}

TEST(ExampleParserTest, AnotherTypeOrLengthIsNamedWithWhatWasFound) {
  const std::string floats =
      Record(Entry("label", FloatList(Chunk(1, std::string(12, '\0')))));
  Examples out;
  EXPECT_THAT(Parse({{.name = "label", .length = 1}}, {floats}, out),
              StatusIs(kBadOptions,
                       "a.tfrecord: record 0: feature \"label\": expected "
                       "int64[1], found float[3]"));
  EXPECT_THAT(
      Parse({{.name = "label"}}, {floats}, out),
      StatusIs(kBadOptions, HasSubstr("expected int64[any], found float[3]")));
  EXPECT_THAT(
      Parse({{.name = "label", .length = 2}}, {IntRecord("label", {1, 2, 3})},
            out),
      StatusIs(kBadOptions, HasSubstr("expected int64[2], found int64[3]")));
}

TEST(ExampleParserTest, AnOptionalFeatureThatIsThereMustFit) {
  Examples out;
  EXPECT_THAT(
      Parse({{.name = "x", .length = 1, .optional = true}},
            {IntRecord("x", {})}, out),
      StatusIs(kBadOptions, HasSubstr("expected int64[1], found int64[0]")));
}

TEST(ExampleParserTest, RowsBeforeADefectStayAndNothingOfItDoes) {
  const std::vector<FeatureSpec> specs = {
      {.name = "x"},
      {.name = "t", .type = FeatureType::kBytes, .optional = true},
      {.name = "f", .type = FeatureType::kFloat, .optional = true}};
  const std::string half =
      Record(Entry("t", BytesList(Chunk(1, "half"))) +
             Entry("f", FloatList(Chunk(1, FloatBytes(1)))) +
             Entry("x", Int64List(Chunk(1, Varint(9) + "\xff"))));
  Examples out;
  EXPECT_THAT(
      Parse(specs, {IntRecord("x", {1}), half, IntRecord("x", {2})}, out),
      StatusIs(StatusCode::kDataLoss,
               HasSubstr("a.tfrecord: record 1: feature \"x\": a "
                         "packed varint that is cut off")));
  EXPECT_EQ(out.rows, 1);
  for (const Column& column : out.columns) {
    EXPECT_EQ(column.row_offsets.size(), 2) << column.name;
  }
  EXPECT_THAT(out.columns[0].ints, ElementsAre(1));
  EXPECT_EQ(out.columns[1].bytes, "");
  EXPECT_THAT(out.columns[1].byte_offsets, ElementsAre(0));
  EXPECT_TRUE(out.columns[2].floats.empty());
  ASSERT_OK(Parse(specs, {IntRecord("x", {3})}, out));
  EXPECT_THAT(out.columns[0].ints, ElementsAre(1, 3));
}

TEST(ExampleParserTest, MessagesHoldNoPayload) {
  const std::string secret = "PAYLOAD-of-the-record";
  Examples out;
  const Status status =
      Parse({{.name = "x", .type = FeatureType::kFloat}},
            {Record(Entry("x", BytesList(Chunk(1, secret))))}, out);
  EXPECT_THAT(status, StatusIs(kBadOptions, Not(HasSubstr("PAYLOAD"))));
  EXPECT_THAT(Parse({{.name = "x"}}, {secret}, out),
              StatusIs(StatusCode::kDataLoss, Not(HasSubstr("AYLOAD"))));
}

TEST(ExampleParserTest, NamesInMessagesAreEscapedAndCut) {
  Examples out;
  EXPECT_THAT(Parse({{.name = "x"}},
                    {Record(Entry("a\n\"b", "") +
                            Entry(std::string(63, 'n') + "\xc3\xa9t", ""))},
                    out),
              StatusIs(kBadOptions, HasSubstr("has \"a\\n\\\"b\", \"" +
                                              std::string(63, 'n') + "...\"")));
}

TEST(ExampleParserTest, ManyFeaturesAreAllFound) {
  std::vector<FeatureSpec> specs;
  std::string entries;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = fmt::format("feature/with/a/long/path/{:04}/x", i);
    specs.push_back({.name = name, .length = 1});
    entries = Entry(name, Int64List(VarintField(1, i))) + entries;
  }
  Examples out;
  ASSERT_OK(Parse(specs, {Record(entries)}, out));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(out.columns[i].ints_of(0)[0], i);
}

TEST(ExampleParserTest, BadSpecsAreRefused) {
  EXPECT_THAT(ExampleParser::Create({}),
              StatusIs(kBadOptions, HasSubstr("no feature is asked for")));
  EXPECT_THAT(
      ExampleParser::Create({{.name = "x"}, {.name = "y"}, {.name = "x"}}),
      StatusIs(kBadOptions, HasSubstr("\"x\" is asked for twice")));
  EXPECT_THAT(ExampleParser::Create({{.name = "\xff"}}),
              StatusIs(kBadOptions, HasSubstr("not UTF-8")));
  EXPECT_THAT(ExampleParser::Create({{.name = "x", .length = -2}}),
              StatusIs(kBadOptions, HasSubstr("length -2")));
}

}  // namespace
}  // namespace penstock::testing
