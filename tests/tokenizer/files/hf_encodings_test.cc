// Everything that Hugging Face tokenizers tell of texts, pairs and batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/files/hf_cases.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/interface/encoding.h"

namespace penstock {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::Ids;
using testing::StatusIs;

const json& EncodingCases() {
  static const json& cases =
      *new json(testing::ReadHfCases("hf_encodings.json"));
  return cases;
}

json Columns(const Tokenizer& tokenizer, const Encoding& encoding) {
  json tokens = json::array(), offsets = json::array(), words = json::array(),
       mask = json::array(), sequences = json::array();
  for (size_t i = 0; i < encoding.size(); ++i) {
    const TokenOrigin& origin = encoding.origins[i];
    tokens.push_back(encoding.TextOf(tokenizer, i));
    offsets.push_back({origin.begin_char, origin.end_char});
    words.push_back(origin.word == TokenOrigin::kNoWord ? json()
                                                        : json(origin.word));
    mask.push_back(origin.special ? 1 : 0);
    sequences.push_back(encoding.sequences[i] == Encoding::kNoSequence
                            ? json()
                            : json(encoding.sequences[i]));
  }
  return {encoding.ids,       tokens,   offsets, words, encoding.type_ids, mask,
          encoding.attention, sequences};
}

json Parts(const Tokenizer& tokenizer, const Encoding& encoding) {
  json parts = {Columns(tokenizer, encoding)};
  for (const Encoding& part : encoding.overflowing) {
    parts.push_back(Columns(tokenizer, part));
    EXPECT_TRUE(part.overflowing.empty());
  }
  return parts;
}

class HfEncodingsTest : public testing::HfCaseTest {
 protected:
  HfEncodingsTest() : HfCaseTest(EncodingCases()) {}
};
INSTANTIATE_TEST_SUITE_P(
    Cases, HfEncodingsTest,
    ::testing::ValuesIn(testing::BothWays(EncodingCases())),
    [](const auto& info) {
      return testing::NameOfCase(EncodingCases(), info.param);
    });

TEST_P(HfEncodingsTest, EveryColumnIsTheReferences) {
  for (const json& row : case_["rows"]) {
    const auto first = row["first"].get<std::string>();
    TextPair texts = {first};
    std::string second;
    if (row["second"].is_string()) {
      second = row["second"].get<std::string>();
      texts.second = second;
    }
    const auto encoding = EncodeFully(
        *tokenizer_, texts, {.encode = {.add_special_tokens = row["special"]}});
    if (!row.contains("parts")) {
      EXPECT_THAT(encoding,
                  StatusIs(StatusCode::kInvalidArgument,
                           AnyOf(HasSubstr("cut"), HasSubstr("stride"),
                                 HasSubstr("no room"))))
          << first;
      continue;
    }
    ASSERT_OK(encoding) << first;
    EXPECT_EQ(Parts(*tokenizer_, *encoding), row["parts"])
        << first << "|" << second;
    if (!texts.second) {
      EXPECT_EQ(Ids(*tokenizer_, first, {.add_special_tokens = row["special"]}),
                encoding->ids);
    }
  }
}

TEST_P(HfEncodingsTest, BatchesArePaddedLikeTheReferences) {
  if (case_["batch"].is_null()) GTEST_SKIP() << "the reference refuses it";
  std::vector<std::string> kept;
  for (const json& row : case_["rows"]) {
    const json& second = row["second"];
    if (!row["special"].get<bool>() || !second.is_string() || second == "") {
      continue;
    }
    kept.push_back(row["first"].get<std::string>());
    kept.push_back(second.get<std::string>());
  }
  std::vector<TextPair> pairs;
  for (size_t i = 0; i < kept.size(); i += 2) {
    pairs.push_back({kept[i], kept[i + 1]});
  }
  ASSERT_OK_AND_ASSIGN(const std::vector<Encoding> encodings,
                       EncodeFully(*tokenizer_, pairs));
  ASSERT_EQ(encodings.size(), case_["batch"].size());
  for (size_t i = 0; i < encodings.size(); ++i) {
    EXPECT_EQ(Parts(*tokenizer_, encodings[i]), case_["batch"][i]) << i;
  }
}

}  // namespace
}  // namespace penstock
