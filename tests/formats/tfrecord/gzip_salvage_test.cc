// A gzip member that is damaged costs its own records and no others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/streams/gzip_member.h"
#include "formats/tfrecord/gzip_member_search.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "formats/tfrecord/tfrecord_reader.h"
#include "tests/formats/streams/reference_zlib.h"
#include "tests/support/effort.h"
#include "tests/support/memory_files.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr size_t kMembers = 5;
constexpr size_t kBroken = 2;

struct Resynced {
  std::vector<std::string> records;
  std::vector<SkippedRegion> regions;
  uint64_t end = 0;  // of records and regions, which must follow each other
  Status status;
};

Resynced Resync(std::string_view bytes, size_t buffer_bytes = 512 << 10) {
  Resynced out;
  MemoryFiles files(bytes);
  const auto reader = OpenTfRecord(
      files, "a.tfrecord.gz",
      {.compression = Compression::kGzip,
       .buffer_bytes = buffer_bytes,
       .recovery = {.on_corruption = OnCorruption::kResync,
                    .on_skipped = [&](const SkippedRegion& region) {
                      EXPECT_EQ(region.begin, out.end);
                      out.end = region.end;
                      out.regions.push_back(region);
                    }}});
  out.status = reader.status();
  while (out.status.ok()) {
    const auto block = (*reader)->NextBlock();
    out.status = block.status();
    if (!block.ok() || !block->has_value()) break;
    for (const std::string_view record : (*block)->records) {
      out.records.emplace_back(record);
      out.end += record.size() + kTfRecordFramingBytes;
    }
  }
  return out;
}

std::vector<std::string> Texts(const std::vector<SkippedRegion>& regions) {
  std::vector<std::string> texts;
  for (const SkippedRegion& region : regions) {
    texts.push_back(SkippedText(region));
  }
  return texts;
}

// Files of five members, of which the third is to be damaged.
class GzipSalvageTest : public ::testing::TestWithParam<std::string> {
 protected:
  GzipSalvageTest() {
    std::mt19937 random(1);
    std::vector<std::string> framed(kMembers);
    records_.resize(kMembers);
    for (size_t m = 0; m < kMembers; ++m) {
      for (int i = 0; i < 6; ++i) {
        // Half of it text, so that deflate finds something.
        std::string record = "member " + std::to_string(m) + " record " +
                             std::to_string(i) + " ";
        for (int n = random() % 40; n > 0; --n) {
          record += static_cast<char>(random());
        }
        AppendTfRecord(record, framed[m]);
        records_[m].push_back(record);
      }
    }
    if (GetParam() == "foreign_cut") {
      // Records 5 of members 1 and 2 end in the member behind.
      for (const size_t m : {1, 2}) {
        framed[m + 1].insert(0, framed[m].substr(framed[m].size() - 20));
        framed[m].resize(framed[m].size() - 20);
        crossing_.push_back(records_[m].back());
        records_[m].pop_back();
      }
    }
    for (size_t m = 0; m < kMembers; ++m) {
      std::string packed;
      if (GetParam() == "ours") {
        EXPECT_OK(PackGzipMember(framed[m], records_[m].size(), packed));
      } else {
        packed = ReferenceCompress(framed[m], kGzipBits);
      }
      begins_.push_back(file_.size());
      file_ += packed;
    }
    begins_.push_back(file_.size());
  }

  // The file with the broken member replaced.
  std::string With(const std::string& member) const {
    return file_.substr(0, begins_[kBroken]) + member +
           file_.substr(begins_[kBroken + 1]);
  }
  std::string Broken() const {
    return file_.substr(begins_[kBroken],
                        begins_[kBroken + 1] - begins_[kBroken]);
  }

  // Each record of the others is there once and in order. What else is there
  // is of the broken member or crosses its borders; a decoder that has lost its
  // way may copy such a record twice.
  void ExpectOthersSurvive(const Resynced& out) const {
    ASSERT_OK(out.status);
    std::vector<std::string> may_be = crossing_;
    may_be.insert(may_be.end(), records_[kBroken].begin(),
                  records_[kBroken].end());
    std::vector<std::string> others;
    for (size_t m = 0; m < kMembers; ++m) {
      if (m == kBroken) continue;
      others.insert(others.end(), records_[m].begin(), records_[m].end());
    }
    std::vector<std::string> found = out.records;
    std::erase_if(found, [&](const std::string& record) {
      return std::find(may_be.begin(), may_be.end(), record) != may_be.end();
    });
    ASSERT_TRUE(found == others)
        << ::testing::PrintToString(Texts(out.regions));
    if (out.records.size() < others.size() + may_be.size()) {
      ASSERT_THAT(out.regions, Not(IsEmpty()));
    }
  }

  std::vector<std::vector<std::string>> records_;  // of each member
  std::vector<std::string> crossing_;
  std::vector<size_t> begins_;  // of each member, and the end
  std::string file_;
};

