#include "formats/index/record_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "formats/index/record_index_build.h"
#include "tests/formats/index/record_files_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class RecordFilesTest : public RecordFilesFixture {
 protected:
  void AddFile(const std::string& name, const std::vector<std::string>& records,
               std::vector<LengthColumn> columns = {}) {
    Add(name, records, {}, std::move(columns));
  }

  // Three files with records of many sizes, and one without any.
  void AddSomeFiles() {
    AddFile("a", MixedRecords());
    AddFile("empty", {});
    std::vector<std::string> large;
    for (int i = 0; i < 40; ++i) {
      large.push_back(std::string(1 << 10 << (i % 6), static_cast<char>(i)));
    }
    AddFile("b", large);
    AddFile("c", MixedRecords());
  }
};

TEST_F(RecordFilesTest, GatherInAnyOrderEqualsReadingInSequence) {
  AddSomeFiles();
  const auto records = Open();
  ASSERT_EQ(records->records(), expected_.size());
  ExpectShuffledGathers(*records, 50);
}

// As many as a limit takes, one at least, and any of them.
TEST_F(RecordFilesTest, RecordsThatWereFoundAreGatheredAsByTheirIds) {
  AddSomeFiles();
  const auto records = Open();
  std::vector<uint64_t> ids(records->records());
  std::iota(ids.begin(), ids.end(), 0);
  std::shuffle(ids.begin(), ids.end(), std::mt19937_64(5));
  std::vector<FoundRecord> found;
  GatheredRecords out;
  for (const uint64_t limit : {0, 1 << 10, 1 << 16, 1 << 30}) {
    ASSERT_OK_AND_ASSIGN(const GatherBound bound,
                         records->FindWithin(ids, limit, found));
    ASSERT_EQ(found.size(), bound.records);
    ASSERT_GE(found.size(), 1u);
    uint64_t bytes = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].id, ids[i]);
      bytes += expected_[ids[i]].size();
    }
    EXPECT_EQ(bound.bytes, bytes);
    EXPECT_TRUE(found.size() == 1 || bytes <= limit);
    EXPECT_TRUE(found.size() == ids.size() ||
                bytes + expected_[ids[found.size()]].size() > limit);
    const auto some = std::span(found).last((found.size() + 1) / 2);
    // Cold, and from mapped pages.
    for (int time = 0; time < 2; ++time) {
      ASSERT_OK(records->GatherFound(some, out));
      ASSERT_EQ(out.records.size(), some.size());
      for (size_t i = 0; i < some.size(); ++i) {
        ASSERT_EQ(out.records[i], expected_[some[i].id]);
      }
    }
  }
}

TEST_F(RecordFilesTest, NothingGathersNothing) {
  AddSomeFiles();
  GatheredRecords out;
  ExpectGathers(*Open(), {}, out);
}

TEST_F(RecordFilesTest, GapsCostAtMostAsMuchMemoryAsTheRecords) {
  AddFile("a", std::vector<std::string>(20'000, std::string(1000, 'x')));
  std::vector<uint64_t> ids;
  for (uint64_t id = 0; id < 20'000; id += 10) ids.push_back(id);
  GatheredRecords out;
  ExpectGathers(*Open(), ids, out);
  EXPECT_LE(out.bytes.size(), 2 * ids.size() * 1016 + (1 << 20));
}

TEST_F(RecordFilesTest, ManyThreadsGatherAtOnce) {
  AddSomeFiles();
  ExpectGathersOfManyThreads(*Open(), 50);
}

TEST_F(RecordFilesTest, AnIdPastTheEndIsRefused) {
  AddFile("a", {"x", "y"});
  GatheredRecords out;
  EXPECT_THAT(Open()->Gather(std::vector<uint64_t>{0, 2}, out),
              StatusIs(StatusCode::kOutOfRange,
                       AllOf(HasSubstr("record 2"), HasSubstr("2 records"))));
  EXPECT_THAT(out.records, IsEmpty());
}

TEST_F(RecordFilesTest, AFlippedBitIsFoundAndNothingGiven) {
  AddFile("a", {"foo", "bar", "baz"});
  const std::string good = folder_.Read("a");
  const auto time = std::filesystem::last_write_time(paths_[0]);
  for (size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] ^= 4;
    folder_.Write("a", bad);
    std::filesystem::last_write_time(paths_[0], time);
    GatheredRecords out;
    EXPECT_THAT(
        Open()->Gather(std::vector<uint64_t>{2, 0, 1}, out),
        StatusIs(StatusCode::kDataLoss,
                 AllOf(HasSubstr(paths_[0]), HasSubstr("checksum at"),
                       HasSubstr("record #" + std::to_string(byte / 19)))));
    EXPECT_THAT(out.records, IsEmpty());
  }
}

TEST_F(RecordFilesTest, AFileThatChangedSaysSo) {
  AddFile("a", {"foo", "bar", "baz"});
  const auto records = Open();
  GatheredRecords out;
  std::filesystem::resize_file(paths_[0], 40);
  EXPECT_THAT(records->Gather(std::vector<uint64_t>{2}, out),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(paths_[0]),
                             HasSubstr("file changed since its index"))));
}

