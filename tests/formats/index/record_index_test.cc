#include "formats/index/record_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/files/crc32c.h"
#include "formats/files/posix_files.h"
#include "formats/index/record_index_build.h"
#include "formats/index/record_index_file.h"
#include "tests/formats/index/record_index_fixture.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/faulty_calls.h"
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
  // Puts `value` at `offset` of the sidecar and makes the checksums fit. The
  // index has no columns.
  template <typename T>
  void Forge(size_t offset, T value) {
    std::string bytes = folder_.Read(".a.tfrecord.index");
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
    const auto sum = [&](size_t begin, size_t end, size_t to) {
      const uint32_t checksum =
          Crc32c(std::string_view(bytes).substr(begin, end - begin));
      std::memcpy(bytes.data() + to, &checksum, sizeof(checksum));
    };
    sum(88, bytes.size(), 80);  // the one page, in the directory
    sum(80, 88, 72);
    sum(0, 76, 76);
    folder_.Write(".a.tfrecord.index", bytes);
  }
  // Reads sidecar bytes, all of them, without a disk.
  static Status StatusOfBytes(std::string_view bytes) {
    const auto parts =
        OpenRecordIndexFile(MemoryFile(bytes, ".a.tfrecord.index"));
    if (!parts.ok()) return parts.status();
    return parts->pages->Verify(0, parts->pages->data().size());
  }
  Status LoadStatus() {
    const auto index = RecordIndex::Load(files_, path_);
    if (!index.ok()) return index.status();
    return OffsetsOf(*index).status();
  }

  ScratchFolder folder_;
  FileSystem& files_ = LocalFiles();
  const std::string path_;
};

TEST_F(RecordIndexTest, ItsNameIsHiddenSoThatNoPatternTakesItForAShard) {
  EXPECT_EQ(IndexPath("d/a.tfrecord-00000-of-00008"),
            "d/.a.tfrecord-00000-of-00008.index");
  EXPECT_EQ(IndexPath("a.tfrecord"), ".a.tfrecord.index");
  EXPECT_EQ(OldIndexPath("d/a.tfrecord"), "d/a.tfrecord.index");
}

TEST_F(RecordIndexTest, OneOfTheOldNameIsReadAndGoesWithTheNextThatIsWritten) {
  SaveIndex();
  std::filesystem::rename(IndexPath(path_), OldIndexPath(path_));
  ASSERT_OK_AND_ASSIGN(const RecordIndex old, RecordIndex::Load(files_, path_));
  EXPECT_EQ(old.records(), 4u);
  SaveIndex();
  EXPECT_FALSE(std::filesystem::exists(OldIndexPath(path_)));
  // Of two the new one counts, as another tool may leave an old one.
  folder_.Write("a.tfrecord.index", "PSTKIDX1, but damaged");
  EXPECT_OK(LoadStatus());
  // What is no index is somebody else's.
  folder_.Write("a.tfrecord.index", "of a library");
  SaveIndex();
  EXPECT_EQ(folder_.Read("a.tfrecord.index"), "of a library");
  std::filesystem::remove(IndexPath(path_));
  EXPECT_THAT(LoadStatus(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("a.tfrecord.index")));
}

