#include "formats/datasets/lock_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "formats/datasets/leftovers.h"
#include "formats/files/posix_files.h"
#include "tests/support/dying_calls.h"
#include "tests/support/effort.h"
#include "tests/support/ended_process.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LockFileTest : public ::testing::Test {
 protected:
  LockOptions Options() {
    return {.what = "the dataset d",
            .on_notice = [this](std::string_view line) {
              notices_.emplace_back(line);
            }};
  }
  StatusOr<std::unique_ptr<LockFile>> Acquire() {
    return LockFile::Acquire(LocalFiles(), path_, Options());
  }
  // A lock as `owner` on a host of that name would have left it.
  void WriteLockOf(const FileOwner& owner, const std::string& host) {
    folder_.Write("lock", fmt::format("penstock_lock 1\nhost {}\nsince "
                                      "2026-01-02T03:04:05Z\nprocess {}\n"
                                      "number 0123456789abcdef\n",
                                      host, OwnerText(owner)));
  }
  std::vector<std::string> Names() {
    return *LocalFiles().List(folder_.path());
  }

  ScratchFolder folder_{ScratchFolder::kMemory};
  const std::string path_ = folder_ / "lock";
  std::vector<std::string> notices_;
};

TEST_F(LockFileTest, TheSecondIsRefusedAndToldWhoIsFirst) {
  {
    ASSERT_OK_AND_ASSIGN(const auto lock, Acquire());
    ASSERT_OK(lock->CheckHeld());
    EXPECT_THAT(Names(), ElementsAre("lock"));
    EXPECT_THAT(
        Acquire(),
        StatusIs(
            StatusCode::kUnavailable,
            AllOf(HasSubstr(path_), HasSubstr("the dataset d"),
                  HasSubstr(fmt::format("process {} of this host", getpid())),
                  HasSubstr(HostName()), HasSubstr("try again"))));
    EXPECT_THAT(Names(), ElementsAre("lock"));
  }
  EXPECT_THAT(Names(), IsEmpty());
  ASSERT_OK(Acquire());
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(LockFileTest, TheLockOfADeadProcessIsTakenOverAndTold) {
  const FileOwner dead = EndedProcess();
  WriteLockOf(dead, HostName());
  ASSERT_OK_AND_ASSIGN(const auto lock, Acquire());
  ASSERT_OK(lock->CheckHeld());
  EXPECT_THAT(Names(), ElementsAre("lock"));
  EXPECT_THAT(
      notices_,
      ElementsAre(AllOf(HasSubstr(fmt::format("process {}", dead.pid)),
                        HasSubstr(path_), HasSubstr("2026-01-02T03:04:05Z"))));
}

TEST_F(LockFileTest, TheLockOfAnotherHostIsNeverTakenOver) {
  FileOwner owner = EndedProcess();
  owner.host ^= 1;
  WriteLockOf(owner, "worker-7");
  LockOptions options = Options();
  options.wait = std::chrono::milliseconds(1);
  EXPECT_THAT(
      LockFile::Acquire(LocalFiles(), path_, options),
      StatusIs(StatusCode::kFailedPrecondition,
               AllOf(HasSubstr(path_), HasSubstr("of worker-7"),
                     HasSubstr("2026-01-02T03:04:05Z"),
                     HasSubstr("remove this file if that process has ended"))));
  EXPECT_THAT(folder_.Read("lock"), HasSubstr("worker-7"));
  EXPECT_THAT(Names(), ElementsAre("lock"));
}

TEST_F(LockFileTest, WhatNamesNoOwnerIsNeverTakenOver) {
  for (const std::string text :
       {"", "penstock_lock 1\n", "penstock_lock 1\nprocess 1-2-3-4\n",
        "penstock_lock 2\nhost a\nprocess 1-2-3-4-5\n"}) {
    folder_.Write("lock", text);
    EXPECT_THAT(Acquire(), StatusIs(StatusCode::kFailedPrecondition,
                                    HasSubstr("remove this file")));
    EXPECT_EQ(folder_.Read("lock"), text);
  }
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(Acquire(), StatusIs(StatusCode::kFailedPrecondition,
                                  HasSubstr("does not say for whom")));
}

TEST_F(LockFileTest, ALockThatWasTakenAwayIsNoticedAndItsSuccessorStays) {
  ASSERT_OK_AND_ASSIGN(auto lock, Acquire());
  std::filesystem::remove(path_);
  ASSERT_OK_AND_ASSIGN(const auto other, Acquire());
  EXPECT_THAT(lock->CheckHeld(), StatusIs(StatusCode::kFailedPrecondition,
                                          HasSubstr("taken away")));
  lock.reset();
  ASSERT_OK(other->CheckHeld());
}

TEST_F(LockFileTest, ADiskWithoutHardLinksLocksToo) {
  FaultyCalls calls;
  PosixFiles files(calls);
  calls.FailAt(Call::kLink, 0, EPERM);
  ASSERT_OK_AND_ASSIGN(const auto lock,
                       LockFile::Acquire(files, path_, Options()));
  calls.FailAt(Call::kLink, 0, EPERM);
  EXPECT_THAT(LockFile::Acquire(files, path_, Options()),
              StatusIs(StatusCode::kUnavailable, HasSubstr("of this host")));
  EXPECT_THAT(Names(), ElementsAre("lock"));
}

TEST_F(LockFileTest, ADiskThatKnowsNoCarefulRenameLocksToo) {
  FaultyCalls calls;
  PosixFiles files(calls);
  const auto forbid = [&] {
    calls.FailAt(Call::kLink, 0, EPERM);
    calls.FailAt(Call::kRename, 0, EINVAL);
  };
  forbid();
  ASSERT_OK_AND_ASSIGN(const auto lock,
                       LockFile::Acquire(files, path_, Options()));
  ASSERT_OK(lock->CheckHeld());
  forbid();
  EXPECT_THAT(LockFile::Acquire(files, path_, Options()),
              StatusIs(StatusCode::kUnavailable, HasSubstr("of this host")));
  EXPECT_THAT(Names(), ElementsAre("lock"));
}

TEST_F(LockFileTest, AFailedCallLeavesNoFile) {
  for (const auto& [call, error] :
       {std::pair(Call::kOpen, EMFILE), std::pair(Call::kWrite, ENOSPC),
        std::pair(Call::kSync, EIO), std::pair(Call::kClose, EDQUOT),
        std::pair(Call::kLink, EIO)}) {
    FaultyCalls calls;
    PosixFiles files(calls);
    calls.FailAt(call, 0, error);
    EXPECT_FALSE(LockFile::Acquire(files, path_, Options()).ok());
    EXPECT_THAT(Names(), IsEmpty());
  }
}

// Twelve processes that all find the same dead lock, or none.
TEST_F(LockFileTest, OfManyProcessesOneHoldsTheLock) {
  constexpr int kProcesses = 12;
  for (int round = 0; round < Cases(20); ++round) {
    if (round % 2 == 0) WriteLockOf(EndedProcess(), HostName());
    int told[2];
    int go[2];
    int stop[2];
    ASSERT_EQ(pipe(told) + pipe(go) + pipe(stop), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      close(go[1]);
      close(stop[1]);
      char byte;
      if (read(go[0], &byte, 1) != 0) _exit(2);  // all begin at once
      const auto lock = Acquire();
      const char result = lock.ok() ? 'y' : 'n';
      if (write(told[1], &result, 1) != 1) _exit(3);
      if (read(stop[0], &byte, 1) != 0) _exit(4);  // and hold it to the end
      _exit(0);
    }
    close(go[1]);
    std::string results;
    while (results.size() < kProcesses) {
      char result;
      ASSERT_EQ(read(told[0], &result, 1), 1);
      results += result;
    }
    EXPECT_EQ(std::count(results.begin(), results.end(), 'y'), 1) << round;
    close(stop[1]);
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    for (const int end : {told[0], told[1], go[0], stop[0]}) close(end);
    // The winner ended without letting go.
    EXPECT_THAT(Names(), ElementsAre("lock"));
    ASSERT_OK(Acquire());
    EXPECT_THAT(Names(), IsEmpty());
  }
}

TEST_F(LockFileTest, AfterAKillAtAnyInstantTheNextOneHoldsItAndClearsUp) {
  bool ended = false;
  uint64_t instant = 0;
  for (; !ended; ++instant) {
    if (instant % 2 == 0) WriteLockOf(EndedProcess(), HostName());
    const pid_t child = fork();
    if (child == 0) {
      DyingCalls calls(instant / 2, 4096);
      PosixFiles files(calls);
      _exit(LockFile::Acquire(files, path_, Options()).ok() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) || status == 0) << instant;
    ended = WIFEXITED(status);
    {
      ASSERT_OK_AND_ASSIGN(const auto lock, Acquire());
      ASSERT_OK(RemoveLeftovers(LocalFiles(), folder_.path()));
      EXPECT_THAT(Names(), ElementsAre("lock")) << instant;
    }
    EXPECT_THAT(Names(), IsEmpty()) << instant;
  }
  EXPECT_GT(instant, 12u);
}

TEST_F(LockFileTest, LeftoversOfTheDeadGoAndAllElseStays) {
  const auto temporary = [&](const FileOwner& owner) {
    return folder_.Write(fmt::format(".a.{}-00000001.tmp", OwnerText(owner)),
                         "");
  };
  temporary(EndedProcess());
  temporary(EndedProcess());
  FileOwner elsewhere = EndedProcess();
  elsewhere.host ^= 1;
  const std::string foreign = temporary(elsewhere);
  const std::string alive = temporary(ThisProcess());
  folder_.Write(".a.tmp", "");
  folder_.Write("a", "");
  EXPECT_EQ(*RemoveLeftovers(LocalFiles(), folder_.path()), 2u);
  EXPECT_EQ(Names().size(), 4u);
  EXPECT_TRUE(std::filesystem::exists(foreign));
  EXPECT_TRUE(std::filesystem::exists(alive));
}

}  // namespace
}  // namespace penstock::testing
