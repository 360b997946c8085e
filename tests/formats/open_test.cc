#include "formats/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

FileKind KindOf(const std::string& path) {
  const auto kind = KindOfFile(path);
  EXPECT_OK(kind) << path;
  return kind.value_or(FileKind::kText);
}

TEST(OpenTest, NamesSayWhatFilesAre) {
  for (const char* path :
       {"a.tfrecord", "d.x/a.tfrecords", "c4-train.tfrecord-00000-of-01024",
        "train-00001-of-00004.tfrecord", "a.tfrecord.gz", "A.TFRecord",
        "a.tfrecord-00000-of-00002.gz", "a.tfrecord.gz-00000-of-00002",
        "a.tfrecord-100000-of-100001"}) {
    EXPECT_EQ(KindOf(path), FileKind::kTfRecord) << path;
  }
  for (const char* path : {"a.jsonl", "b.ndjson", "a.jsonl.gz"}) {
    EXPECT_EQ(KindOf(path), FileKind::kJsonl) << path;
  }
  for (const char* path :
       {"README.md", "a.txt", "a.txt.gz", "perl.pod", "x.rst"}) {
    EXPECT_EQ(KindOf(path), FileKind::kText) << path;
  }
}

TEST(OpenTest, NamesThatSayNothingAreRefusedWithThoseThatDo) {
  for (const char* path : {"data", "a.gz", "a.tfrecord.index", "txt",
                           "a.tfrecord/part", "a.tfrecord-000-of-001", ""}) {
    EXPECT_THAT(KindOfFile(path),
                StatusIs(StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(path), HasSubstr(".tfrecord, "),
                               HasSubstr(".jsonl"), HasSubstr(".txt"))))
        << path;
  }
  EXPECT_THAT(KindOfFile("c4-train.00000-of-01024.json.gz"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("jsonl where each line is a document")));
}

TEST(OpenTest, OnlyALastGzMeansGzip) {
  EXPECT_EQ(CompressionOfFile("a.txt.gz"), Compression::kGzip);
  EXPECT_EQ(CompressionOfFile("a.TXT.GZ"), Compression::kGzip);
  EXPECT_EQ(CompressionOfFile("a.gz-00000-of-00001"), Compression::kGzip);
  EXPECT_EQ(CompressionOfFile("a.gz.txt"), Compression::kNone);
  EXPECT_EQ(CompressionOfFile("d.gz/a.txt"), Compression::kNone);
}

TEST(OpenTest, EachKindIsReadByItsName) {
  ScratchFolder folder;
  const auto read = [&](const std::string& name, OpenOptions options = {}) {
    return ReadAll(OpenRecords(LocalFiles(), folder / name, options));
  };
  folder.Write("a.txt", "one\nmore\n\ntwo\n");
  EXPECT_THAT(read("a.txt").records, ElementsAre("one\nmore", "two"));
  EXPECT_THAT(read("a.txt", {.text_unit = TextUnit::kLine}).records,
              ElementsAre("one", "more", "two"));
  folder.Write("a.md.gz", Gzip("one\n"));
  EXPECT_THAT(read("a.md.gz").records, ElementsAre("one"));

  folder.Write("a.jsonl.gz", Gzip("{\"body\": \"x\"}\n"));
  EXPECT_THAT(read("a.jsonl.gz", {.json_field = "body"}).records,
              ElementsAre("x"));

  for (const auto& [name, compression] :
       {std::pair("a.tfrecord", Compression::kNone),
        std::pair("b.tfrecord.gz", Compression::kGzip)}) {
    ASSERT_OK_AND_ASSIGN(auto writer,
                         CreateTfRecord(LocalFiles(), folder / name,
                                        {.compression = compression}));
    ASSERT_OK(writer->Append("record"));
    ASSERT_OK(writer->Finish());
    EXPECT_THAT(read(name).records, ElementsAre("record"));
  }
}

TEST(OpenTest, OptionsSayMoreThanNames) {
  ScratchFolder folder;
  folder.Write("corpus.json", Gzip("{\"text\": \"x\"}\n"));
  EXPECT_THAT(ReadAll(OpenRecords(LocalFiles(), folder / "corpus.json",
                                  {.kind = FileKind::kJsonl,
                                   .compression = Compression::kGzip}))
                  .records,
              ElementsAre("x"));
}

TEST(OpenTest, TheLimitAndTheSkipReachTheReader) {
  ScratchFolder folder;
  folder.Write("a.txt", "too long\n");
  EXPECT_THAT(ReadAll(OpenRecords(LocalFiles(), folder / "a.txt",
                                  {.max_record_bytes = 4}))
                  .status,
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("a.txt:1: ")));
  folder.Write("a.jsonl", "{\n{\"text\": \"x\"}\n");
  int skipped = 0;
  EXPECT_THAT(ReadAll(OpenRecords(LocalFiles(), folder / "a.jsonl",
                                  {.on_bad_part =
                                       [&](BadPart, const Status&) {
                                         ++skipped;
                                         return OkStatus();
                                       }}))
                  .records,
              ElementsAre("x"));
  EXPECT_EQ(skipped, 1);
}

TEST(OpenTest, AFolderIsRefused) {
  ScratchFolder folder;
  ASSERT_OK(LocalFiles().CreateFolders(folder / "a.txt"));
  EXPECT_THAT(OpenRecords(LocalFiles(), folder / "a.txt"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("a.txt")));
}

}  // namespace
}  // namespace penstock::testing