TEST_F(RecordIndexTest, SavedAndLoadedItIsTheSame) {
  SaveIndex({{"tokens", {1, 2, 3, 4}}, {"bytes", {5, 6, 7, 0xffffffff}}});
  ASSERT_OK_AND_ASSIGN(const auto index, RecordIndex::Load(files_, path_));
  ASSERT_EQ(index.records(), 4u);
  EXPECT_EQ(index.framed_bytes(), 74u);
  EXPECT_FALSE(index.in_gzip_members());
  ASSERT_OK_AND_ASSIGN(const auto offsets, OffsetsOf(index));
  EXPECT_THAT(offsets, ElementsAre(0, 16, 35, 54));
  ASSERT_OK_AND_ASSIGN(const RecordPlace last, index.Find(3));
  EXPECT_EQ(last.size_bytes, 4u);
  EXPECT_THAT(index.column_names(), ElementsAre("tokens", "bytes"));
  ASSERT_OK_AND_ASSIGN(const auto bytes, index.Lengths("bytes"));
  EXPECT_THAT(bytes, ElementsAre(5, 6, 7, 0xffffffff));
  ASSERT_OK_AND_ASSIGN(const auto tokens, index.Lengths("tokens"));
  EXPECT_THAT(tokens, ElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(index.HasColumn("other"));
  EXPECT_THAT(index.Lengths("other"),
              StatusIs(StatusCode::kNotFound, HasSubstr("\"other\"")));
}

TEST_F(RecordIndexTest, AnIndexMovesWithItsVectors) {
  RecordIndex made({0, 20}, {{"n", {3, 4}}}, {.size_bytes = 40});
  const RecordIndex moved = std::move(made);
  ASSERT_OK_AND_ASSIGN(const auto offsets, OffsetsOf(moved));
  EXPECT_THAT(offsets, ElementsAre(0, 20));
  ASSERT_OK_AND_ASSIGN(const auto lengths, moved.Lengths("n"));
  EXPECT_THAT(lengths, ElementsAre(3, 4));
}

TEST_F(RecordIndexTest, TheSameInMemoryWhereItCannotBeMapped) {
  SaveIndex({{"tokens", {1, 2, 3, 4}}});
  FaultyCalls calls;
  calls.FailAt(Call::kMap, 0, ENODEV);
  PosixFiles files(calls);
  ASSERT_OK_AND_ASSIGN(const auto index, RecordIndex::Load(files, path_));
  EXPECT_EQ(calls.count(Call::kMap), 1u);
  ASSERT_OK_AND_ASSIGN(const auto offsets, OffsetsOf(index));
  EXPECT_THAT(offsets, ElementsAre(0, 16, 35, 54));
}

TEST_F(RecordIndexTest, TheLayoutIsTheDocumentedOne) {
  SaveIndex({{"n", {7, 8, 9, 10}}});
  const std::string bytes = folder_.Read(".a.tfrecord.index");
  // Header; name and padding, page checksum, padding; 5 offsets; lengths.
  EXPECT_EQ(bytes.size(), 80u + (4 + 1 + 3 + 4 + 4) + 5 * 8 + 4 * 4);
  EXPECT_THAT(bytes, StartsWith("PSTKIDX1"));
  EXPECT_EQ(static_cast<int>(bytes[8]), 2);    // version
  EXPECT_EQ(static_cast<int>(bytes[16]), 4);   // records
  EXPECT_EQ(static_cast<int>(bytes[24]), 4);   // entries
  EXPECT_EQ(static_cast<int>(bytes[32]), 74);  // framed bytes
  EXPECT_EQ(static_cast<int>(bytes[40]), 74);  // bytes of the file
  EXPECT_EQ(bytes.substr(80, 8), std::string("\1\0\0\0n\0\0\0", 8));
  EXPECT_EQ(static_cast<int>(bytes[96 + 8]), 16);  // the second offset
  EXPECT_EQ(static_cast<int>(bytes[96 + 32]), 74);
  EXPECT_EQ(bytes.substr(96 + 40, 5), std::string("\7\0\0\0\10", 5));
}

TEST_F(RecordIndexTest, AnEmptyFileHasAnEmptyIndex) {
  const std::string path = folder_.Write("empty.tfrecord", "");
  ASSERT_OK_AND_ASSIGN(const auto built, BuildRecordIndex(files_, path));
  ASSERT_OK(built.Save(files_, path));
  ASSERT_OK_AND_ASSIGN(const auto loaded, RecordIndex::Load(files_, path));
  EXPECT_EQ(loaded.records(), 0u);
}

TEST_F(RecordIndexTest, AMissingIndexSaysHowToMakeOne) {
  EXPECT_THAT(LoadStatus(),
              StatusIs(StatusCode::kNotFound,
                       HasSubstr("run: recordtool index " + path_)));
  EXPECT_THAT(RecordIndex::Load(files_, folder_ / "no.tfrecord"),
              StatusIs(StatusCode::kNotFound, HasSubstr("cannot stat")));
}

TEST_F(RecordIndexTest, AFileOfAnotherSizeMakesItStale) {
  SaveIndex();
  folder_.Write("a.tfrecord", folder_.Read("a.tfrecord") + "x");
  EXPECT_THAT(LoadStatus(),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("stale"), HasSubstr("74"),
                             HasSubstr("75"), HasSubstr("recordtool index"))));
}

