// Calls that fail under the reader and the writer: every run ends in a clean
// error or a full success.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/posix_files.h"
#include "formats/index/record_files.h"
#include "formats/index/record_index_build.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::Each;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TfRecordFaultTest : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  const std::string path_ = folder_ / "a.tfrecord";
  const std::vector<std::string> records_ = MixedRecords();
};

TEST_F(TfRecordFaultTest, InterruptedAndShortCallsAreInvisible) {
  for (const Compression compression : kCompressions) {
    FaultyCalls calls;
    calls.InterruptEveryOther();
    calls.LimitTransfers(5);
    PosixFiles files(calls);
    ASSERT_OK(
        WriteTfRecord(files, path_, records_, {.compression = compression}));
    const auto result =
        ReadTfRecord(files, path_, {.compression = compression});
    EXPECT_OK(result.status);
    EXPECT_EQ(result.records, records_);
  }
}

// Nor is it damage that could be skipped.
TEST_F(TfRecordFaultTest, AReadThatFailsAnywhereIsNeverAnEnd) {
  for (const auto& [compression, on_corruption] :
       {std::pair(Compression::kNone, OnCorruption::kFail),
        std::pair(Compression::kNone, OnCorruption::kResync),
        std::pair(Compression::kGzip, OnCorruption::kFail),
        std::pair(Compression::kGzip, OnCorruption::kResync),
        std::pair(Compression::kZlib, OnCorruption::kResync)}) {
    ASSERT_OK(WriteTfRecord(LocalFiles(), path_, records_,
                            {.compression = compression}));
    for (const Call call : {Call::kOpen, Call::kRead, Call::kStat}) {
      uint64_t n = 0;
      while (true) {
        FaultyCalls calls;
        calls.LimitTransfers(100);
        calls.FailAt(call, n, EIO);
        PosixFiles files(calls);
        const auto result = ReadTfRecord(
            files, path_,
            {.compression = compression,
             .buffer_bytes = 512,
             .recovery = {.on_corruption = on_corruption,
                          .on_skipped = [](const SkippedRegion& region) {
                            ADD_FAILURE() << SkippedText(region);
                          }}});
        const bool failed = calls.count(call) > n;
        ASSERT_EQ(result.status.ok(), !failed) << n;
        if (!failed) {
          EXPECT_EQ(result.records, records_);
          break;
        }
        EXPECT_THAT(result.status, StatusIs(StatusCode::kDataLoss,
                                            HasSubstr("Input/output error")));
        ASSERT_LE(result.records.size(), records_.size());
        EXPECT_TRUE(std::equal(result.records.begin(), result.records.end(),
                               records_.begin()));
        ++n;
      }
      EXPECT_GT(n, 0u);
    }
  }
}

TEST_F(TfRecordFaultTest, RecordsOfAnySizeAreWrittenInWholeBlocks) {
  const size_t framing = 16;
  for (const size_t size : {300, 2048, 1 << 20, (3 << 20) + 5}) {
    FaultyCalls calls;
    PosixFiles files(calls);
    ASSERT_OK_AND_ASSIGN(const auto writer, CreateTfRecord(files, path_));
    const std::string record(size, 'r');
    while (writer->framed_bytes() < 4 << 20) ASSERT_OK(writer->Append(record));
    ASSERT_OK(writer->Finish());
    const uint64_t blocks = writer->framed_bytes() / (256 << 10);
    EXPECT_EQ(calls.count(Call::kWrite), blocks + 1) << size;
    EXPECT_THAT(ReadTfRecord(LocalFiles(), path_).records, Each(Eq(record)))
        << size;
    EXPECT_EQ(std::filesystem::file_size(path_),
              writer->records() * (size + framing));
  }
}

TEST_F(TfRecordFaultTest, AWriteThatFailsAnywhereLeavesNoFile) {
  const std::pair<Call, int> faults[] = {
      {Call::kOpen, EMFILE},  {Call::kWrite, ENOSPC}, {Call::kWrite, EFBIG},
      {Call::kWrite, EDQUOT}, {Call::kSync, EIO},     {Call::kClose, EIO},
      {Call::kRename, EACCES}};
  for (const Compression compression : kCompressions) {
    ASSERT_OK(WriteTfRecord(LocalFiles(), path_, records_,
                            {.compression = compression}));
    const std::string expected = folder_.Read("a.tfrecord");
    for (const auto& [call, error] : faults) {
      uint64_t n = 0;
      while (true) {
        std::filesystem::remove(path_);
        FaultyCalls calls;
        calls.LimitTransfers(700);
        calls.FailAt(call, n, error);
        PosixFiles files(calls);
        const Status status =
            WriteTfRecord(files, path_, records_, {.compression = compression});
        const bool failed = calls.count(call) > n;
        ASSERT_EQ(status.ok(), !failed) << n;
        if (!failed) break;
        if (call == Call::kWrite) {
          EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted,
                                       HasSubstr("a.tfrecord")));
        }
        // What is done for the folder comes after the rename.
        const bool renamed =
            calls.count(Call::kRename) > 0 && call != Call::kRename;
        ASSERT_OK_AND_ASSIGN(const auto names,
                             LocalFiles().List(folder_.path()));
        EXPECT_EQ(names.size(), renamed ? 1u : 0u);
        calls.LosePower();
        // Only closing the folder comes after it is synced.
        EXPECT_EQ(std::filesystem::exists(path_),
                  calls.count(Call::kSync) == 2 && call == Call::kClose);
        ++n;
      }
      EXPECT_GT(n, 0u);
      // The run after the faults gives what a run without any gave.
      EXPECT_TRUE(folder_.Read("a.tfrecord") == expected);
    }
  }
}

