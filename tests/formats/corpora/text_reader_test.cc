#include "formats/corpora/text_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TextReaderTest : public ::testing::Test {
 protected:
  ReadOut Read(const std::string& bytes, TextReadOptions options) {
    return ReadAll(
        OpenText(LocalFiles(), folder_.Write("f.txt", bytes), options));
  }
  std::vector<std::string> Lines(const std::string& bytes) {
    ReadOut out = Read(bytes, {.unit = TextUnit::kLine});
    EXPECT_OK(out.status);
    return out.records;
  }
  std::vector<std::string> Paragraphs(const std::string& bytes) {
    ReadOut out = Read(bytes, {.unit = TextUnit::kParagraph});
    EXPECT_OK(out.status);
    return out.records;
  }
  std::string At(int line) {
    return folder_ / "f.txt" + ":" + std::to_string(line);
  }

  ScratchFolder folder_;
};

TEST_F(TextReaderTest, LinesComeWithoutTheirEnds) {
  EXPECT_THAT(Lines("one\ntwo\r\n\n\r\nthree \n"),
              ElementsAre("one", "two", "three "));
}

TEST_F(TextReaderTest, ALastLineNeedsNoEnd) {
  EXPECT_THAT(Lines("one\ntwo"), ElementsAre("one", "two"));
  EXPECT_THAT(Lines("one\ntwo\r"), ElementsAre("one", "two"));
  EXPECT_THAT(Paragraphs("one\n\ntwo"), ElementsAre("one", "two"));
}

TEST_F(TextReaderTest, AnEmptyFileHasNoRecords) {
  for (const std::string bytes : {"", "\n", "\r\n\n", "\xef\xbb\xbf"}) {
    EXPECT_THAT(Lines(bytes), IsEmpty());
    EXPECT_THAT(Paragraphs(bytes), IsEmpty());
  }
  EXPECT_THAT(Read("", {.unit = TextUnit::kFile}).records, IsEmpty());
}

TEST_F(TextReaderTest, ParagraphsEndAtEmptyLines) {
  EXPECT_THAT(Paragraphs("\n\na\nb\n\n\nc\n"), ElementsAre("a\nb", "c"));
  EXPECT_THAT(Paragraphs("a\r\nb\r\n\r\nc\r\n\r\n"),
              ElementsAre("a\r\nb", "c"));
  EXPECT_THAT(Paragraphs("a\n \nb\n"), ElementsAre("a\n \nb"));
}

TEST_F(TextReaderTest, AWholeFileIsOneRecord) {
  const ReadOut out =
      Read("a\r\n\r\nb\n", {.unit = TextUnit::kFile, .buffer_bytes = 1});
  EXPECT_THAT(out.records, ElementsAre("a\r\n\r\nb\n"));
  EXPECT_THAT(out.places, ElementsAre(At(1)));
}

TEST_F(TextReaderTest, RecordsAreLocatedByTheirFirstLine) {
  const std::string text = "\none\n\n\ntwo\nmore\n\nthree\n";
  EXPECT_THAT(Read(text, {.unit = TextUnit::kLine}).places,
              ElementsAre(At(2), At(5), At(6), At(8)));
  EXPECT_THAT(Read(text, {.unit = TextUnit::kParagraph}).places,
              ElementsAre(At(2), At(5), At(8)));
}

TEST_F(TextReaderTest, AByteOrderMarkIsTakenOffAtTheStartOnly) {
  EXPECT_THAT(Lines("\xef\xbb\xbfone\n\xef\xbb\xbftwo\n"),
              ElementsAre("one", "\xef\xbb\xbftwo"));
}

TEST_F(TextReaderTest, OtherBytesComeAsTheyAre) {
  EXPECT_THAT(Lines("caf\xe9\n\xed\xa0\x80\na\0b\na\rb\n"s),
              ElementsAre("caf\xe9", "\xed\xa0\x80", "a\0b"s, "a\rb"));
}

TEST_F(TextReaderTest, WideEncodingsAreRefusedWithTheWayOut) {
  const std::pair<std::string, std::string> files[] = {
      {"\xff\xfe"s + "a\0"s, "UTF-16LE"},
      {"\xfe\xff\0a"s, "UTF-16BE"},
      {"\xff\xfe\0\0a\0\0\0"s, "UTF-32LE"},
      {"\0\0\xfe\xff\0\0\0a"s, "UTF-32BE"}};
  for (const auto& [bytes, name] : files) {
    EXPECT_THAT(Read(bytes, {}).status,
                StatusIs(StatusCode::kInvalidArgument,
                         HasSubstr("f.txt: the file is " + name +
                                   " by its byte order "
                                   "mark; convert it to UTF-8 (iconv -f " +
                                   name)));
  }
}

