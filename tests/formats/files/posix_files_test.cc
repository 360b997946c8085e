#include "formats/files/posix_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include "formats/files/posix_status.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PosixFilesTest : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  FaultyCalls calls_;
  PosixFiles files_{calls_};
};

TEST(PosixStatusTest, EachErrnoHasTheExactCode) {
  const std::pair<int, StatusCode> codes[] = {
      {ENOENT, StatusCode::kNotFound},
      {EACCES, StatusCode::kPermissionDenied},
      {EROFS, StatusCode::kPermissionDenied},
      {EISDIR, StatusCode::kInvalidArgument},
      {ELOOP, StatusCode::kInvalidArgument},
      {ENAMETOOLONG, StatusCode::kInvalidArgument},
      {ENOSPC, StatusCode::kResourceExhausted},
      {EDQUOT, StatusCode::kResourceExhausted},
      {EFBIG, StatusCode::kResourceExhausted},
      {EMFILE, StatusCode::kResourceExhausted},
      {ENFILE, StatusCode::kResourceExhausted},
      {EIO, StatusCode::kDataLoss},
      {ETIMEDOUT, StatusCode::kUnavailable},
      {EBADF, StatusCode::kInternal},
  };
  for (const auto& [error, code] : codes) {
    EXPECT_THAT(PosixStatus(error, "a/b", "open"),
                StatusIs(code, HasSubstr("a/b: cannot open: ")));
  }
  EXPECT_THAT(
      PosixStatus(ENOENT, "f", "open"),
      StatusIs(StatusCode::kNotFound, HasSubstr("No such file or directory")));
}

TEST_F(PosixFilesTest, TheDiskBeginsBeforeALargeFileIsSynced) {
  const std::string path = folder_ / "a";
  ASSERT_OK_AND_ASSIGN(const auto out, files_.OpenForWrite(path));
  const std::string mebibyte(1 << 20, 'm');
  for (int i = 0; i < 7; ++i) ASSERT_OK(out->Append(mebibyte));
  EXPECT_EQ(calls_.started_bytes(), 0u);
  for (int i = 0; i < 20; ++i) ASSERT_OK(out->Append(mebibyte));
  EXPECT_EQ(calls_.started_bytes(), 24u << 20);
  EXPECT_EQ(calls_.count(Call::kSync), 0u);
  ASSERT_OK(out->Sync());
  ASSERT_OK(out->Close());
}

TEST_F(PosixFilesTest, WhatIsWrittenIsRead) {
  const std::string path = folder_ / "a";
  ASSERT_OK_AND_ASSIGN(const auto out, files_.OpenForWrite(path));
  ASSERT_OK(out->Append("hello "));
  ASSERT_OK(out->Append("world"));
  ASSERT_OK(out->Sync());
  ASSERT_OK(out->Close());
  ASSERT_OK_AND_ASSIGN(const std::string bytes, ReadWholeFile(files_, path));
  EXPECT_EQ(bytes, "hello world");
  ASSERT_OK_AND_ASSIGN(const FileInfo info, files_.Stat(path));
  EXPECT_EQ(info.size_bytes, 11u);
  EXPECT_FALSE(info.is_folder);
}

TEST_F(PosixFilesTest, ReadAtIsShortOnlyAtTheEnd) {
  const std::string path = folder_.Write("a", "0123456789");
  ASSERT_OK_AND_ASSIGN(const auto file, files_.OpenForRead(path));
  char buffer[8];
  EXPECT_EQ(*file->ReadAt(0, buffer), 8u);
  EXPECT_EQ(*file->ReadAt(5, buffer), 5u);
  EXPECT_EQ(std::string(buffer, 5), "56789");
  EXPECT_EQ(*file->ReadAt(10, buffer), 0u);
  EXPECT_EQ(*file->ReadAt(1000, buffer), 0u);
  EXPECT_THAT(file->ReadAt(~0ull, buffer),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr(path)));
}

TEST_F(PosixFilesTest, InterruptedAndShortCallsAreInvisible) {
  calls_.InterruptEveryOther();
  calls_.LimitTransfers(3);
  const std::string path = folder_ / "a";
  ASSERT_OK_AND_ASSIGN(const auto out, files_.OpenForWrite(path));
  ASSERT_OK(out->Append("hello world"));
  ASSERT_OK(out->Sync());
  ASSERT_OK(out->Close());
  ASSERT_OK(files_.SyncFolder(folder_.path()));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, ReadWholeFile(files_, path));
  EXPECT_EQ(bytes, "hello world");
}

TEST_F(PosixFilesTest, AFailedReadIsAnErrorWithItsOffset) {
  const std::string path = folder_.Write("a", "0123456789");
  ASSERT_OK_AND_ASSIGN(const auto file, files_.OpenForRead(path));
  char buffer[8];
  calls_.LimitTransfers(2);
  calls_.FailAt(Call::kRead, 2, EIO);
  EXPECT_THAT(file->ReadAt(1, buffer),
              StatusIs(StatusCode::kDataLoss,
                       AllOf(HasSubstr(path), HasSubstr("at offset 5"))));
}

