#include "formats/corpora/example_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TextExample(std::string_view feature, std::string_view text) {
  ExampleWriter example;
  example.SetBytes(feature, text);
  example.SetInts("label", std::vector<int64_t>{7, 8});
  std::string bytes;
  example.Finish(bytes);
  return bytes;
}

class ExampleTextTest : public ::testing::Test {
 protected:
  ReadOut Read(const std::vector<std::string>& records, OpenOptions options) {
    const std::string path = folder_ / "a.tfrecord";
    auto writer = CreateTfRecord(LocalFiles(), path);
    EXPECT_OK(writer);
    for (const std::string& record : records) {
      EXPECT_OK((*writer)->Append(record));
    }
    EXPECT_OK((*writer)->Finish());
    return ReadAll(OpenRecords(LocalFiles(), path, std::move(options)));
  }

  ScratchFolder folder_;
};

TEST_F(ExampleTextTest, TheFeatureIsTheDocument) {
  const std::vector<std::string> records = {TextExample("text", "one"),
                                            TextExample("text", ""),
                                            TextExample("text", "two")};
  for (const OpenOptions& options : {OpenOptions{.look_for_examples = true},
                                     OpenOptions{.example_feature = "text"}}) {
    const ReadOut out = Read(records, options);
    EXPECT_OK(out.status);
    EXPECT_THAT(out.records, ElementsAre("one", "", "two"));
    EXPECT_THAT(out.places[2], HasSubstr("record 2"));
  }
}

TEST_F(ExampleTextTest, RecordsAreAsStoredWhereNobodyAsksOrSaysSo) {
  const std::string record = TextExample("text", "one");
  EXPECT_THAT(Read({record}, {}).records, ElementsAre(record));
  EXPECT_THAT(
      Read({record}, {.example_feature = "-", .look_for_examples = true})
          .records,
      ElementsAre(record));
}

TEST_F(ExampleTextTest, ATextThatIsAMessageByChanceIsNoExample) {
  for (const std::string text :
       {"plain words", "a12345678", "\n", "\n\n", "{\"text\": \"x\"}"}) {
    const ReadOut out = Read({"", text, "more"}, {.look_for_examples = true});
    EXPECT_OK(out.status);
    EXPECT_THAT(out.records, ElementsAre("", text, "more"));
  }
}

TEST_F(ExampleTextTest, AMissingFeatureIsAnErrorThatNamesThoseThereAre) {
  for (const OpenOptions& options : {OpenOptions{.look_for_examples = true},
                                     OpenOptions{.example_feature = "text"}}) {
    EXPECT_THAT(
        Read({TextExample("body", "one")}, options).status,
        StatusIs(StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("a.tfrecord: record 0"), HasSubstr("\"text\""),
                       HasSubstr("the record has \"body\", \"label\""),
                       HasSubstr("example_feature"))));
  }
  EXPECT_THAT(
      Read({TextExample("text", "x")}, {.example_feature = "label"}).status,
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("\"label\"")));
}

TEST_F(ExampleTextTest, AFeatureThatIsAskedForNeedsExamples) {
  EXPECT_THAT(Read({"{plain words}"}, {.example_feature = "text"}).status,
              StatusIs(StatusCode::kDataLoss, HasSubstr("record 0")));
}

TEST_F(ExampleTextTest, ABadRecordCostsOneRecordWhereItMayBeLeftOut) {
  const std::vector<std::string> records = {
      TextExample("text", "one"), TextExample("body", "no"),
      TextExample("text", "two"), "no Example at all",
      TextExample("text", "3")};
  std::vector<std::string> why;
  const ReadOut out =
      Read(records, {.look_for_examples = true,
                     .on_bad_part = [&](BadPart part, const Status& status) {
                       EXPECT_EQ(part, BadPart::kDocument);
                       why.emplace_back(status.message());
                       return OkStatus();
                     }});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("one", "two", "3"));
  EXPECT_THAT(out.places[1], HasSubstr("record 2"));
  EXPECT_THAT(why, ElementsAre(HasSubstr("record 1"), HasSubstr("record 3")));
  // Without leave the records before it come first.
  const ReadOut failed = Read(records, {.look_for_examples = true});
  EXPECT_THAT(failed.records, ElementsAre("one"));
  EXPECT_THAT(failed.status,
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("record 1")));
}

}  // namespace
}  // namespace penstock::testing
