// kill -9 in front of each system call of a host that saves checkpoints, and
// the power cut there.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>

#include "formats/files/posix_files.h"
#include "infeed/training/checkpoint_folder.h"
#include "pipeline/group.h"
#include "tests/infeed/training/checkpoint_hosts.h"
#include "tests/support/dying_calls.h"
#include "tests/support/effort.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 300;
constexpr uint64_t kOld = 3;  // the step that is saved before
constexpr uint64_t kEnd = 6;  // saved behind each step until then

class CheckpointKillTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  // This process makes no thread before the last child has ended.
  void SetUp() override {
    ASSERT_EQ(InAChild([&] {
                RunCheckpointHosts(folder_ / "old", hosts(), {.steps = kOld});
              }),
              0);
  }

  uint32_t hosts() const { return GetParam(); }

  template <typename Work>
  static int InAChild(Work work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }

  void PutOldThere() {
    fs::remove_all(path_);
    fs::copy(folder_ / "old", path_, fs::copy_options::recursive);
  }

  // Files of each host that need not last: a process that dies loses nothing.
  struct FastFiles {
    DyingCalls calls{UINT64_MAX, kMostBytes};
    PosixFiles files{calls};
  };

  // Goes on with host `dying` on those files; true where it was killed.
  bool GoOn(FileSystem& files, uint32_t dying) {
    const int status = InAChild([&] {
      std::array<FastFiles, 2> fast;
      RunCheckpointHosts(
          path_, hosts(), {.steps = kEnd, .options = {.every = 1, .keep = 1}},
          [&](CheckpointHost& host) {
            host.options.files =
                host.host == dying ? &files : &fast[host.host].files;
          });
    });
    EXPECT_TRUE(WIFSIGNALED(status) || status == 0);
    return WIFSIGNALED(status);
  }

  // The step of the last checkpoint, which must be whole.
  uint64_t Last() {
    CheckpointFolder folder(LocalFiles(), path_);
    const auto steps = folder.Committed();
    EXPECT_OK(steps.status());
    if (!steps.ok() || steps->empty()) return 0;
    for (const uint64_t step : *steps) EXPECT_OK(folder.Read(step).status());
    return steps->back();
  }

  // Two hosts go on to the end, and leaves nothing but that.
  void FinishAndLook() {
    const int status = InAChild([&] {
      const auto ends =
          RunCheckpointHosts(path_, 2, {.steps = kEnd, .options = {.keep = 1}});
      for (const CheckpointEnd& end : ends) {
        if (!end.status.ok() || !end.resumed) _exit(1);
        const uint64_t taken = kEnd - end.resumed->step;
        if (end.steps.size() != taken) _exit(2);
      }
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(Last(), kEnd);
  }

  ScratchFolder folder_{ScratchFolder::kMemory};
  const std::string path_ = folder_ / "run.checkpoints";
};

TEST_P(CheckpointKillTest, AtEachInstantTheOldCheckpointIsThereOrANewOne) {
  for (uint32_t dying = 0; dying < hosts(); ++dying) {
    std::map<uint64_t, int> last;
    uint64_t instant = 0;
    for (bool killed = true; killed; instant += kCaseStride) {
      PutOldThere();
      DyingCalls calls(instant, kMostBytes);
      PosixFiles files(calls);
      killed = GoOn(files, dying);
      ++last[Last()];
      FinishAndLook();
      ASSERT_FALSE(HasFailure()) << "host " << dying << ", call " << instant;
    }
    EXPECT_EQ(last.count(0), 0u);
    EXPECT_GT(last[kOld], Cases(5));
    EXPECT_GT(last[kOld + 1], Cases(5));
    EXPECT_GT(last[kEnd], 0);
    EXPECT_EQ(last.size(), kEnd - kOld + 1);
  }
}

TEST_P(CheckpointKillTest, APowerCutAtEachInstantLeavesTheOldOrANewOne) {
  uint64_t instant = 0;
  for (bool cut = true; cut; instant += kCaseStride) {
    PutOldThere();
    FaultyCalls disk;
    DyingCalls calls(instant, kMostBytes, disk, [&] { disk.LosePower(); });
    PosixFiles files(calls);
    cut = GoOn(files, /*dying=*/0);
    EXPECT_GE(Last(), kOld);
    FinishAndLook();
    ASSERT_FALSE(HasFailure()) << "call " << instant;
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, CheckpointKillTest, ::testing::Values(1, 2));

}  // namespace
}  // namespace penstock::testing