TEST_F(TextReaderTest, FilesThatAreNoTextAreRefused) {
  EXPECT_THAT(Read(Gzip("some text"), {}).status,
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("f.txt: expected text; the file looks like "
                                 "gzip")));
  EXPECT_THAT(
      Read("version https://git-lfs.github.com/spec/v1\noid 1\n", {}).status,
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("Git LFS pointer")));
  EXPECT_THAT(Lines("PAR1 is a magic number\n"),
              ElementsAre("PAR1 is a magic number"));
}

TEST_F(TextReaderTest, GzipFilesAreUnwrapped) {
  EXPECT_THAT(Read(Gzip("\xef\xbb\xbfone\ntwo\n"),
                   {.compression = Compression::kGzip, .unit = TextUnit::kLine})
                  .records,
              ElementsAre("one", "two"));
}

TEST_F(TextReaderTest, RecordsBeforeACutOffGzipEndAreDelivered) {
  std::string bytes = Gzip("one\ntwo\nthree\n");
  bytes.resize(bytes.size() - 3);
  const ReadOut out =
      Read(bytes, {.compression = Compression::kGzip, .unit = TextUnit::kLine});
  EXPECT_THAT(out.records, ElementsAre("one", "two", "three"));
  EXPECT_THAT(out.status, StatusIs(StatusCode::kDataLoss, HasSubstr("f.txt")));
}

// What has no proven end is not delivered, however whole it looks.
TEST_F(TextReaderTest, ALastLineBeforeADefectIsNotDelivered) {
  std::string bytes = Gzip("one\ntwo\nthree");
  bytes.resize(bytes.size() - 3);
  const ReadOut out =
      Read(bytes, {.compression = Compression::kGzip, .unit = TextUnit::kLine});
  EXPECT_THAT(out.records, ElementsAre("one", "two"));
  EXPECT_THAT(out.status, StatusIs(StatusCode::kDataLoss, ::testing::_));
}

TEST_F(TextReaderTest, ALongRecordIsAnErrorAtItsFirstLine) {
  const std::string text = "ok\n\n" + std::string(11, 'x') + "\nafter\n";
  for (const size_t buffer : {1, 1 << 20}) {
    ReadOut out = Read(text, {.unit = TextUnit::kLine,
                              .buffer_bytes = buffer,
                              .max_record_bytes = 10});
    EXPECT_THAT(out.records, ElementsAre("ok"));
    EXPECT_THAT(out.status,
                StatusIs(StatusCode::kResourceExhausted,
                         At(3) + ": the line has more than 10 bytes; raise "
                                 "max_record_bytes"));
  }
  EXPECT_THAT(Read("ab\ncd\n\nabcd\nef\nabcd", {.max_record_bytes = 10}).status,
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr(At(4) + ": the paragraph has more than 10")));
  EXPECT_THAT(
      Read("12345678901", {.unit = TextUnit::kFile, .max_record_bytes = 10})
          .status,
      StatusIs(StatusCode::kResourceExhausted,
               HasSubstr(At(1) + ": the file has more than 10 bytes")));
}

TEST_F(TextReaderTest, ARecordOfExactlyTheLimitPasses) {
  const std::string ten(10, 'x');
  for (const TextUnit unit : {TextUnit::kLine, TextUnit::kParagraph}) {
    for (const std::string end : {"", "\n", "\r\n", "\r\n\r\n"}) {
      const ReadOut out =
          Read(ten + end, {.unit = unit, .max_record_bytes = 10});
      EXPECT_OK(out.status);
      EXPECT_THAT(out.records, ElementsAre(ten));
    }
  }
}

// The expected lines come from std::getline; buffers of every small size put
// their ends everywhere.
TEST_F(TextReaderTest, TheSizeOfTheBufferNeverShows) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    std::string text;
    for (int i = random() % 400; i > 0; --i) {
      text += "ab\n\n\r\ncd"[random() % 8];
      if (random() % 40 == 0) text.append(random() % 300, 'z');
    }
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) lines.push_back(line);
    }
    const auto paragraphs = Paragraphs(text);
    for (const size_t buffer : {64, 65, 71, 100, 128, 333}) {
      ReadOut out =
          Read(text, {.unit = TextUnit::kLine, .buffer_bytes = buffer});
      ASSERT_EQ(out.records, lines);
      ASSERT_OK(out.status);
      ASSERT_EQ(Read(text, {.buffer_bytes = buffer}).records, paragraphs);
    }
  }
}

TEST_F(TextReaderTest, AFileThatIsNotThereIsNotFound) {
  EXPECT_THAT(OpenText(LocalFiles(), folder_ / "none.txt"),
              StatusIs(StatusCode::kNotFound, HasSubstr("none.txt")));
}

}  // namespace
}  // namespace penstock::testing
