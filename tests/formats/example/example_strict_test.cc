// Every input that protobuf and TensorFlow's fast parser read differently: the
// lax mode takes protobuf's meaning, the strict mode names the defect. The rows
// are those of the table in docs/formats/example.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/example_writer.h"
#include "tests/formats/example/example_oracle.h"
#include "tests/formats/example/int_records.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Unknown() { return VarintField(15, 7); }

StatusOr<Ints> ReadX(const std::vector<std::string>& records,
                     ExampleMode mode) {
  const auto parser =
      ExampleParser::Create({{.name = "x", .optional = true}}, {.mode = mode});
  const std::vector<std::string_view> views(records.begin(), records.end());
  Examples out;
  Status status = parser->Parse(
      views,
      [](size_t i) {
        return "f: record " + std::to_string(i) + " at offset 9";
      },
      out);
  if (!status.ok()) return status;
  return out.columns[0].ints;
}

// Lax: protobuf's values. Strict: kDataLoss with these words.
void ExpectRow(const std::string& record, const Ints& lax,
               const std::string& strict, const std::string& feature = "x") {
  EXPECT_EQ(Disagreement(record), "");
  const auto values = ReadX({record}, ExampleMode::kLax);
  ASSERT_OK(values);
  EXPECT_EQ(*values, lax);
  const std::string place =
      feature.empty() ? "" : "feature \"" + feature + "\": ";
  EXPECT_THAT(
      ReadX({record}, ExampleMode::kStrict).status(),
      StatusIs(StatusCode::kDataLoss,
               AllOf(StartsWith("f: record 0 at offset 9: " + place + strict +
                                " at byte "),
                     EndsWith("protobuf and TensorFlow read it differently "
                              "(strict mode)"))));
}

// Both modes agree.
void ExpectBoth(const std::string& record, const Ints& values) {
  EXPECT_EQ(Disagreement(record), "");
  for (const ExampleMode mode : {ExampleMode::kLax, ExampleMode::kStrict}) {
    const auto found = ReadX({record}, mode);
    ASSERT_OK(found);
    EXPECT_EQ(*found, values);
  }
}

void ExpectRefusedByBoth(const std::string& record, const std::string& words) {
  EXPECT_EQ(Disagreement(record), "");
  for (const ExampleMode mode : {ExampleMode::kLax, ExampleMode::kStrict}) {
    EXPECT_THAT(ReadX({record}, mode).status(),
                StatusIs(StatusCode::kDataLoss,
                         AllOf(HasSubstr(words),
                               EndsWith("the record is no tf.train.Example"))));
  }
}

TEST(ExampleStrictTest, Case20ADuplicateKey) {
  ExpectRow(Record(IntX(Packed({1})) + IntX(Packed({2}))), {2},
            "a feature that comes twice");
}

TEST(ExampleStrictTest, Case20ADuplicateKeyOfAFeatureNobodyWants) {
  ExpectRow(Record(Entry("y", Int64List(Packed({1}))) + IntX(Packed({4})) +
                   Entry("y", Int64List(Packed({2})))),
            {4}, "a feature that comes twice", "y");
}

TEST(ExampleStrictTest, Case20ADuplicateKeyInConcatenatedExamples) {
  ExpectRow(Record(IntX(Packed({1}))) + Record(IntX(Packed({2}))), {2},
            "a feature that comes twice");
}

TEST(ExampleStrictTest, TwoFeaturesOfDifferentNamesAreMergedByBoth) {
  ExpectBoth(
      Record(IntX(Packed({1}))) + Record(Entry("y", Int64List(Packed({2})))),
      {1});
}

TEST(ExampleStrictTest, AValueBeforeItsKeyIsTakenByBoth) {
  ExpectBoth(Record(Chunk(1, Value(Int64List(Packed({4}))) + Key("x"))), {4});
}

