#include "tools/recordtool/json_examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/example.pb.h"
#include "formats/example/example_writer.h"
#include "formats/example/sequence_writer.h"
#include "tests/support/status_matchers.h"
#include "tools/recordtool/example_json.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;
using std::string_view_literals::operator""sv;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The JSON of the Example that `text` becomes.
std::string ThereAndBack(const std::string& text) {
  const auto record = ExampleFromJson(nlohmann::json::parse(text));
  EXPECT_OK(record);
  const auto json = ExampleToJson(*record);
  EXPECT_OK(json);
  return *json;
}

TEST(JsonExamplesTest, FloatsThatJsonHasNotAreTheWordsOfProtobufsJson) {
  ExampleWriter writer;
  const std::vector<float> floats = {0.5f, std::nanf(""), kInfinity,
                                     -kInfinity};
  writer.SetFloats("f", floats);
  std::string record;
  writer.Finish(record);
  const std::string json = R"({"f":[0.5,{"float":"NaN"},{"float":"Infinity"},)"
                           R"({"float":"-Infinity"}]})";
  ASSERT_OK_AND_ASSIGN(const std::string printed, ExampleToJson(record));
  EXPECT_EQ(printed, json);
  EXPECT_EQ(ThereAndBack(json), json);
}

TEST(JsonExamplesTest, AListOfNansAloneIsOneOfFloats) {
  ASSERT_OK_AND_ASSIGN(
      const std::string record,
      ExampleFromJson({{"f", {{{"float", "NaN"}}, {{"float", "NaN"}}}}}));
  wire::Example example;
  ASSERT_TRUE(example.ParseFromString(record));
  const auto& floats = example.features().feature().at("f").float_list();
  ASSERT_EQ(floats.value_size(), 2);
  EXPECT_TRUE(std::isnan(floats.value(0)));
  EXPECT_TRUE(std::isnan(floats.value(1)));
}

TEST(JsonExamplesTest, BytesThatSpellSuchAFloatStayBytes) {
  for (const std::string text :
       {R"({"b":["NaN"]})", R"({"b":["Infinity","-Infinity"]})"}) {
    EXPECT_EQ(ThereAndBack(text), text);
  }
}

TEST(JsonExamplesTest, ListsOfBytesComeBack) {
  const std::vector<std::string_view> values = {"one", "", "\xff\0"sv, "two"};
  ExampleWriter writer;
  writer.SetBytes("b", values);
  std::string record;
  writer.Finish(record);
  wire::Example example;
  ASSERT_TRUE(example.ParseFromString(record));
  EXPECT_EQ(example.features().feature().at("b").bytes_list().value_size(), 4);
  ASSERT_OK_AND_ASSIGN(const std::string json, ExampleToJson(record));
  EXPECT_EQ(json, R"({"b":["one","",{"base64":"/wA="},"two"]})");
  ASSERT_OK_AND_ASSIGN(const std::string again,
                       ExampleFromJson(nlohmann::json::parse(json)));
  EXPECT_EQ(again, record);
}

TEST(JsonExamplesTest, StepsOfSeveralBytesAndNansComeBack) {
  const std::string json =
      R"({"context":{},"feature_lists":{"s":[["a","b"],[{"float":"NaN"}],)"
      R"([]]}})";
  ASSERT_OK_AND_ASSIGN(const std::string record,
                       SequenceExampleFromJson(nlohmann::json::parse(json)));
  ASSERT_OK_AND_ASSIGN(const std::string again, SequenceExampleToJson(record));
  EXPECT_EQ(again, json);
}

TEST(JsonExamplesTest, ListsOfTwoKindsAreRefused) {
  for (const auto& [text, words] :
       {std::pair(R"({"a":["x",1]})", "bytes and numbers"),
        std::pair(R"({"a":[1,{"base64":""}]})", "bytes and numbers"),
        std::pair(R"({"a":[{"float":"NaN"},"x"]})", "neither"),
        std::pair(R"({"a":[{"float":"nan"}]})", "no number among numbers"),
        std::pair(R"({"a":[{"float":1}]})", "no number among numbers"),
        std::pair(R"({"a":[0.5,1e39]})", "above those of float"),
        std::pair(R"({"a":[true]})", "no number and no text")}) {
    EXPECT_THAT(ExampleFromJson(nlohmann::json::parse(text)),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)))
        << text;
  }
}

}  // namespace
}  // namespace penstock
