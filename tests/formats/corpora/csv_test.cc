#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/corpora/csv_reader.h"
#include "formats/streams/memory_stream.h"
#include "tests/formats/archives/archive_fixture.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::string_literals::operator""s;

ReadOut Read(std::string_view text, CsvReadOptions options = {}) {
  return ReadAll(ReadCsv(MakeMemoryStream("f.csv", text), options));
}

TEST(CsvReaderTest, OneColumnIsTheTextByNameOrNumber) {
  const std::string text =
      "id,text,tag\n"
      "1,plain,x\n"
      "2,\"with, comma\",x\r\n"
      "3,\"two\nlines\",x\n"
      "4,\"say \"\"hi\"\"\",x\n"
      "5,,x\n"
      "\n"
      "6,last,x";
  const ReadOut out = Read(text);
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("plain", "with, comma", "two\nlines",
                                       "say \"hi\"", "", "last"));
  EXPECT_THAT(out.places, ElementsAre("f.csv:2", "f.csv:3", "f.csv:4",
                                      "f.csv:6", "f.csv:7", "f.csv:9"));
  EXPECT_EQ(Read(text, {.column = "#2"}).records, out.records);
  EXPECT_THAT(Read(text, {.column = "id"}).records,
              ElementsAre("1", "2", "3", "4", "5", "6"));
  EXPECT_THAT(
      Read("a,b\n1,2\n", {.header = CsvHeader::kNone, .column = "#1"}).records,
      ElementsAre("a", "1"));
}

TEST(CsvReaderTest, TsvAndOtherDelimitersAreTheSameWithAnotherByte) {
  EXPECT_THAT(ReadAs("f.tsv", "id\ttext\n1\ta,b\n2\t\"c\td\"\n").records,
              ElementsAre("a,b", "c\td"));
  EXPECT_THAT(
      ReadAs("f.csv", "id;text\n1;a,b\n", {.csv_delimiter = ';'}).records,
      ElementsAre("a,b"));
  EXPECT_THAT(ReadAs("f.csv.zst", Zstd("text\na\n")).records, ElementsAre("a"));
}

TEST(CsvReaderTest, QuotesAreOrdinaryWhereAskedFor) {
  const std::string text = "id\ttext\n1\t5\" disk\n2\t\"open\n";
  EXPECT_THAT(ReadAs("f.tsv", text, {.csv_quotes = CsvQuotes::kNone}).records,
              ElementsAre("5\" disk", "\"open"));
  EXPECT_THAT(ReadAs("f.tsv", text).status,
              StatusIs(kDataLoss, AllOf(HasSubstr("f.tsv:2: row 2: column 2: "),
                                        HasSubstr("CsvQuotes::kNone"))));
}

TEST(CsvReaderTest, AByteOrderMarkIsTakenOffAndWideTextIsRefused) {
  EXPECT_THAT(Read("\xef\xbb\xbftext,b\nx,y\n").records, ElementsAre("x"));
  EXPECT_THAT(Read("\xff\xfet\0e\0x\0t\0"s).status,
              StatusIs(kInvalid, HasSubstr("UTF-16LE")));
}

TEST(CsvReaderTest, RaggedRowsNameTheRowAndNothingShifts) {
  for (const char* row : {"2,b\n", "2,b,c,d\n", "2\n"}) {
    const ReadOut out =
        Read("id,text,tag\n1,a,x\n" + std::string(row) + "3,c,x\n");
    EXPECT_THAT(out.records, ElementsAre("a"));
    EXPECT_THAT(out.status,
                StatusIs(kDataLoss, AllOf(HasSubstr("f.csv:3: row 3: has "),
                                          HasSubstr("the first row has 3"))));
  }
  EXPECT_THAT(Read("id,text\n1,\"two\nlines\"\n2").status,
              StatusIs(kDataLoss, AllOf(HasSubstr("f.csv:4: row 3: has 1"),
                                        HasSubstr("is the file cut off?"))));
}

