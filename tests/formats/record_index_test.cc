#include "formats/record_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/crc32c.h"
#include "formats/record_index_file.h"
#include "tests/formats/tfrecord_fixture.h"
#include "tests/support/memory_files.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RecordIndexTest : public ::testing::Test {
 protected:
  RecordIndexTest() : path_(folder_ / "a.tfrecord") {
    EXPECT_OK(WriteTfRecord(files_, path_, {"", "foo", "bar", "xxxx"}));
  }
  void SaveIndex(std::vector<LengthColumn> columns = {}) {
    auto info = files_.Stat(path_);
    ASSERT_OK(info);
    ASSERT_OK(RecordIndex({0, 16, 35, 54}, std::move(columns), *info)
                  .Save(files_, path_));
  }
  // Puts `value` at `offset` of the sidecar and makes the checksums fit.
  template <typename T>
  void Forge(size_t offset, T value) {
    std::string bytes = folder_.Read("a.tfrecord.index");
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
    const uint32_t header = Crc32c(std::string_view(bytes).substr(0, 40));
    std::memcpy(bytes.data() + 40, &header, sizeof(header));
    const size_t end = bytes.size() - 4;
    const uint32_t whole = Crc32c(std::string_view(bytes).substr(0, end));
    std::memcpy(bytes.data() + end, &whole, sizeof(whole));
    folder_.Write("a.tfrecord.index", bytes);
  }
  // Reads sidecar bytes without a disk.
  static absl::Status StatusOfBytes(std::string_view bytes) {
    RecordIndexParts parts;
    return ReadRecordIndexFile(MemoryFile(bytes, "a.tfrecord.index"), parts);
  }
  absl::Status LoadStatus() {
    return RecordIndex::Load(files_, path_).status();
  }

  ScratchFolder folder_;
  FileSystem& files_ = LocalFiles();
  const std::string path_;
};

TEST_F(RecordIndexTest, BuildFindsEveryRecord) {
  ASSERT_OK_AND_ASSIGN(const auto index, RecordIndex::Build(files_, path_));
  ASSERT_EQ(index.records(), 4u);
  const std::vector<uint64_t> offsets = {0, 16, 35, 54};
  const std::vector<uint64_t> sizes = {0, 3, 3, 4};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(index.offset(i), offsets[i]);
    EXPECT_EQ(index.size_bytes(i), sizes[i]);
  }
}

TEST_F(RecordIndexTest, SavedAndLoadedItIsTheSame) {
  SaveIndex({{"tokens", {1, 2, 3, 4}}, {"bytes", {5, 6, 7, 0xffffffff}}});
  ASSERT_OK_AND_ASSIGN(const auto index, RecordIndex::Load(files_, path_));
  ASSERT_EQ(index.records(), 4u);
  EXPECT_EQ(index.offset(3), 54u);
  EXPECT_EQ(index.size_bytes(3), 4u);
  ASSERT_EQ(index.columns().size(), 2u);
  ASSERT_NE(index.FindColumn("bytes"), nullptr);
  EXPECT_THAT(index.FindColumn("bytes")->lengths,
              ElementsAre(5, 6, 7, 0xffffffff));
  EXPECT_THAT(index.FindColumn("tokens")->lengths, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(index.FindColumn("other"), nullptr);
}

TEST_F(RecordIndexTest, TheLayoutIsTheDocumentedOne) {
  SaveIndex({{"n", {7, 8, 9, 10}}});
  const std::string bytes = folder_.Read("a.tfrecord.index");
  EXPECT_EQ(bytes.size(), 48u + 4 * 8 + 4 + 1 + 4 * 4 + 4);
  EXPECT_THAT(bytes, StartsWith("PSTKIDX1"));
  EXPECT_EQ(static_cast<int>(bytes[16]), 4);   // records
  EXPECT_EQ(static_cast<int>(bytes[24]), 74);  // bytes of the file
  EXPECT_EQ(bytes.substr(80, 9), std::string("\1\0\0\0n\7\0\0\0", 9));
}

TEST_F(RecordIndexTest, AnEmptyFileHasAnEmptyIndex) {
  const std::string path = folder_.Write("empty.tfrecord", "");
  ASSERT_OK_AND_ASSIGN(const auto built, RecordIndex::Build(files_, path));
  ASSERT_OK(built.Save(files_, path));
  ASSERT_OK_AND_ASSIGN(const auto loaded, RecordIndex::Load(files_, path));
  EXPECT_EQ(loaded.records(), 0u);
}

TEST_F(RecordIndexTest, AMissingIndexSaysHowToMakeOne) {
  EXPECT_THAT(LoadStatus(),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("run: recordtool index " + path_)));
  EXPECT_THAT(RecordIndex::Load(files_, folder_ / "no.tfrecord"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("cannot stat")));
}

