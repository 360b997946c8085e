// Making indexes: by hopping headers, from gzip members, from the text form.

#include "formats/index/record_index_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/posix_files.h"
#include "formats/index/record_index_text.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/formats/index/record_index_fixture.h"
#include "tests/formats/streams/reference_zlib.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class IndexBuildTest : public ::testing::Test {
 protected:
  IndexBuildTest() {
    EXPECT_OK(WriteTfRecord(files_, path_, {"", "foo", "bar", "xxxx"}));
  }
  StatusOr<std::vector<uint64_t>> Build(IndexBuildOptions options) {
    const auto index = BuildRecordIndex(files_, path_, options);
    if (!index.ok()) return index.status();
    return OffsetsOf(*index);
  }
  Status ReadText(std::string_view text) {
    folder_.Write("a.idx", text);
    const auto index = ReadIndexText(files_, folder_ / "a.idx", path_);
    if (!index.ok()) return index.status();
    EXPECT_EQ(index->records(), 4u);
    return OffsetsOf(*index).status();
  }

  ScratchFolder folder_;
  FileSystem& files_ = LocalFiles();
  const std::string path_ = folder_ / "a.tfrecord";
};

constexpr IndexCheck kChecks[] = {IndexCheck::kHeaders, IndexCheck::kAll};

TEST_F(IndexBuildTest, HoppingFindsWhatReadingFinds) {
  for (const IndexCheck check : kChecks) {
    ASSERT_OK_AND_ASSIGN(const auto offsets, Build({.check = check}));
    EXPECT_THAT(offsets, ElementsAre(0, 16, 35, 54));
  }
}

