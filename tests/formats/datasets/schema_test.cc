#include "formats/datasets/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/example/example_writer.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SchemaTest : public ::testing::Test {
 protected:
  std::string Row(const std::function<void(ExampleWriter&)>& fill) {
    fill(writer_);
    std::string record;
    writer_.Finish(record);
    return record;
  }
  Status Add(const std::string& record, Schema& schema,
             const std::string& place) {
    const auto row = summarizer_.Summarize(record);
    if (!row.ok()) return row.status();
    return schema.Add(*row, [&] { return place; });
  }
  Status Check(const Schema& schema, const std::string& record) {
    const auto row = summarizer_.Summarize(record);
    return row.ok() ? schema.Check(*row) : row.status();
  }
  // Three rows: tokens 1..3, text in each, weight in one of them.
  Schema Learned() {
    Schema schema;
    for (int i = 1; i <= 3; ++i) {
      EXPECT_OK(Add(Row([&](ExampleWriter& w) {
                      w.SetInts("tokens", std::vector<int64_t>(i, 5));
                      w.SetBytes("text", "\xc3\xa4");
                      w.SetBytes("raw", i == 2 ? "\xff" : "a");
                      if (i == 2) w.SetFloats("weight", std::vector{0.5f});
                    }),
                    schema, "a:" + std::to_string(i)));
    }
    return schema;
  }

  RowSummarizer summarizer_;
  ExampleWriter writer_;
};

constexpr char kText[] =
    "penstock-schema 1\n"
    "rows 3\n"
    "feature \"raw\" bytes values 1 rows 3\n"
    "feature \"text\" bytes utf8 values 1 rows 3\n"
    "feature \"tokens\" int64 values 1..3 rows 3\n"
    "feature \"weight\" float values 1 rows 1\n";

TEST_F(SchemaTest, TypesCountsPresenceAndUtf8AreInferred) {
  EXPECT_EQ(Learned().ToText(), kText);
}

TEST_F(SchemaTest, TheTextFormRoundTrips) {
  ASSERT_OK_AND_ASSIGN(const Schema schema, Schema::FromText(kText, "s"));
  EXPECT_EQ(schema.ToText(), kText);
  Schema odd;
  odd.rows = 1;
  odd.features["a \"b\"\n\\ c"] = {.type = FeatureType::kFloat, .rows = 1};
  ASSERT_OK_AND_ASSIGN(const Schema again, Schema::FromText(odd.ToText(), "s"));
  EXPECT_EQ(again.ToText(), odd.ToText());
  EXPECT_TRUE(again.features.contains("a \"b\"\n\\ c"));
}

TEST_F(SchemaTest, Case45TypeDriftBetweenRowsNamesBothPlaces) {
  Schema schema = Learned();
  EXPECT_THAT(
      Add(Row([](ExampleWriter& w) {
            w.SetFloats("tokens", std::vector{1.0f});
          }),
          schema, "b.tfrecord: record 9 at offset 40"),
      StatusIs(kInvalid, HasSubstr("b.tfrecord: record 9 at offset 40: feature "
                                   "\"tokens\" is float, but it is int64 in "
                                   "a:1")));
  EXPECT_EQ(schema.ToText(), kText);
}

TEST_F(SchemaTest, Case45TypeDriftBetweenFilesNamesBothPlaces) {
  Schema one = Learned();
  Schema two;
  ASSERT_OK(Add(Row([](ExampleWriter& w) { w.SetBytes("weight", "1"); }), two,
                "b:0"));
  EXPECT_THAT(one.Merge(two),
              StatusIs(kInvalid, HasSubstr("b:0: feature \"weight\" is bytes, "
                                           "but it is float in a:2")));
}

TEST_F(SchemaTest, MergedFilesAreOneFile) {
  Schema one = Learned();
  ASSERT_OK(one.Merge(Learned()));
  Schema doubled;
  for (int i = 0; i < 2; ++i) ASSERT_OK(doubled.Merge(Learned()));
  EXPECT_EQ(one.ToText(), doubled.ToText());
  EXPECT_EQ(one.rows, 6);
}

