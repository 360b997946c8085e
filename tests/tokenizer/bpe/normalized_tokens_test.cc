// Added tokens that byte-level BPE looks for behind NFC, as files of GPT-NeoX
// have their runs of spaces: the components must agree, which
// hf_vectors_test.cc compares with the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/interface/encoding.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::AddedTokenJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using testing::StatusIs;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

json Normalized(std::string_view content, TokenId id, bool special = false) {
  json token = AddedTokenJson(content, id);
  token["normalized"] = true;
  token["special"] = special;
  return token;
}

json WithTokens(std::vector<json> tokens) {
  json document =
      testing::TinyJson({"th", "the", "\u0120the", "\u0120\u0120"},
                        {"t h", "th e", "\u0120 the", "\u0120 \u0120"});
  document["normalizer"] = {{"type", "NFC"}};
  document["added_tokens"] = tokens;
  return document;
}

TokenizerPtr Load(const json& document) {
  auto tokenizer = ParseTokenizerJson(document.dump(), "tokens.json");
  EXPECT_OK(tokenizer);
  return *tokenizer;
}

bool IsFast(const Tokenizer& tokenizer) {
  return tokenizer.Describe().starts_with("byte-level BPE");
}

// The same by the components: a flag that does nothing to this token leads
// there.
TokenizerPtr LoadComponents(json document) {
  document["added_tokens"].push_back(AddedTokenJson(
      "<never in a text>",
      260 + static_cast<TokenId>(document["added_tokens"].size())));
  document["added_tokens"].back()["single_word"] = true;
  return Load(document);
}

TEST(NormalizedTokensTest, ComponentsAgree) {
  const json with_tokens =
      WithTokens({AddedTokenJson("<raw>", 260), Normalized("   ", 261),
                  Normalized("  ", 262), Normalized("\u00e9t", 263),
                  Normalized("<n>", 264, true), Normalized("h\u1e0d", 265),
                  Normalized("w>", 266)});
  const std::vector<std::string> parts = {"<raw>",
                                          " ",
                                          "  ",
                                          "e\u0301",
                                          "t",
                                          "h",
                                          "\u00e9",
                                          "<n>",
                                          "d\u0323\u0307",
                                          "d\u0307\u0323",
                                          "e",
                                          "<",
                                          "the",
                                          " the",
                                          "\u0301",
                                          "\u1100\u1161\u11a8",
                                          "w>",
                                          "\n",
                                          "\xff",
                                          "\u1e0d",
                                          "n>",
                                          "\u212b",
                                          "r"};
  for (const bool prefix : {false, true}) {
    json document = with_tokens;
    document["pre_tokenizer"]["add_prefix_space"] = prefix;
    const TokenizerPtr fast = Load(document);
    const TokenizerPtr slow = LoadComponents(document);
    ASSERT_TRUE(IsFast(*fast));
    ASSERT_FALSE(IsFast(*slow));
    std::mt19937 random(1);
    size_t found = 0;
    for (int i = 0; i < 20000; ++i) {
      std::string text;
      for (int n = random() % 9; n > 0; --n) {
        text += parts[random() % parts.size()];
      }
      for (const SpecialText special :
           {SpecialText::kAllow, SpecialText::kAsText}) {
        const auto ids = Ids(*fast, text, {.special_text = special});
        ASSERT_EQ(ids, Ids(*slow, text, {.special_text = special})) << text;
        for (const TokenId id : ids) found += id >= 260;
      }
      if (text.find('\xff') != text.npos) continue;
      ASSERT_OK_AND_ASSIGN(const Encoding one, EncodeFully(*fast, {text}));
      ASSERT_OK_AND_ASSIGN(const Encoding other, EncodeFully(*slow, {text}));
      ASSERT_EQ(one.ids, other.ids) << text;
      for (size_t at = 0; at < one.size(); ++at) {
        ASSERT_EQ(one.origins[at].begin_byte, other.origins[at].begin_byte)
            << text;
        ASSERT_EQ(one.origins[at].end_byte, other.origins[at].end_byte) << text;
        ASSERT_EQ(one.origins[at].word, other.origins[at].word) << text;
      }
    }
    EXPECT_GT(found, 20000u);
  }
}

TEST(NormalizedTokensTest, RefusedTokenIsNamedWhereTheUserHasIt) {
  const TokenizerPtr tokenizer = Load(
      WithTokens({AddedTokenJson("<raw>", 260), Normalized("<n>", 261, true)}));
  ASSERT_TRUE(IsFast(*tokenizer));
  std::vector<TokenId> ids;
  const auto refused = [&](const char* text) {
    return tokenizer->Encode(text, {.special_text = SpecialText::kRefuse}, ids);
  };
  // Of e\u0301, three bytes, NFC leaves two.
  EXPECT_THAT(
      refused("e\u0301e\u0301 <n>"),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("\"<n>\" at offset 7")));
  EXPECT_THAT(refused("the <n>"), StatusIs(StatusCode::kInvalidArgument,
                                           HasSubstr("\"<n>\" at offset 4")));
  EXPECT_THAT(refused("e\u0301 <raw>"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("\"<raw>\" at offset 4")));
  EXPECT_THAT(ids, ElementsAre());
}

TEST(NormalizedTokensTest, TokenThatNfcChangesIsLookedForAsItBecomes) {
  json document = WithTokens({Normalized("e\u0301", 260)});
  EXPECT_FALSE(IsFast(*Load(document)));
  EXPECT_THAT(Ids(*Load(document), "\u00e9"), ElementsAre(260));
  document["normalizer"] = nullptr;
  EXPECT_TRUE(IsFast(*Load(document)));
}

TEST(NormalizedTokensTest, TextIsCutBehindLettersWhereNoTokenHasThem) {
  const std::string_view text = "the other <raw> day, the \u00e9t day";
  const TokenizerPtr spaces =
      Load(WithTokens({AddedTokenJson("<raw>", 260), Normalized("  ", 261)}));
  EXPECT_EQ(spaces->SafeCut(text), text.size() - 4);
  for (const char* token : {"\u00e9t day", "a", "\u0301!"}) {
    EXPECT_EQ(Load(WithTokens({Normalized(token, 260)}))->SafeCut(text), 0u)
        << token;
  }
}

}  // namespace
}  // namespace penstock
