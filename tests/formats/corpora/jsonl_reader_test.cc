#include "formats/corpora/jsonl_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class JsonlReaderTest : public ::testing::Test {
 protected:
  ReadOut Read(const std::string& bytes, JsonlReadOptions options = {}) {
    return ReadAll(OpenJsonl(LocalFiles(), folder_.Write("f.jsonl", bytes),
                             std::move(options)));
  }
  // What reading says to `line` between two good ones, which are delivered
  // whether it is bad or not.
  Status Judge(const std::string& line) {
    const std::string text =
        "{\"text\": \"before\"}\n" + line + "\n{\"text\": \"after\"}\n";
    Status said;
    const ReadOut skipped =
        Read(text, {.on_bad_part = [&](BadPart, const Status& s) {
               said = s;
               return OkStatus();
             }});
    EXPECT_OK(skipped.status);
    EXPECT_EQ(skipped.records.size(), said.ok() ? 3 : 2);
    EXPECT_TRUE(skipped.records.size() > 1 &&
                skipped.records.front() == "before" &&
                skipped.records.back() == "after");

    const ReadOut failed = Read(text);
    EXPECT_EQ(failed.status, said);
    EXPECT_EQ(failed.records.size(), said.ok() ? 3 : 1);
    return said;
  }
  std::string At(int line) {
    return folder_ / "f.jsonl" + ":" + std::to_string(line);
  }

  ScratchFolder folder_;
};

TEST_F(JsonlReaderTest, OneFieldOfEachLineIsARecord) {
  const ReadOut out = Read(
      "{\"id\": 1, \"text\": \"one\"}\n"
      "\n \t\r\n"
      "{\"text\":\"two\\nlines \\u00e9\\ud83d\\ude00\\u0000\",\"x\":[{}]}\r\n"
      "  {\"text\": \"\"}\n"
      "{\"text\": \"last\"}");
  EXPECT_OK(out.status);
  EXPECT_THAT(
      out.records,
      ElementsAre("one", "two\nlines \xc3\xa9\xf0\x9f\x98\x80\0"s, "", "last"));
  EXPECT_THAT(out.places, ElementsAre(At(1), At(4), At(5), At(6)));
}

TEST_F(JsonlReaderTest, APathLooksInside) {
  EXPECT_THAT(
      Read("{\"a\": {\"b\": \"deep\", \"c\": 1}}\n", {.field = "a.b"}).records,
      ElementsAre("deep"));
}

TEST_F(JsonlReaderTest, TheLastOfAFieldThatComesTwiceCounts) {
  EXPECT_THAT(Read("{\"text\": \"one\", \"text\": \"two\"}\n").records,
              ElementsAre("two"));
}

TEST_F(JsonlReaderTest, FilesWithoutDocumentsHaveNoRecords) {
  for (const std::string bytes : {"", "\n", "\xef\xbb\xbf", " \r\n\t\n"}) {
    const ReadOut out = Read(bytes);
    EXPECT_OK(out.status);
    EXPECT_THAT(out.records, IsEmpty());
  }
}

TEST_F(JsonlReaderTest, AByteOrderMarkIsTakenOffAtTheStart) {
  EXPECT_THAT(Read("\xef\xbb\xbf{\"text\": \"a\"}\n").records,
              ElementsAre("a"));
  EXPECT_THAT(Judge("\xef\xbb\xbf{\"text\": \"a\"}"),
              StatusIs(kDataLoss, HasSubstr(At(2) + ": column 1: not JSON")));
  EXPECT_THAT(Read("\xff\xfe{\0\"\0"s).status,
              StatusIs(kInvalid, HasSubstr("UTF-16LE")));
}

