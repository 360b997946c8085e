// What reading costs in memory, whatever the file says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/formats/streams/reference_zlib.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/memory_files.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kMiB = 1 << 20;

// The kernel's count of this process's memory, in bytes.
uint64_t Resident(std::string_view field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(field)) {
      return std::stoull(line.substr(field.size())) * 1024;
    }
  }
  return 0;
}

// How much more memory than before was ever in use at once since its making.
class MemoryGrowth {
 public:
  MemoryGrowth() {
    std::ofstream("/proc/self/clear_refs") << "5";  // forgets the peak
    before_ = Resident("VmRSS:");
    known_ = Resident("VmHWM:") < before_ + kMiB;
  }
  void ExpectBelow(uint64_t bytes) const {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (!known_) return;
    EXPECT_LT(Resident("VmHWM:"), before_ + bytes);
#endif  // their shadow memory is counted, too
  }

 private:
  uint64_t before_;
  bool known_;  // some kernels do not forget it
};

// While it lives this process gets no more than so many bytes of new memory.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    rlimit limit = before_;
    limit.rlim_cur = Resident("VmSize:") + bytes;
    EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
#endif  // they need more than they give
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_ = {};
};

std::string HeaderFor(uint64_t length) {
  std::string header(kTfRecordHeaderBytes, '\0');
  StoreTfRecordHeader(length, header.data());
  return header;
}

class TfRecordMemoryTest : public ::testing::Test {
 protected:
  // About `bytes` of records of 2 KB, as a file has them.
  std::string Records(uint64_t bytes) {
    const std::string path = folder_ / "part.tfrecord";
    std::vector<std::string> records(bytes / 2016, std::string(2000, 'r'));
    EXPECT_OK(WriteTfRecord(LocalFiles(), path, records));
    return folder_.Read("part.tfrecord");
  }
  ScratchFolder folder_;
};

struct Counted {
  uint64_t records = 0;
  Status status;
};
Counted Count(FileSystem& files, TfRecordReadOptions options = {}) {
  Counted counted;
  const auto reader = OpenTfRecord(files, "a.tfrecord", options);
  counted.status = reader.status();
  while (counted.status.ok()) {
    const auto block = (*reader)->NextBlock();
    counted.status = block.status();
    if (!block.ok() || !block->has_value()) break;
    counted.records += (*block)->records.size();
  }
  return counted;
}

TEST_F(TfRecordMemoryTest, AShardOf4GiBIsReadInAFewMiB) {
  const std::string part = Records(kMiB);
  const uint64_t times = (4ull << 30) / part.size() + 1;
  MemoryFiles files(part, times);
  const MemoryGrowth growth;
  const Counted counted = Count(files);
  EXPECT_OK(counted.status);
  EXPECT_EQ(counted.records, times * (part.size() / 2016));
  growth.ExpectBelow(8 * kMiB);
}

TEST_F(TfRecordMemoryTest, AHoleOf256MiBIsPassedInAFewMiB) {
  const std::string zeros(kMiB, '\0');
  MemoryFiles files(zeros, 256);
  std::vector<SkippedRegion> regions;
  const MemoryGrowth growth;
  EXPECT_OK(Count(files, {.recovery = {.on_corruption = OnCorruption::kResync,
                                       .on_skipped =
                                           [&](const SkippedRegion& region) {
                                             regions.push_back(region);
                                           }}})
                .status);
  growth.ExpectBelow(8 * kMiB);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].end, 256 * kMiB);
}

TEST_F(TfRecordMemoryTest, ALengthBeyondTheFileCostsNothing) {
  for (const uint64_t length :
       {3ull << 30, 1ull << 63, ~0ull, ~0ull - 3, ~0ull - 15}) {
    const std::string bytes = HeaderFor(length) + std::string(123, 'x');
    MemoryFiles files(bytes);
    const MemoryGrowth growth;
    EXPECT_THAT(Count(files).status,
                StatusIs(StatusCode::kDataLoss,
                         HasSubstr("record length " + std::to_string(length) +
                                   " at offset 0 exceeds remaining 123 "
                                   "bytes")));
    growth.ExpectBelow(2 * kMiB);
  }
}

TEST_F(TfRecordMemoryTest, ARecordThatReallyHas3GiBNamesTheLimit) {
  const std::string path = folder_.Write("a.tfrecord", HeaderFor(3ull << 30));
  std::filesystem::resize_file(path, (3ull << 30) + kTfRecordFramingBytes);
  const MemoryGrowth growth;
  EXPECT_THAT(ReadTfRecord(LocalFiles(), path).status,
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("record of 3221225472 bytes at offset 0 is "
                                 "over max_record_bytes")));
  growth.ExpectBelow(2 * kMiB);
}

// 900 MB within the limit: only bytes that came may be paid for.
TEST_F(TfRecordMemoryTest, ALengthInACompressedFileIsBelievedAsBytesCome) {
  const std::string gzip = ReferenceCompress(
      HeaderFor(900'000'000) + std::string(3'000'000, 'x'), kGzipBits);
  MemoryFiles files(gzip);
  const MemoryLimit limit(100 * kMiB);
  EXPECT_THAT(Count(files, {.compression = Compression::kGzip}).status,
              StatusIs(StatusCode::kDataLoss,
                       HasSubstr("truncated record at uncompressed offset 0: "
                                 "record needs 900000016 bytes, 3000012 "
                                 "remain")));
}

// Each claims a record that covers all that follow it.
TEST_F(TfRecordMemoryTest, AFileOfRightHeadersAloneIsPassedInLinearTime) {
  std::string bytes = "x";
  while (bytes.size() < 4 * kMiB) bytes += HeaderFor(2 * kMiB + 1);
  MemoryFiles files(bytes);
  std::vector<SkippedRegion> regions;
  const MemoryGrowth growth;
  EXPECT_EQ(Count(files, {.recovery = {.on_corruption = OnCorruption::kResync,
                                       .on_skipped =
                                           [&](const SkippedRegion& region) {
                                             regions.push_back(region);
                                           }}})
                .records,
            0u);
  growth.ExpectBelow(16 * kMiB);
  EXPECT_EQ(regions.back().end, bytes.size());
}

}  // namespace
}  // namespace penstock::testing
