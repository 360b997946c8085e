// Bytes that writers rarely or never make, each with the meaning that
// docs/formats/example.md states for it; checked against protobuf as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/example/example_parser.h"
#include "tests/formats/example/example_oracle.h"
#include "tests/formats/example/int_records.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

StatusOr<Column> Read(std::string_view record, FeatureType type) {
  EXPECT_EQ(Disagreement(record), "");
  const auto parser = ExampleParser::Create({{.name = "x", .type = type}});
  Examples out;
  Status status = parser->Parse(
      {&record, 1}, [](size_t) { return "f:1"; }, out);
  if (!status.ok()) return status;
  return std::move(out.columns[0]);
}

// The values of int64 feature "x", or {-999} where the record is refused.
Ints IntsOf(std::string_view record) {
  const auto column = Read(record, FeatureType::kInt64);
  EXPECT_OK(column);
  return column.ok() ? column->ints : Ints{-999};
}

std::string ErrorOf(std::string_view record,
                    FeatureType type = FeatureType::kInt64) {
  const auto column = Read(record, type);
  EXPECT_EQ(column.status().code(), StatusCode::kDataLoss);
  return std::string(column.status().message());
}

TEST(ExampleWireTest, TheLastEntryOfAKeyWins) {
  EXPECT_EQ(IntsOf(Record(IntX(Packed({1, 2})) + IntX(Packed({3})))), Ints{3});
}

TEST(ExampleWireTest, AnEmptyLastEntryWinsAsWell) {
  EXPECT_THAT(
      Read(Record(IntX(Packed({1})) + Chunk(1, Key("x"))), FeatureType::kInt64),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("found an empty feature")));
}

TEST(ExampleWireTest, ConcatenatedExamplesAreMerged) {
  EXPECT_EQ(IntsOf(Record(IntX(Packed({1}))) + Record(Entry("y", "")) +
                   Record(IntX(Packed({2})))),
            Ints{2});
}

TEST(ExampleWireTest, AValueMayComeBeforeItsKey) {
  EXPECT_EQ(IntsOf(Record(Chunk(1, Value(Int64List(Packed({4}))) + Key("x")))),
            Ints{4});
}

TEST(ExampleWireTest, TheLastOfSeveralKeysIsTheName) {
  EXPECT_EQ(IntsOf(Record(
                Chunk(1, Key("w") + Value(Int64List(Packed({4}))) + Key("x")))),
            Ints{4});
}

TEST(ExampleWireTest, SeveralValuesOfAnEntryAreMerged) {
  EXPECT_EQ(IntsOf(Record(Chunk(1, Key("x") + Value(Int64List(Packed({4}))) +
                                       Value(Int64List(Packed({5})))))),
            (Ints{4, 5}));
}

TEST(ExampleWireTest, AnEntryWithoutAKeyHasTheEmptyName) {
  const std::string other = Chunk(1, Value(Int64List(Packed({9}))));
  EXPECT_EQ(IntsOf(Record(IntX(Packed({4})) + other)), Ints{4});
}

TEST(ExampleWireTest, UnknownFieldsAndGroupsAreSkippedEverywhere) {
  const std::string unknown =
      VarintField(15, ~uint64_t{0}) + Fixed64Field(16, "12345678") +
      Chunk(17, "payload") + Fixed32Field(18, "1234") +
      Group(19, VarintField(1, 1) + Group(20, Chunk(2, "in")));
  EXPECT_EQ(IntsOf(unknown +
                   Record(unknown +
                          Chunk(1, unknown + Key("x") + unknown +
                                       Value(unknown +
                                             Int64List(unknown + Packed({4}) +
                                                       unknown)))) +
                   unknown),
            Ints{4});
}

// As protobuf in C++ and in pure Python; upb, behind Python, drops the entry.
TEST(ExampleWireTest, WhatIsUnknownInAnEntryCostsNoEntry) {
  const std::string key = Key("x");
  const std::string value = Value(Int64List(Packed({7})));
  for (const std::string& unknown :
       {std::string("\x18\x05"), std::string("\x1a\x02zz"),
        std::string("\x23\x24"), std::string("\xa0\x06\x01"),
        std::string("\x08\x05"), std::string("\x10\x05")}) {
    for (const std::string& entry :
         {unknown + key + value, key + unknown + value,
          key + value + unknown}) {
      const std::string bytes = Record(Chunk(1, entry));
      const std::string_view record = bytes;
      EXPECT_EQ(IntsOf(record), Ints{7});
      ASSERT_OK_AND_ASSIGN(
          const auto strict,
          ExampleParser::Create({{.name = "x", .type = FeatureType::kInt64}},
                                {.mode = ExampleMode::kStrict}));
      Examples out;
      EXPECT_THAT(strict.Parse(
                      {&record, 1}, [](size_t) { return "f:1"; }, out),
                  StatusIs(StatusCode::kDataLoss,
                           HasSubstr("an unknown field in an entry")));
    }
  }
}

TEST(ExampleWireTest, AKnownFieldOfAnotherWireTypeIsUnknown) {
  EXPECT_EQ(IntsOf(Record(IntX(Packed({4}) + Fixed32Field(1, "1234"))) +
                   VarintField(1, 7)),
            Ints{4});
}

TEST(ExampleWireTest, TheLastOfTwoKindsWins) {
  const std::string floats = FloatList(Chunk(1, FloatBytes(1)));
  const std::string ints = Int64List(Packed({4}));
  EXPECT_EQ(IntsOf(Record(Entry("x", floats + ints))), Ints{4});
  EXPECT_EQ(IntsOf(Record(Entry("x", ints + floats + ints))), Ints{4});
  EXPECT_THAT(
      Read(Record(Entry("x", ints + floats)), FeatureType::kInt64),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("found float[1]")));
}

