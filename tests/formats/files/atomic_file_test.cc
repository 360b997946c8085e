#include "formats/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "formats/files/posix_files.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::pair<Call, int> kFaults[] = {{Call::kOpen, EMFILE},
                                            {Call::kWrite, ENOSPC},
                                            {Call::kSync, EIO},
                                            {Call::kClose, EDQUOT},
                                            {Call::kRename, EACCES}};

class AtomicFileTest : public ::testing::Test {
 protected:
  std::vector<std::string> Names() {
    return *LocalFiles().List(folder_.path());
  }

  ScratchFolder folder_;
  const std::string path_ = folder_ / "a";
};

TEST_F(AtomicFileTest, AppearsOnlyWithCommit) {
  ASSERT_OK_AND_ASSIGN(const auto file,
                       AtomicFile::Create(LocalFiles(), path_));
  ASSERT_OK(file->Append("new"));
  EXPECT_FALSE(std::filesystem::exists(path_));
  ASSERT_OK(file->Commit());
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(folder_.Read("a"), "new");
}

TEST_F(AtomicFileTest, LeavesTheOldFileWithoutCommit) {
  folder_.Write("a", "old");
  {
    ASSERT_OK_AND_ASSIGN(const auto file,
                         AtomicFile::Create(LocalFiles(), path_));
    ASSERT_OK(file->Append("new"));
  }
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(folder_.Read("a"), "old");
}

TEST_F(AtomicFileTest, TwoWritersOfOneFileDoNotMeet) {
  ASSERT_OK_AND_ASSIGN(const auto one, AtomicFile::Create(LocalFiles(), path_));
  ASSERT_OK_AND_ASSIGN(const auto two, AtomicFile::Create(LocalFiles(), path_));
  ASSERT_OK(one->Append("one"));
  ASSERT_OK(two->Append("two"));
  ASSERT_OK(one->Commit());
  ASSERT_OK(two->Commit());
  EXPECT_EQ(folder_.Read("a"), "two");
}

TEST_F(AtomicFileTest, ACommittedFileTakesNothingMore) {
  ASSERT_OK_AND_ASSIGN(const auto file,
                       AtomicFile::Create(LocalFiles(), path_));
  ASSERT_OK(file->Commit());
  for (const Status& status : {file->Append("x"), file->Commit()}) {
    EXPECT_THAT(status, StatusIs(StatusCode::kFailedPrecondition,
                                 HasSubstr("committed already")));
  }
}

TEST_F(AtomicFileTest, AFolderIsRefused) {
  EXPECT_THAT(AtomicFile::Create(LocalFiles(), folder_.path()),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("is a folder")));
  EXPECT_THAT(AtomicFile::Create(LocalFiles(), folder_ / "no/a"),
              StatusIs(StatusCode::kNotFound, HasSubstr("no/")));
}