TEST_F(IndexBuildTest, RecordsOfAnySizesAreFound) {
  // Near and far in turn, and across the ends of what is read at once.
  std::vector<std::string> records;
  for (size_t i = 0; i < 3000; ++i) {
    records.emplace_back(i % 500 == 499 ? 700'000 : i * 37 % 900, 'x');
  }
  for (const size_t large : {0, 1 << 20}) {
    records.insert(records.begin(), std::string(large, 'y'));
    ASSERT_OK(WriteTfRecord(files_, path_, records));
    ASSERT_OK_AND_ASSIGN(const auto hopped,
                         Build({.check = IndexCheck::kHeaders}));
    ASSERT_OK_AND_ASSIGN(const auto read, Build({.check = IndexCheck::kAll}));
    EXPECT_EQ(read.size(), records.size());
    EXPECT_TRUE(hopped == read);
  }
}

// Of sizes that are looked at where they are mapped, a few spans of them.
class MappedIndexBuildTest : public IndexBuildTest {
 protected:
  MappedIndexBuildTest() {
    std::vector<std::string> records;
    for (size_t i = 0; i < 5000; ++i) {
      records.emplace_back(1000 + i * 7919 % 2000, static_cast<char>(i));
    }
    EXPECT_OK(WriteTfRecord(files_, path_, records));
    const auto read = Build({.check = IndexCheck::kAll});
    EXPECT_OK(read);
    if (read.ok()) expected_ = *read;
  }
  static StatusOr<std::vector<uint64_t>> HopWith(PosixCalls& calls,
                                                 const std::string& path) {
    PosixFiles files(calls);
    const auto index =
        BuildRecordIndex(files, path, {.check = IndexCheck::kHeaders});
    if (!index.ok()) return index.status();
    return OffsetsOf(*index);
  }

  std::vector<uint64_t> expected_;
};

TEST_F(MappedIndexBuildTest, MappedOrReadTheSameIsFound) {
  FaultyCalls calls;
  const auto hop = [&] {
    const auto offsets = HopWith(calls, path_);
    EXPECT_OK(offsets);
    EXPECT_TRUE(offsets.ok() && *offsets == expected_);
  };
  hop();
  EXPECT_GT(calls.count(Call::kMap), 0u);
  const uint64_t looks = calls.count(Call::kReadCached);
  for (uint64_t n = 0; n < looks; ++n) {
    calls.FailAt(Call::kReadCached, n, n % 2 == 0 ? EAGAIN : EOPNOTSUPP);
    hop();
    calls.FailAt(Call::kMap, n, ENOMEM);
    hop();
  }
}

TEST_F(MappedIndexBuildTest, AWrongHeaderAnywhereIsNamed) {
  const std::string good = folder_.Read("a.tfrecord");
  for (size_t record = 100; record < expected_.size();
       record += 499 * kCaseStride) {
    std::string bad = good;
    bad[expected_[record] + 9] ^= 1;
    folder_.Write("a.tfrecord", bad);
    EXPECT_THAT(
        Build({.check = IndexCheck::kHeaders}),
        StatusIs(StatusCode::kDataLoss,
                 AllOf(HasSubstr("corrupted length checksum at offset " +
                                 std::to_string(expected_[record]) + " "),
                       HasSubstr("record #" + std::to_string(record)))));
  }
}

// Cuts the file off as soon as it is mapped.
class CuttingCalls final : public FaultyCalls {
 public:
  CuttingCalls(std::string path, uint64_t size)
      : path_(std::move(path)), size_(size) {}
  void* Mmap(int fd, size_t size, off_t offset) override {
    void* const begin = FaultyCalls::Mmap(fd, size, offset);
    std::filesystem::resize_file(path_, size_);
    return begin;
  }

 private:
  const std::string path_;
  const uint64_t size_;
};

TEST_F(MappedIndexBuildTest, AFileCutOffMeanwhileIsAnErrorNotADeath) {
  const std::string good = folder_.Read("a.tfrecord");
  for (const uint64_t size : {good.size() - 1, 3ul << 20, 300'001ul, 0ul}) {
    folder_.Write("a.tfrecord", good);
    CuttingCalls calls(path_, size);
    EXPECT_THAT(HopWith(calls, path_),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("file changed while reading")));
    EXPECT_GT(calls.count(Call::kMap), 0u);
  }
}

TEST_F(IndexBuildTest, AnEmptyFileHasNoRecords) {
  folder_.Write("a.tfrecord", "");
  for (const IndexCheck check : kChecks) {
    ASSERT_OK_AND_ASSIGN(const auto offsets, Build({.check = check}));
    EXPECT_THAT(offsets, ElementsAre());
  }
}

TEST_F(IndexBuildTest, EveryCutAndEveryFlippedHeaderBitIsRefused) {
  const std::string good = folder_.Read("a.tfrecord");
  for (size_t size = 1; size < good.size(); ++size) {
    folder_.Write("a.tfrecord", good.substr(0, size));
    const bool whole = size == 16 || size == 35 || size == 54;
    EXPECT_EQ(Build({.check = IndexCheck::kHeaders}).ok(), whole) << size;
  }
  for (const size_t header : {0, 16, 35, 54}) {
    for (size_t bit = 0; bit < 96; bit += kCaseStride) {
      std::string bad = good;
      bad[header + bit / 8] ^= static_cast<char>(1 << (bit % 8));
      folder_.Write("a.tfrecord", bad);
      EXPECT_THAT(Build({.check = IndexCheck::kHeaders}),
                  StatusIs(StatusCode::kDataLoss,
                           HasSubstr("corrupted length checksum at offset " +
                                     std::to_string(header))));
    }
  }
}

TEST_F(IndexBuildTest, ALengthPastTheEndIsRefusedThoughItsChecksumIsRight) {
  for (const uint64_t length : {1ull, 1ull << 63, ~0ull}) {
    std::string bytes(12, '\0');
    StoreTfRecordHeader(length, bytes.data());
    for (const size_t more : {0, 3, 4}) {
      folder_.Write("a.tfrecord", bytes + std::string(more, '\0'));
      EXPECT_THAT(Build({.check = IndexCheck::kHeaders}),
                  StatusIs(StatusCode::kDataLoss, HasSubstr("a.tfrecord: ")))
          << length;
    }
  }
}

TEST_F(IndexBuildTest, DamagedDataIsFoundWhereAskedFor) {
  std::string bytes = folder_.Read("a.tfrecord");
  bytes[35 + 12] ^= 1;
  folder_.Write("a.tfrecord", bytes);
  EXPECT_OK(Build({.check = IndexCheck::kHeaders}));
  EXPECT_THAT(Build({.check = IndexCheck::kAll}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("offset 35")));
}

TEST_F(IndexBuildTest, ACallThatFailsAnywhereIsTold) {
  ASSERT_OK(WriteTfRecord(files_, path_, std::vector<std::string>(300)));
  for (const IndexCheck check : kChecks) {
    for (const Call call : {Call::kOpen, Call::kRead, Call::kStat}) {
      uint64_t n = 0;
      for (;; ++n) {
        FaultyCalls calls;
        calls.LimitTransfers(500);
        calls.FailAt(call, n, EIO);
        PosixFiles files(calls);
        const auto index = BuildRecordIndex(files, path_, {.check = check});
        const bool failed = calls.count(call) > n;
        ASSERT_EQ(index.ok(), !failed);
        if (!failed) break;
        EXPECT_THAT(index, StatusIs(StatusCode::kDataLoss,
                                    HasSubstr("Input/output error")));
      }
      EXPECT_GT(n, 0u);
    }
  }
}

TEST_F(IndexBuildTest, GzipMembersAreFoundByTheirHeaders) {
  std::vector<std::string> records(100, std::string(500, 'x'));
  ASSERT_OK(WriteTfRecord(
      files_, path_, records,
      {.compression = Compression::kGzip, .gzip = {.member_bytes = 5000}}));
  for (const IndexCheck check : kChecks) {
    ASSERT_OK_AND_ASSIGN(
        const auto index,
        BuildRecordIndex(files_, path_, {Compression::kGzip, check}));
    EXPECT_TRUE(index.in_gzip_members());
    EXPECT_EQ(index.records(), 100u);
    EXPECT_EQ(index.framed_bytes(), 100u * 516);
    for (uint64_t i = 0; i < 100; ++i) {
      ASSERT_OK_AND_ASSIGN(const auto member, index.FindMember(i));
      EXPECT_EQ(member.begin.first_record, i / 10 * 10);
      EXPECT_EQ(member.begin.framed_offset, i / 10 * 5160);
      EXPECT_EQ(member.end.first_record, i / 10 * 10 + 10);
    }
  }
  // Files of members may be put behind each other.
  const std::string bytes = folder_.Read("a.tfrecord");
  folder_.Write("a.tfrecord", bytes + bytes);
  ASSERT_OK_AND_ASSIGN(
      const auto twice,
      BuildRecordIndex(files_, path_, {Compression::kGzip, IndexCheck::kAll}));
  EXPECT_EQ(twice.records(), 200u);
}

TEST_F(IndexBuildTest, AGzipFileOfNoRecordsHasAnEmptyIndex) {
  ASSERT_OK(
      WriteTfRecord(files_, path_, {}, {.compression = Compression::kGzip}));
  ASSERT_OK_AND_ASSIGN(
      const auto index,
      BuildRecordIndex(files_, path_, {Compression::kGzip, IndexCheck::kAll}));
  ASSERT_OK(index.Save(files_, path_));
  ASSERT_OK_AND_ASSIGN(const auto loaded, RecordIndex::Load(files_, path_));
  EXPECT_TRUE(loaded.in_gzip_members());
  EXPECT_EQ(loaded.records(), 0u);
}

TEST_F(IndexBuildTest, GzipOfOthersIsRefusedWithAWayOut) {
  const std::string plain = folder_.Read("a.tfrecord");
  for (const std::string& bytes :
       {ReferenceCompress(plain, kGzipBits), std::string(), plain}) {
    folder_.Write("a.tfrecord", bytes);
    EXPECT_THAT(Build({Compression::kGzip, IndexCheck::kHeaders}),
                StatusIs(StatusCode::kFailedPrecondition,
                         AllOf(HasSubstr("a.tfrecord"), HasSubstr("gzip -d"))));
  }
  EXPECT_THAT(Build({Compression::kZlib, IndexCheck::kHeaders}),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("zlib files have no index")));
}

