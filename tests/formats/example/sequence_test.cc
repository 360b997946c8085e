// SequenceExamples: parser and writer.
#include <gmock/gmock.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "formats/example/example.pb.h"
#include "formats/example/sequence_parser.h"
#include "formats/example/sequence_writer.h"
#include "tests/formats/example/example_generator.h"
#include "tests/formats/example/sequence_oracle.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

std::string Lists(std::string_view entries) { return Chunk(2, entries); }
std::string Step(std::string_view feature) { return Chunk(1, feature); }
std::string IntStep(const Ints& values) {
  std::string packed;
  for (const int64_t v : values) packed += Varint(v);
  return Step(Int64List(Chunk(1, packed)));
}

StatusOr<SequenceExamples> Parse(std::vector<FeatureSpec> context,
                                 std::vector<FeatureSpec> lists,
                                 const std::vector<std::string>& records,
                                 ExampleMode mode = ExampleMode::kLax) {
  const auto parser = SequenceParser::Create(std::move(context),
                                             std::move(lists), {.mode = mode});
  if (!parser.ok()) return parser.status();
  const std::vector<std::string_view> views(records.begin(), records.end());
  SequenceExamples out;
  const Status status = parser->Parse(
      views, [](size_t i) { return "f: record " + std::to_string(i); }, out);
  if (!status.ok()) return status;
  return out;
}

// Odd as protobuf allows it: split lists, merged features, any order.
wire::Feature AFeature(ExampleGenerator& generator) {
  while (true) {
    const wire::Example message = generator.Message();
    for (const auto& [name, feature] : message.features().feature()) {
      return feature;
    }
  }
}
std::string OddRecord(ExampleGenerator& generator) {
  std::string lists;
  for (uint64_t e = generator.Below(4); e > 0; --e) {
    std::string list;
    const wire::Feature alike = AFeature(generator);
    for (uint64_t s = generator.Below(4); s > 0; --s) {
      std::string step = generator.OneIn(4)
                             ? AFeature(generator).SerializeAsString()
                             : alike.SerializeAsString();
      if (generator.OneIn(8)) step += AFeature(generator).SerializeAsString();
      if (generator.OneIn(8)) step = VarintField(9, 1) + step;
      list += Step(generator.OneIn(16) ? "" : step);
    }
    if (generator.OneIn(16)) list += Group(7, VarintField(1, 1));
    const std::string key =
        Key(std::string(1, static_cast<char>('a' + generator.Below(3))));
    lists +=
        Chunk(1, generator.OneIn(4) ? Value(list) + key : key + Value(list));
  }
  std::string record = generator.Wire() + Lists(lists);
  return generator.OneIn(4) ? record + Lists(lists) : record;
}

TEST(SequenceTest, StepsAreRagged) {
  const std::string one =
      Record(Entry("id", Int64List(Chunk(1, "\7")))) +
      Lists(Entry("x", IntStep({1, 2}) + IntStep({}) + IntStep({3})));
  const std::string two = Record(Entry("id", Int64List(Chunk(1, "\x8")))) +
                          Lists(Entry("x", IntStep({4})));
  ASSERT_OK_AND_ASSIGN(const auto out, Parse({{.name = "id", .length = 1}},
                                             {{.name = "x"}}, {one, two}));
  EXPECT_THAT(out.context.columns[0].ints, ElementsAre(7, 8));
  const Column& x = out.lists.columns[0];
  EXPECT_THAT(x.ints, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(x.row_steps, ElementsAre(0, 3, 4));
  EXPECT_THAT(x.step_offsets, ElementsAre(0, 2, 2, 3, 4));
  EXPECT_THAT(x.row_offsets, ElementsAre(0, 3, 4));
}

TEST(SequenceTest, WhatDoesNotFitIsNamedWithItsStep) {
  const std::string record =
      Lists(Entry("x", IntStep({1}) + Step(FloatList(Chunk(1, FloatBytes(1)))) +
                           IntStep({1, 2})));
  EXPECT_THAT(Parse({}, {{.name = "x"}}, {record}),
              StatusIs(kInvalid, HasSubstr("f: record 0: feature list \"x\": "
                                           "expected int64[any] in each step, "
                                           "found float[1] in step 1")));
  EXPECT_THAT(Parse({}, {{.name = "x", .length = 1}},
                    {Lists(Entry("x", IntStep({1}) + IntStep({1, 2})))}),
              StatusIs(kInvalid, HasSubstr("found int64[2] in step 1")));
  EXPECT_THAT(Parse({}, {{.name = "y"}}, {record}),
              StatusIs(kInvalid, HasSubstr("feature list \"y\" is missing")));
  EXPECT_THAT(Parse({{.name = "y"}}, {}, {record}),
              StatusIs(kInvalid, HasSubstr("feature \"y\" is missing")));
}

TEST(SequenceTest, AnOptionalListMayBeMissing) {
  ASSERT_OK_AND_ASSIGN(const auto out,
                       Parse({}, {{.name = "x", .optional = true}},
                             {Lists(""), Lists(Entry("x", IntStep({1})))}));
  EXPECT_THAT(out.lists.columns[0].row_steps, ElementsAre(0, 0, 1));
}

TEST(SequenceTest, StrictNamesTheList) {
  const std::string record =
      Lists(Entry("x", IntStep({1})) + Entry("x", IntStep({2})));
  ASSERT_OK_AND_ASSIGN(const auto lax, Parse({}, {{.name = "x"}}, {record}));
  EXPECT_THAT(lax.lists.columns[0].ints, ElementsAre(2));
  EXPECT_THAT(Parse({}, {{.name = "x"}}, {record}, ExampleMode::kStrict),
              StatusIs(StatusCode::kDataLoss,
                       HasSubstr("feature \"x\": a feature that comes twice")));
  EXPECT_THAT(
      Parse({}, {{.name = "x"}}, {Lists(Entry("x", Step("")))},
            ExampleMode::kStrict),
      StatusIs(StatusCode::kDataLoss, HasSubstr("a feature without a kind")));
}

TEST(SequenceTest, SpecsThatAreNotReadAreRefused) {
  EXPECT_THAT(SequenceParser::Create({{.name = "x", .ragged = true}}, {}),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("\"x\"")));
  EXPECT_THAT(SequenceParser::Create(
                  {}, {{.name = "x", .encoding = FeatureEncoding::kUint16}}),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("\"x\"")));
  EXPECT_THAT(SequenceParser::Create({}, {}),
              StatusIs(kInvalid, HasSubstr("no feature is asked for")));
}

