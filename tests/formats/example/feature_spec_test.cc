// Dense shapes, ragged features and tokens as bytes.
#include "formats/example/feature_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/example/example_parser.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string IntFeature(std::string_view name,
                       const std::vector<int64_t>& values) {
  std::string packed;
  for (const int64_t v : values) packed += Varint(v);
  return Entry(name, Int64List(Chunk(1, packed)));
}
std::string Bytes(std::string_view name, std::string_view value) {
  return Entry(name, BytesList(Chunk(1, value)));
}

StatusOr<Examples> Parse(FeatureSpec spec,
                         const std::vector<std::string>& records) {
  const auto parser = ExampleParser::Create({std::move(spec)});
  if (!parser.ok()) return parser.status();
  const std::vector<std::string_view> views(records.begin(), records.end());
  Examples out;
  const Status status = parser->Parse(
      views, [](size_t i) { return "f: record " + std::to_string(i); }, out);
  if (!status.ok()) return status;
  return out;
}

TEST(FeatureSpecTest, Case30AWrongCountForADenseShapeNamesBoth) {
  const FeatureSpec spec = {.name = "image", .shape = {2, 3}};
  ASSERT_OK_AND_ASSIGN(
      const Examples out,
      Parse(spec, {Record(IntFeature("image", {1, 2, 3, 4, 5, 6}))}));
  EXPECT_THAT(out.columns[0].ints_of(0), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Parse(spec, {Record(IntFeature("image", {1, 2, 3}))}),
              StatusIs(kInvalid, HasSubstr("f: record 0: feature \"image\": "
                                           "expected int64[2,3], found "
                                           "int64[3]")));
}

TEST(FeatureSpecTest, Case30AWrongTypeNamesBoth) {
  EXPECT_THAT(
      Parse({.name = "label", .length = 1},
            {Record(Entry("label",
                          FloatList(Chunk(1, FloatBytes(1) + FloatBytes(2) +
                                                 FloatBytes(3)))))}),
      StatusIs(kInvalid, HasSubstr("feature \"label\": expected int64[1], "
                                   "found float[3]")));
}

TEST(FeatureSpecTest, ALengthAndAShapeTogetherAreRefused) {
  EXPECT_THAT(Parse({.name = "x", .length = 1, .shape = {1}}, {}),
              StatusIs(kInvalid, HasSubstr("not both")));
  EXPECT_THAT(Parse({.name = "x", .shape = {2, -1}}, {}),
              StatusIs(kInvalid, HasSubstr("size -1")));
  EXPECT_THAT(Parse({.name = "x", .shape = {1ll << 40, 1ll << 40}}, {}),
              StatusIs(kInvalid, HasSubstr("over 2^63 values")));
}

std::string RaggedRow(const std::vector<int64_t>& values,
                      const std::vector<int64_t>& lengths) {
  return Record(IntFeature("x/ragged_flat_values", values) +
                IntFeature("x/ragged_row_lengths_0", lengths));
}