// The defects with which simdjson's streaming interface loses, merges or
// accepts lines; columns counted by hand.
TEST_F(JsonlReaderTest, ABadLineIsRefusedAloneAndByItsPlace) {
  const std::tuple<std::string, int, std::string> bad[] = {
      {"{\"text\": \"never closed}", 10,
       "a string is opened, but never closed"},
      {"{\"text\": \"a\xff\"}", 12, "a byte that is not UTF-8"},
      {"{\"text\": \"a\0b\"}"s, 12, "a control byte in a string"},
      {"{\"text\": \"a\"", 1, "an object is opened, but never closed"},
      {"{\"text\": \"a\"}}", 14, "more follows the document"},
      {"{\"text\": \"a\"} xyz", 15, "more follows the document"},
      {"{\"text\": \"a\"} {\"text\": \"b\"}", 15, "more follows"},
      {"{\"text\": \"a\", \"z\": tru}", 20, "expected a value"},
      {"{\"text\": \"\\ud800\"}", 11, "half of a surrogate pair"},
      {"{\"text\": \"\\udc00\"}", 11, "half of a surrogate pair"},
      {"{\"text\": \"a\", \"z\": \"\\ud800\"}", 21, "half of a surrogate"},
      {"{\"text\": \"\\x\"}", 11, "a backslash that begins no escape"},
      {"{\"text\": \"a\", \"z\": 18446744073709551616}", 20, "outside 64 bits"},
      {"{\"text\": \"a\", \"z\": 1e999}", 20, "a double's range"},
      {"{\"text\": \"a\", \"z\": NaN}", 20, "expected a value"},
      {"{\"text\": \"a\", \"z\": 01}", 20, "a number begins with 0"},
      {"{\"text\": \"a\",}", 14, "expected a name in double quotes"},
      {"{\"text\" \"a\"}", 9, "expected ':' behind the name"},
      {"{\"text\": [1 2]}", 13, "expected ',' or ']'"},
      {"{\"text\": [1", 10, "an array is opened, but never closed"},
      {"{'text': 'a'}", 2, "expected a name in double quotes"},
      {"not json", 1, "expected a value"},
      {"}", 1, "expected a value"},
  };
  for (const auto& [line, column, what] : bad) {
    EXPECT_THAT(Judge(line),
                StatusIs(kDataLoss, AllOf(StartsWith(At(2) + ": column " +
                                                     std::to_string(column) +
                                                     ": not JSON: "),
                                          HasSubstr(what))))
        << line;
  }
}

TEST_F(JsonlReaderTest, TooManyLevelsAreALimit) {
  const std::string deep = std::string(2000, '[') + std::string(2000, ']');
  EXPECT_THAT(
      Judge("{\"z\": " + deep + ", \"text\": \"a\"}"),
      StatusIs(StatusCode::kResourceExhausted,
               At(2) + ": column 1029: not JSON: 1024 levels and more"));
}

TEST_F(JsonlReaderTest, NumbersOutOfRangeAreTakenWhereAskedFor) {
  const std::string text =
      "{\"text\": \"a\", \"z\": [123456789012345678901, -1e999, 1, 1e5]}\n"
      "{\"text\": \"b\", \"z\": NaN}\n";
  const ReadOut out = Read(text, {.leniency = {.numbers = true}});
  EXPECT_THAT(out.records, ElementsAre("a"));
  EXPECT_THAT(out.status, StatusIs(kDataLoss, HasSubstr(":2: column 20: ")));
}

TEST_F(JsonlReaderTest, InvalidUnicodeIsReplacedWhereAskedFor) {
  const std::string text =
      "{\"text\": \"a\\ud800b\\udc00\\ud83d\\ude00\"}\n"
      "{\"text\": \"\xff\xc3\xa9\xed\xa0\x80\"}\n"
      "{\"text\": \"" +
      std::string(60, '\xff') +
      "\", \"z\": \"\\ud800\"}\n"
      "{\"text\": \"ok\"}\n"
      "{\"text\": \"\\ud80\"}\n";
  const std::string mark = "\xef\xbf\xbd";
  std::string many;
  for (int i = 0; i < 60; ++i) many += mark;
  for (const size_t buffer : {64, 1 << 20}) {
    const ReadOut out =
        Read(text, {.leniency = {.unicode = true}, .buffer_bytes = buffer});
    EXPECT_THAT(
        out.records,
        ElementsAre("a" + mark + "b" + mark + "\xf0\x9f\x98\x80",
                    mark + "\xc3\xa9" + mark + mark + mark, many, "ok"));
    EXPECT_THAT(out.status, StatusIs(kDataLoss, HasSubstr(":5: column 11: ")));
  }
}

