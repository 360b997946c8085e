// Damage that is not the end: what is skipped is exactly what is damaged, and
// each byte is either given or told of.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/formats/streams/reference_zlib.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/memory_files.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Range {
  uint64_t begin, end;
  bool operator==(const Range&) const = default;
};

struct Salvaged {
  std::vector<std::string> records;
  std::vector<uint64_t> numbers;
  std::vector<SkippedRegion> regions;
  std::vector<Range> ranges;  // of records and regions, in order
  Status status;
};

class TfRecordRecoveryTest : public ::testing::Test {
 protected:
  TfRecordRecoveryTest() {
    EXPECT_OK(WriteTfRecord(LocalFiles(), folder_ / "a.tfrecord", records_));
    good_ = folder_.Read("a.tfrecord");
    for (const std::string& record : records_) {
      offsets_.push_back(offsets_.back() + kTfRecordFramingBytes +
                         record.size());
    }
  }

  static Salvaged Read(std::string_view bytes, TfRecordReadOptions options) {
    Salvaged out;
    options.recovery.on_skipped = [&out](const SkippedRegion& region) {
      EXPECT_EQ(region.file, "a.tfrecord");
      out.regions.push_back(region);
      out.ranges.push_back({region.begin, region.end});
    };
    MemoryFiles files(bytes);
    const auto reader = OpenTfRecord(files, "a.tfrecord", options);
    out.status = reader.status();
    while (out.status.ok()) {
      const auto block = (*reader)->NextBlock();
      out.status = block.status();
      if (!block.ok() || !block->has_value()) break;
      for (size_t i = 0; i < (*block)->records.size(); ++i) {
        const std::string_view record = (*block)->records[i];
        const std::string place = (*reader)->Locate(i);
        const uint64_t begin = std::stoull(place.substr(place.rfind(' ')));
        out.records.emplace_back(record);
        out.numbers.push_back((*block)->first + i);
        out.ranges.push_back({begin, begin + record.size() + 16});
      }
    }
    return out;
  }
  static Salvaged Resync(std::string_view bytes, size_t buffer_bytes = 1 << 20,
                         Compression compression = Compression::kNone) {
    return Read(bytes, {.compression = compression,
                        .buffer_bytes = buffer_bytes,
                        .recovery = {.on_corruption = OnCorruption::kResync}});
  }
  static Salvaged Skip(std::string_view bytes, size_t buffer_bytes = 1 << 20,
                       Compression compression = Compression::kNone) {
    return Read(bytes, {.compression = compression,
                        .buffer_bytes = buffer_bytes,
                        .recovery = {.on_corruption = OnCorruption::kSkip}});
  }

  // Every byte in [0, size) is in exactly one range.
  static void ExpectTiled(const Salvaged& out, uint64_t size) {
    uint64_t at = 0;
    for (const Range& range : out.ranges) {
      ASSERT_EQ(range.begin, at);
      at = range.end;
    }
    ASSERT_EQ(at, size);
  }

  // `records_` without those in [begin, end).
  std::vector<std::string> Without(size_t begin, size_t end) const {
    std::vector<std::string> left(records_.begin(), records_.begin() + begin);
    left.insert(left.end(), records_.begin() + end, records_.end());
    return left;
  }
  std::vector<std::string> Without(size_t record) const {
    return Without(record, record + 1);
  }
  // The record that byte `byte` of the good file belongs to.
  size_t RecordOf(size_t byte) const {
    size_t record = 0;
    while (offsets_[record + 1] <= byte) ++record;
    return record;
  }

  const std::vector<std::string> records_ = {
      "", "foo", std::string(140, 'b'), std::string(64, '\0'), "xxxx", "last"};
  ScratchFolder folder_;
  std::string good_;
  std::vector<size_t> offsets_ = {0};
};