TEST_F(IndexBuildTest, EveryCutOfAGzipFileIsRefused) {
  const std::vector<std::string> records(20, "some record");
  ASSERT_OK(WriteTfRecord(
      files_, path_, records,
      {.compression = Compression::kGzip, .gzip = {.member_bytes = 100}}));
  const std::string good = folder_.Read("a.tfrecord");
  ASSERT_OK_AND_ASSIGN(
      const auto index,
      BuildRecordIndex(files_, path_, {Compression::kGzip, IndexCheck::kAll}));
  for (size_t size = 1; size < good.size(); size += kCaseStride) {
    bool whole = false;
    for (uint64_t i = 0; i < 20; ++i) {
      ASSERT_OK_AND_ASSIGN(const auto member, index.FindMember(i));
      whole |= member.end.offset == size;
    }
    folder_.Write("a.tfrecord", good.substr(0, size));
    const auto built = BuildRecordIndex(
        files_, path_, {Compression::kGzip, IndexCheck::kHeaders});
    EXPECT_EQ(built.ok(), whole) << size;
  }
}

TEST_F(IndexBuildTest, TextIsThatOfTfrecord2idx) {
  ASSERT_OK_AND_ASSIGN(const auto index, BuildRecordIndex(files_, path_));
  ASSERT_OK(WriteIndexText(files_, folder_ / "a.idx", index));
  const std::string text = "0 16\n16 19\n35 19\n54 20\n";
  EXPECT_EQ(folder_.Read("a.idx"), text);
  EXPECT_OK(ReadText(text));
  EXPECT_OK(ReadText("0 16\n16 19\n35 19\n54 20"));
}