TEST_F(JsonlReaderTest, LinesWhereTheFieldComesTwiceAreTold) {
  std::vector<std::string> told;
  const ReadOut out = Read(
      "{\"text\": \"a\"}\n"
      "{\"text\": \"b\", \"x\": {\"text\": 1}, \"x\": 2}\n"
      "{\"text\": \"c\", \"\\u0074ext\": \"d\"}\n",
      {.on_repeated_field = [&](std::string_view place) {
        told.emplace_back(place);
      }});
  EXPECT_THAT(out.records, ElementsAre("a", "b", "d"));
  EXPECT_THAT(told, ElementsAre(At(3)));
}

TEST_F(JsonlReaderTest, WideTextWithoutAMarkAndJoinedFilesAreHinted) {
  EXPECT_THAT(Read("{\0\"\0t\0\"\0:\0001\0}\0\n\0"s).status,
              StatusIs(kDataLoss, HasSubstr("looks like UTF-16")));
  const std::string marked = "\xef\xbb\xbf{\"text\": \"a\"}\n";
  EXPECT_THAT(
      Read(marked + marked).status,
      StatusIs(kDataLoss, HasSubstr(":2: column 1: not JSON: expected a "
                                    "value; it begins with a byte order "
                                    "mark")));
}

TEST_F(JsonlReaderTest, AMissingFieldIsNamedWithThoseTheObjectHas) {
  EXPECT_THAT(Judge("{\"id\": 1, \"body\": \"b\"}"),
              StatusIs(kInvalid, At(2) + ": no field \"text\"; the object has "
                                         "\"id\", \"body\""));
  EXPECT_THAT(Judge("{}"), StatusIs(kInvalid, HasSubstr("has no fields")));
  EXPECT_THAT(Read("{\"a\": {\"c\": 1}}", {.field = "a.b"}).status,
              StatusIs(kInvalid, At(1) + ": no field \"a.b\"; the object has "
                                         "\"c\""));
  EXPECT_THAT(Read("{\"a\": [1]}", {.field = "a.b"}).status,
              StatusIs(kInvalid, HasSubstr("an array")));
}

TEST_F(JsonlReaderTest, AFieldThatIsNoStringIsNamedWithItsType) {
  for (const auto& [value, name] :
       {std::pair("1", "a number"), std::pair("-1.5", "a number"),
        std::pair("null", "null"), std::pair("true", "true or false"),
        std::pair("[\"a\"]", "an array"), std::pair("{}", "an object")}) {
    EXPECT_THAT(Judge("{\"text\": "s + value + "}"),
                StatusIs(kInvalid, At(2) +
                                       ": field \"text\": expected a "
                                       "string, found " +
                                       name));
  }
}

TEST_F(JsonlReaderTest, ALineThatIsNoObjectIsRefused) {
  EXPECT_THAT(Judge("[\"text\"]"),
              StatusIs(kInvalid, At(2) + ": expected a JSON object on the "
                                         "line, found an array"));
  EXPECT_THAT(Judge("\"text\""), StatusIs(kInvalid, HasSubstr("a string")));
}

TEST_F(JsonlReaderTest, PrettyPrintedJsonIsRecognised) {
  for (const std::string text :
       {"{\n  \"text\": \"a\"\n}\n", "[\n{\"text\": \"a\"}\n]\n",
        "[{\n  \"text\": \"a\"\n}]"}) {
    EXPECT_THAT(
        Read(text).status,
        StatusIs(kDataLoss, HasSubstr("looks like pretty-printed JSON: put "
                                      "each document on one line")));
  }
}

