// An index of very many records, of which only some pages are there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "formats/files/crc32c.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_layout.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kRecords = 1'000'000'000;
constexpr uint64_t kStep = 2064;  // records of 2 KiB
constexpr uint64_t kFilePage = 64 << 10;

// Kilobytes by the name that /proc/self/status gives them.
uint64_t Kilobytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) {
      return std::stoull(line.substr(name.size() + 1));
    }
  }
  return 0;
}

template <typename T>
std::string_view FileBytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

class LargeIndexTest : public ::testing::Test {
 protected:
  // A sidecar of kRecords offsets, and the file it is for, both almost without
  // blocks on the disk: the pages `there` hold what they should, others zeros.
  void Write(const std::vector<uint64_t>& there) {
    const uint64_t data_bytes = (kRecords + 1) * 8;
    std::string directory(IndexPages(data_bytes) * 4, '\0');
    std::vector<std::string> pages;
    for (const uint64_t page : there) {
      std::string bytes;
      for (uint64_t i = page * kFilePage / 8;
           i < (page + 1) * kFilePage / 8 && i <= kRecords; ++i) {
        bytes += FileBytes(i * kStep);
      }
      const uint32_t checksum = Crc32c(bytes);
      std::memcpy(directory.data() + page * 4, &checksum, 4);
      pages.push_back(std::move(bytes));
    }
    directory.resize((directory.size() + 7) / 8 * 8);
    folder_.Write("a.tfrecord", "");
    std::filesystem::resize_file(path_, kRecords * kStep);
    const FileInfo file = *LocalFiles().Stat(path_);
    RecordIndexHeader header = {.magic = {},
                                .version = kRecordIndexVersion,
                                .records = kRecords,
                                .entries = kRecords,
                                .framed_bytes = kRecords * kStep,
                                .file_size_bytes = kRecords * kStep,
                                .file_mtime_ns = file.mtime_ns,
                                .directory_bytes = directory.size(),
                                .directory_checksum = Crc32c(directory)};
    std::memcpy(header.magic, kRecordIndexMagic, sizeof(header.magic));
    header.checksum = Crc32c(FileBytes(header).substr(0, 76));
    const std::string index = folder_.Write(
        ".a.tfrecord.index", std::string(FileBytes(header)) + directory);
    const uint64_t data = sizeof(header) + directory.size();
    std::filesystem::resize_file(index, data + data_bytes);
    std::fstream out(index, std::ios::in | std::ios::out | std::ios::binary);
    for (size_t i = 0; i < there.size(); ++i) {
      out.seekp(static_cast<std::streamoff>(data + there[i] * kFilePage));
      out << pages[i];
    }
  }

  ScratchFolder folder_;
  const std::string path_ = folder_ / "a.tfrecord";
};

void LoadAndFind(const std::string& path) {
  const uint64_t before = Kilobytes("VmRSS");
  ASSERT_OK_AND_ASSIGN(const auto index, RecordIndex::Load(LocalFiles(), path));
  EXPECT_EQ(index.records(), kRecords);
  for (const uint64_t i : {uint64_t{0}, uint64_t{500'000'000}, kRecords - 1}) {
    ASSERT_OK_AND_ASSIGN(const RecordPlace place, index.Find(i));
    EXPECT_EQ(place.offset, i * kStep);
    EXPECT_EQ(place.size_bytes, kStep - 16);
  }
  // 4 bytes for each of 122071 pages, and its copy while it is read.
  EXPECT_LT(Kilobytes("VmRSS") - before, 8u << 10);
  // What is not there is not what was written.
  EXPECT_THAT(index.Find(100'000'000),
              StatusIs(StatusCode::kDataLoss, HasSubstr("page ")));
}

// In a process of its own: addresses are taken that other tests count.
TEST_F(LargeIndexTest, ABillionRecordsOpenInFewMegabytes) {
  const uint64_t last_page = kRecords * 8 / kFilePage;
  Write({0, 61'035, last_page});
  EXPECT_EXIT(
      {
        LoadAndFind(path_);
        _exit(HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace penstock::testing