TEST(ExampleStrictTest, AnEntryWithOnlyAKey) {
  ExpectRow(Record(Chunk(1, Key("x"))), {}, "an entry without a value");
}

TEST(ExampleStrictTest, AnEntryWithOnlyAValue) {
  ExpectRow(Record(Chunk(1, Value(Int64List(Packed({4}))))), {},
            "an entry without a name", "");
}

TEST(ExampleStrictTest, SeveralKeysOrValuesInAnEntry) {
  ExpectRow(
      Record(Chunk(1, Key("w") + Key("x") + Value(Int64List(Packed({4}))))),
      {4}, "an entry with several names", "");
  ExpectRow(Record(Chunk(1, Key("x") + Value(Int64List(Packed({4}))) +
                                Value(Int64List(Packed({5}))))),
            {4, 5}, "an entry with several values");
}

TEST(ExampleStrictTest, Case25AnUnknownFieldInExampleIsSkippedByBoth) {
  ExpectBoth(Unknown() + Record(IntX(Packed({4}))) + Chunk(9, "abc"), {4});
}

TEST(ExampleStrictTest, Case25AnUnknownGroupInExample) {
  ExpectRow(Record(IntX(Packed({4}))) + Group(9, Unknown()), {4},
            "an unknown group", "");
}

TEST(ExampleStrictTest, Case25AnUnknownFieldInFeatures) {
  ExpectRow(Record(IntX(Packed({4})) + Unknown()), {4},
            "an unknown field beside the features", "");
}

TEST(ExampleStrictTest, Case25AnUnknownFieldInAnEntry) {
  ExpectRow(
      Record(Chunk(1, Key("x") + Value(Int64List(Packed({4}))) + Unknown())),
      {4}, "an unknown field in an entry", "");
}

TEST(ExampleStrictTest, Case25AnUnknownFieldInAFeature) {
  ExpectRow(Record(Entry("x", Int64List(Packed({4})) + Unknown())), {4},
            "an unknown field in a feature");
}

TEST(ExampleStrictTest, Case25AnUnknownFieldInAList) {
  ExpectRow(Record(IntX(Packed({4}) + Group(9, ""))), {4},
            "an unknown field in a list");
}

TEST(ExampleStrictTest, AKnownFieldOfAnotherWireTypeIsUnknown) {
  ExpectRow(Record(IntX(Packed({4}) + Fixed32Field(1, "1234"))), {4},
            "an unknown field in a list");
}

TEST(ExampleStrictTest, Case21TwoKinds) {
  ExpectRow(Record(Entry("x", FloatList(Chunk(1, FloatBytes(1))) +
                                  Int64List(Packed({4})))),
            {4}, "a second kind of values");
}

TEST(ExampleStrictTest, AListThatComesTwice) {
  ExpectRow(Record(Entry("x", Int64List(Packed({1})) + Int64List(Packed({2})))),
            {1, 2}, "a second list of values");
}

TEST(ExampleStrictTest, Case22TwoPackedChunks) {
  ExpectRow(Record(IntX(Packed({1}) + Packed({2}))), {1, 2},
            "values in several packed parts");
  const std::string floats =
      Entry("y", FloatList(Chunk(1, FloatBytes(1)) + Chunk(1, FloatBytes(2))));
  ExpectRow(Record(floats), {}, "values in several packed parts", "y");
}

TEST(ExampleStrictTest, Case22PackedThenUnpacked) {
  ExpectRow(Record(IntX(Packed({1}) + VarintField(1, 2))), {1, 2},
            "packed values beside single ones");
  ExpectRow(Record(IntX(VarintField(1, 2) + Packed({1}))), {2, 1},
            "packed values beside single ones");
}

TEST(ExampleStrictTest, UnpackedListsAreTakenByBoth) {
  ExpectBoth(Record(IntX(VarintField(1, 2) + VarintField(1, -3))), {2, -3});
}