TEST(SequenceDifferentialTest, OddBytesHaveProtobufsMeaning) {
  ExampleGenerator generator(11);
  int taken = 0;
  constexpr int kRecords = Cases(20000);
  for (int i = 0; i < kRecords; ++i) {
    const std::string record = OddRecord(generator);
    ASSERT_EQ(SequenceDisagreement(record), "")
        << absl::BytesToHexString(record);
    taken += wire::SequenceExample().ParseFromString(record);
  }
  EXPECT_GT(taken, kRecords / 2);
}

TEST(SequenceDifferentialTest, OneChangedByteIsJudgedAsProtobufJudgesIt) {
  ExampleGenerator generator(12);
  std::set<bool> verdicts;
  for (int i = 0; i < Cases(15000); ++i) {
    const std::string record = generator.Mutated(OddRecord(generator));
    ASSERT_EQ(SequenceDisagreement(record), "")
        << absl::BytesToHexString(record);
    verdicts.insert(wire::SequenceExample().ParseFromString(record));
  }
  EXPECT_EQ(verdicts.size(), 2);
}

TEST(SequenceDifferentialTest, GroupsMayNestAsDeepAsInProtobuf) {
  std::set<bool> verdicts;
  for (int depth = 90; depth < 105; ++depth) {
    const std::string groups = NestedGroups(9, depth, VarintField(1, 1));
    for (const std::string& record :
         {groups, Lists(groups), Lists(Chunk(1, groups)),
          Lists(Entry("a", groups)), Lists(Entry("a", Step(groups))),
          Lists(Entry("a", Step(Int64List(groups)))),
          Lists(Entry("a", Step(BytesList(groups)))),
          Record(Entry("a", Int64List(groups)))}) {
      ASSERT_EQ(SequenceDisagreement(record), "") << "depth " << depth;
      verdicts.insert(wire::SequenceExample().ParseFromString(record));
    }
  }
  EXPECT_EQ(verdicts.size(), 2);
}

TEST(SequenceWriterTest, BytesAreProtobufsDeterministicOnes) {
  SequenceWriter writer;
  wire::SequenceExample message;
  auto& context = *message.mutable_context()->mutable_feature();
  auto& lists = *message.mutable_feature_lists()->mutable_feature_list();
  writer.context().SetInts("id", Ints{-1, 300});
  for (const int64_t v : {-1, 300}) {
    context["id"].mutable_int64_list()->add_value(v);
  }
  for (int s = 0; s < 3; ++s) {
    writer.AddInts("z", Ints(s, 7));
    auto* ints = lists["z"].add_feature()->mutable_int64_list();
    for (int i = 0; i < s; ++i) ints->add_value(7);
    writer.AddBytes("b", "word" + std::to_string(s));
    lists["b"].add_feature()->mutable_bytes_list()->add_value(
        "word" + std::to_string(s));
    writer.AddFloats("f", std::vector<float>{0.5f});
    lists["f"].add_feature()->mutable_float_list()->add_value(0.5f);
  }
  writer.AddList("empty");
  lists["empty"];
  std::string ours;
  writer.Finish(ours);
  std::string theirs;
  {
    google::protobuf::io::StringOutputStream stream(&theirs);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&out);
  }
  EXPECT_EQ(absl::BytesToHexString(ours), absl::BytesToHexString(theirs));
  EXPECT_EQ(SequenceDisagreement(ours), "");
  std::string empty;
  writer.Finish(empty);
  EXPECT_EQ(absl::BytesToHexString(empty), "0a001200");
}

}  // namespace
}  // namespace penstock::testing
