// Small tokenizer.json files against what Hugging Face tokenizers made of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/files/hf_cases.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/files/tokenizer_json.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::Ids;

const json& HfVectors() {
  static const json& cases = *new json(testing::ReadHfCases("hf_vectors.json"));
  return cases;
}

class HfVectorsTest : public testing::HfCaseTest {
 protected:
  HfVectorsTest() : HfCaseTest(HfVectors()) {}
};
INSTANTIATE_TEST_SUITE_P(Cases, HfVectorsTest,
                         ::testing::ValuesIn(testing::BothWays(HfVectors())),
                         [](const auto& info) {
                           return testing::NameOfCase(HfVectors(), info.param);
                         });

TEST_P(HfVectorsTest, IdsAreTheReferences) {
  for (const json& row : case_["rows"]) {
    const auto text = row["text"].get<std::string>();
    EXPECT_EQ(Ids(*tokenizer_, text), row["ids"].get<std::vector<TokenId>>())
        << text;
    // From the cache, this time.
    EXPECT_EQ(Ids(*tokenizer_, text), row["ids"].get<std::vector<TokenId>>())
        << text;
  }
}

TEST_P(HfVectorsTest, OriginsAreTheReferences) {
  for (const json& row : case_["rows"]) {
    const auto text = row["text"].get<std::string>();
    std::vector<TokenId> ids;
    std::vector<TokenOrigin> origins;
    ASSERT_OK(tokenizer_->EncodeWithOrigins(text, {}, ids, origins));
    EXPECT_EQ(ids, row["ids"].get<std::vector<TokenId>>()) << text;
    json offsets = json::array(), words = json::array();
    for (const TokenOrigin& origin : origins) {
      offsets.push_back({origin.begin_char, origin.end_char});
      words.push_back(origin.word == TokenOrigin::kNoWord
                          ? -1
                          : static_cast<int>(origin.word));
    }
    EXPECT_EQ(offsets, row["offsets"]) << text;
    EXPECT_EQ(words, row["words"]) << text;
  }
}

TEST_P(HfVectorsTest, DecodedTextIsTheReferences) {
  for (const json& row : case_["rows"]) {
    std::string text;
    ASSERT_OK(
        tokenizer_->Decode(row["ids"].get<std::vector<TokenId>>(), {}, text));
    EXPECT_EQ(text, row["decoded"].get<std::string>());
  }
}

}  // namespace
}  // namespace penstock