TEST_F(TfRecordRecoveryTest, AFlippedBitCostsTheOneRecordItIsIn) {
  for (size_t bit = 0; bit < good_.size() * 8; bit += kCaseStride) {
    SCOPED_TRACE(bit);
    const size_t record = RecordOf(bit / 8);
    const bool in_header = bit / 8 - offsets_[record] < kTfRecordHeaderBytes;
    std::string bad = good_;
    bad[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    for (const Compression compression :
         {Compression::kNone, Compression::kGzip}) {
      const std::string file = compression == Compression::kNone
                                   ? bad
                                   : ReferenceCompress(bad, kGzipBits);
      for (const size_t buffer_bytes : {16, 1 << 20}) {
        const Salvaged out = Resync(file, buffer_bytes, compression);
        ASSERT_OK(out.status);
        ASSERT_EQ(out.records, Without(record));
        ASSERT_NO_FATAL_FAILURE(ExpectTiled(out, bad.size()));
        ASSERT_THAT(out.regions, SizeIs(1));
        EXPECT_EQ(out.regions[0].begin, offsets_[record]);
        EXPECT_EQ(out.regions[0].end, offsets_[record + 1]);
        EXPECT_THAT(
            out.regions[0].reason,
            AllOf(HasSubstr("a.tfrecord: corrupted "),
                  HasSubstr(in_header ? "length checksum" : "data checksum"),
                  HasSubstr("record #" + std::to_string(record))));
        // The others keep their numbers.
        for (size_t i = 0; i < out.numbers.size(); ++i) {
          EXPECT_EQ(out.numbers[i], i + (i >= record ? 1 : 0));
        }
      }
    }
  }
}

TEST_F(TfRecordRecoveryTest, SkipLeavesOutBadDataAndFailsAtABadHeader) {
  for (size_t byte = 0; byte < good_.size(); byte += kCaseStride) {
    SCOPED_TRACE(byte);
    const size_t record = RecordOf(byte);
    std::string bad = good_;
    bad[byte] ^= 0x10;
    for (const size_t buffer_bytes : {16, 1 << 20}) {
      const Salvaged out = Skip(bad, buffer_bytes);
      if (byte - offsets_[record] >= kTfRecordHeaderBytes) {
        ASSERT_OK(out.status);
        ASSERT_EQ(out.records, Without(record));
        ASSERT_NO_FATAL_FAILURE(ExpectTiled(out, bad.size()));
        continue;
      }
      ASSERT_THAT(out.status, StatusIs(StatusCode::kDataLoss,
                                       HasSubstr("corrupted length checksum")));
      ASSERT_EQ(out.records, Without(record, records_.size()));
      ASSERT_NO_FATAL_FAILURE(ExpectTiled(out, offsets_[record]));
      EXPECT_THAT(out.regions, IsEmpty());
    }
  }
}

// Bits flipped, bytes cut off, taken out, put in and set to zero, at each byte
// and under each policy.
TEST_F(TfRecordRecoveryTest, EachByteIsGivenOrToldOfWhateverIsDoneToIt) {
  for (size_t byte = 0; byte < good_.size(); byte += kCaseStride) {
    std::string zeroed = good_;
    zeroed.replace(byte, std::min<size_t>(16, good_.size() - byte),
                   std::min<size_t>(16, good_.size() - byte), '\0');
    std::string inverted = good_;
    inverted[byte] = static_cast<char>(~inverted[byte]);
    const std::string doubled = good_.substr(0, byte + 1) + good_.substr(byte);
    std::string missing = good_;
    missing.erase(byte, 1);
    const std::string cut = good_.substr(0, byte);
    for (const std::string& bad : {zeroed, inverted, doubled, missing, cut}) {
      SCOPED_TRACE(byte);
      const std::string gzip = ReferenceCompress(bad, kGzipBits);
      const Salvaged plain = Resync(bad);
      ASSERT_OK(plain.status);
      ASSERT_NO_FATAL_FAILURE(ExpectTiled(plain, bad.size()));
      // At most what the damage touched, and what a length that is right let
      // pass unseen behind it, is missing.
      for (const std::string& record : plain.records) {
        ASSERT_THAT(records_, ::testing::Contains(record));
      }
      ASSERT_GE(plain.records.size(), RecordOf(byte));
      for (const Salvaged& same :
           {Resync(bad, 16), Resync(gzip, 16, Compression::kGzip),
            Resync(gzip, 1 << 20, Compression::kGzip)}) {
        ASSERT_OK(same.status);
        ASSERT_EQ(same.records, plain.records);
        ASSERT_EQ(same.ranges, plain.ranges);
      }
      const Salvaged skip = Skip(bad);
      if (skip.status.ok()) {
        ASSERT_NO_FATAL_FAILURE(ExpectTiled(skip, bad.size()));
      } else {
        const std::string text(skip.status.message());
        const size_t named = text.find("offset ");
        ASSERT_NE(named, std::string::npos) << text;
        ASSERT_NO_FATAL_FAILURE(
            ExpectTiled(skip, std::stoull(text.substr(named + 7))));
      }
    }
  }
}

TEST_F(TfRecordRecoveryTest, AGzipFileWithAnyByteWrongGivesRightRecordsOnly) {
  const std::string gzip = ReferenceCompress(good_, kGzipBits);
  size_t whole = 0;
  for (size_t byte = 2; byte < gzip.size(); ++byte) {
    SCOPED_TRACE(byte);
    std::string flipped = gzip;
    flipped[byte] ^= 0x04;
    for (const std::string& bad : {flipped, gzip.substr(0, byte)}) {
      const Salvaged out = Resync(bad, 1 << 20, Compression::kGzip);
      ASSERT_OK(out.status);
      const uint64_t end = out.ranges.empty() ? 0 : out.ranges.back().end;
      ASSERT_NO_FATAL_FAILURE(ExpectTiled(out, end));
      for (const std::string& record : out.records) {
        ASSERT_THAT(records_, ::testing::Contains(record));
      }
      whole += out.records == records_;
      // A flipped bit in the header's time stamp harms nothing.
      if (end != good_.size() || out.records != records_) {
        ASSERT_THAT(out.regions, ::testing::Not(IsEmpty()));
      }
    }
  }
  EXPECT_GT(whole, 8u);  // at least where only the trailer is wrong
}

// And without recovery: an error, or all of it.
TEST_F(TfRecordRecoveryTest, ACompressedFileWithAnyBitWrongNeverEndsCleanly) {
  for (const auto& [compression, bits] :
       {std::pair(Compression::kGzip, kGzipBits),
        std::pair(Compression::kZlib, kZlibBits)}) {
    const std::string packed = ReferenceCompress(good_, bits);
    size_t harmless = 0;
    for (size_t bit = 0; bit < packed.size() * 8; bit += kCaseStride) {
      SCOPED_TRACE(bit);
      std::string bad = packed;
      bad[bit / 8] ^= static_cast<char>(1 << (bit % 8));
      for (const size_t buffer_bytes : {16, 1 << 20}) {
        const Salvaged out = Read(
            bad, {.compression = compression, .buffer_bytes = buffer_bytes});
        EXPECT_THAT(out.regions, IsEmpty());
        for (const std::string& record : out.records) {
          ASSERT_THAT(records_, ::testing::Contains(record));
        }
        if (out.status.ok()) {
          ASSERT_EQ(out.records, records_);
          ++harmless;
          continue;
        }
        // The first two bytes tell the type, so others may be no damage.
        const bool other = bit < 16 && IsInvalidArgument(out.status);
        ASSERT_TRUE(other || IsDataLoss(out.status)) << out.status;
        ASSERT_THAT(std::string(out.status.message()),
                    HasSubstr("a.tfrecord: "));
      }
    }
    // Time, system and the like in the header of gzip may be anything.
    EXPECT_LE(harmless, 10 * 8 * 2);
  }
}

TEST_F(TfRecordRecoveryTest, ACutGzipFileEndsWithARegionThatSaysSo) {
  std::string gzip = ReferenceCompress(good_, kGzipBits);
  gzip.resize(gzip.size() - 8);
  const Salvaged out = Resync(gzip, 1 << 20, Compression::kGzip);
  EXPECT_OK(out.status);
  EXPECT_EQ(out.records, records_);
  ASSERT_THAT(out.regions, SizeIs(1));
  EXPECT_EQ(out.regions[0].begin, good_.size());
  EXPECT_EQ(out.regions[0].end, good_.size());
  EXPECT_THAT(out.regions[0].reason,
              HasSubstr("gzip stream ended before its trailer"));
  EXPECT_THAT(Skip(gzip, 1 << 20, Compression::kGzip).status,
              StatusIs(StatusCode::kDataLoss,
                       HasSubstr("gzip stream ended before its trailer")));
}

TEST_F(TfRecordRecoveryTest, AHoleOfZerosIsOneRegion) {
  for (const size_t hole : {1, 11, 12, 16, 4096, 100'000}) {
    for (const size_t buffer_bytes : {16, 1000, 1 << 20}) {
      const Salvaged out =
          Resync(good_ + std::string(hole, '\0') + good_, buffer_bytes);
      EXPECT_OK(out.status);
      EXPECT_EQ(out.records.size(), 2 * records_.size());
      ASSERT_THAT(out.regions, SizeIs(1));
      EXPECT_EQ(out.regions[0].begin, good_.size());
      EXPECT_EQ(out.regions[0].end, good_.size() + hole);
    }
  }
}

TEST_F(TfRecordRecoveryTest, ACutTailIsARegion) {
  for (size_t size = offsets_[5] + 1; size < good_.size(); ++size) {
    const Salvaged out = Resync(good_.substr(0, size));
    EXPECT_OK(out.status);
    EXPECT_EQ(out.records, Without(5));
    ASSERT_THAT(out.regions, SizeIs(1));
    EXPECT_EQ(out.regions[0].begin, offsets_[5]);
    EXPECT_EQ(out.regions[0].end, size);
    EXPECT_THAT(out.regions[0].reason, HasSubstr("truncated record"));
  }
}

TEST_F(TfRecordRecoveryTest, AForgedLengthWithARightChecksumIsPassed) {
  for (const uint64_t length : {1ull << 40, 1ull << 63, ~0ull}) {
    std::string bad = good_;
    StoreTfRecordHeader(length, bad.data() + offsets_[2]);
    const Salvaged out = Resync(bad);
    EXPECT_OK(out.status);
    EXPECT_EQ(out.records, Without(2));
    ASSERT_NO_FATAL_FAILURE(ExpectTiled(out, bad.size()));
  }
}

TEST_F(TfRecordRecoveryTest, TwoNeighboursWithBadHeadersLeaveTheRecordBetween) {
  std::string bad = good_;
  bad[offsets_[1]] ^= 1;
  bad[offsets_[3]] ^= 1;
  const Salvaged out = Resync(bad);
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("", records_[2], "xxxx", "last"));
  ASSERT_NO_FATAL_FAILURE(ExpectTiled(out, bad.size()));
}

TEST_F(TfRecordRecoveryTest, AnotherTypeOrALargeRecordFailsUnderEveryPolicy) {
  EXPECT_THAT(Resync("<!DOCTYPE html><html>").status,
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("HTML")));
  EXPECT_THAT(
      Read(good_, {.max_record_bytes = 100,
                   .recovery = {.on_corruption = OnCorruption::kResync}})
          .status,
      StatusIs(StatusCode::kResourceExhausted, HasSubstr("max_record_bytes")));
}

