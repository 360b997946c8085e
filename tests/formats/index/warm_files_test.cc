#include "formats/index/warm_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "formats/files/posix_files.h"
#include "formats/index/machine_memory.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

constexpr uint64_t kPage = 4096;

class WarmFilesTest : public ::testing::Test {
 protected:
  std::unique_ptr<ReadableFile> Open(const std::string& bytes) {
    return *files_.OpenForRead(folder_.Write("a", bytes));
  }
  // Bytes that tell where they are from.
  static std::string Bytes(size_t size) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<char>(i * 31 + i / kPage);
    }
    return bytes;
  }

  ScratchFolder folder_;
  FaultyCalls calls_;
  PosixFiles files_{calls_};
};

TEST_F(WarmFilesTest, OnlyPagesThatWereReadAreGiven) {
  // 70 pages, so more than one word of bits, and some bytes.
  const std::string bytes = Bytes(70 * kPage + 100);
  const auto file = Open(bytes);
  WarmFiles warm(bytes.size());
  warm.Add(bytes.size());
  EXPECT_EQ(warm.Find(0, 0, 1), nullptr);
  std::vector<bool> read(71);
  const auto expect_only_those = [&] {
    for (uint64_t first = 0; first < read.size(); ++first) {
      bool all = true;
      for (uint64_t last = first; last < read.size(); ++last) {
        all = all && read[last];
        const uint64_t begin = first * kPage + (first == last ? 7 : kPage - 1);
        const uint64_t end = std::min<uint64_t>(last * kPage + 9, bytes.size());
        const char* const at = warm.Find(0, begin, end);
        ASSERT_EQ(at != nullptr, all) << first << " " << last;
        if (at == nullptr) continue;
        ASSERT_EQ(std::string_view(at, end - begin),
                  std::string_view(bytes).substr(begin, end - begin));
      }
    }
  };
  const auto was_read = [&](uint64_t begin, uint64_t end) {
    warm.WasRead(0, *file, begin, end);
    for (uint64_t page = begin / kPage; page * kPage < end; ++page) {
      read[page] = true;
    }
  };
  was_read(5 * kPage - 1, 5 * kPage + 1);
  expect_only_those();
  was_read(9 * kPage, 10 * kPage);
  was_read(62 * kPage + 5, 67 * kPage + 1);
  expect_only_those();
  was_read(70 * kPage + 99, 70 * kPage + 100);
  expect_only_those();
  was_read(0, bytes.size());
  expect_only_those();
  EXPECT_EQ(warm.Find(0, 70 * kPage, bytes.size() + 1), nullptr);
}

TEST(MostMappedBytesTest, FilesThatHalfOfTheMemoryHoldsAreMappedWhole) {
  constexpr uint64_t kGiB = 1 << 30;
  EXPECT_EQ(MostMappedBytes(0, 16 * kGiB), 0u);
  EXPECT_EQ(MostMappedBytes(8 * kGiB, 16 * kGiB), 8 * kGiB);
  EXPECT_EQ(MostMappedBytes(8 * kGiB + 1, 16 * kGiB), kGiB);
  EXPECT_EQ(MostMappedBytes(kGiB / 2, kGiB / 2), kGiB / 2);
  EXPECT_EQ(MostMappedBytes(3 * kGiB, 0), kGiB);
}

TEST(MachineMemoryTest, IsNoMoreThanTheMachineHas) {
  const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(MachineMemoryBytes(), 0u);
  EXPECT_LE(MachineMemoryBytes(), pages * page_bytes);
}

TEST_F(WarmFilesTest, FilesAreMappedUpToTheLimitOnly) {
  const std::string bytes = Bytes(kPage);
  const auto file = Open(bytes);
  WarmFiles warm(2 * kPage + 1);
  for (const uint64_t size : {kPage, 2 * kPage, kPage, kPage}) warm.Add(size);
  for (size_t i = 0; i < 4; ++i) {
    warm.WasRead(i, *file, 0, 10);
    warm.WasRead(i, *file, 0, 10);
  }
  EXPECT_NE(warm.Find(0, 0, 10), nullptr);
  EXPECT_EQ(warm.Find(1, 0, 10), nullptr) << "larger than what is left";
  EXPECT_NE(warm.Find(2, 0, 10), nullptr);
  EXPECT_EQ(warm.Find(3, 0, 10), nullptr);
  EXPECT_EQ(calls_.count(Call::kMap), 2u);
}

TEST_F(WarmFilesTest, AFileThatCannotBeMappedIsNeverGivenAndTakesNothing) {
  const std::string bytes = Bytes(kPage);
  const auto file = Open(bytes);
  WarmFiles warm(kPage);
  for (int i = 0; i < 2; ++i) warm.Add(kPage);
  calls_.FailAt(Call::kMap, 0, ENODEV);
  for (int round = 0; round < 3; ++round) warm.WasRead(0, *file, 0, 10);
  EXPECT_EQ(warm.Find(0, 0, 10), nullptr);
  EXPECT_EQ(calls_.count(Call::kMap), 1u) << "tried once";
  warm.WasRead(1, *file, 0, 10);
  EXPECT_NE(warm.Find(1, 0, 10), nullptr);
}

TEST_F(WarmFilesTest, AFileFoundCutOffIsGivenNoMore) {
  const std::string bytes = Bytes(8 * kPage);
  const auto file = Open(bytes);
  WarmFiles warm(bytes.size());
  warm.Add(bytes.size());
  warm.WasRead(0, *file, 0, bytes.size());
  std::filesystem::resize_file(folder_ / "a", kPage);
  const char* const last = warm.Find(0, 7 * kPage, 8 * kPage);
  ASSERT_NE(last, nullptr) << "nobody has looked yet";
  EXPECT_EQ(*last, 0);
  EXPECT_EQ(warm.Find(0, 7 * kPage, 8 * kPage), nullptr);
  EXPECT_EQ(warm.Find(0, 0, 10), nullptr);
}

TEST_F(WarmFilesTest, AMappedFileMayBeClosed) {
  const std::string bytes = Bytes(kPage);
  WarmFiles warm(kPage);
  warm.Add(kPage);
  {
    const auto file = Open(bytes);
    warm.WasRead(0, *file, 0, kPage);
  }
  const char* const at = warm.Find(0, 0, kPage);
  ASSERT_NE(at, nullptr);
  EXPECT_EQ(std::string_view(at, kPage), bytes);
}

TEST_F(WarmFilesTest, ManyThreadsShareIt) {
  constexpr uint64_t kPages = 300;
  const std::string bytes = Bytes(kPages * kPage);
  const auto file = *LocalFiles().OpenForRead(folder_.Write("a", bytes));
  WarmFiles warm(bytes.size());
  warm.Add(bytes.size());
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < 2 * kPages; ++i) {
        const uint64_t begin = (i * (2 * thread + 1) % kPages) * kPage;
        const char* const at = warm.Find(0, begin, begin + kPage);
        if (at == nullptr) {
          warm.WasRead(0, *file, begin, begin + kPage);
        } else {
          ASSERT_EQ(std::string_view(at, kPage),
                    std::string_view(bytes).substr(begin, kPage));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(warm.Find(0, 0, 1), nullptr);
}

}  // namespace
}  // namespace penstock::testing
