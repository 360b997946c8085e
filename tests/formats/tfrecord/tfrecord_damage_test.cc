// Damaged and foreign files: each is named, and no byte of it is believed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/formats/streams/reference_zlib.h"
#include "tests/formats/tfrecord/tfrecord_fixture.h"
#include "tests/support/memory_files.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kHeader = kTfRecordHeaderBytes;
constexpr size_t kFraming = kTfRecordFramingBytes;

class TfRecordDamageTest : public ::testing::Test {
 protected:
  TfRecordDamageTest() {
    EXPECT_OK(WriteTfRecord(files_, folder_ / "a.tfrecord", records_));
    good_ = folder_.Read("a.tfrecord");
    for (const std::string& record : records_) {
      offsets_.push_back(offsets_.back() + kFraming + record.size());
    }
  }
  ReadResult Read(std::string_view bytes, TfRecordReadOptions options = {}) {
    MemoryFiles files(bytes);
    return ReadTfRecord(files, "a.tfrecord", options);
  }
  // The record that byte `byte` of the good file belongs to.
  size_t RecordOf(size_t byte) const {
    size_t record = 0;
    while (offsets_[record + 1] <= byte) ++record;
    return record;
  }
  std::vector<std::string> First(size_t records) const {
    return {records_.begin(), records_.begin() + records};
  }
  static std::string HeaderFor(uint64_t length) {
    std::string header(kHeader, '\0');
    StoreTfRecordHeader(length, header.data());
    return header;
  }

  const std::vector<std::string> records_ = {"", "foo", std::string(140, 'b'),
                                             "xxxx", "last one"};
  ScratchFolder folder_;
  FileSystem& files_ = LocalFiles();
  std::string good_;
  std::vector<size_t> offsets_ = {0};
};

TEST_F(TfRecordDamageTest, EveryFlippedBitIsNamedAfterTheRecordsBeforeIt) {
  for (size_t bit = 0; bit < good_.size() * 8; ++bit) {
    const size_t record = RecordOf(bit / 8);
    const bool in_header = bit / 8 - offsets_[record] < kHeader;
    std::string bad = good_;
    bad[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    for (const size_t buffer_bytes : {16, 1 << 20}) {
      const auto result = Read(bad, {.buffer_bytes = buffer_bytes});
      ASSERT_EQ(result.records, First(record)) << bit;
      ASSERT_THAT(
          result.status,
          StatusIs(
              StatusCode::kDataLoss,
              AllOf(HasSubstr("a.tfrecord: corrupted "),
                    HasSubstr(in_header ? "length checksum at offset "
                                        : "data checksum at offset "),
                    HasSubstr("offset " + std::to_string(offsets_[record])),
                    HasSubstr("(stored 0x"), HasSubstr(", computed 0x"),
                    HasSubstr("record #" + std::to_string(record)),
                    HasSubstr(in_header ? ""
                                        : ", length " +
                                              std::to_string(
                                                  records_[record].size())))))
          << bit;
    }
  }
}

TEST_F(TfRecordDamageTest, EveryTruncationIsNamedAfterTheRecordsBeforeIt) {
  for (size_t size = 0; size <= good_.size(); ++size) {
    for (const size_t buffer_bytes : {16, 1 << 20}) {
      const auto result =
          Read(good_.substr(0, size), {.buffer_bytes = buffer_bytes});
      const size_t record =
          size == good_.size() ? records_.size() : RecordOf(size);
      ASSERT_EQ(result.records, First(record)) << size;
      const size_t left = size - offsets_[record];
      if (left == 0) {
        EXPECT_OK(result.status);
        continue;
      }
      const std::string expected =
          left < kHeader
              ? "truncated record header at offset " +
                    std::to_string(offsets_[record]) + ": " +
                    std::to_string(left) +
                    " of 12 bytes (file "
                    "size " +
                    std::to_string(size) + ")"
              : "truncated record at offset " +
                    std::to_string(offsets_[record]) + ": record needs " +
                    std::to_string(records_[record].size() + 16) + " bytes, " +
                    std::to_string(left) + " remain";
      ASSERT_THAT(result.status,
                  StatusIs(StatusCode::kDataLoss, HasSubstr(expected)));
    }
  }
}

TEST_F(TfRecordDamageTest, ErrorsAreForEver) {
  const std::string path =
      folder_.Write("a.tfrecord", good_.substr(0, good_.size() - 1));
  ASSERT_OK_AND_ASSIGN(const auto reader, OpenTfRecord(files_, path));
  const Status first = ReadAll(*reader).status;
  EXPECT_FALSE(first.ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reader->NextBlock().status(), first);
}

TEST_F(TfRecordDamageTest, HugeLengthsAreRefusedWithoutTheirMemory) {
  for (const uint64_t length :
       {1ull << 40, 1ull << 63, ~0ull, ~0ull - 3, ~0ull - 15, ~0ull - 16}) {
    const std::string bytes = HeaderFor(length) + std::string(100, 'x');
    EXPECT_THAT(Read(bytes).status,
                StatusIs(StatusCode::kDataLoss,
                         HasSubstr("record length " + std::to_string(length) +
                                   " at offset 0 exceeds remaining 100 "
                                   "bytes")));
    const std::string gzip = ReferenceCompress(bytes, kGzipBits);
    EXPECT_THAT(Read(gzip, {.compression = Compression::kGzip}).status,
                StatusIs(StatusCode::kResourceExhausted,
                         HasSubstr("max_record_bytes")));
  }
}

TEST_F(TfRecordDamageTest, ARecordAboveTheLimitNamesTheLimit) {
  const auto result = Read(good_, {.max_record_bytes = 139});
  EXPECT_EQ(result.records, First(2));
  EXPECT_THAT(result.status,
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("record of 140 bytes at offset 35 is over "
                                 "max_record_bytes, which is 139")));
  EXPECT_OK(Read(good_, {.max_record_bytes = 140}).status);
}