TEST_F(TfRecordRecoveryTest, GarbageIsOneRegionAndNoRecord) {
  std::string garbage(50'000, '\0');
  uint32_t state = 1;
  for (char& c : garbage)
    c = static_cast<char>((state = state * 69069 + 1) >> 24);
  const Salvaged out = Resync(garbage, 4096);
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, IsEmpty());
  EXPECT_THAT(out.ranges, ElementsAre(Range{0, garbage.size()}));
}

TEST_F(TfRecordRecoveryTest, OneRegionMoreThanTheFileMaySkipEndsIt) {
  std::string bad = good_;
  for (const size_t record : {1, 2, 4}) bad[offsets_[record] + 12] ^= 1;
  const auto read = [&](SkipLimit limit) {
    return Read(bad, {.recovery = {.on_corruption = OnCorruption::kSkip,
                                   .per_file = limit}});
  };
  EXPECT_OK(read({.regions = 3}).status);
  const Salvaged two = read({.regions = 2});
  EXPECT_THAT(
      two.status,
      StatusIs(StatusCode::kResourceExhausted,
               AllOf(HasSubstr("a.tfrecord: more than 2 regions would be "
                               "skipped in one file"),
                     HasSubstr("skipped [" + std::to_string(offsets_[4])))));
  EXPECT_THAT(two.regions, SizeIs(2));
  EXPECT_EQ(two.records, (std::vector<std::string>{"", records_[3]}));
  EXPECT_THAT(read({.bytes = offsets_[3] - offsets_[1] - 1}).status,
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("174 bytes would be skipped")));
}

TEST_F(TfRecordRecoveryTest, NobodyToTellIsRefused) {
  MemoryFiles files(good_);
  EXPECT_THAT(
      OpenTfRecord(files, "a.tfrecord",
                   {.recovery = {.on_corruption = OnCorruption::kSkip}}),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("on_skipped")));
}

}  // namespace
}  // namespace penstock::testing