TEST_F(RecordIndexTest, AFileOfAnotherTimeAndOtherBytesMakesItStale) {
  SaveIndex();
  const auto time = std::filesystem::last_write_time(path_);
  const std::string good = folder_.Read("a.tfrecord");
  for (size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] ^= 1;
    folder_.Write("a.tfrecord", bad);
    std::filesystem::last_write_time(path_, time + std::chrono::seconds(1));
    EXPECT_THAT(LoadStatus(), StatusIs(StatusCode::kFailedPrecondition,
                                       AllOf(HasSubstr("modification time"),
                                             HasSubstr("recordtool index"))));
  }
}

TEST_F(RecordIndexTest, ACopyOfTheFileMayHaveAnotherTime) {
  SaveIndex();
  const auto time = std::filesystem::last_write_time(path_);
  std::filesystem::last_write_time(path_, time + std::chrono::seconds(1));
  EXPECT_OK(LoadStatus());
}

TEST_F(RecordIndexTest, AFileThatChangedMeanwhileGetsNoIndex) {
  ASSERT_OK_AND_ASSIGN(const auto index, BuildRecordIndex(files_, path_));
  folder_.Write("a.tfrecord", folder_.Read("a.tfrecord") + "x");
  EXPECT_THAT(index.Save(files_, path_),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("file changed before its index")));
}