TEST_F(RecordIndexTest, AFileOfAnotherSizeMakesItStale) {
  SaveIndex();
  folder_.Write("a.tfrecord", folder_.Read("a.tfrecord") + "x");
  EXPECT_THAT(LoadStatus(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("stale"), HasSubstr("74"),
                             HasSubstr("75"), HasSubstr("recordtool index"))));
}

TEST_F(RecordIndexTest, AFileOfAnotherTimeMakesItStale) {
  SaveIndex();
  const auto time = std::filesystem::last_write_time(path_);
  std::filesystem::last_write_time(path_, time + std::chrono::seconds(1));
  EXPECT_THAT(LoadStatus(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                     AllOf(HasSubstr("modification time"),
                                           HasSubstr("recordtool index"))));
  std::filesystem::last_write_time(path_, time);
  EXPECT_OK(LoadStatus());
}

TEST_F(RecordIndexTest, EveryFlippedBitIsRefused) {
  SaveIndex({{"tokens", {1, 2, 3, 4}}});
  const std::string good = folder_.Read("a.tfrecord.index");
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    EXPECT_THAT(StatusOfBytes(bad),
                StatusIs(absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr("a.tfrecord.index"),
                               HasSubstr("damaged record index"))))
        << bit;
  }
}

TEST_F(RecordIndexTest, EveryOtherLengthOfTheSidecarIsRefused) {
  SaveIndex({{"tokens", {1, 2, 3, 4}}});
  const std::string good = folder_.Read("a.tfrecord.index");
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(StatusOfBytes(good.substr(0, size)),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("damaged record index")));
  }
  EXPECT_OK(StatusOfBytes(good));
  EXPECT_THAT(
      StatusOfBytes(good + '\0'),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("damaged record index")));
}

TEST_F(RecordIndexTest, CountsWithoutBytesBehindThemAreRefused) {
  const std::vector<uint64_t> counts = {5, 1ull << 32, 1ull << 61,
                                        (1ull << 61) + 4, ~0ull};
  for (const uint64_t count : counts) {
    SaveIndex();
    Forge(16, count);
    EXPECT_THAT(LoadStatus(), StatusIs(absl::StatusCode::kDataLoss,
                                       HasSubstr("damaged record index")))
        << count;
  }
  for (const uint32_t columns : {1u, 1024u, ~0u}) {
    SaveIndex();
    Forge(12, columns);
    EXPECT_THAT(LoadStatus(), StatusIs(absl::StatusCode::kDataLoss,
                                       HasSubstr("damaged record index")));
  }
}

TEST_F(RecordIndexTest, OffsetsThatDoNotRiseInsideTheFileAreRefused) {
  for (const uint64_t offset : {0ull, 15ull, 31ull, 36ull, 100ull, ~0ull}) {
    SaveIndex();
    Forge(48 + 8, offset);  // that of record 1: 16 to 19 would pass
    EXPECT_THAT(LoadStatus(), StatusIs(absl::StatusCode::kDataLoss,
                                       HasSubstr("offsets are not")))
        << offset;
  }
}

TEST_F(RecordIndexTest, AnotherVersionIsNamed) {
  SaveIndex();
  Forge(8, uint32_t{2});
  EXPECT_THAT(LoadStatus(), StatusIs(absl::StatusCode::kUnimplemented,
                                     HasSubstr("version 2")));
}

TEST_F(RecordIndexTest, ColumnsThatDoNotFitAreNotSaved) {
  ASSERT_OK_AND_ASSIGN(const FileInfo info, files_.Stat(path_));
  const auto save = [&](std::vector<LengthColumn> columns) {
    return RecordIndex({0, 16, 35, 54}, std::move(columns), info)
        .Save(files_, path_);
  };
  EXPECT_THAT(save({{"n", {1, 2, 3}}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("\"n\" has not one length")));
  EXPECT_THAT(
      save({{"", {1, 2, 3, 4}}}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has no name")));
  EXPECT_THAT(save({{"n", {1, 2, 3, 4}}, {"n", {1, 2, 3, 4}}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("is there twice")));
}

TEST_F(RecordIndexTest, BuildRefusesADamagedFile) {
  std::string bytes = folder_.Read("a.tfrecord");
  bytes[40] ^= 1;
  folder_.Write("a.tfrecord", bytes);
  EXPECT_THAT(RecordIndex::Build(files_, path_),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("offset 35")));
}

}  // namespace
}  // namespace penstock::testing