TEST_F(PosixFilesTest, AFailedSyncIsNeverFollowedByASuccess) {
  ASSERT_OK_AND_ASSIGN(const auto out, files_.OpenForWrite(folder_ / "a"));
  ASSERT_OK(out->Append("x"));
  calls_.FailAt(Call::kSync, 0, EIO);
  EXPECT_THAT(out->Sync(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("cannot sync")));
  for (const Status& status : {out->Sync(), out->Append("y"), out->Close()}) {
    EXPECT_THAT(status,
                StatusIs(StatusCode::kDataLoss, HasSubstr("cannot sync")));
  }
}

TEST_F(PosixFilesTest, AFailedCloseIsAnError) {
  ASSERT_OK_AND_ASSIGN(const auto out, files_.OpenForWrite(folder_ / "a"));
  calls_.FailAt(Call::kClose, 0, EDQUOT);
  EXPECT_THAT(out->Close(), StatusIs(StatusCode::kResourceExhausted,
                                     HasSubstr("cannot close")));
}

TEST_F(PosixFilesTest, AMissingFileIsNotFound) {
  EXPECT_THAT(files_.OpenForRead(folder_ / "no"),
              StatusIs(StatusCode::kNotFound,
                       HasSubstr("no: cannot open: No such file")));
  EXPECT_THAT(files_.Stat(folder_ / "no"),
              StatusIs(StatusCode::kNotFound, HasSubstr("/no: ")));
  EXPECT_THAT(files_.OpenForWrite(folder_ / "no/a"),
              StatusIs(StatusCode::kNotFound, HasSubstr("no/a: ")));
}

TEST_F(PosixFilesTest, OnlyRegularFilesCanBeRead) {
  EXPECT_THAT(files_.OpenForRead(folder_.path()),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("is a folder, not a file")));
  EXPECT_THAT(
      files_.OpenForWrite(folder_.path()),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("Is a directory")));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder_ / "pipe", std::string("/dev/zero")}) {
    EXPECT_THAT(files_.OpenForRead(path),
                StatusIs(StatusCode::kInvalidArgument,
                         HasSubstr("is not a regular file")));
  }
}

TEST_F(PosixFilesTest, AFullDiskIsResourceExhausted) {
  ASSERT_OK_AND_ASSIGN(const auto out, files_.OpenForWrite("/dev/full"));
  EXPECT_THAT(out->Append("x"),
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("/dev/full: cannot write 1 bytes")));
}

TEST_F(PosixFilesTest, AnErrorBehindWhatWasThereNamesItsPlaceInTheFile) {
  struct FullDisk : FaultyCalls {
    ssize_t Write(int, const void*, size_t) override {
      errno = ENOSPC;
      return -1;
    }
  } full;
  PosixFiles files(full);
  ASSERT_OK_AND_ASSIGN(const auto out,
                       files.OpenForAppend(folder_.Write("a", "12345")));
  EXPECT_THAT(out->Append("6"), StatusIs(StatusCode::kResourceExhausted,
                                         HasSubstr("1 bytes at offset 5")));
}

TEST_F(PosixFilesTest, ListSortsNamesBytewise) {
  for (const char* name : {"b", "a10", "a2", "B", ".h"}) {
    folder_.Write(name, "");
  }
  ASSERT_OK_AND_ASSIGN(const auto names, files_.List(folder_.path()));
  EXPECT_THAT(names, ElementsAre(".h", "B", "a10", "a2", "b"));
  EXPECT_THAT(files_.List(folder_ / "no"),
              StatusIs(StatusCode::kNotFound, HasSubstr("cannot list")));
}

TEST_F(PosixFilesTest, FoldersAreMadeWithTheirParents) {
  ASSERT_OK(files_.CreateFolders(folder_ / "x/y//z/"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "x/y/z"));
  ASSERT_OK(files_.CreateFolders(folder_ / "x/y/z"));
  folder_.Write("x/file", "");
  EXPECT_THAT(files_.CreateFolders(folder_ / "x/file/z"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("x/file: cannot make the folder")));
}

TEST_F(PosixFilesTest, ReadWholeFileHasALimit) {
  const std::string path = folder_.Write("a", "0123456789");
  EXPECT_EQ(*ReadWholeFile(files_, path, 10), "0123456789");
  EXPECT_THAT(ReadWholeFile(files_, path, 9),
              StatusIs(StatusCode::kResourceExhausted,
                       AllOf(HasSubstr(path), HasSubstr("limit here is 9"))));
}

}  // namespace
}  // namespace penstock::testing
