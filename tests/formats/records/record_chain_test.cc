#include "formats/records/record_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "formats/files/crc32c.h"

namespace penstock {
namespace {

RecordChain Of(const std::vector<std::string>& records) {
  RecordChain chain;
  for (const std::string& record : records) chain.Add(record);
  return chain;
}

TEST(RecordChainTest, ItIsTheChecksumOfTheStoredChecksums) {
  std::string stored;
  for (const std::string record : {"a", "", "bcd"}) {
    const uint32_t masked = MaskCrc32c(Crc32c(record));
    for (int byte = 0; byte < 4; ++byte) {
      stored += static_cast<char>(masked >> (8 * byte));
    }
  }
  EXPECT_EQ(Of({"a", "", "bcd"}).value(), Crc32c(stored));
  EXPECT_EQ(Of({"a", "", "bcd"}).records(), 3u);
  EXPECT_EQ(Of({}).value(), 0u);
}

TEST(RecordChainTest, SwapsDoublesAndLossesChangeIt) {
  const uint32_t value = Of({"a", "b", "c"}).value();
  EXPECT_NE(Of({"a", "c", "b"}).value(), value);
  EXPECT_NE(Of({"a", "b"}).value(), value);
  EXPECT_NE(Of({"a", "b", "c", "c"}).value(), value);
  EXPECT_NE(Of({"a", "b", "d"}).value(), value);
  EXPECT_NE(Of({"", "a", "b", "c"}).value(), value);
}

TEST(RecordChainTest, PartsJoinedInOrderAreTheWhole) {
  std::mt19937 random(1);
  std::vector<std::string> records(100);
  for (size_t i = 0; i < records.size(); ++i) records[i].assign(i, 'x');
  for (int round = 0; round < 200; ++round) {
    RecordChain joined;
    for (size_t begin = 0; begin < records.size();) {
      const size_t end = std::min(begin + random() % 40, records.size());
      joined.Append(Of({records.begin() + begin, records.begin() + end}));
      begin = end;
    }
    EXPECT_EQ(joined.value(), Of(records).value());
    EXPECT_EQ(joined.records(), records.size());
  }
}

TEST(Crc32cTest, JoinedChecksumsAreThoseOfTheBytesTogether) {
  std::mt19937 random(2);
  for (size_t size : {0, 1, 3, 8, 100, 4097, 1 << 20}) {
    std::string first(random() % 1000, '\0');
    std::string second(size, '\0');
    for (char& byte : first) byte = static_cast<char>(random());
    for (char& byte : second) byte = static_cast<char>(random());
    EXPECT_EQ(JoinCrc32c(Crc32c(first), Crc32c(second), size),
              Crc32c(first + second))
        << size;
  }
}

}  // namespace
}  // namespace penstock
