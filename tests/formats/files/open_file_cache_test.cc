#include "formats/files/open_file_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "formats/files/posix_files.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

class OpenFileCacheTest : public ::testing::Test {
 protected:
  // Files "f0", "f1" ... that hold their number.
  void Add(OpenFileCache& cache, int count) {
    for (int i = 0; i < count; ++i) {
      const std::string path =
          folder_.Write("f" + std::to_string(i), std::to_string(i));
      cache.Add(path, *LocalFiles().Stat(path));
    }
  }
  static void ExpectHolds(const ReadableFile& file, size_t number) {
    std::string bytes(8, '\0');
    ASSERT_OK_AND_ASSIGN(const size_t got, file.ReadAt(0, bytes));
    EXPECT_EQ(bytes.substr(0, got), std::to_string(number));
  }

  ScratchFolder folder_;
  FaultyCalls calls_;
  PosixFiles files_{calls_};
};

TEST_F(OpenFileCacheTest, AFileIsOpenedOnceWhileThereIsRoom) {
  OpenFileCache cache(files_, 3);
  Add(cache, 3);
  for (int round = 0; round < 5; ++round) {
    for (size_t i = 0; i < 3; ++i) ExpectHolds(**cache.Get(i), i);
  }
  EXPECT_EQ(calls_.count(Call::kOpen), 3u);
}

TEST_F(OpenFileCacheTest, NoMoreThanAllowedStayOpen) {
  OpenFileCache cache(files_, 3);
  Add(cache, 20);
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < 20; ++i) {
      ExpectHolds(**cache.Get(i), i);
      EXPECT_LE(calls_.count(Call::kOpen) - calls_.count(Call::kClose), 3u);
    }
  }
}

TEST_F(OpenFileCacheTest, AFileInUseStaysReadable) {
  OpenFileCache cache(files_, 1);
  Add(cache, 5);
  ASSERT_OK_AND_ASSIGN(const auto first, cache.Get(0));
  for (size_t i = 1; i < 5; ++i) ASSERT_OK(cache.Get(i));
  ExpectHolds(*first, 0);
}

TEST_F(OpenFileCacheTest, ManyThreadsShareIt) {
  OpenFileCache cache(LocalFiles(), 2);
  Add(cache, 8);
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cache, thread] {
      for (size_t i = 0; i < 400; ++i) {
        const size_t file = (i * (thread + 1)) % 8;
        ExpectHolds(**cache.Get(file), file);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(OpenFileCacheTest, AFileThatIsNotAsExpectedIsRefused) {
  OpenFileCache cache(files_, 1);
  Add(cache, 2);
  EXPECT_OK(cache.CheckUnchanged(0));
  folder_.Write("f0", "longer");
  EXPECT_THAT(cache.CheckUnchanged(0),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("file changed since its index was made (size "
                                 "1 -> 6)")));
  ASSERT_OK(cache.Get(1));
  EXPECT_THAT(cache.Get(0), StatusIs(StatusCode::kFailedPrecondition,
                                     HasSubstr("f0: file changed")));
}

}  // namespace
}  // namespace penstock::testing
