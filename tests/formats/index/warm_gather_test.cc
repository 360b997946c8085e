// Records that are gathered again, from where the file is mapped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/posix_files.h"
#include "formats/index/record_files.h"
#include "formats/index/record_index_build.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kBlock = 4096;

class WarmGatherTest : public ::testing::Test {
 protected:
  void AddFile(const std::string& name,
               const std::vector<std::string>& records) {
    const std::string path = folder_ / name;
    ASSERT_OK(WriteTfRecord(LocalFiles(), path, records));
    ASSERT_OK_AND_ASSIGN(const auto index,
                         BuildRecordIndex(LocalFiles(), path));
    ASSERT_OK(index.Save(LocalFiles(), path));
    paths_.push_back(path);
    expected_.insert(expected_.end(), records.begin(), records.end());
  }
  // Records that fill their pages with their framing, and such as lie across.
  void AddPagesOfRecords() {
    std::vector<std::string> records;
    for (size_t i = 0; i < 40; ++i) {
      const size_t size = i < 20 ? kBlock : 1 + i * 997 % (3 * kBlock) + 16;
      records.emplace_back(size - kTfRecordFramingBytes,
                           static_cast<char>('0' + i));
    }
    // So that the last record ends where a page does.
    size_t bytes = 0;
    for (const auto& record : records) bytes += record.size() + 16;
    records.emplace_back(2 * kBlock - bytes % kBlock - 16, 'z');
    AddFile("pages", records);
  }
  void Open(RecordFilesOptions options = {}) {
    auto opened = RecordFiles::Open(files_, paths_, options);
    ASSERT_OK(opened);
    opened_ = *std::move(opened);
  }
  std::vector<uint64_t> All() const {
    std::vector<uint64_t> ids(expected_.size());
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }
  void ExpectGathers(const std::vector<uint64_t>& ids) {
    ASSERT_OK(opened_->Gather(ids, out_));
    ASSERT_EQ(out_.records.size(), ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      EXPECT_TRUE(out_.records[i] == expected_[ids[i]]) << ids[i];
    }
  }

  ScratchFolder folder_;
  FaultyCalls calls_;
  PosixFiles files_{calls_};
  std::vector<std::string> paths_;
  std::vector<std::string> expected_;
  std::unique_ptr<RecordFiles> opened_;
  GatheredRecords out_;
};

TEST_F(WarmGatherTest, ASecondTimeReadsNothingAndEqualsTheFirst) {
  AddFile("a", MixedRecords());
  AddPagesOfRecords();
  AddFile("b", MixedRecords());
  Open();
  ExpectGathers(All());
  const uint64_t reads = calls_.all_reads();
  std::vector<uint64_t> ids = All();
  ids.push_back(ids.back());
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(ids.begin(), ids.end(), random);
    ExpectGathers(ids);
  }
  EXPECT_EQ(calls_.all_reads(), reads);
}

// A system that has everything in memory, but for one call.
class CachedCalls final : public FaultyCalls {
 public:
  ssize_t PreadCached(int fd, void* out, size_t size, off_t offset) override {
    if (++looks != misses) {
      return KernelCalls().PreadCached(fd, out, size, offset);
    }
    errno = EAGAIN;
    return -1;
  }
  uint64_t reads() const { return looks + count(Call::kRead); }

  uint64_t looks = 0;
  uint64_t misses = 0;  // that look, from 1 on
};

// Of one file of records of a page each.
class WarmNeighboursTest : public WarmGatherTest {
 protected:
  void OpenPages(size_t count) {
    const std::string record(kBlock - kTfRecordFramingBytes, 'x');
    AddFile("a", std::vector<std::string>(count, record));
    auto opened = RecordFiles::Open(cached_files_, paths_);
    ASSERT_OK(opened);
    opened_ = *std::move(opened);
    cached_.looks = 0;
    before_ = cached_.reads();
  }
  void TearDown() override { opened_.reset(); }  // which borrows the files
  uint64_t Reads() const { return cached_.reads() - before_; }

  CachedCalls cached_;
  PosixFiles cached_files_{cached_};
  uint64_t before_ = 0;
};

TEST_F(WarmNeighboursTest, ThoseInMemoryAreKnownByOneCall) {
  OpenPages(40);
  ExpectGathers({5});
  EXPECT_EQ(Reads(), 2u);
  ExpectGathers({0, 15, 7});
  EXPECT_EQ(Reads(), 2u);
  ExpectGathers({16});  // of the next 64 KiB
  EXPECT_EQ(Reads(), 4u);
  ExpectGathers({39});  // around it the file ends
  ExpectGathers({32, 17, 38});
  EXPECT_EQ(Reads(), 6u);
}

TEST_F(WarmNeighboursTest, WhereTheyAreNotEachIsAskedFor) {
  OpenPages(16);
  cached_.misses = 2;
  ExpectGathers({5});
  EXPECT_EQ(Reads(), 2u);
  ExpectGathers({6});
  EXPECT_EQ(Reads(), 4u);
  ExpectGathers({0, 15, 7});
  EXPECT_EQ(Reads(), 4u);
}

TEST_F(WarmNeighboursTest, OfWhatIsReadFromTheDeviceNobodyAsks) {
  OpenPages(16);
  cached_.misses = 1;
  ExpectGathers({5});
  EXPECT_EQ(Reads(), 2u);  // a look and a read
  EXPECT_EQ(cached_.looks, 1u);
  ExpectGathers({6});
  EXPECT_EQ(cached_.looks, 3u);
}