TEST(FeatureSpecTest, ARaggedFeatureHasStepsOfValues) {
  ASSERT_OK_AND_ASSIGN(const Examples out,
                       Parse({.name = "x", .ragged = true},
                             {RaggedRow({1, 2, 3}, {2, 0, 1}),
                              RaggedRow({}, {}), RaggedRow({4}, {0, 1})}));
  const Column& column = out.columns[0];
  EXPECT_EQ(column.name, "x");
  EXPECT_THAT(column.ints, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(column.row_offsets, ElementsAre(0, 3, 3, 4));
  EXPECT_THAT(column.row_steps, ElementsAre(0, 3, 3, 5));
  EXPECT_THAT(column.step_offsets, ElementsAre(0, 2, 2, 3, 3, 4));
}

TEST(FeatureSpecTest, RaggedStepsMustAddUpToTheValues) {
  const auto error = [](const std::string& record) {
    return Parse({.name = "x", .ragged = true}, {record}).status();
  };
  EXPECT_THAT(error(RaggedRow({1, 2, 3}, {2})),
              StatusIs(kInvalid, HasSubstr("feature \"x/ragged_row_lengths_0\""
                                           ": the steps have 2 values of 3")));
  EXPECT_THAT(error(RaggedRow({1}, {1, 1})),
              StatusIs(kInvalid, HasSubstr("more than the 1 values")));
  EXPECT_THAT(error(RaggedRow({1}, {INT64_MAX, INT64_MAX, 3})),
              StatusIs(kInvalid, HasSubstr("more than the 1 values")));
  EXPECT_THAT(error(RaggedRow({1}, {-1, 2})),
              StatusIs(kInvalid, HasSubstr("a step of -1 values")));
  EXPECT_THAT(error(Record(IntFeature("x/ragged_flat_values", {1}))),
              StatusIs(kInvalid, HasSubstr("a part of the ragged feature")));
}

TEST(FeatureSpecTest, AnOptionalRaggedFeatureMayBeMissing) {
  ASSERT_OK_AND_ASSIGN(
      const Examples out,
      Parse({.name = "x", .optional = true, .ragged = true},
            {Record(IntFeature("y", {1})), RaggedRow({1}, {1})}));
  EXPECT_THAT(out.columns[0].row_steps, ElementsAre(0, 0, 1));
}

TEST(FeatureSpecTest, APartOfARaggedFeatureCannotBeAskedForBesideIt) {
  EXPECT_THAT(ExampleParser::Create({{.name = "x", .ragged = true},
                                     {.name = "x/ragged_flat_values"}}),
              StatusIs(kInvalid, HasSubstr("asked for twice")));
}

TEST(FeatureSpecTest, TokensAsBytesBecomeNumbers) {
  const std::string two("\x01\x00\xff\xff", 4);
  ASSERT_OK_AND_ASSIGN(
      const Examples narrow,
      Parse({.name = "x", .encoding = FeatureEncoding::kUint16},
            {Record(Bytes("x", two)), Record(Bytes("x", ""))}));
  EXPECT_EQ(narrow.columns[0].type, FeatureType::kInt64);
  EXPECT_THAT(narrow.columns[0].ints_of(0), ElementsAre(1, 65535));
  EXPECT_THAT(narrow.columns[0].ints_of(1), IsEmpty());

  ASSERT_OK_AND_ASSIGN(
      const Examples wide,
      Parse({.name = "x", .length = 1, .encoding = FeatureEncoding::kUint32},
            {Record(Bytes("x", two))}));
  EXPECT_THAT(wide.columns[0].ints, ElementsAre(0xffff0001));
}

TEST(FeatureSpecTest, BytesThatAreNoWholeNumbersAreRefused) {
  FeatureSpec spec = {.name = "x", .encoding = FeatureEncoding::kUint16};
  EXPECT_THAT(Parse(spec, {Record(Bytes("x", "abc"))}),
              StatusIs(kInvalid, HasSubstr("expected int64[any] as uint16 in "
                                           "bytes[1], found 3 bytes, no "
                                           "multiple of 2")));
  EXPECT_THAT(
      Parse(spec,
            {Record(Entry("x", BytesList(Chunk(1, "ab") + Chunk(1, "cd"))))}),
      StatusIs(kInvalid, HasSubstr("found bytes[2]")));
  EXPECT_THAT(Parse(spec, {Record(IntFeature("x", {1}))}),
              StatusIs(kInvalid, HasSubstr("found int64[1]")));
  spec.length = 3;
  EXPECT_THAT(Parse(spec, {Record(Bytes("x", "abcd"))}),
              StatusIs(kInvalid, HasSubstr("found 2 numbers")));
}

TEST(FeatureSpecTest, NarrowNumbersArePlainInt64) {
  for (const FeatureSpec& spec :
       {FeatureSpec{.name = "x", .type = FeatureType::kFloat, .narrow = true},
        FeatureSpec{.name = "x",
        .encoding = FeatureEncoding::kUint16,
        .narrow = true}}) {
    EXPECT_THAT(Parse(spec, {}),
                StatusIs(kInvalid, HasSubstr("only plain int64")));
  }
}

TEST(FeatureSpecTest, AnEncodingIsForInt64) {
  EXPECT_THAT(Parse({.name = "x",
                     .type = FeatureType::kFloat,
                     .encoding = FeatureEncoding::kUint16},
                    {}),
              StatusIs(kInvalid, HasSubstr("the encoding uint16 is for int64, "
                                           "not for float")));
}

}  // namespace
}  // namespace penstock::testing