TEST_F(AtomicFileTest, ALinkIsFollowedAndStaysALink) {
  std::filesystem::create_directory(folder_ / "far");
  folder_.Write("far/target", "old");
  std::filesystem::create_symlink("far/target", folder_ / "near");
  std::filesystem::create_symlink(folder_ / "near", path_);
  ASSERT_OK(WriteFileAtomically(LocalFiles(), path_, "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "near"));
  EXPECT_FALSE(std::filesystem::is_symlink(folder_ / "far/target"));
  EXPECT_EQ(folder_.Read("far/target"), "new");
}

TEST_F(AtomicFileTest, ALinkToNothingMakesWhatItLeadsTo) {
  std::filesystem::create_symlink("b", path_);
  ASSERT_OK(WriteFileAtomically(LocalFiles(), path_, "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(folder_.Read("b"), "new");
}

TEST_F(AtomicFileTest, LinksThatLeadRoundOrToAFolderAreRefused) {
  std::filesystem::create_symlink("a", path_);
  EXPECT_THAT(AtomicFile::Create(LocalFiles(), path_),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("lead round")));
  std::filesystem::create_symlink(".", folder_ / "here");
  EXPECT_THAT(AtomicFile::Create(LocalFiles(), folder_ / "here"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("is a folder")));
}

TEST_F(AtomicFileTest, APipeIsWrittenIntoAndStaysAPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  std::filesystem::create_symlink("a", folder_ / "link");
  ASSERT_OK(WriteFileAtomically(LocalFiles(), folder_ / "link", "new"));
  char bytes[8] = {};
  EXPECT_EQ(read(reader, bytes, sizeof(bytes)), 3);
  EXPECT_STREQ(bytes, "new");
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
  EXPECT_THAT(Names(), ElementsAre("a", "link"));
}

TEST_F(AtomicFileTest, ADeviceIsWrittenIntoAndStaysADevice) {
  ASSERT_OK(WriteFileAtomically(LocalFiles(), "/dev/null", "new"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(WriteFileAtomically(LocalFiles(), "/dev/full", "new"),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("/dev/full")));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

// As `--json /dev/stdout > file`: what else is printed goes on behind it.
TEST_F(AtomicFileTest, AnOpenDescriptorIsWrittenIntoWhereItStands) {
  const int fd = open(path_.c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(write(fd, "before ", 7), 7);
  ASSERT_OK(
      WriteFileAtomically(LocalFiles(), fmt::format("/dev/fd/{}", fd), "new"));
  EXPECT_EQ(write(fd, " behind", 7), 7);
  close(fd);
  EXPECT_EQ(folder_.Read("a"), "before new behind");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(AtomicFileTest, AnyFailedCallLeavesOldOrNewAndNoTemporaryFile) {
  for (const auto& [call, error] : kFaults) {
    uint64_t n = 0;
    for (Status status = UnknownError(""); !status.ok(); ++n) {
      ASSERT_LT(n, 100u);
      folder_.Write("a", "old");
      FaultyCalls calls;
      calls.LimitTransfers(2);
      calls.FailAt(call, n, error);
      PosixFiles files(calls);
      status = WriteFileAtomically(files, path_, "new bytes");
      EXPECT_THAT(Names(), ElementsAre("a"));
      const std::string bytes = folder_.Read("a");
      // What is done for the folder comes after the rename.
      const bool renamed = calls.count(Call::kRename) > 0;
      EXPECT_EQ(bytes, (renamed && call != Call::kRename) || status.ok()
                           ? "new bytes"
                           : "old");
    }
    EXPECT_GT(n, 1u);
  }
}

// The temporary file is in the folder of the file, so a rename crosses devices
// only where the system is odd; then nothing may be left behind either.
TEST_F(AtomicFileTest, ARenameAcrossDevicesIsNamedAndLeavesTheOldFile) {
  folder_.Write("a", "old");
  FaultyCalls calls;
  calls.FailAt(Call::kRename, 0, EXDEV);
  PosixFiles files(calls);
  ASSERT_OK_AND_ASSIGN(auto file, AtomicFile::Create(files, path_));
  ASSERT_OK(file->Append("new"));
  EXPECT_THAT(Names(), ElementsAre(::testing::StartsWith(".a."), "a"));
  EXPECT_THAT(file->Commit(),
              StatusIs(StatusCode::kInvalidArgument,
                       ::testing::AllOf(HasSubstr(path_), HasSubstr("rename"),
                                        HasSubstr("cross-device"))));
  file.reset();
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(folder_.Read("a"), "old");
}

TEST_F(AtomicFileTest, APowerCutAfterAnyFailureLeavesOldOrNew) {
  for (const bool had_old : {false, true}) {
    for (const auto& [call, error] : kFaults) {
      Status status = UnknownError("");
      for (uint64_t n = 0; !status.ok(); ++n) {
        std::filesystem::remove(path_);
        if (had_old) folder_.Write("a", "old");
        FaultyCalls calls;
        calls.LimitTransfers(2);
        calls.FailAt(call, n, error);
        PosixFiles files(calls);
        status = WriteFileAtomically(files, path_, "new bytes");
        calls.LosePower();
        const std::string bytes = folder_.Read("a");
        // Only closing the folder comes after it is synced.
        const bool lasts =
            calls.count(Call::kSync) == 2 && call == Call::kClose;
        if (status.ok() || lasts) {
          EXPECT_EQ(bytes, "new bytes");
        } else {
          EXPECT_EQ(bytes, had_old ? "old" : "");
          EXPECT_EQ(std::filesystem::exists(path_), had_old);
        }
      }
    }
  }
}

// Shows that the model of the power cut finds what it is there to find.
TEST_F(AtomicFileTest, APowerCutDropsWhatWasNotSynced) {
  FaultyCalls calls;
  PosixFiles files(calls);
  {
    ASSERT_OK_AND_ASSIGN(const auto file, files.OpenForWrite(path_));
    ASSERT_OK(file->Append("synced"));
    ASSERT_OK(file->Sync());
    ASSERT_OK(files.SyncFolder(folder_.path()));
    ASSERT_OK(file->Append(" not synced"));
    ASSERT_OK(file->Close());
    ASSERT_OK(files.Rename(path_, folder_ / "b"));
  }
  calls.LosePower();
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(folder_.Read("a"), "synced");
}

}  // namespace
}  // namespace penstock::testing
