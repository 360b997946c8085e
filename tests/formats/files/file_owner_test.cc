#include "formats/files/file_owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "tests/support/ended_process.h"

namespace penstock::testing {
namespace {

using ::testing::EndsWith;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(FileOwnerTest, ThisProcessIsAliveAndOneThatEndedIsDead) {
  EXPECT_EQ(StateOf(ThisProcess()), OwnerState::kAlive);
  EXPECT_EQ(StateOf(EndedProcess()), OwnerState::kDead);
}

TEST(FileOwnerTest, AProcessThatWasKilledAndNotYetWaitedForIsDead) {
  const pid_t child = fork();
  if (child == 0) {
    while (true) pause();
  }
  kill(child, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, child, &info, WEXITED | WNOWAIT), 0);
  FileOwner owner = ThisProcess();
  owner.pid = child;
  EXPECT_EQ(StateOf(owner), OwnerState::kDead);
  waitpid(child, nullptr, 0);
}

TEST(FileOwnerTest, AnotherProcessOfTheSameNumberIsNotItsOwner) {
  FileOwner owner = ThisProcess();
  ++owner.start;
  EXPECT_EQ(StateOf(owner), OwnerState::kDead);
}

TEST(FileOwnerTest, ProcessesOfOtherHostsAndContainersAreUnknown) {
  FileOwner owner = EndedProcess();
  owner.host ^= 1;
  EXPECT_EQ(StateOf(owner), OwnerState::kUnknown);
  owner = EndedProcess();
  owner.processes ^= 1;
  EXPECT_EQ(StateOf(owner), OwnerState::kUnknown);
  // A container may have been started on another host under the same name.
  owner.boot ^= 1;
  EXPECT_EQ(StateOf(owner), OwnerState::kUnknown);
}

TEST(FileOwnerTest, TextsAndNamesGiveTheirOwnerBack) {
  const FileOwner self = ThisProcess();
  EXPECT_EQ(ParseOwner(OwnerText(self)), self);
  const std::string name = TemporaryName("a.b-00001-of-00002");
  EXPECT_THAT(name, StartsWith(".a.b-00001-of-00002."));
  EXPECT_THAT(name, EndsWith(".tmp"));
  EXPECT_EQ(OwnerOfTemporary(name), self);
  EXPECT_NE(TemporaryName("a"), TemporaryName("a"));
}

TEST(FileOwnerTest, ALongNameGivesATemporaryNameThatFits) {
  const std::string name = TemporaryName(std::string(255, 'n'));
  EXPECT_THAT(name, SizeIs(255));
  EXPECT_EQ(OwnerOfTemporary(name), ThisProcess());
}

TEST(FileOwnerTest, OtherNamesHaveNoOwner) {
  for (const std::string name :
       {"", ".tmp", "a.tmp", ".a.tmp", ".a.0123456789abcdef.tmp", ".a.-.tmp",
        ".a.1-2-3-4-5.tmp.swp", ".a.1-2-3-0-5-6.tmp", ".a.1-2-3-4-x-6.tmp",
        ".a.123456789-2-3-4-5-6.tmp", "a.1-2-3-4-5-6.tmp"}) {
    EXPECT_FALSE(OwnerOfTemporary(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace penstock::testing
