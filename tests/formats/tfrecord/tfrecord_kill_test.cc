// kill -9 in front of each system call of a writer.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "formats/files/posix_files.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/dying_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

class TfRecordKillTest : public ::testing::TestWithParam<Compression> {
 protected:
  // A child writes the new file and is killed at that instant; true if it came
  // to its end before.
  bool WriteInAChild(uint64_t instant) {
    const pid_t child = fork();
    if (child == 0) {
      DyingCalls calls(instant, 700);
      PosixFiles files(calls);
      const Status status = WriteTfRecord(files, path_, MixedRecords(),
                                          {.compression = GetParam()});
      _exit(status.ok() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFEXITED(status);
  }

  ScratchFolder folder_{ScratchFolder::kMemory};
  const std::string path_ = folder_ / "a.tfrecord";
};

TEST_P(TfRecordKillTest, AtEachInstantTheOldFileIsThereOrTheNew) {
  ASSERT_OK(WriteTfRecord(LocalFiles(), folder_ / "new.tfrecord",
                          MixedRecords(), {.compression = GetParam()}));
  const std::string new_bytes = folder_.Read("new.tfrecord");
  uint64_t instant = 0;
  uint64_t old_seen = 0;
  uint64_t new_seen = 0;
  for (bool ended = false; !ended; ++instant) {
    folder_.Write("a.tfrecord", "old");
    ended = WriteInAChild(instant);
    const std::string now = folder_.Read("a.tfrecord");
    ASSERT_TRUE(now == "old" || now == new_bytes) << instant;
    old_seen += now == "old";
    new_seen += now == new_bytes;
    // What is left of the killed has a name that no pattern takes.
    ASSERT_OK_AND_ASSIGN(const auto names, LocalFiles().List(folder_.path()));
    for (const std::string& name : names) {
      EXPECT_TRUE(name == "a.tfrecord" || name == "new.tfrecord" ||
                  (name.starts_with(".a.tfrecord.") && name.ends_with(".tmp")))
          << name;
    }
  }
  EXPECT_GT(old_seen, 5u);  // open, writes, fsync, close, rename
  EXPECT_GT(new_seen, 2u);  // the folder's open, fsync, close; the end
}

INSTANTIATE_TEST_SUITE_P(Compressions, TfRecordKillTest,
                         ::testing::Values(Compression::kNone,
                                           Compression::kGzip,
                                           Compression::kZlib),
                         [](const auto& test) {
                           return std::string(CompressionName(test.param));
                         });

}  // namespace
}  // namespace penstock::testing