TEST(ExampleStrictTest, Case23PackedFloatsOfAnOddSizeAreRefusedByBoth) {
  ExpectRefusedByBoth(Record(Entry("x", FloatList(Chunk(1, "1234567")))),
                      "feature \"x\": packed floats of a size that is no "
                      "multiple of 4");
}

TEST(ExampleStrictTest, Case24ANameThatIsNotUtf8IsRefusedByBoth) {
  ExpectRefusedByBoth(Record(Entry("\xff", Int64List(Packed({1})))),
                      "a feature name that is not UTF-8");
}

TEST(ExampleStrictTest, Case26AnEmptyFeature) {
  ExpectRow(Record(Entry("x", "")), {}, "a feature without a kind");
}

TEST(ExampleStrictTest, AnEmptyListIsTakenByBoth) {
  ExpectBoth(Record(IntX("")), {});
}

TEST(ExampleStrictTest, Case27AVarintOf11BytesIsRefusedByBoth) {
  ExpectRefusedByBoth(Record(IntX(Chunk(1, LongVarint(4, 11)))),
                      "feature \"x\": a packed varint that is cut off or over "
                      "10 bytes");
}

TEST(ExampleStrictTest, Case28ALengthPastItsParentIsRefusedByBoth) {
  ExpectRefusedByBoth(Chunk(1, Chunk(1, Tag(1, 2) + Varint(5) + "x")) + "more",
                      "a length that goes past the end");
}

TEST(ExampleStrictTest, Case29ALongVarintIsTakenByBoth) {
  ExpectBoth(Record(IntX(Chunk(1, LongVarint(4, 10)))), {4});
}

// What a row before it had must not hide a duplicate.
TEST(ExampleStrictTest, ADuplicateIsSeenWhateverTheRowsBeforeHad) {
  const std::string a = Entry("a", Int64List(Packed({1})));
  const std::string b = Entry("b", Int64List(Packed({1})));
  const auto expect_twice = [](const std::vector<std::string>& records) {
    EXPECT_THAT(ReadX(records, ExampleMode::kStrict).status(),
                StatusIs(StatusCode::kDataLoss,
                         HasSubstr("a feature that comes twice")));
  };
  expect_twice({Record(a + b), Record(b), Record(b + b)});
  expect_twice({Record(a + b), Record(b + a), Record(b + a + b)});
  expect_twice({Record(a + b), Record(a), Record(a + b + a)});
  EXPECT_OK(
      ReadX({Record(a + b), Record(b + a), Record(a), Record(b), Record("")},
            ExampleMode::kStrict));
}

TEST(ExampleStrictTest, ManyAndLongNamesAreComparedToo) {
  std::string entries;
  for (int i = 0; i < 600; ++i) {
    entries += Entry(std::string(i, 'n'), Int64List(Packed({1})));
  }
  EXPECT_OK(ReadX({Record(entries), Record(entries)}, ExampleMode::kStrict));
  EXPECT_THAT(
      ReadX({Record(entries),
             Record(entries + Entry(std::string(500, 'n'), Int64List("")))},
            ExampleMode::kStrict)
          .status(),
      StatusIs(StatusCode::kDataLoss, HasSubstr("comes twice")));
}

TEST(ExampleStrictTest, WhatIsWrittenIsStrict) {
  ExampleWriter writer;
  writer.SetInts("x", Ints{1, -1});
  writer.SetFloats("y", std::vector<float>{1});
  writer.SetBytes("z", "bytes");
  std::string record;
  writer.Finish(record);
  ExpectBoth(record, {1, -1});
}

TEST(ExampleStrictTest, MessagesHoldNothingOfThePayload) {
  const auto status =
      ReadX({Record(Entry("x", BytesList(Chunk(1, "secret")) +
                                   BytesList(Chunk(1, "secret"))))},
            ExampleMode::kStrict)
          .status();
  EXPECT_THAT(status,
              StatusIs(StatusCode::kDataLoss, Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace penstock::testing
