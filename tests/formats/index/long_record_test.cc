// Long values of records of files, read straight to where they are wanted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/example_writer.h"
#include "formats/files/posix_files.h"
#include "formats/index/record_files.h"
#include "formats/index/record_index_build.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::Optional;

constexpr uint64_t kMost = 1 << 20;
constexpr size_t kLongImageBytes = 300'007;

std::string ImageOf(int record, size_t size) {
  std::string image(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    image[i] = static_cast<char>((i + 77ull * record) * 2654435761u >> 13);
  }
  return image;
}

std::string RecordOf(int record, size_t size = kLongImageBytes) {
  ExampleWriter writer;
  writer.SetBytes("image", ImageOf(record, size));
  writer.SetInts("label", std::vector<int64_t>{record});
  std::string bytes;
  writer.Finish(bytes);
  return bytes;
}

class LongRecordTest : public ::testing::Test {
 protected:
  void Write(const std::vector<std::string>& records,
             const TfRecordWriteOptions& write = {}) {
    paths_ = {folder_ / "data"};
    ASSERT_OK(WriteTfRecord(LocalFiles(), paths_[0], records, write));
    ASSERT_OK_AND_ASSIGN(const auto index,
                         BuildRecordIndex(LocalFiles(), paths_[0],
                                          {.compression = write.compression}));
    ASSERT_OK(index.Save(LocalFiles(), paths_[0]));
  }
  void Open(RecordFilesOptions options = {}) {
    auto opened = RecordFiles::Open(files_, paths_, options);
    ASSERT_OK(opened);
    opened_ = *std::move(opened);
  }
  std::optional<uint64_t> Take(uint64_t id, size_t size = kLongImageBytes,
                               uint64_t most_bytes = kMost) {
    image_.assign(size, '#');
    LongValue image = {"image", image_};
    const std::vector<uint64_t> next = {1, 2};
    const auto taken =
        opened_->TakeLong(id, most_bytes, next, std::span(&image, 1), rest_);
    found_ = image.found;
    return taken;
  }
  void ExpectTakes(int record) {
    ASSERT_THAT(Take(record), Optional(RecordOf(record).size()));
    EXPECT_TRUE(found_);
    EXPECT_TRUE(image_ == ImageOf(record, kLongImageBytes));
    ExampleWriter writer;
    writer.SetBytes("image", "");
    writer.SetInts("label", std::vector<int64_t>{record});
    std::string rest;
    writer.Finish(rest);
    // Without their sizes at the front, of one byte and of three.
    EXPECT_EQ(rest_.example.substr(4), rest.substr(2));
  }

  ScratchFolder folder_;
  FaultyCalls calls_;
  PosixFiles files_{calls_};
  std::vector<std::string> paths_;
  std::unique_ptr<RecordFiles> opened_;
  std::string image_;
  bool found_ = false;
  ExampleRest rest_;
};

TEST_F(LongRecordTest, ASecondTimeReadsNothingAndEqualsTheFirst) {
  Write({RecordOf(0), RecordOf(1), RecordOf(2)});
  Open();
  for (const int record : {1, 0, 2}) ExpectTakes(record);
  const uint64_t reads = calls_.all_reads();
  for (const int record : {2, 1, 0, 1}) ExpectTakes(record);
  EXPECT_EQ(calls_.all_reads(), reads);
}

TEST_F(LongRecordTest, WithoutAMappingItIsReadAgain) {
  Write({RecordOf(0), RecordOf(1)});
  Open({.most_mapped_bytes = 0});
  for (int round = 0; round < 3; ++round) {
    const uint64_t reads = calls_.all_reads();
    ExpectTakes(1);
    EXPECT_GT(calls_.all_reads(), reads);
  }
}

TEST_F(LongRecordTest, ItIsReadInAnyPartsAndWaitedFor) {
  Write({RecordOf(0), RecordOf(1), RecordOf(2)});
  Open({.most_mapped_bytes = 0});
  calls_.LimitTransfers(1000);
  calls_.InterruptEveryOther();
  ExpectTakes(1);
  for (uint64_t n = 0; n < 6; ++n) {
    calls_.FailAt(Call::kReadCached, n, EAGAIN);
    ExpectTakes(0);
  }
}

TEST_F(LongRecordTest, RecordsForTheOrdinaryWayAreLeftToIt) {
  Write({RecordOf(0), RecordOf(1, kLongImageBytes - 1), "no Example", ""});
  Open();
  const uint64_t size = RecordOf(0).size();
  EXPECT_THAT(Take(0, kLongImageBytes, size), Optional(size));
  EXPECT_FALSE(Take(0, kLongImageBytes, size - 1));
  for (uint64_t id = 1; id <= 4; ++id) EXPECT_FALSE(Take(id)) << id;
  Write({RecordOf(0)}, {.compression = Compression::kGzip});
  Open();
  EXPECT_FALSE(Take(0));
}

TEST_F(LongRecordTest, ADeviceThatFailsIsLeftToTheOrdinaryWay) {
  Write({RecordOf(0)});
  for (uint64_t n = 0; n < 5; ++n) {
    Open();
    calls_.FailAt(Call::kReadCached, n, EAGAIN);
    calls_.FailAt(Call::kRead, 0, EIO);
    EXPECT_FALSE(Take(0)) << n;
  }
}

// Header, what stands before the value, the value, behind it, and checksum.
TEST_F(LongRecordTest, OfADamagedRecordNothingIsTaken) {
  constexpr size_t kSize = 33'000;
  const std::string record = RecordOf(0, kSize);
  Write({record});
  const std::string good = folder_.Read("data");
  ASSERT_EQ(good.size(), record.size() + kTfRecordFramingBytes);
  const auto time = std::filesystem::last_write_time(paths_[0]);
  size_t cases = 0;
  for (size_t byte = 0; byte < good.size(); ++byte) {
    const bool near_edge = byte < 60 || good.size() - byte <= 60;
    if (!near_edge && byte % 499 != 0) continue;
    if (cases++ % kCaseStride != 0) continue;
    std::string bad = good;
    bad[byte] ^= 4;
    folder_.Write("data", bad);
    std::filesystem::last_write_time(paths_[0], time);
    Open();
    EXPECT_FALSE(Take(0, kSize)) << byte;
    // Mapped, too.
    folder_.Write("data", good);
    std::filesystem::last_write_time(paths_[0], time);
    Open();
    ASSERT_TRUE(Take(0, kSize));
    folder_.Write("data", bad);
    std::filesystem::last_write_time(paths_[0], time);
    EXPECT_FALSE(Take(0, kSize)) << byte;
  }
}

TEST_F(LongRecordTest, AFileCutOffAnywhereIsNoDeath) {
  Write({RecordOf(0)});
  const std::string good = folder_.Read("data");
  const auto time = std::filesystem::last_write_time(paths_[0]);
  for (const size_t size : {good.size() - 1, good.size() - 5000, size_t{4096},
                            size_t{11}, size_t{0}}) {
    for (const bool mapped : {false, true}) {
      folder_.Write("data", good);
      std::filesystem::last_write_time(paths_[0], time);
      Open();
      if (mapped) {
        ASSERT_TRUE(Take(0));
      }
      std::filesystem::resize_file(paths_[0], size);
      EXPECT_FALSE(Take(0)) << size;
    }
  }
}

}  // namespace
}  // namespace penstock::testing