TEST_F(SchemaTest, Case45ARowThatDoesNotFitNamesTheSchemasLine) {
  ASSERT_OK_AND_ASSIGN(const Schema schema, Schema::FromText(kText, "s.txt"));
  const auto row = [&](int tokens, const char* text, bool extra) {
    return Row([&](ExampleWriter& w) {
      w.SetInts("tokens", std::vector<int64_t>(tokens, 1));
      w.SetBytes("raw", "");
      if (text != nullptr) w.SetBytes("text", text);
      if (extra) w.SetInts("extra", std::vector<int64_t>{1});
    });
  };
  EXPECT_OK(Check(schema, row(2, "x", false)));
  EXPECT_THAT(Check(schema, row(4, "x", false)),
              StatusIs(kInvalid, AllOf(HasSubstr("feature \"tokens\": expected "
                                                 "int64[1..3], found int64[4]"),
                                       HasSubstr("s.txt:5"))));
  EXPECT_THAT(Check(schema, row(1, "\xff", false)),
              StatusIs(kInvalid, AllOf(HasSubstr("\"text\": expected UTF-8"),
                                       HasSubstr("s.txt:4"))));
  EXPECT_THAT(Check(schema, row(1, nullptr, false)),
              StatusIs(kInvalid, AllOf(HasSubstr("\"text\": is missing"),
                                       HasSubstr("s.txt:4"))));
  EXPECT_THAT(Check(schema, row(1, "x", true)),
              StatusIs(kInvalid, HasSubstr("\"extra\" is not in the schema")));
}

TEST_F(SchemaTest, Case45AnEmptyFeatureIsAMissingOne) {
  Schema schema;
  ASSERT_OK(Add(Record(Entry("x", Int64List(Chunk(1, "\1")))), schema, "a:0"));
  ASSERT_OK(Add(Record(Entry("x", "")), schema, "a:1"));
  EXPECT_EQ(schema.features["x"].rows, 1);
  EXPECT_EQ(schema.rows, 2);
}

TEST_F(SchemaTest, DefectsOfTheTextNameTheLine) {
  const auto error = [](const std::string& text) {
    return Schema::FromText(text, "s.txt").status();
  };
  const std::string head = "penstock-schema 1\nrows 3\n";
  EXPECT_THAT(error("feature"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("s.txt:1: expected")));
  EXPECT_THAT(error("penstock-schema 2\n"),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("s.txt:1")));
  EXPECT_THAT(
      error("penstock-schema 1\n"),
      StatusIs(StatusCode::kDataLoss, HasSubstr("\"rows N\" is missing")));
  for (const std::string line :
       {"feature", "feature x", "feature \"x int64 values 1 rows 1",
        "feature \"x\" int32 values 1 rows 1",
        "feature \"x\" int64 utf8 values 1 rows 1",
        "feature \"x\" int64 values 2..1 rows 1",
        "feature \"x\" int64 values -1 rows 1",
        "feature \"x\" int64 values 1 rows 1 more", "rows 4"}) {
    EXPECT_THAT(error(head + line),
                StatusIs(StatusCode::kDataLoss, HasSubstr("s.txt:3: expected")))
        << line;
  }
  const std::string x = "feature \"x\" int64 values 1 rows 1\n";
  EXPECT_THAT(error(head + x + x),
              StatusIs(StatusCode::kDataLoss, HasSubstr("s.txt:4: this feature "
                                                        "comes twice")));
}

TEST_F(SchemaTest, ARecordThatIsNoExampleIsRefused) {
  EXPECT_THAT(
      summarizer_.Summarize("\xff").status(),
      StatusIs(StatusCode::kDataLoss, HasSubstr("no tf.train.Example")));
}

}  // namespace
}  // namespace penstock::testing