TEST_F(TfRecordDamageTest, ACompressedFileReadAsPlainIsNamed) {
  EXPECT_THAT(Read(ReferenceCompress(good_, kGzipBits)).status,
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("a.tfrecord: looks like gzip (1f 8b); read it "
                                 "with gzip compression")));
  EXPECT_THAT(Read(ReferenceCompress(good_, kZlibBits)).status,
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("read it with zlib compression")));
}

TEST_F(TfRecordDamageTest, APlainFileReadAsCompressedIsNamed) {
  for (const Compression compression :
       {Compression::kGzip, Compression::kZlib}) {
    EXPECT_THAT(Read(good_, {.compression = compression}).status,
                StatusIs(StatusCode::kInvalidArgument,
                         HasSubstr("looks like an uncompressed TFRecord")));
  }
}

TEST_F(TfRecordDamageTest, FilesOfOtherTypesAreNamed) {
  const std::pair<std::string, std::string> files[] = {
      {"{\"a\": 1, \"b\": 2}\n", "JSON"},
      {"[{\"a\": 1}, {\"a\": 2}]\n", "JSON"},
      {"PK\x03\x04 and more bytes", "a zip archive"},
      {"BZh91AY&SY and more", "bzip2"},
      {std::string("\xfd\x37zXZ\0\0\4 and more", 17), "xz"},
      {"\x28\xb5\x2f\xfd and more bytes", "zstd"},
      {"\x89HDF\r\n\x1a\n and more bytes", "HDF5"},
      {"ARROW1 and more bytes", "an Arrow file"},
      {"\x83\xaf\x70\xd1 and more bytes", "Riegeli or ArrayRecord"},
      {"PSTKIDX1 and more bytes", "a record index"},
      {"<?xml version=\"1.0\"?><Error>", "XML"},
      {"PAR1 and more bytes", "Parquet"},
      {"<!DOCTYPE html><html>", "HTML"},
      {"version https://git-lfs.github.com/spec/v1\noid", "Git LFS pointer"},
      {"short text", "text"}};
  for (const auto& [bytes, type] : files) {
    EXPECT_THAT(
        Read(bytes).status,
        StatusIs(StatusCode::kInvalidArgument,
                 AllOf(HasSubstr(type), HasSubstr("no TFRecord file"))));
    EXPECT_THAT(Read(ReferenceCompress(bytes, kGzipBits),
                     {.compression = Compression::kGzip})
                    .status,
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(type)));
  }
}

