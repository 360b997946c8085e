#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "tests/formats/example_generator.h"
#include "tests/formats/example_oracle.h"
#include "tests/formats/wire_builder.h"

namespace penstock::testing {
namespace {

bool ProtobufTakes(const std::string& record) {
  return wire::Example().ParseFromString(record);
}

TEST(ExampleDifferentialTest, MessagesOfProtobufHaveProtobufsValues) {
  ExampleGenerator generator(1);
  for (int i = 0; i < 10000; ++i) {
    const std::string record = generator.Message().SerializeAsString();
    ASSERT_EQ(Disagreement(record), "") << absl::BytesToHexString(record);
  }
}

// That both kinds of verdict are met often is asserted too: agreement on
// nothing but refusals would prove little.
TEST(ExampleDifferentialTest, OddButLegalBytesHaveProtobufsMeaning) {
  ExampleGenerator generator(2);
  int taken = 0;
  constexpr int kRecords = 30000;
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
  constexpr int kRecords = 60000;
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
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = record;
      changed[at] = static_cast<char>(byte);
      ASSERT_EQ(Disagreement(changed), "") << absl::BytesToHexString(changed);
      verdicts.insert(ProtobufTakes(changed));
    }
    ASSERT_EQ(Disagreement(record.substr(0, at)), "") << "cut at " << at;
  }
  EXPECT_EQ(verdicts.size(), 2);
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
