// Files of gzip members that hold whole records.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/posix_files.h"
#include "formats/streams/gzip_member.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/formats/streams/reference_zlib.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/support/task_threads.h"

namespace penstock::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ManyRecords() {
  std::vector<std::string> records;
  for (int i = 0; i < 400; ++i) {
    for (const std::string& record : MixedRecords()) {
      records.push_back(record + std::to_string(i));
    }
  }
  return records;
}

class GzipTfRecordTest : public ::testing::Test {
 protected:
  // The bytes of a file of `records`.
  std::string Write(const std::vector<std::string>& records,
                    GzipMembers members) {
    EXPECT_OK(WriteTfRecord(
        LocalFiles(), path_, records,
        {.compression = Compression::kGzip, .gzip = std::move(members)}));
    return folder_.Read("a.tfrecord.gz");
  }

  ScratchFolder folder_;
  const std::string path_ = folder_ / "a.tfrecord.gz";
};

// Two files, by their sizes and where they differ first.
std::string FirstDifference(std::string_view one, std::string_view other) {
  if (one == other) return "";
  const auto [at, unused] = std::ranges::mismatch(one, other);
  return fmt::format("{} and {} bytes, differ from {} on", one.size(),
                     other.size(), at - one.begin());
}

TEST_F(GzipTfRecordTest, TheFileIsTheSameForAnyNumberOfThreads) {
  const std::vector<std::string> records = ManyRecords();
  const std::string alone = Write(records, {.member_bytes = 10'000});
  for (const int threads : {1, 2, 7}) {
    TaskThreads pool(threads);
    for (const size_t most_ahead : {0, 1, 20}) {
      const auto run = [&](std::function<void()> task) {
        pool.Run(std::move(task));
      };
      const std::string file = Write(
          records,
          {.member_bytes = 10'000, .run_task = run, .most_ahead = most_ahead});
      EXPECT_EQ(FirstDifference(alone, file), "");
    }
  }
  const auto read =
      ReadTfRecord(LocalFiles(), path_, {.compression = Compression::kGzip});
  EXPECT_OK(read.status);
  EXPECT_TRUE(read.records == records);
}

TEST_F(GzipTfRecordTest, EveryMemberHoldsWholeRecordsAndSaysSo) {
  const std::vector<std::string> records = ManyRecords();
  const std::string bytes = Write(records, {.member_bytes = 10'000});
  size_t members = 0;
  size_t next = 0;
  for (std::string_view left = bytes; !left.empty(); ++members) {
    const auto member = ReadGzipMemberHeader(left);
    ASSERT_TRUE(member.has_value());
    ASSERT_LE(member->size_bytes, left.size());
    const std::string_view packed = left.substr(0, member->size_bytes);
    const std::string framed =
        ReferenceDecompress(packed, kGzipBits).value_or("");
    ASSERT_EQ(framed.size(), member->framed_bytes);
    std::string expected;
    for (uint64_t i = 0; i < member->records; ++i) {
      AppendTfRecord(records[next++], expected);
    }
    EXPECT_TRUE(framed == expected);
    std::string unpacked;
    ASSERT_OK(UnpackGzipMember(packed, member->framed_bytes, unpacked));
    EXPECT_TRUE(unpacked == framed);
    left.remove_prefix(member->size_bytes);
    EXPECT_TRUE(left.empty() || framed.size() >= 10'000u);
    EXPECT_LT(framed.size(), 16'000u);  // the longest record is 5000
  }
  EXPECT_EQ(next, records.size());
  EXPECT_GT(members, 100u);
}

TEST_F(GzipTfRecordTest, NoRecordsAreOneEmptyMember) {
  const std::string bytes = Write({}, {});
  const auto member = ReadGzipMemberHeader(bytes);
  ASSERT_TRUE(member.has_value());
  EXPECT_EQ(member->size_bytes, bytes.size());
  EXPECT_EQ(member->records, 0u);
  EXPECT_EQ(ReferenceDecompress(bytes, kGzipBits), "");
}

TEST_F(GzipTfRecordTest, AWriterMayGoBeforeItsTasksHaveRun) {
  std::vector<std::function<void()>> tasks;
  {
    GzipMembers members = {
        .member_bytes = 100,
        .run_task = [&](std::function<void()> task) { tasks.push_back(task); },
        .most_ahead = 5};
    ASSERT_OK_AND_ASSIGN(
        const auto writer,
        CreateTfRecord(LocalFiles(), path_,
                       {.compression = Compression::kGzip, .gzip = members}));
    for (int i = 0; i < 5; ++i)
      ASSERT_OK(writer->Append(std::string(200, 'x')));
  }
  EXPECT_EQ(tasks.size(), 5u);
  for (const auto& task : tasks) task();
  ASSERT_OK_AND_ASSIGN(const auto names, LocalFiles().List(folder_.path()));
  EXPECT_THAT(names, IsEmpty());
}

TEST_F(GzipTfRecordTest, AWriteThatFailsInAnyMemberIsToldAndLeavesNoFile) {
  const std::vector<std::string> records(40, std::string(300, 'x'));
  TaskThreads pool(2);
  for (uint64_t n = 0;; ++n) {
    FaultyCalls calls;
    calls.FailAt(Call::kWrite, n, ENOSPC);
    PosixFiles files(calls);
    const GzipMembers members = {
        .member_bytes = 1000,
        .run_task = [&](std::function<void()> task) { pool.Run(task); },
        .most_ahead = 2};
    const Status status =
        WriteTfRecord(files, path_, records,
                      {.compression = Compression::kGzip, .gzip = members});
    ASSERT_OK_AND_ASSIGN(const auto names, LocalFiles().List(folder_.path()));
    if (calls.count(Call::kWrite) <= n) {
      EXPECT_OK(status);
      EXPECT_EQ(n, 10u);  // one for each member
      break;
    }
    EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted,
                                 HasSubstr("a.tfrecord.gz")));
    EXPECT_THAT(names, IsEmpty());
  }
}

TEST_F(GzipTfRecordTest, AFlippedBitOfAMemberIsRefusedOrChangesNothing) {
  std::string framed;
  for (const std::string& record : MixedRecords()) {
    AppendTfRecord(record, framed);
  }
  std::string good;
  ASSERT_OK(PackGzipMember(framed, 12, good));
  size_t refused = 0;
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    if (bit / 8 < kGzipMemberHeaderBytes) {
      EXPECT_FALSE(ReadGzipMemberHeader(bad).has_value()) << bit;
      continue;
    }
    // Some bits describe codes that are never used.
    std::string out;
    const Status status = UnpackGzipMember(bad, framed.size(), out);
    if (status.ok()) {
      EXPECT_TRUE(out == framed) << bit;
      continue;
    }
    ++refused;
    EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss,
                                 AnyOf(HasSubstr("corrupted gzip data"),
                                       HasSubstr("gzip CRC mismatch"))))
        << bit;
  }
  EXPECT_GT(refused, (good.size() - kGzipMemberHeaderBytes) * 8 * 9 / 10);
}

TEST_F(GzipTfRecordTest, AMemberOfAnotherLengthThanItsHeaderSaysIsRefused) {
  std::string framed;
  for (const std::string& record : MixedRecords()) {
    AppendTfRecord(record, framed);
  }
  std::string good;
  ASSERT_OK(PackGzipMember(framed, 12, good));
  std::string out;
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(UnpackGzipMember(good.substr(0, size), framed.size(), out),
                StatusIs(StatusCode::kDataLoss, HasSubstr("corrupted")))
        << size;
  }
  const uint64_t huge = ~0ull;
  for (const uint64_t length :
       {uint64_t{0}, framed.size() - 1, framed.size() + 1, huge}) {
    EXPECT_THAT(UnpackGzipMember(good, length, out),
                StatusIs(StatusCode::kDataLoss, HasSubstr("corrupted")))
        << length;
  }
  EXPECT_THAT(UnpackGzipMember(good + "x", framed.size(), out),
              StatusIs(StatusCode::kDataLoss, HasSubstr("corrupted")));
  EXPECT_OK(UnpackGzipMember(good, framed.size(), out));
  EXPECT_EQ(out, framed);
}

TEST_F(GzipTfRecordTest, OrdinaryGzipHasNoMemberHeader) {
  EXPECT_FALSE(
      ReadGzipMemberHeader(ReferenceCompress(std::string(100, 'x'), kGzipBits))
          .has_value());
  EXPECT_FALSE(ReadGzipMemberHeader("").has_value());
}

}  // namespace
}  // namespace penstock::testing
