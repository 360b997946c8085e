#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "formats/example/example_parser.h"
#include "tests/formats/example/example_generator.h"
#include "tests/formats/example/example_oracle.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/effort.h"

namespace penstock::testing {
namespace {

bool ProtobufTakes(const std::string& record) {
  return wire::Example().ParseFromString(record);
}

// What the parser makes of the last record: its error, or the values.
std::string LastRow(const std::vector<std::string_view>& records,
                    ExampleMode mode) {
  const auto parser = ExampleParser::Create(
      {{.name = "id", .type = FeatureType::kBytes, .optional = true},
       {.name = "label", .optional = true},
       {.name = "text", .type = FeatureType::kBytes, .optional = true}},
      {.mode = mode});
  Examples out;
  const Status status = parser->Parse(
      records, [](size_t) { return "r"; }, out);
  if (!status.ok()) return status.ToString();
  std::string row;
  for (const Column& column : out.columns) {
    const uint64_t begin = column.row_offsets[out.rows - 1];
    for (uint64_t v = begin; v < column.row_offsets[out.rows]; ++v) {
      row += column.type == FeatureType::kBytes
                 ? std::string(column.bytes_at(v))
                 : std::to_string(column.ints[v]);
      row += ';';
    }
    row += '|';
  }
  return row;
}

TEST(ExampleDifferentialTest, MessagesOfProtobufHaveProtobufsValues) {
  ExampleGenerator generator(1);
  for (int i = 0; i < Cases(10000); ++i) {
    const std::string record = generator.Message().SerializeAsString();
    ASSERT_EQ(Disagreement(record), "") << absl::BytesToHexString(record);
  }
}

// That both kinds of verdict are met often is asserted too: agreement on
// nothing but refusals would prove little.
TEST(ExampleDifferentialTest, OddButLegalBytesHaveProtobufsMeaning) {
  ExampleGenerator generator(2);
  int taken = 0;
  constexpr int kRecords = Cases(30000);
  for (int i = 0; i < kRecords; ++i) {
    const std::string record = generator.Wire();
    ASSERT_EQ(Disagreement(record), "") << absl::BytesToHexString(record);
    taken += ProtobufTakes(record);
  }
  EXPECT_GT(taken, kRecords / 2);
  EXPECT_LT(taken, kRecords - kRecords / 100);
}

TEST(ExampleDifferentialTest, OneChangedByteIsJudgedAsProtobufJudgesIt) {
  ExampleGenerator generator(3);
  int taken = 0;
  constexpr int kRecords = Cases(30000);
  for (int i = 0; i < kRecords; ++i) {
    const std::string record = generator.Mutated(
        generator.OneIn(2) ? generator.Message().SerializeAsString()
                           : generator.Wire());
    ASSERT_EQ(Disagreement(record), "") << absl::BytesToHexString(record);
    taken += ProtobufTakes(record);
  }
  EXPECT_GT(taken, kRecords / 10);
  EXPECT_LT(taken, kRecords * 9 / 10);
}

// One small record, every byte, every value: nothing is left to chance.
TEST(ExampleDifferentialTest, EveryValueOfEveryByteIsJudgedAsProtobufJudgesIt) {
  const std::string record =
      Record(Entry("a", Int64List(Chunk(1, Varint(300) + Varint(1)))) +
             Entry("b", FloatList(Chunk(1, FloatBytes(1.5)))) +
             Entry("c", BytesList(Chunk(1, "xy"))));
  std::set<bool> verdicts;
  for (size_t at = 0; at < record.size(); ++at) {
    for (size_t byte = at % kCaseStride; byte < 256; byte += kCaseStride) {
      std::string changed = record;
      changed[at] = static_cast<char>(byte);
      ASSERT_EQ(Disagreement(changed), "") << absl::BytesToHexString(changed);
      verdicts.insert(ProtobufTakes(changed));
    }
    ASSERT_EQ(Disagreement(record.substr(0, at)), "") << "cut at " << at;
  }
  EXPECT_EQ(verdicts.size(), 2);
}

TEST(ExampleDifferentialTest, SizesOfEveryFormAreReadAsProtobufReadsThem) {
  std::vector<size_t> sizes;
  for (const size_t border : {0, 0x80, 0x4000, 0x200000}) {
    for (size_t size = border - std::min<size_t>(border, 20); size < border + 5;
         ++size) {
      sizes.push_back(size);
    }
  }
  for (const size_t name : {0, 1, 6, 13, 14, 15, 99, 100, 101, 127, 128}) {
    for (const size_t size : sizes) {
      if (size > 0x10000 && name != 13) continue;
      if ((name + size) % kCaseStride != 0) continue;
      const std::string entry = Entry(
          std::string(name, 'n'), BytesList(Chunk(1, std::string(size, 'x'))));
      const std::string number = Entry("i", Int64List(Chunk(1, Varint(size))));
      for (const std::string& entries :
           {entry, entry + number, number + entry}) {
        ASSERT_EQ(Disagreement(Record(entries)), "")
            << "a name of " << name << " bytes, a value of " << size;
      }
    }
  }
}

// What the parser remembers of the row before must not change its verdict.
TEST(ExampleDifferentialTest, AChangedByteBehindAGoodRowIsJudgedOnItsOwn) {
  const std::string number = Entry("label", Int64List(Chunk(1, Varint(300))));
  for (const size_t size : {5, 300}) {
    const std::string good =
        Record(Entry("id", BytesList(Chunk(1, "document"))) + number +
               Entry("text", BytesList(Chunk(1, std::string(size, 't')))));
    std::set<bool> verdicts;
    for (size_t at = 0; at < std::min<size_t>(good.size(), 70); ++at) {
      for (size_t byte = at % kCaseStride; byte < 256; byte += kCaseStride) {
        std::string changed = good;
        changed[at] = static_cast<char>(byte);
        for (const ExampleMode mode :
             {ExampleMode::kLax, ExampleMode::kStrict}) {
          ASSERT_EQ(LastRow({good, changed}, mode), LastRow({changed}, mode))
              << absl::BytesToHexString(changed);
        }
        verdicts.insert(ProtobufTakes(changed));
      }
    }
    EXPECT_EQ(verdicts.size(), 2);
  }
}

TEST(ExampleDifferentialTest, GroupsMayNestAsDeepAsInProtobuf) {
  std::set<bool> verdicts;
  for (int depth = 90; depth < 105; ++depth) {
    const std::string groups = NestedGroups(9, depth, VarintField(1, 1));
    for (const std::string& record :
         {groups, Record(groups), Record(Chunk(1, groups)),
          Record(Chunk(1, groups + Key("a"))), Record(Entry("a", groups)),
          Record(Entry("a", Int64List(groups))),
          Record(Entry("a", FloatList(groups))),
          Record(Entry("b", BytesList(groups)))}) {
      ASSERT_EQ(Disagreement(record), "") << "depth " << depth;
      verdicts.insert(ProtobufTakes(record));
    }
  }
  EXPECT_EQ(verdicts.size(), 2);
}

}  // namespace
}  // namespace penstock::testing
