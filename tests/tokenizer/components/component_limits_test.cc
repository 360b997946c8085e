// What files and texts that want too much are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/components/words.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/unicode/aligned_text.h"

namespace penstock {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kExhausted;
using testing::kInvalid;
using testing::ParseWords;
using testing::StatusIs;
using testing::WordsWith;

// 40 components in 5 KB of file, and a text of 1 byte: 2^40 bytes.
TEST(ComponentLimitsTest, ComponentsThatMultiplyTextAreStopped) {
  const json doubled = {
      {"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
  const auto chain = [](const char* list, const json& step) {
    return json({{"type", "Sequence"}, {list, json::array()}})
        .patch({{{"op", "replace"},
                 {"path", std::string("/") + list},
                 {"value", std::vector<json>(40, step)}}});
  };
  const auto encoded = [](const json& document) {
    const auto loaded = ParseWords(document);
    if (!loaded.ok()) return loaded.status();
    std::vector<TokenId> ids;
    return (*loaded)->Encode("\u00e9a", {}, ids);
  };
  EXPECT_THAT(encoded(WordsWith("/normalizer", chain("normalizers", doubled))),
              StatusIs(kExhausted, AllOf(HasSubstr("normalizer: normalizers["),
                                         HasSubstr("more than 4 MiB"))));
  const json bytes = {{"type", "ByteLevel"},
                      {"add_prefix_space", false},
                      {"trim_offsets", true},
                      {"use_regex", false}};
  EXPECT_THAT(
      encoded(WordsWith("/pre_tokenizer", chain("pretokenizers", bytes))),
      StatusIs(kExhausted, AllOf(HasSubstr("pre_tokenizer: pretokenizers["),
                                 HasSubstr("more than 4 MiB"))));
  // An added token is normalized when the file is read.
  json document = WordsWith("/normalizer", chain("normalizers", doubled));
  document["added_tokens"][0]["normalized"] = true;
  document["added_tokens"][0]["content"] = "a";
  EXPECT_THAT(ParseWords(document),
              StatusIs(kExhausted, HasSubstr("normalizers[")));
}

TEST(ComponentLimitsTest, DecodersThatMultiplyTextAreStopped) {
  const json doubled = {
      {"type", "Replace"}, {"pattern", {{"Regex", "a"}}}, {"content", "aa"}};
  const json spaced = {{"type", "BPEDecoder"}, {"suffix", ""}};
  for (const json& step : {doubled, spaced}) {
    const std::vector<json> steps(40, step);
    ASSERT_OK_AND_ASSIGN(
        const auto tokenizer,
        ParseWords(WordsWith("/decoder",
                             {{"type", "Sequence"}, {"decoders", steps}})));
    std::string text = "kept";
    EXPECT_THAT(
        tokenizer->Decode(std::vector<TokenId>{2, 2}, {}, text),
        StatusIs(kExhausted, HasSubstr("the decoder writes more than 4 MiB")));
    EXPECT_EQ(text, "kept");
  }
}

// 100 GB of 100 KB: more than there is room for.
TEST(ComponentLimitsTest, AReplacementIsStoppedBeforeItIsWritten) {
  const json replace = {{"type", "Replace"},
                        {"pattern", {{"String", "a"}}},
                        {"content", std::string(1 << 20, 'b')}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseWords(WordsWith("/normalizer", replace)));
  std::vector<TokenId> ids;
  EXPECT_THAT(tokenizer->Encode(std::string(100'000, 'a'), {}, ids),
              StatusIs(kExhausted, HasSubstr("more than 4 MiB")));
}

TEST(ComponentLimitsTest, PlacesInATextHave32Bits) {
  constexpr size_t kLimit = (size_t{4} << 30) - 1;
  EXPECT_OK(CheckTextSize(kLimit - 1));
  EXPECT_THAT(CheckTextSize(kLimit),
              StatusIs(kInvalid, HasSubstr("4294967295 bytes of text")));
}

TEST(ComponentLimitsTest, PatternsOfEveryComponentReportWhatTheyTake) {
  const json replace = {{"type", "Replace"},
                        {"pattern", {{"Regex", "(t+)+\\z"}}},
                        {"content", ""}};
  ASSERT_OK_AND_ASSIGN(const auto normalized,
                       ParseWords(WordsWith("/normalizer", replace)));
  std::vector<TokenId> ids;
  EXPECT_THAT(normalized->Encode(std::string(99, 't') + "!", {}, ids),
              StatusIs(kExhausted, HasSubstr("normalizer: the pattern")));
  json document = WordsWith("/decoder", replace);
  document["model"]["vocab"][std::string(99, 't') + "!"] = 4;
  ASSERT_OK_AND_ASSIGN(const auto decoded, ParseWords(document));
  std::string text;
  EXPECT_THAT(decoded->Decode(std::vector<TokenId>{4}, {}, text),
              StatusIs(kExhausted, HasSubstr("decoder: the pattern")));
}

TEST(ComponentLimitsTest, APatternThatTakesTooManyStepsFailsTheText) {
  const json regex = {{"type", "Split"},
                      {"pattern", {{"Regex", "(t+)+\\z"}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseWords(WordsWith("/pre_tokenizer", regex)));
  std::vector<TokenId> ids;
  EXPECT_OK(tokenizer->Encode("the ttt", {}, ids));
  ids.clear();
  EXPECT_THAT(
      tokenizer->Encode("a " + std::string(99, 't') + "!", {}, ids),
      StatusIs(kExhausted, HasSubstr("the pattern (t+)+\\z takes more than")));
  EXPECT_TRUE(ids.empty());
}

}  // namespace
}  // namespace penstock