TEST(CsvReaderTest, AQuoteThatNeverClosesNamesTheLineWhereItOpened) {
  EXPECT_THAT(
      Read("id,text\n1,a\n2,\"open\n3,b\n4,c\n").status,
      StatusIs(kDataLoss, AllOf(HasSubstr("f.csv:3: row 3: column 2: "),
                                HasSubstr("opens in line 3 is never closed"))));
  // The field before it takes two lines of its own.
  EXPECT_THAT(Read("id,text\n\"a\nb\",\"open\n3,b\n").status,
              StatusIs(kDataLoss, AllOf(HasSubstr("f.csv:2: row 2: column 2"),
                                        HasSubstr("opens in line 3"))));
}

TEST(CsvReaderTest, QuotesInTheMiddleAreRefusedNotGuessed) {
  EXPECT_THAT(
      Read("text,b\na\"b,c\n").status,
      StatusIs(kDataLoss, HasSubstr("row 2: column 1: a quote inside")));
  EXPECT_THAT(Read("text,b\nx,\"a\"b\n").status,
              StatusIs(kDataLoss, HasSubstr("row 2: column 2: more follows")));
  EXPECT_THAT(
      Read("text,b\nx, \"a\"\n").status,
      StatusIs(kDataLoss, HasSubstr("row 2: column 2: a quote inside")));
}

TEST(CsvReaderTest, NulAndLoneCarriageReturnsAreRefused) {
  EXPECT_THAT(Read("text,b\nx,a\0b\n"s).status,
              StatusIs(kDataLoss, HasSubstr("row 2: column 2: holds a NUL")));
  EXPECT_THAT(Read("text,b\n\"x\0\",a\n"s).status,
              StatusIs(kDataLoss, HasSubstr("row 2: column 1: holds a NUL")));
  EXPECT_THAT(Read("text,b\rx,a\r").status,
              StatusIs(kDataLoss, HasSubstr("row 1: column 2: a carriage")));
}

TEST(CsvReaderTest, HeadersThatDoNotNameTheColumnOnceAreRefused) {
  EXPECT_THAT(Read("id,body\n1,x\n").status,
              StatusIs(kInvalid, AllOf(HasSubstr("f.csv:1: row 1: no column is "
                                                 "called \"text\""),
                                       HasSubstr("\"id\", \"body\""))));
  EXPECT_THAT(Read("text,text\n1,x\n").status,
              StatusIs(kInvalid, HasSubstr("2 columns are called \"text\"")));
  EXPECT_THAT(Read("text,text\n1,x\n", {.column = "#2"}).records,
              ElementsAre("x"));
  EXPECT_THAT(Read(",text\n1,x\n").records, ElementsAre("x"));
  EXPECT_THAT(Read("").status,
              StatusIs(kInvalid, HasSubstr("has no header row")));
  EXPECT_THAT(Read("\n\n").status,
              StatusIs(kInvalid, HasSubstr("has no header row")));
  EXPECT_THAT(Read("a,b\n", {.column = "#3"}).status,
              StatusIs(kInvalid, HasSubstr("column 3 is wanted, there are 2")));
  EXPECT_THAT(Read("a\n", {.header = CsvHeader::kNone}).status,
              StatusIs(kInvalid, HasSubstr("needs the column's number")));
}

TEST(CsvReaderTest, AHeaderAloneAndNothingWithoutOneGiveNoRecords) {
  ReadOut out = Read("id,text\n");
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, IsEmpty());
  out = Read("", {.header = CsvHeader::kNone, .column = "#1"});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, IsEmpty());
}

TEST(CsvReaderTest, AWrongDelimiterIsGuessedInTheMessageOnly) {
  EXPECT_THAT(Read("id;text\n1;x\n").status,
              StatusIs(kInvalid, HasSubstr("is the delimiter \";\"?")));
  EXPECT_THAT(Read("id\ttext\n1\tx\n").status,
              StatusIs(kInvalid, HasSubstr("is the delimiter \"\\t\"?")));
  EXPECT_THAT(Read("sep=;\nid;text\n1;x\n").status,
              StatusIs(kInvalid, HasSubstr("Excel's sep= line")));
}

