#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tfrecord/tfrecord_reader.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::string_view_literals::operator""sv;

// Computed outside this project from the format's definition; the header of
// the three byte records is also that of Grain's test file.
constexpr std::string_view kGoldenBytes =
    "\x00\x00\x00\x00\x00\x00\x00\x00\x29\x03\x98\x07\xd8\xea\x82\xa2"
    "\x03\x00\x00\x00\x00\x00\x00\x00\xb0\x99\x49\x0e"
    "foo"
    "\x61\x8a\xbe\xfe"
    "\x03\x00\x00\x00\x00\x00\x00\x00\xb0\x99\x49\x0e"
    "bar"
    "\x46\x00\xe5\xc8"
    "\x04\x00\x00\x00\x00\x00\x00\x00\x42\x45\x52\x04"
    "xxxx"
    "\x0d\x23\xa2\x84"sv;
const std::vector<std::string> kGoldenRecords = {"", "foo", "bar", "xxxx"};

class TfRecordTest : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  FileSystem& files_ = LocalFiles();
};

TEST_F(TfRecordTest, WriterGivesTheGoldenBytes) {
  ASSERT_OK(WriteTfRecord(files_, folder_ / "a.tfrecord", kGoldenRecords));
  EXPECT_EQ(folder_.Read("a.tfrecord"), kGoldenBytes);
}

TEST_F(TfRecordTest, ReaderTakesTheGoldenBytes) {
  const auto result =
      ReadTfRecord(files_, folder_.Write("a.tfrecord", kGoldenBytes));
  EXPECT_OK(result.status);
  EXPECT_THAT(result.records, ElementsAreArray(kGoldenRecords));
}

TEST_F(TfRecordTest, EveryCompressionRoundTripsWithEveryBufferSize) {
  const auto records = MixedRecords();
  for (const Compression compression : kCompressions) {
    SCOPED_TRACE(CompressionName(compression));
    const std::string path = folder_ / "a.tfrecord";
    ASSERT_OK(
        WriteTfRecord(files_, path, records, {.compression = compression}));
    for (const size_t buffer_bytes : {1, 2, 11, 12, 13, 16, 20, 4096, 65536}) {
      const auto result = ReadTfRecord(
          files_, path,
          {.compression = compression, .buffer_bytes = buffer_bytes});
      EXPECT_OK(result.status);
      EXPECT_EQ(result.records, records) << buffer_bytes;
    }
  }
}

TEST_F(TfRecordTest, RecordsLargerThanEveryBufferRoundTrip) {
  std::string large(5'000'001, '\0');
  std::iota(large.begin(), large.end(), '\0');
  const std::vector<std::string> records = {"a", large, "", large, "z"};
  for (const Compression compression : kCompressions) {
    SCOPED_TRACE(CompressionName(compression));
    const std::string path = folder_ / "a.tfrecord";
    ASSERT_OK(
        WriteTfRecord(files_, path, records, {.compression = compression}));
    const auto result =
        ReadTfRecord(files_, path, {.compression = compression});
    EXPECT_OK(result.status);
    EXPECT_TRUE(result.records == records);
  }
}

TEST_F(TfRecordTest, ManySmallRecordsRoundTrip) {
  std::vector<std::string> records;
  for (int i = 0; i < 100'000; ++i) records.push_back(std::to_string(i));
  for (const Compression compression : kCompressions) {
    SCOPED_TRACE(CompressionName(compression));
    const std::string path = folder_ / "a.tfrecord";
    ASSERT_OK(
        WriteTfRecord(files_, path, records, {.compression = compression}));
    const auto result =
        ReadTfRecord(files_, path, {.compression = compression});
    EXPECT_OK(result.status);
    EXPECT_TRUE(result.records == records);
  }
}

TEST_F(TfRecordTest, NoRecordsRoundTripInEveryCompression) {
  for (const Compression compression : kCompressions) {
    const std::string path = folder_ / "a.tfrecord";
    ASSERT_OK(WriteTfRecord(files_, path, {}, {.compression = compression}));
    const auto result =
        ReadTfRecord(files_, path, {.compression = compression});
    EXPECT_OK(result.status);
    EXPECT_THAT(result.records, IsEmpty());
  }
}

TEST_F(TfRecordTest, TheEndStaysTheEnd) {
  const std::string path = folder_.Write("a.tfrecord", kGoldenBytes);
  ASSERT_OK_AND_ASSIGN(const auto reader, OpenTfRecord(files_, path));
  EXPECT_OK(ReadAll(*reader).status);
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto block, reader->NextBlock());
    EXPECT_FALSE(block.has_value());
  }
}

TEST_F(TfRecordTest, LocateNamesFileRecordAndOffset) {
  const std::string path = folder_.Write("a.tfrecord", kGoldenBytes);
  for (const size_t buffer_bytes : {16, 1 << 20}) {
    ASSERT_OK_AND_ASSIGN(
        const auto reader,
        OpenTfRecord(files_, path, {.buffer_bytes = buffer_bytes}));
    std::vector<std::string> places;
    while (true) {
      ASSERT_OK_AND_ASSIGN(const auto block, reader->NextBlock());
      if (!block.has_value()) break;
      for (size_t i = 0; i < block->records.size(); ++i) {
        places.push_back(reader->Locate(i));
      }
    }
    EXPECT_THAT(places, ElementsAreArray({path + ": record 0 at offset 0",
                                          path + ": record 1 at offset 16",
                                          path + ": record 2 at offset 35",
                                          path + ": record 3 at offset 54"}));
  }
}

TEST_F(TfRecordTest, WriterCountsRecordsAndFramedBytes) {
  ASSERT_OK_AND_ASSIGN(const auto writer,
                       CreateTfRecord(files_, folder_ / "a.tfrecord"));
  for (const std::string& record : kGoldenRecords) {
    ASSERT_OK(writer->Append(record));
  }
  EXPECT_EQ(writer->records(), 4u);
  EXPECT_EQ(writer->framed_bytes(), kGoldenBytes.size());
}

TEST_F(TfRecordTest, AWriterThatIsNotFinishedLeavesNothing) {
  {
    ASSERT_OK_AND_ASSIGN(const auto writer,
                         CreateTfRecord(files_, folder_ / "a.tfrecord"));
    ASSERT_OK(writer->Append(std::string(3 << 20, 'x')));
  }
  ASSERT_OK_AND_ASSIGN(const auto names, files_.List(folder_.path()));
  EXPECT_THAT(names, IsEmpty());
}

TEST_F(TfRecordTest, AFinishedWriterTakesNothingMore) {
  ASSERT_OK_AND_ASSIGN(const auto writer,
                       CreateTfRecord(files_, folder_ / "a.tfrecord"));
  ASSERT_OK(writer->Finish());
  for (const Status& status : {writer->Append("x"), writer->Finish()}) {
    EXPECT_THAT(status, StatusIs(StatusCode::kFailedPrecondition,
                                 HasSubstr("a.tfrecord: is finished")));
  }
}

TEST_F(TfRecordTest, SameRecordsGiveTheSameFile) {
  for (const Compression compression : kCompressions) {
    for (const char* name : {"a", "b"}) {
      ASSERT_OK(WriteTfRecord(files_, folder_ / name, MixedRecords(),
                              {.compression = compression}));
    }
    EXPECT_EQ(folder_.Read("a"), folder_.Read("b"));
  }
}

}  // namespace
}  // namespace penstock::testing