TEST_F(TfRecordDamageTest, WhatAFileIsDoesNotDependOnTheBuffer) {
  // Text in its first 12 bytes, but not in all.
  const std::string bytes = "{{{{{{{{{{PK\x03\x04\x1f";
  for (const size_t buffer_bytes : {1, 12, 64}) {
    EXPECT_THAT(Read(bytes, {.buffer_bytes = buffer_bytes}).status,
                StatusIs(StatusCode::kDataLoss,
                         HasSubstr("corrupted length checksum")));
  }
}

TEST_F(TfRecordDamageTest, ZerosAreNoRecords) {
  EXPECT_THAT(Read(std::string(1000, '\0')).status,
              StatusIs(StatusCode::kDataLoss,
                       AllOf(HasSubstr("at offset 0"),
                             HasSubstr("not a TFRecord file?"))));
  const auto hole = Read(good_ + std::string(100, '\0') + good_);
  EXPECT_EQ(hole.records, records_);
  EXPECT_THAT(hole.status,
              StatusIs(StatusCode::kDataLoss,
                       AllOf(HasSubstr(std::to_string(good_.size())),
                             HasSubstr("these bytes are zero"))));
}

TEST_F(TfRecordDamageTest, AnEmptyFileHasNoRecords) {
  const auto result = Read("");
  EXPECT_OK(result.status);
  EXPECT_THAT(result.records, IsEmpty());
}

TEST_F(TfRecordDamageTest, FilesThatCannotBeReadAreNamed) {
  EXPECT_THAT(OpenTfRecord(files_, folder_ / "no.tfrecord"),
              StatusIs(StatusCode::kNotFound, HasSubstr("no.tfrecord")));
  EXPECT_THAT(OpenTfRecord(files_, folder_.path()),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("is a folder")));
  EXPECT_THAT(
      OpenTfRecord(files_, folder_ / "a.tfrecord", {.buffer_bytes = 0}),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("buffer_bytes")));
}

TEST_F(TfRecordDamageTest, AFileThatChangesWhileItIsReadSaysSo) {
  for (const int change : {-20, +20}) {
    const std::string path = folder_.Write("a.tfrecord", good_);
    ASSERT_OK_AND_ASSIGN(const auto reader,
                         OpenTfRecord(files_, path, {.buffer_bytes = 64}));
    ASSERT_OK(reader->NextBlock());
    std::filesystem::resize_file(path, good_.size() + change);
    EXPECT_THAT(ReadAll(*reader).status,
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("file changed while reading (size " +
                                   std::to_string(good_.size()) + " -> " +
                                   std::to_string(good_.size() + change))));
  }
}

// TensorFlow ends silently there.
TEST_F(TfRecordDamageTest, AGzipFileCutAtARecordBoundaryIsAnError) {
  std::string flushed;
  for (const size_t offset : offsets_) {
    z_stream state = {};
    ASSERT_EQ(deflateInit2(&state, 6, Z_DEFLATED, kGzipBits, 9, 0), Z_OK);
    std::string out(4096, '\0');
    state.next_in = reinterpret_cast<Bytef*>(good_.data());
    state.avail_in = offset;
    state.next_out = reinterpret_cast<Bytef*>(out.data());
    state.avail_out = out.size();
    ASSERT_EQ(deflate(&state, Z_SYNC_FLUSH), Z_OK);
    out.resize(state.total_out);
    deflateEnd(&state);
    EXPECT_THAT(Read(out, {.compression = Compression::kGzip}).status,
                StatusIs(StatusCode::kDataLoss,
                         HasSubstr("gzip stream ended before its trailer at "
                                   "compressed offset " +
                                   std::to_string(out.size()))));
  }
}

TEST_F(TfRecordDamageTest, RecordsMayCrossGzipMembersAnywhere) {
  for (size_t cut = 0; cut <= good_.size(); ++cut) {
    const auto result =
        Read(ReferenceCompress(good_.substr(0, cut), kGzipBits) +
                 ReferenceCompress(good_.substr(cut), kGzipBits),
             {.compression = Compression::kGzip});
    ASSERT_OK(result.status);
    ASSERT_EQ(result.records, records_);
  }
}

}  // namespace
}  // namespace penstock::testing