TEST_F(TfRecordFaultTest, AWriteThatFailsBeforeTheRenameKeepsTheOldFile) {
  const std::pair<Call, int> faults[] = {
      {Call::kOpen, EACCES}, {Call::kWrite, ENOSPC}, {Call::kSync, EIO},
      {Call::kClose, EIO},   {Call::kRename, EXDEV}, {Call::kRename, EBUSY}};
  folder_.Write("a.tfrecord", "old");
  for (const auto& [call, error] : faults) {
    SCOPED_TRACE(error);
    FaultyCalls calls;
    calls.LimitTransfers(700);
    calls.FailAt(call, 0, error);
    PosixFiles files(calls);
    EXPECT_FALSE(WriteTfRecord(files, path_, records_).ok());
    EXPECT_EQ(folder_.Read("a.tfrecord"), "old");
    ASSERT_OK_AND_ASSIGN(const auto names, LocalFiles().List(folder_.path()));
    EXPECT_EQ(names.size(), 1u);
  }
}

TEST_F(TfRecordFaultTest, AFinishedFileOutlivesAPowerCut) {
  FaultyCalls calls;
  PosixFiles files(calls);
  ASSERT_OK(WriteTfRecord(files, path_, records_));
  calls.LosePower();
  const auto result = ReadTfRecord(LocalFiles(), path_);
  EXPECT_OK(result.status);
  EXPECT_EQ(result.records, records_);
}

TEST_F(TfRecordFaultTest, AGatherThatFailsAnywhereGivesNothing) {
  ASSERT_OK(WriteTfRecord(LocalFiles(), path_, records_));
  ASSERT_OK_AND_ASSIGN(const auto index, BuildRecordIndex(LocalFiles(), path_));
  ASSERT_OK(index.Save(LocalFiles(), path_));
  for (const Call call : {Call::kOpen, Call::kRead, Call::kStat}) {
    uint64_t n = 0;
    while (true) {
      FaultyCalls calls;
      calls.LimitTransfers(100);
      calls.FailAt(call, n, EIO);
      PosixFiles files(calls);
      GatheredRecords out;
      auto opened = RecordFiles::Open(files, {path_});
      const Status status =
          opened.ok() ? (*opened)->Gather(std::vector<uint64_t>{10, 2, 6}, out)
                      : opened.status();
      const bool failed = calls.count(call) > n;
      ASSERT_EQ(status.ok(), !failed) << n;
      if (!failed) break;
      EXPECT_THAT(status,
                  StatusIs(StatusCode::kDataLoss, HasSubstr("a.tfrecord")));
      EXPECT_THAT(out.records, IsEmpty());
      ++n;
    }
    EXPECT_GT(n, 0u);
  }
}

TEST_F(TfRecordFaultTest, TooManyOpenFilesIsTriedAgainWithIdleOnesClosed) {
  const std::string other = folder_ / "b.tfrecord";
  for (const std::string& path : {path_, other}) {
    ASSERT_OK(WriteTfRecord(LocalFiles(), path, {"x"}));
    ASSERT_OK_AND_ASSIGN(const auto index,
                         BuildRecordIndex(LocalFiles(), path));
    ASSERT_OK(index.Save(LocalFiles(), path));
  }
  FaultyCalls calls;
  PosixFiles files(calls);
  calls.FailAt(Call::kOpen, 3, EMFILE);  // index, file, index, file
  ASSERT_OK_AND_ASSIGN(const auto opened,
                       RecordFiles::Open(files, {path_, other}));
  EXPECT_EQ(calls.count(Call::kOpen), 5u);
  GatheredRecords out;
  EXPECT_OK(opened->Gather(std::vector<uint64_t>{1, 0}, out));
}

}  // namespace
}  // namespace penstock::testing