TEST_F(JsonlReaderTest, ACutOffLastLineIsAnErrorThatSaysSo) {
  const ReadOut out = Read("{\"text\": \"a\"}\n{\"text\": \"b");
  EXPECT_THAT(out.records, ElementsAre("a"));
  EXPECT_THAT(
      out.status,
      StatusIs(kDataLoss, AllOf(StartsWith(At(2) + ": column 10: not JSON"),
                                HasSubstr("is the file cut off?"))));
}

TEST_F(JsonlReaderTest, AFileOfAnotherTypeIsNamed) {
  EXPECT_THAT(Read("<!DOCTYPE html>\n<html>").status,
              StatusIs(kDataLoss, HasSubstr(":1: column 1: not JSON")));
  EXPECT_THAT(
      Read("<!DOCTYPE html>\n<html>").status,
      StatusIs(kDataLoss, HasSubstr("the file looks like an HTML page")));
  EXPECT_THAT(Read(Gzip("{}\n")).status,
              StatusIs(kInvalid, HasSubstr("looks like gzip")));
}

TEST_F(JsonlReaderTest, MessagesHoldNoPayload) {
  EXPECT_THAT(Judge("{\"text\": \"SECRET"),
              StatusIs(kDataLoss, Not(HasSubstr("SECRET"))));
  EXPECT_THAT(Judge("{\"text\": [\"SECRET\"]}"),
              StatusIs(kInvalid, Not(HasSubstr("SECRET"))));
}

TEST_F(JsonlReaderTest, ALongLineIsAnErrorEvenWhereBadLinesAreSkipped) {
  const std::string text =
      "{\"text\": \"a\"}\n{\"text\": \"" + std::string(100, 'x') + "\"}\n";
  for (const size_t buffer : {64, 1 << 20}) {
    const ReadOut out = Read(
        text, {.on_bad_part = [](BadPart, const Status&) { return OkStatus(); },
               .buffer_bytes = buffer,
               .max_record_bytes = 50});
    EXPECT_THAT(out.records, ElementsAre("a"));
    EXPECT_THAT(out.status,
                StatusIs(StatusCode::kResourceExhausted,
                         At(2) + ": the line has more than 50 bytes; raise "
                                 "max_record_bytes"));
  }
}

TEST_F(JsonlReaderTest, ALineThatIsCostlyToParseNamesTheOptionThatAllowsIt) {
  const std::string text = "{\"text\": \"a\"}\n{\"text\": \"b\", \"n\": [" +
                           std::string(200, '1') + "]}\n";
  const ReadOut out = Read(text, {.max_json_line_bytes = 100});
  EXPECT_THAT(out.records, ElementsAre("a"));
  EXPECT_THAT(out.status,
              StatusIs(StatusCode::kResourceExhausted,
                       At(2) + ": the line has more than 100 bytes; raise "
                               "max_json_line_bytes (--max-json-line); it "
                               "takes 14 times its size to parse"));
  EXPECT_EQ(JsonlReadOptions().max_json_line_bytes, 128u << 20);
}

// Written by another JSON library, read back with buffers of many sizes.
TEST_F(JsonlReaderTest, AnyTextComesBackWhateverTheSizeOfTheBuffer) {
  std::mt19937 random(9);
  const std::string pieces[] = {
      "a",    "\n", "\"",          "\\", "\xc3\xa9", "\t", "\xf0\x9f\x98\x80",
      "\x01", "/",  "\xe2\x82\xac"};
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> texts;
    std::string file;
    for (int i = random() % 50; i > 0; --i) {
      std::string text;
      for (int n = random() % 60; n > 0; --n) text += pieces[random() % 10];
      const nlohmann::json document = {
          {"a", texts.size()}, {"text", text}, {"z", {1, nullptr, text}}};
      file += document.dump(-1, ' ', random() % 2 == 0) + "\n";
      texts.push_back(text);
    }
    for (const size_t buffer : {64, 67, 200, 1 << 20}) {
      const ReadOut out = Read(file, {.buffer_bytes = buffer});
      ASSERT_OK(out.status);
      ASSERT_EQ(out.records, texts);
    }
  }
}

}  // namespace
}  // namespace penstock::testing