TEST(CsvReaderTest, LimitsAreNamed) {
  EXPECT_THAT(Read(std::string(70'000, ',') + "\n").status,
              StatusIs(kExhausted, HasSubstr("more than 65536 columns")));
}

// All of it counts, as it lies there, wherever a read ends; nobody is asked.
TEST(CsvReaderTest, ALongRowIsAnError) {
  const std::string row = "1,\"" + std::string(5000, 'x') + "\"";
  for (const std::string end : {"", "\n", "\r\n"}) {
    for (const size_t buffer : {64, 5000, 1 << 20}) {
      SCOPED_TRACE(end + std::to_string(buffer));
      const auto read = [&](uint64_t limit) {
        return Read(
            fmt::format("id,text\n{}{}", row, end),
            {.column = "id",
             .on_bad_part = [](BadPart, const Status&) { return OkStatus(); },
             .buffer_bytes = buffer,
             .max_record_bytes = limit});
      };
      EXPECT_THAT(read(row.size() - 1).status,
                  StatusIs(kExhausted, AllOf(HasSubstr("f.csv:2: the row"),
                                             HasSubstr("max_record_bytes"))));
      EXPECT_EQ(read(row.size()).records.size(), 1);
    }
  }
}

TEST(CsvReaderTest, ACutNeverGivesAWrongField) {
  const std::string text = "id,text\n1,\"a,\nb\"\n2,\"c \"\"d\"\" e\"\n3,f\n";
  const std::vector<std::string> all = {"a,\nb", "c \"d\" e", "f"};
  for (size_t size = 0; size < text.size(); ++size) {
    const ReadOut out = Read(std::string_view(text).substr(0, size));
    for (size_t i = 0; i < out.records.size(); ++i) {
      // Without its line end the last row may be whole or not: nobody knows.
      const bool may_be_cut = i + 1 == out.records.size() && out.status.ok() &&
                              text[size - 1] != '\n';
      if (may_be_cut) {
        EXPECT_THAT(all[i], ::testing::StartsWith(out.records[i]));
      } else {
        EXPECT_EQ(out.records[i], all[i]) << size;
      }
    }
  }
}

TEST(CsvTest, ARowThatIsWrongCostsOneRowWhereItMayBeLeftOut) {
  std::vector<std::string> why;
  const ReadOut out =
      Read("text,n\none,1\ncaf\xe9,2\ntwo,3,4\nthree,\xe9\n",
           {.on_bad_part = [&](BadPart part, const Status& status) {
             EXPECT_EQ(part, BadPart::kRow);
             why.emplace_back(status.message());
             return OkStatus();
           }});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("one", "three"));
  EXPECT_THAT(why,
              ElementsAre(HasSubstr("f.csv:4: row 4: has 3 columns"),
                          HasSubstr("f.csv:3: row 3: column 1: byte 4 of the "
                                    "field (0xe9)")));
}

// Neither the line nor the bytes before it are those of the text alone.
TEST(CsvTest, ABadByteIsNamedByRowColumnAndPlaceInTheField) {
  EXPECT_THAT(Read("n,text\n1,a\n\"2\n3\",\"\"\"b\xff\"\n").status,
              StatusIs(StatusCode::kDataLoss,
                       HasSubstr("f.csv:3: row 3: column 2: byte 3 of the "
                                 "field (0xff) is not UTF-8")));
  std::vector<std::string> told;
  const OnBadPart keep = [&](BadPart, const Status& why) {
    told.emplace_back(why.message());
    return OkStatus();
  };
  EXPECT_THAT(
      Read("n,text\n1,\xff\n2,b\n3,c\xff\n", {.on_bad_part = keep}).records,
      ElementsAre("b"));
  EXPECT_THAT(told, ElementsAre(HasSubstr("f.csv:2: row 2: column 2: byte 1"),
                                HasSubstr("f.csv:4: row 4: column 2: byte 2")));
}

TEST(CsvTest, TextThatIsNotUtf8FollowsThePolicyAndOtherColumnsDoNot) {
  const std::string text = "text,n\ncaf\xe9,1\ntwo,\xff\n";
  EXPECT_THAT(Read(text).status,
              StatusIs(StatusCode::kDataLoss, HasSubstr("f.csv:2: ")));
  EXPECT_THAT(Read(text, {.invalid_utf8 = NotUtf8::kReplace}).records,
              ElementsAre("caf\xef\xbf\xbd", "two"));
  EXPECT_THAT(Read(text, {.invalid_utf8 = NotUtf8::kKeep}).records,
              ElementsAre("caf\xe9", "two"));
}

}  // namespace
}  // namespace penstock::testing