TEST_F(WarmGatherTest, SomeReadAndSomeNotAreGatheredTogether) {
  AddPagesOfRecords();
  AddFile("a", MixedRecords());
  std::mt19937 random(2);
  for (int round = 0; round < 30; ++round) {
    Open();
    for (int batch = 0; batch < 6; ++batch) {
      std::vector<uint64_t> ids(random() % 20);
      for (uint64_t& id : ids) id = random() % expected_.size();
      ExpectGathers(ids);
    }
  }
}

TEST_F(WarmGatherTest, WithoutAMappingEverythingIsReadAgain) {
  AddPagesOfRecords();
  Open({.most_mapped_bytes = 0});
  const uint64_t maps = calls_.count(Call::kMap);
  for (int round = 0; round < 3; ++round) {
    const uint64_t reads = calls_.all_reads();
    ExpectGathers(All());
    EXPECT_GT(calls_.all_reads(), reads);
  }
  EXPECT_EQ(calls_.count(Call::kMap), maps);
}

TEST_F(WarmGatherTest, AFileThatCannotBeMappedIsReadAgain) {
  AddPagesOfRecords();
  Open();
  calls_.FailAt(Call::kMap, 0, ENODEV);
  for (int round = 0; round < 3; ++round) {
    const uint64_t reads = calls_.all_reads();
    ExpectGathers(All());
    EXPECT_GT(calls_.all_reads(), reads);
  }
}

TEST_F(WarmGatherTest, AFileCutOffAnywhereIsAnErrorNotADeath) {
  AddPagesOfRecords();
  const std::string good = folder_.Read("pages");
  const auto time = std::filesystem::last_write_time(paths_[0]);
  for (const size_t size :
       {good.size() - 1, good.size() - kBlock, good.size() - kBlock - 1,
        5 * kBlock, 5 * kBlock + 1, 5 * kBlock - 1, size_t{1}, size_t{0}}) {
    folder_.Write("pages", good);
    std::filesystem::last_write_time(paths_[0], time);
    Open();
    ExpectGathers(All());
    std::filesystem::resize_file(paths_[0], size);
    for (int round = 0; round < 2; ++round) {
      EXPECT_THAT(opened_->Gather(All(), out_),
                  StatusIs(StatusCode::kFailedPrecondition,
                           AllOf(HasSubstr(paths_[0]),
                                 HasSubstr("file changed since its index"))))
          << size;
      EXPECT_THAT(out_.records, IsEmpty());
    }
  }
}

TEST_F(WarmGatherTest, AFileCutOffAndMendedIsReadAgain) {
  AddPagesOfRecords();
  const std::string good = folder_.Read("pages");
  const auto time = std::filesystem::last_write_time(paths_[0]);
  Open();
  ExpectGathers(All());
  std::filesystem::resize_file(paths_[0], kBlock);
  EXPECT_FALSE(opened_->Gather(All(), out_).ok());
  folder_.Write("pages", good);
  std::filesystem::last_write_time(paths_[0], time);
  ExpectGathers(All());
}

TEST_F(WarmGatherTest, AByteRewrittenInPlaceIsFoundAndNothingGiven) {
  AddFile("a", {"foo", "bar", "baz"});
  const std::string good = folder_.Read("a");
  const auto time = std::filesystem::last_write_time(paths_[0]);
  Open();
  ExpectGathers({0, 1, 2});
  for (size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] ^= 4;
    std::fstream(paths_[0], std::ios::in | std::ios::out | std::ios::binary)
        << bad;
    EXPECT_THAT(opened_->Gather(std::vector<uint64_t>{2, 0, 1}, out_),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("another modification time")));
    EXPECT_THAT(out_.records, IsEmpty());
    std::filesystem::last_write_time(paths_[0], time);
    EXPECT_THAT(
        opened_->Gather(std::vector<uint64_t>{2, 0, 1}, out_),
        StatusIs(StatusCode::kDataLoss,
                 AllOf(HasSubstr(paths_[0]), HasSubstr("checksum at"),
                       HasSubstr("record #" + std::to_string(byte / 19)))));
    EXPECT_THAT(out_.records, IsEmpty());
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Of files that the process has in its memory, in bytes.
uint64_t ResidentFileBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stoull(line.substr(8)) * 1024;
  }
  return 0;
}

TEST_F(WarmGatherTest, MappedPagesStayBelowTheLimit) {
  constexpr uint64_t kMiB = 1 << 20;
  for (const char* const name : {"a", "b", "c", "d"}) {
    AddFile(name, std::vector<std::string>(2000, std::string(2000, 'x')));
  }
  const uint64_t before = ResidentFileBytes();
  Open({.most_mapped_bytes = 9 * kMiB});  // two of them, of 3.8 MiB
  EXPECT_EQ(opened_->most_mapped_bytes(), 9 * kMiB);
  for (int round = 0; round < 3; ++round) ExpectGathers(All());
  const uint64_t after = ResidentFileBytes();
  EXPECT_GT(after, before + 7 * kMiB);
  EXPECT_LT(after, before + 10 * kMiB);
}
#endif  // their shadow memory makes this another process

}  // namespace
}  // namespace penstock::testing