TEST_F(RecordFilesTest, AStaleIndexIsRefusedAtOpening) {
  AddFile("a", {"foo"});
  folder_.Write("a", "");
  EXPECT_THAT(
      RecordFiles::Open(files_, paths_),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("recordtool index")));
}

TEST_F(RecordFilesTest, NoFilesAtAllAreRefused) {
  EXPECT_THAT(RecordFiles::Open(files_, {}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("files")));
}

TEST_F(RecordFilesTest, FindAndLocateNameTheFile) {
  AddFile("a", {"x", "yy"});
  AddFile("empty", {});
  AddFile("b", {"z", "zz"});
  const auto records = Open();
  EXPECT_THAT(records->Find(0), Pair(0, 0));
  EXPECT_THAT(records->Find(1), Pair(0, 1));
  EXPECT_THAT(records->Find(2), Pair(2, 0));
  EXPECT_THAT(records->Find(3), Pair(2, 1));
  EXPECT_EQ(records->Locate(1), paths_[0] + ": record 1 at offset 17");
  EXPECT_EQ(records->Locate(3), paths_[2] + ": record 1 at offset 17");
  EXPECT_EQ(records->size_bytes(), 6u);
}

TEST_F(RecordFilesTest, LengthColumnsComeFileByFile) {
  AddFile("a", {"x", "y"}, {{"tokens", {4, 5}}});
  AddFile("b", {"z"}, {{"tokens", {6}}, {"other", {1}}});
  const auto records = Open();
  EXPECT_TRUE(records->HasLengths("tokens"));
  EXPECT_FALSE(records->HasLengths("other"));
  ASSERT_OK_AND_ASSIGN(const auto lengths, records->Lengths("tokens"));
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_THAT(lengths[0], ElementsAre(4, 5));
  EXPECT_THAT(lengths[1], ElementsAre(6));
}

TEST_F(RecordFilesTest, FingerprintFollowsNamesSizesCountsOrderAndBytes) {
  AddFile("a", {"x", "y"});
  AddFile("b", {"zz"});
  const uint64_t print = Open()->Fingerprint();
  const auto saved = paths_;

  paths_ = {saved[1], saved[0]};
  EXPECT_NE(Open()->Fingerprint(), print);
  paths_ = {saved[0]};
  EXPECT_NE(Open()->Fingerprint(), print);

  paths_.clear();
  AddFile("a", {std::string(18, 'x')});  // as many bytes, fewer records
  paths_.push_back(saved[1]);
  EXPECT_NE(Open()->Fingerprint(), print);

  // Another folder, then other contents of the same sizes.
  std::filesystem::create_directory(folder_ / "copy");
  paths_.clear();
  AddFile("copy/a", {"x", "y"});
  AddFile("copy/b", {"zz"});
  EXPECT_EQ(Open()->Fingerprint(), print);
  paths_.clear();
  AddFile("copy/a", {"x", "z"});
  AddFile("copy/b", {"zz"});
  EXPECT_NE(Open()->Fingerprint(), print);
}

}  // namespace
}  // namespace penstock::testing