INSTANTIATE_TEST_SUITE_P(Files, GzipSalvageTest,
                         ::testing::Values("ours", "foreign", "foreign_cut"),
                         [](const auto& file) { return file.param; });

TEST_P(GzipSalvageTest, AnUndamagedFileHasNoRegions) {
  const Resynced out = Resync(file_);
  EXPECT_THAT(out.regions, IsEmpty());
  ExpectOthersSurvive(out);
}

TEST_P(GzipSalvageTest, AnyFlippedByteOfAMemberLeavesTheOthersRecords) {
  for (size_t byte = 0; byte < Broken().size(); ++byte) {
    for (const int bit : {0, 3, 7}) {
      // Sanitizers are given one of them.
      if (kCaseStride > 1 && (byte + bit / 3) % 3 != 0) continue;
      SCOPED_TRACE(byte * 8 + bit);
      std::string member = Broken();
      member[byte] ^= static_cast<char>(1 << bit);
      const std::string bad = With(member);
      const Resynced out = Resync(bad);
      ASSERT_NO_FATAL_FAILURE(ExpectOthersSurvive(out));
      const Resynced again = Resync(bad);
      EXPECT_EQ(again.regions, out.regions);
      EXPECT_EQ(again.records, out.records);
      ASSERT_NO_FATAL_FAILURE(ExpectOthersSurvive(Resync(bad, 64)));
      // The stream broke once at most, and went on at the next member.
      size_t breaks = 0;
      for (const SkippedRegion& region : out.regions) {
        if (region.reason.find("gzip") == std::string::npos) continue;
        ++breaks;
        EXPECT_EQ(region.begin, region.end);
        EXPECT_THAT(region.reason,
                    HasSubstr("the next gzip member was found at compressed "
                              "offset " +
                              std::to_string(begins_[kBroken + 1])));
      }
      EXPECT_LE(breaks, 1u);
    }
  }
}

TEST_P(GzipSalvageTest, BytesTakenOutPutInOrZeroedLeaveTheOthersRecords) {
  const std::string good = Broken();
  for (size_t byte = 0; byte < good.size(); ++byte) {
    SCOPED_TRACE(byte);
    std::string missing = good;
    missing.erase(byte, 1);
    std::string doubled = good;
    doubled.insert(byte, 1, good[byte]);
    std::string zeroed = good;
    const size_t hole = std::min<size_t>(16, good.size() - byte);
    zeroed.replace(byte, hole, hole, '\0');
    // Without any byte nothing tells that there was a member.
    const std::string cut = good.substr(0, byte + 1);
    for (const std::string& member : {missing, doubled, zeroed, cut}) {
      ASSERT_NO_FATAL_FAILURE(ExpectOthersSurvive(Resync(With(member))));
    }
  }
}

TEST_P(GzipSalvageTest, TwoBrokenMembersAreTwoBreaks) {
  std::string bad = file_;
  bad[begins_[1] + (begins_[2] - begins_[1]) / 2] ^= 0x10;
  bad[begins_[4] - 6] ^= 0x10;  // the checksum of member 3
  const Resynced out = Resync(bad);
  ASSERT_OK(out.status);
  std::vector<std::string> breaks;
  for (const SkippedRegion& region : out.regions) {
    if (region.reason.find("found at compressed offset") != std::string::npos) {
      breaks.push_back(region.reason);
    }
  }
  ASSERT_THAT(breaks, SizeIs(2));
  EXPECT_THAT(breaks[1], HasSubstr("gzip CRC mismatch in member 3"));
  EXPECT_THAT(out.records, ::testing::IsSupersetOf(records_[0]));
  EXPECT_THAT(out.records, ::testing::IsSupersetOf(records_[4]));
}

TEST_P(GzipSalvageTest, ABrokenLastMemberSaysThatNoneFollows) {
  std::string bad = file_;
  bad.resize(bad.size() - 3);
  const Resynced out = Resync(bad);
  ASSERT_OK(out.status);
  ASSERT_THAT(out.regions, Not(IsEmpty()));
  EXPECT_THAT(out.regions.back().reason,
              HasSubstr("gzip stream ended before its trailer"));
  EXPECT_THAT(out.regions.back().reason, HasSubstr("no gzip member follows"));
}

TEST_P(GzipSalvageTest, HeadersThatAreNoneAreNotFollowed) {
  // Gzip headers with nothing behind them, and text as a member of its own.
  std::string junk;
  for (int i = 0; i < 40; ++i) {
    junk += std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + "junk\xff";
  }
  const Resynced out = Resync(With(junk));
  ASSERT_NO_FATAL_FAILURE(ExpectOthersSurvive(out));
  MemoryFiles files(junk);
  GzipMemberSearch search(files, "a.gz");
  ASSERT_OK_AND_ASSIGN(const auto found, search.FindBehind(0));
  EXPECT_EQ(found, std::nullopt);
}

}  // namespace
}  // namespace penstock::testing