TEST_F(IndexBuildTest, GzipMembersHaveNoText) {
  ASSERT_OK(
      WriteTfRecord(files_, path_, {"x"}, {.compression = Compression::kGzip}));
  ASSERT_OK_AND_ASSIGN(
      const auto index,
      BuildRecordIndex(files_, path_, {Compression::kGzip, IndexCheck::kAll}));
  EXPECT_THAT(WriteIndexText(files_, folder_ / "a.idx", index),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("binary form")));
}

// Case 19 of the list of bad inputs; DALI stops at such a line in silence.
struct BadText {
  const char* name;
  const char* text;
  const char* line;
  const char* words;
};

class BadIndexTextTest : public IndexBuildTest,
                         public ::testing::WithParamInterface<BadText> {};

TEST_P(BadIndexTextTest, IsRefusedByLine) {
  EXPECT_THAT(
      ReadText(GetParam().text),
      StatusIs(StatusCode::kInvalidArgument,
               AllOf(HasSubstr("a.idx:" + std::string(GetParam().line) + ": "),
                     HasSubstr(GetParam().words))));
}

INSTANTIATE_TEST_SUITE_P(
    Case19, BadIndexTextTest,
    ::testing::Values(
        BadText{"AWord", "0 16\n16 x\n35 19\n54 20\n", "2", "OFFSET SIZE"},
        BadText{"OneNumber", "0 16\n16\n35 19\n54 20\n", "2", "OFFSET SIZE"},
        BadText{"ThreeNumbers", "0 16\n16 19 1\n35 19\n", "2", "OFFSET SIZE"},
        BadText{"ATab", "0 16\n16\t19\n35 19\n54 20\n", "2", "OFFSET SIZE"},
        BadText{"ASign", "0 16\n16 -19\n35 19\n54 20\n", "2", "OFFSET SIZE"},
        BadText{"ABlankLine", "0 16\n\n16 19\n35 19\n", "2", "OFFSET SIZE"},
        BadText{"ACarriageReturn", "0 16\r\n", "1", "OFFSET SIZE"},
        BadText{"TooLarge", "0 16\n16 18446744073709551616\n", "2",
                "OFFSET SIZE"},
        BadText{"Overlap", "0 16\n16 19\n34 20\n54 20\n", "3", "overlaps"},
        BadText{"Again", "0 16\n0 16\n16 19\n35 19\n", "2", "overlaps"},
        BadText{"Gap", "0 16\n16 19\n54 20\n", "3", "leaves a gap after 35"},
        BadText{"Size", "0 16\n16 20\n35 19\n54 20\n", "2",
                "size 20, but record 1"},
        BadText{"LastSizeCutOff", "0 16\n16 19\n35 19\n54 2", "4", "size 2,"},
        BadText{"Empty", "", "1", "is missing"},
        BadText{"CutOff", "0 16\n16 19\n", "3", "is missing"},
        BadText{"OneMore", "0 16\n16 19\n35 19\n54 20\n74 16\n", "5",
                "ends after 4 records"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(IndexBuildTest, TextOfAFileThatHasChangedIsRefused) {
  ASSERT_OK(WriteTfRecord(files_, path_, {"fo", "o", "bar", "xxxx"}));
  EXPECT_THAT(ReadText("0 16\n16 19\n35 19\n54 20\n"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("a.idx:1: size 16, but record 0")));
}

}  // namespace
}  // namespace penstock::testing