TEST_F(RecordIndexTest, CuttingOffAnIndexInUseIsAnErrorNotADeath) {
  std::vector<uint64_t> offsets;
  std::vector<std::string> records(100'000);
  ASSERT_OK(WriteTfRecord(files_, path_, records));
  ASSERT_OK_AND_ASSIGN(const auto built, BuildRecordIndex(files_, path_));
  ASSERT_OK(built.Save(files_, path_));
  ASSERT_OK_AND_ASSIGN(const auto index, RecordIndex::Load(files_, path_));
  EXPECT_OK(index.Find(0));
  EXPECT_OK(index.Find(90'000));
  std::filesystem::resize_file(IndexPath(path_), 200);
  // One page was verified before, the other never.
  for (const uint64_t i : {90'000, 50'000}) {
    EXPECT_THAT(index.Find(i), StatusIs(StatusCode::kFailedPrecondition,
                                        HasSubstr("was cut off while in use")));
  }
}

TEST_F(RecordIndexTest, AnIndexReplacedInUseStaysWhatItWas) {
  SaveIndex();
  ASSERT_OK_AND_ASSIGN(const auto index, RecordIndex::Load(files_, path_));
  ASSERT_OK(WriteTfRecord(files_, path_, {"a", "b", "c"}));
  ASSERT_OK_AND_ASSIGN(const auto other, BuildRecordIndex(files_, path_));
  ASSERT_OK(other.Save(files_, path_));
  ASSERT_OK_AND_ASSIGN(const auto offsets, OffsetsOf(index));
  EXPECT_THAT(offsets, ElementsAre(0, 16, 35, 54));
}

TEST_F(RecordIndexTest, EveryFlippedBitIsRefused) {
  SaveIndex({{"tokens", {1, 2, 3, 4}}});
  const std::string good = folder_.Read(".a.tfrecord.index");
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    EXPECT_THAT(StatusOfBytes(bad),
                StatusIs(StatusCode::kDataLoss,
                         AllOf(HasSubstr(".a.tfrecord.index"),
                               HasSubstr("damaged record index"))))
        << bit;
  }
}

TEST_F(RecordIndexTest, EveryOtherLengthOfTheSidecarIsRefused) {
  SaveIndex({{"tokens", {1, 2, 3, 4}}});
  const std::string good = folder_.Read(".a.tfrecord.index");
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(
        StatusOfBytes(good.substr(0, size)),
        StatusIs(StatusCode::kDataLoss, HasSubstr("damaged record index")));
  }
  EXPECT_OK(StatusOfBytes(good));
  EXPECT_THAT(
      StatusOfBytes(good + '\0'),
      StatusIs(StatusCode::kDataLoss, HasSubstr("damaged record index")));
}

TEST_F(RecordIndexTest, CountsWithoutBytesBehindThemAreRefused) {
  const std::vector<uint64_t> counts = {
      5, 1ull << 32, 1ull << 61, (1ull << 61) + 4, ~0ull - 1, ~0ull};
  for (const uint64_t count : counts) {
    for (const std::vector<size_t>& places :
         {std::vector<size_t>{16}, {24}, {16, 24}, {64}}) {
      SaveIndex();
      for (const size_t place : places) Forge(place, count);
      EXPECT_THAT(LoadStatus(), StatusIs(StatusCode::kDataLoss,
                                         HasSubstr("damaged record index")))
          << count;
    }
  }
  for (const uint32_t columns : {1u, 1024u, ~0u}) {
    SaveIndex();
    Forge(60, columns);
    EXPECT_THAT(LoadStatus(), StatusIs(StatusCode::kDataLoss,
                                       HasSubstr("damaged record index")));
  }
}

TEST_F(RecordIndexTest, OffsetsThatDoNotRiseInsideTheFileAreRefused) {
  for (const uint64_t offset : {0ull, 15ull, 31ull, 36ull, 100ull, ~0ull}) {
    SaveIndex();
    Forge(88 + 8, offset);  // that of record 1: 16 to 19 would pass
    EXPECT_THAT(LoadStatus(),
                StatusIs(StatusCode::kDataLoss, HasSubstr("are not those of")))
        << offset;
  }
}

TEST_F(RecordIndexTest, AnotherVersionIsNamed) {
  SaveIndex();
  Forge(8, uint32_t{3});
  EXPECT_THAT(LoadStatus(),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("version 3")));
}

TEST_F(RecordIndexTest, Version1IsToBeMadeAnew) {
  // One record; written by the program of that time.
  std::string bytes("PSTKIDX1\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 24);
  bytes += std::string("\x10\0\0\0\0\0\0\0", 8) + std::string(8, '\0');
  const uint32_t checksum = Crc32c(bytes);
  bytes.append(reinterpret_cast<const char*>(&checksum), 4);
  bytes += std::string(4 + 8 + 4, '\0');
  for (const size_t more : {0, 100}) {
    EXPECT_THAT(
        StatusOfBytes(bytes + std::string(more, 'x')),
        StatusIs(StatusCode::kUnimplemented,
                 AllOf(HasSubstr("version 1"), HasSubstr("recordtool index"))));
  }
}

TEST_F(RecordIndexTest, ColumnsThatDoNotFitAreNotSaved) {
  ASSERT_OK_AND_ASSIGN(const FileInfo info, files_.Stat(path_));
  const auto save = [&](std::vector<LengthColumn> columns) {
    return RecordIndex({0, 16, 35, 54}, std::move(columns), info)
        .Save(files_, path_);
  };
  EXPECT_THAT(save({{"n", {1, 2, 3}}}),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("\"n\" has not one length")));
  EXPECT_THAT(save({{"", {1, 2, 3, 4}}}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("has no name")));
  EXPECT_THAT(
      save({{"n", {1, 2, 3, 4}}, {"n", {1, 2, 3, 4}}}),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("is there twice")));
}

}  // namespace
}  // namespace penstock::testing