TEST(ExampleWireTest, AListThatComesTwiceIsConcatenated) {
  EXPECT_EQ(IntsOf(Record(Entry(
                "x", Int64List(Packed({1})) + Int64List(Packed({2, 3}))))),
            (Ints{1, 2, 3}));
}

TEST(ExampleWireTest, PackedAndUnpackedPartsAreConcatenated) {
  EXPECT_EQ(IntsOf(Record(IntX(Packed({1, -2}) + VarintField(1, 3) +
                               Packed({}) + Packed({4})))),
            (Ints{1, -2, 3, 4}));
  ASSERT_OK_AND_ASSIGN(
      const Column column,
      Read(Record(
               Entry("x", FloatList(Fixed32Field(1, FloatBytes(1)) +
                                    Chunk(1, FloatBytes(2) + FloatBytes(3))))),
           FeatureType::kFloat));
  EXPECT_EQ(column.floats, (std::vector<float>{1, 2, 3}));
}

TEST(ExampleWireTest, AnEmptyListHasNoValues) {
  EXPECT_EQ(IntsOf(Record(IntX(""))), Ints{});
}

TEST(ExampleWireTest, LongVarintsMeanTheShortOnes) {
  EXPECT_EQ(IntsOf(Record(IntX(Chunk(1, LongVarint(4, 10)) + LongVarint(8, 5) +
                               LongVarint(5, 10)))),
            (Ints{4, 5}));
}

TEST(ExampleWireTest, BitsPastThe64thAreDropped) {
  EXPECT_EQ(IntsOf(Record(IntX(Chunk(1, std::string(9, '\xff') + "\x7f")))),
            Ints{-1});
}

TEST(ExampleWireTest, AnEmptyRecordHasNoFeatures) {
  EXPECT_THAT(Read("", FeatureType::kInt64),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("the record has no features")));
}

TEST(ExampleWireTest, PackedFloatsOfAnOddSizeAreRefused) {
  EXPECT_THAT(
      ErrorOf(Record(Entry("x", FloatList(Chunk(1, "1234567")))),
              FeatureType::kFloat),
      HasSubstr("f:1: feature \"x\": packed floats of a size that is no "
                "multiple of 4 at byte 13 of 20; the record is no "
                "tf.train.Example"));
}

TEST(ExampleWireTest, ANameThatIsNotUtf8IsRefused) {
  for (const char* name :
       {"\xff", "ab\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_THAT(ErrorOf(Record(Entry(name, ""))),
                HasSubstr("a feature name that is not UTF-8 at byte 6"));
  }
}

TEST(ExampleWireTest, VarintsOfElevenBytesAreRefused) {
  EXPECT_THAT(ErrorOf(Record(IntX(Chunk(1, LongVarint(4, 11))))),
              HasSubstr("a packed varint that is cut off or over 10 bytes"));
  EXPECT_THAT(ErrorOf(Record(IntX(Tag(1, 0) + LongVarint(4, 11)))),
              HasSubstr("a varint of more than 10 bytes"));
}

TEST(ExampleWireTest, ARecordCutAnywhereButBetweenFieldsIsRefused) {
  const std::string record = Record(IntX(Packed({1, 300})));
  for (size_t size = 1; size < record.size(); ++size) {
    EXPECT_THAT(
        ErrorOf(record.substr(0, size)),
        ::testing::AnyOf(HasSubstr("goes past the end"), HasSubstr("cut off")));
  }
}

TEST(ExampleWireTest, ALengthPastTheParentIsRefused) {
  const std::string longer = Chunk(1, Tag(1, 2) + Varint(5) + "x");
  EXPECT_THAT(ErrorOf(Chunk(1, longer) + "plenty of bytes behind it"),
              HasSubstr("a length that goes past the end at byte 6"));
}

TEST(ExampleWireTest, TagsThatCannotBeAreRefused) {
  EXPECT_THAT(ErrorOf(std::string(1, '\0')), HasSubstr("field number 0"));
  EXPECT_THAT(ErrorOf("\x07"), HasSubstr("field number 0"));
  EXPECT_THAT(ErrorOf(LongVarint(0, 2)), HasSubstr("field number 0"));
  EXPECT_THAT(ErrorOf(Tag(4, 6)), HasSubstr("wire type that does not exist"));
  EXPECT_THAT(ErrorOf(LongVarint(10, 6)), HasSubstr("more than 5 bytes"));
  EXPECT_THAT(ErrorOf(Record(IntX(Packed({1}))) + "\xff"),
              HasSubstr("a tag that is cut off"));
}

TEST(ExampleWireTest, LengthsOfTwoGigabytesAreRefused) {
  EXPECT_THAT(ErrorOf(Tag(1, 2) + Varint(uint64_t{1} << 31)),
              HasSubstr("a length of 2 GiB or more"));
  EXPECT_THAT(ErrorOf(Tag(1, 2) + LongVarint(1, 6) + "x"),
              HasSubstr("a length of 2 GiB or more"));
}

TEST(ExampleWireTest, GroupsMustMatch) {
  EXPECT_THAT(ErrorOf(Tag(9, 4)), HasSubstr("a group that did not begin"));
  EXPECT_THAT(ErrorOf(Tag(9, 3)), HasSubstr("a group without an end"));
  EXPECT_THAT(ErrorOf(Tag(9, 3) + Tag(8, 4)),
              HasSubstr("a group that did not begin"));
  EXPECT_THAT(ErrorOf(Tag(9, 3) + Tag(8, 3) + Tag(9, 4) + Tag(8, 4)),
              HasSubstr("a group that did not begin"));
}

}  // namespace
}  // namespace penstock::testing
