#include "formats/corpora/text_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/effort.h"
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
  // As GNU tar begins.
  static std::string TarBlock() {
    std::string block(512, '\0');
    block.replace(0, 5, "a.txt");
    block.replace(257, 5, "ustar");
    return block;
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

TEST_F(TextReaderTest, BytesAreKeptAsTheyAreWhereAskedFor) {
  EXPECT_THAT(Read("caf\xe9\n\xed\xa0\x80\na\0b\na\rb\n"s,
                   {.unit = TextUnit::kLine, .invalid_utf8 = NotUtf8::kKeep})
                  .records,
              ElementsAre("caf\xe9", "\xed\xa0\x80", "a\0b"s, "a\rb"));
}

TEST_F(TextReaderTest, BytesThatAreNotUtf8EndTheFileAtTheirLine) {
  for (const size_t buffer : {64, 1 << 20}) {
    const std::string good(1000, 'a');
    const ReadOut out = Read(good + "\none\ncaf\xe9 au lait\nlast\n",
                             {.unit = TextUnit::kLine, .buffer_bytes = buffer});
    EXPECT_THAT(out.records, ElementsAre(good, "one"));
    EXPECT_THAT(out.status,
                StatusIs(StatusCode::kDataLoss,
                         HasSubstr(At(3) + ": byte 4 of the line (0xe9) is not "
                                           "UTF-8")));
  }
  EXPECT_THAT(Read("one\ntwo\nthree \xff\n", {.unit = TextUnit::kFile}).status,
              StatusIs(StatusCode::kDataLoss,
                       HasSubstr(At(3) + ": byte 15 of the file (0xff)")));
}

TEST_F(TextReaderTest, BytesThatAreNotUtf8AreReplacedWhereAskedFor) {
  EXPECT_THAT(Read("caf\xe9\n\xed\xa0\x80\ngood\n",
                   {.unit = TextUnit::kLine, .invalid_utf8 = NotUtf8::kReplace})
                  .records,
              ElementsAre("caf\xef\xbf\xbd",
                          "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "good"));
  // A long text of Latin-1, one character in three.
  std::string latin, expected;
  for (int i = 0; i < 5000; ++i) {
    latin += "a\xc3\xa4\xe4 ";
    expected += "a\xc3\xa4\xef\xbf\xbd ";
  }
  EXPECT_THAT(
      Read(latin, {.unit = TextUnit::kFile, .invalid_utf8 = NotUtf8::kReplace})
          .records,
      ElementsAre(expected));
}

TEST_F(TextReaderTest, ANulByteIsNoText) {
  for (const NotUtf8 policy : {NotUtf8::kFail, NotUtf8::kReplace}) {
    EXPECT_THAT(Read("one\na\0b\xff\n"s,
                     {.unit = TextUnit::kLine, .invalid_utf8 = policy})
                    .status,
                StatusIs(StatusCode::kInvalidArgument,
                         HasSubstr(At(2) + ": byte 2 of the line is NUL")));
  }
}

TEST_F(TextReaderTest, ABadTextCostsOneTextWhereItMayBeLeftOut) {
  std::vector<std::string> why;
  const ReadOut out = Read("one\ncaf\xe9\ntwo\na\0b\nthree"s,
                           {.unit = TextUnit::kLine,
                            .on_bad_part = [&](BadPart, const Status& status) {
                              why.emplace_back(status.message());
                              return OkStatus();
                            }});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("one", "two", "three"));
  EXPECT_THAT(out.places, ElementsAre(At(1), At(3), At(5)));
  EXPECT_THAT(why, ElementsAre(HasSubstr(At(2)), HasSubstr(At(4))));
}

TEST_F(TextReaderTest, MagicNumbersAreNoTextWhateverTheName) {
  const std::string tar = TarBlock();
  const std::pair<std::string, std::string> files[] = {
      {"\x7f"
       "ELF\2\1\1\0"s,
       "an ELF program"},
      {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s, "a PNG picture"},
      {"%PDF-1.7\n1 0 obj\n", "a PDF document"},
      {"SQLite format 3\0\x10\0"s, "an SQLite database"},
      {tar, "a tar archive"},
      {Gzip("x"), "gzip"}};
  for (const auto& [bytes, name] : files) {
    EXPECT_THAT(
        Read(bytes, {.invalid_utf8 = NotUtf8::kKeep}).status,
        StatusIs(
            StatusCode::kInvalidArgument,
            HasSubstr("f.txt: expected text; the file looks like " + name)));
  }
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

// Wherever what is read at once ends, also between \r and \n.
TEST_F(TextReaderTest, AParagraphOfExactlyTheLimitPassesBeforeAnyLineEnds) {
  for (const std::string end : {"\n\n", "\r\n\r\n"}) {
    for (size_t limit = 505; limit < 580; ++limit) {
      const ReadOut out = Read(std::string(limit, 'x') + end + "after",
                               {.buffer_bytes = 64, .max_record_bytes = limit});
      EXPECT_OK(out.status);
      EXPECT_EQ(out.records.size(), 2u) << limit;
    }
  }
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
  for (int round = 0; round < Cases(60); ++round) {
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
