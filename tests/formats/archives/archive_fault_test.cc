// Calls that fail under archives: a clean error or the whole, never an early
// end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/posix_files.h"
#include "tests/formats/archives/archive_fixture.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

// Larger than the buffers, and with members that are skipped over.
class ArchiveFaultTest : public ::testing::Test {
 protected:
  ArchiveFaultTest() {
    std::vector<PackedFile> entries;
    for (int i = 0; i < 40; ++i) {
      const std::string name = "d/" + std::to_string(i);
      std::string content(20'000, '\0');
      for (char& c : content) {
        state_ = state_ * 1664525 + 1013904223;
        c = static_cast<char>(state_ >> 24);
      }
      entries.push_back({name, content});
      entries.push_back({name + ".csv", "text\nx\n"});
      entries.push_back({name + ".link", "", AE_IFLNK, "elsewhere"});
    }
    const std::string tar = Tar(entries);
    paths_ = {folder_.Write("a.tar", tar), folder_.Write("a.tgz", Gzip(tar)),
              folder_.Write("a.tar.zst", Zstd(tar)),
              folder_.Write("a.zip", Zip(entries)),
              folder_.Write("a.7z", SevenZip(entries))};
  }

  uint32_t state_ = 17;
  ScratchFolder folder_;
  std::vector<std::string> paths_;
};

TEST_F(ArchiveFaultTest, InterruptedAndShortCallsAreInvisible) {
  for (const std::string& path : paths_) {
    const ReadOut whole = ReadAll(OpenRecords(LocalFiles(), path));
    ASSERT_OK(whole.status);
    ASSERT_EQ(whole.records.size(), 80);
    FaultyCalls calls;
    calls.InterruptEveryOther();
    calls.LimitTransfers(1009);
    PosixFiles files(calls);
    const ReadOut out = ReadAll(OpenRecords(files, path));
    EXPECT_OK(out.status);
    EXPECT_EQ(out.records, whole.records);
  }
}

TEST_F(ArchiveFaultTest, ACallThatFailsAnywhereIsNeverAnEnd) {
  for (const std::string& path : paths_) {
    const ReadOut whole = ReadAll(OpenRecords(LocalFiles(), path));
    for (const Call call : {Call::kOpen, Call::kRead, Call::kStat}) {
      for (uint64_t n = 0;; ++n) {
        SCOPED_TRACE(path + " call " + std::to_string(n));
        FaultyCalls calls;
        calls.FailAt(call, n, EIO);
        PosixFiles files(calls);
        const ReadOut out = ReadAll(OpenRecords(files, path));
        if (calls.count(call) <= n) {
          EXPECT_GT(n, 0);
          break;  // there was no such call
        }
        ASSERT_FALSE(out.status.ok());
        EXPECT_THAT(out.status.message(), HasSubstr(path));
        ASSERT_LE(out.records.size(), whole.records.size());
        for (size_t i = 0; i < out.records.size(); ++i) {
          ASSERT_EQ(out.records[i], whole.records[i]);
        }
      }
    }
  }
}

TEST_F(ArchiveFaultTest, AFileThatShrinksIsSaidToHaveChanged) {
  for (const std::string& path : paths_) {
    auto reader = OpenRecords(LocalFiles(), path);
    ASSERT_OK(reader.status());
    ASSERT_EQ(::truncate(path.c_str(), 300'000), 0);
    EXPECT_THAT(ReadAll(std::move(reader)).status,
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("file changed while reading")));
  }
}

}  // namespace
}  // namespace penstock::testing
