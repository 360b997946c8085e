#include "tokenizer/interface/stream_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/fixtures.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/every_kind.h"
#include "tests/tokenizer/patterns/deepseek_regexes.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using testing::AddedTokenJson;
using ::testing::HasSubstr;
using testing::Ids;
using testing::StatusIs;
using testing::TinyJson;
using testing::TinyTiktoken;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

std::vector<TokenId> Streamed(const Tokenizer& tokenizer, std::string_view text,
                              size_t chunk, EncodeOptions options = {}) {
  StreamEncoder encoder(tokenizer, options);
  std::vector<TokenId> ids;
  for (; text.size() > chunk; text.remove_prefix(chunk)) {
    EXPECT_OK(encoder.Add(text.substr(0, chunk), ids));
  }
  EXPECT_OK(encoder.Add(text, ids));
  EXPECT_OK(encoder.Finish(ids));
  return ids;
}

// What scanners look ahead for: spaces before words and the end, contractions,
// runs of numbers and newlines, marks, capitals, text of special tokens.
const char kText[] =
    "It's  we'LL 'tis they\u017f a'\u017f x's\r\n\r\n  12345 1 22\n \n the "
    "theAAAb \u02b0AAAA \u02b0AAAAb e\u0301e na\u00efve \u65e5\u672c\u8a9e "
    "\u4e2d\u3007\u56fd\u2e80 \u30ab\u30fb\u30a2,b "
    "\u3000\u3000 \u00a0x <|endoftext|> the<|endoftext <|endof the<|x "
    "\U0001f469\u200d\U0001f469 the the\xff\xfe the \xe6\x97 a   b    ";

// A step that cuts by an expression.
nlohmann::json SplitBy(const char* regex) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", regex}}},
          {"behavior", "Isolated"},
          {"invert", false}};
}

// By `steps`, and then bytes.
TokenizerPtr CutBy(std::vector<nlohmann::json> steps, bool use_regex = false) {
  auto document = TinyJson({"th", "the", "\u0120the", "\u0120\u0120"},
                           {"t h", "th e", "\u0120 the", "\u0120 \u0120"});
  document["added_tokens"] = {AddedTokenJson("<|endoftext|>", 260)};
  steps.push_back(document["pre_tokenizer"]);
  steps.back()["use_regex"] = use_regex;
  document["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", steps}};
  return *ParseTokenizerJson(document.dump(), "cut.json");
}

const nlohmann::json& Words() {
  static const auto& words = *new nlohmann::json(
      SplitBy(R"( ?[\p{L}\p{M}]+|'s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+(?!\S)|\s+)"));
  return words;
}

// By expressions that no scanner knows, by digits, one behind the other.
std::vector<TokenizerPtr> CutByExpressions() {
  const nlohmann::json digits = {{"type", "Digits"},
                                 {"individual_digits", true}};
  return {CutBy({Words()}), CutBy({digits}, true),
          CutBy({SplitBy("\\p{N}{1,3}"), SplitBy("[\u65e5\u672c]+"), Words()}),
          CutBy({SplitBy("\\p{L}{2}"), Words()}),
          CutBy({SplitBy(testing::kDeepSeekRegexes[0]),
                 SplitBy(testing::kDeepSeekRegexes[1]),
                 SplitBy(testing::kDeepSeekRegexes[2])})};
}

std::vector<TokenizerPtr> Tokenizers() {
  std::vector<TokenizerPtr> made = {std::make_shared<ByteTokenizer>()};
  for (const char* pattern :
       {"gpt2", "cl100k_base", "o200k_base", "llama-3", "qwen2", "kimi-k2"}) {
    TiktokenRules rules = {.pattern = pattern};
    rules.specials = {{"<|endoftext|>", 300}, {"the<|x", 301}};
    made.push_back(*ParseTiktoken(
        TinyTiktoken({"th", "the", " the", "\r\n", "  ", " a", "'s", "AA", "12",
                      "123", "\n\n", "\xad\xe3", "\xbd\xe2"}),
        pattern, rules));
  }
  auto document = TinyJson({"th", "the", "\u0120the", "\u0120\u0120"},
                           {"t h", "th e", "\u0120 the", "\u0120 \u0120"});
  document["added_tokens"] = {AddedTokenJson("<|endoftext|>", 260)};
  document["pre_tokenizer"]["add_prefix_space"] = true;
  made.push_back(*ParseTokenizerJson(document.dump(), "prefix.json"));
  document["normalizer"] = {{"type", "NFC"}};
  made.push_back(*ParseTokenizerJson(document.dump(), "nfc.json"));
  auto& token = document["added_tokens"][1];
  for (const char* content : {"   ", "\u00e9e", "e n"}) {
    token = AddedTokenJson(content, 261);
    token["normalized"] = true;
    made.push_back(*ParseTokenizerJson(document.dump(), "found in nfc.json"));
  }
  for (const char* flag : {"lstrip", "rstrip", "single_word"}) {
    token = AddedTokenJson("the", 261);
    token[flag] = true;
    made.push_back(*ParseTokenizerJson(document.dump(), flag));
  }
  document["added_tokens"].erase(1);
  document["truncation"] = nlohmann::json::parse(
      R"({"max_length": 9, "stride": 0, "strategy": "LongestFirst"})");
  made.push_back(*ParseTokenizerJson(document.dump(), "truncated.json"));
  for (auto& tokenizer : CutByExpressions()) made.push_back(tokenizer);
  // The first reaches over the end of a word.
  made.push_back(CutBy({SplitBy("\\p{L}+ \\p{L}"), Words()}));
  return made;
}

TEST(StreamEncoderTest, EverySplitInTwoGivesTheIdsOfTheWhole) {
  const std::string_view text(kText, sizeof kText - 1);
  for (const TokenizerPtr& tokenizer : Tokenizers()) {
    const std::vector<TokenId> whole = Ids(*tokenizer, text);
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      StreamEncoder encoder(*tokenizer);
      std::vector<TokenId> ids;
      ASSERT_OK(encoder.Add(text.substr(0, cut), ids));
      ASSERT_OK(encoder.Add(text.substr(cut), ids));
      ASSERT_OK(encoder.Finish(ids));
      EXPECT_EQ(ids, whole) << tokenizer->Describe() << " at " << cut;
    }
  }
}

TEST(StreamEncoderTest, ChunksOfAnySizeGiveTheIdsOfTheWhole) {
  const std::string_view text(kText, sizeof kText - 1);
  for (const TokenizerPtr& tokenizer : Tokenizers()) {
    for (const SpecialText special :
         {SpecialText::kAllow, SpecialText::kAsText}) {
      const EncodeOptions options = {.special_text = special};
      const std::vector<TokenId> whole = Ids(*tokenizer, text, options);
      for (const size_t chunk : {1, 2, 3, 5, 7, 16, 50}) {
        EXPECT_EQ(Streamed(*tokenizer, text, chunk, options), whole)
            << tokenizer->Describe() << " by " << chunk;
      }
    }
  }
}

TEST(StreamEncoderTest, HoldsLittleBackOfWords) {
  std::string words;
  for (int i = 0; i < 20000; ++i) words += "the other day\n";
  auto tokenizers = CutByExpressions();
  tokenizers.push_back(
      *ParseTiktoken(TinyTiktoken({"th", "the"}), "x", "gpt2"));
  for (const auto& tokenizer : tokenizers) {
    StreamEncoder encoder(*tokenizer);
    std::vector<TokenId> ids;
    for (size_t at = 0; at < words.size(); at += 100) {
      ASSERT_OK(encoder.Add(std::string_view(words).substr(at, 100), ids));
      EXPECT_LT(encoder.held_bytes(), 200u) << tokenizer->Describe();
    }
    ASSERT_OK(encoder.Finish(ids));
    EXPECT_EQ(ids, Ids(*tokenizer, words));
  }
}

// Spaces with marks behind them, characters that become spaces, added tokens
// at spaces.
TEST(StreamEncoderTest, EveryKindGivesTheIdsOfTheWhole) {
  const std::string_view text =
      "the  cats, \u0301a [CLS] <x> a[SEP] <x>a <mask> \u00a0b \u00b4 \u65e5 "
      "\u672c "
      "aab  \t\n the\u200b th\u0323\u0307e \u0387 \u1100 \u1161 \u2581a \u2581 "
      "\xff a\xe6\x97 b ab ";
  for (const auto& [name, tokenizer] : testing::EveryKind()) {
    std::vector<TokenId> whole, ids;
    const Status status = tokenizer->Encode(text, {}, whole);
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      StreamEncoder encoder(*tokenizer);
      ids.clear();
      Status streamed = encoder.Add(text.substr(0, cut), ids);
      streamed.Update(encoder.Add(text.substr(cut), ids));
      if (streamed.ok()) streamed.Update(encoder.Finish(ids));
      ASSERT_EQ(streamed.code(), status.code()) << name << " at " << cut;
      if (status.ok()) {
        ASSERT_EQ(ids, whole) << name << " at " << cut;
      }
    }
    if (!status.ok()) continue;
    for (const size_t chunk : {1, 2, 3, 7}) {
      EXPECT_EQ(Streamed(*tokenizer, text, chunk), whole)
          << name << " by " << chunk;
    }
  }
}

TEST(StreamEncoderTest, WordsOfComponentsAreNotHeldBack) {
  nlohmann::json document = nlohmann::json::parse(R"({
      "version": "1.0", "model": {"type": "WordLevel", "unk_token": "?",
      "vocab": {"?": 0, "the": 1, "\u2581the": 2, ",": 3}}})");
  std::string words;
  for (int i = 0; i < 2000; ++i) words += "the, other day";
  // By components, the bytes that may be held back.
  const auto held = [&](const char* normalizer, const char* splitter) {
    document["normalizer"] = nlohmann::json::parse(normalizer);
    document["pre_tokenizer"] = nlohmann::json::parse(splitter);
    const auto tokenizer = ParseTokenizerJson(document.dump(), "t.json");
    EXPECT_OK(tokenizer);
    StreamEncoder encoder(**tokenizer);
    std::vector<TokenId> ids;
    size_t most = 0;
    for (size_t at = 0; at < words.size(); at += 100) {
      EXPECT_OK(encoder.Add(std::string_view(words).substr(at, 100), ids));
      most = std::max(most, encoder.held_bytes());
    }
    EXPECT_OK(encoder.Finish(ids));
    EXPECT_EQ(ids, Ids(**tokenizer, words)) << normalizer << splitter;
    return most;
  };
  constexpr char kBert[] = R"({"type": "BertPreTokenizer"})";
  constexpr char kMetaspace[] = R"({"type": "Metaspace", "replacement":
      "\u2581", "prepend_scheme": "first", "split": true})";
  for (const char* splitter :
       {kBert, kMetaspace, R"({"type": "WhitespaceSplit"})",
        R"({"type": "Whitespace"})",
        R"({"type": "CharDelimiterSplit", "delimiter": " "})",
        R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
            {"type": "Punctuation"}]})"}) {
    for (const char* normalizer :
         {"null", R"({"type": "NFKC"})",
          R"({"type": "Prepend", "prepend": "a"})",
          R"({"type": "Strip", "strip_left": true, "strip_right": true})",
          R"({"type": "BertNormalizer",
              "clean_text": true, "handle_chinese_chars": true,
              "strip_accents": null, "lowercase": true})",
          R"({"type": "Sequence", "normalizers": [{"type": "NFD"},
              {"type": "StripAccents"}, {"type": "Lowercase"}]})"}) {
      EXPECT_LT(held(normalizer, splitter), 200u) << normalizer << splitter;
    }
  }
  EXPECT_EQ(held(R"({"type": "Replace", "pattern": {"String": "r d"},
      "content": "d"})",
                 kBert),
            words.size());
  EXPECT_EQ(held("null", R"({"type": "Digits", "individual_digits": true})"),
            words.size());
  document["added_tokens"] = {AddedTokenJson("the, ", 4)};
  EXPECT_EQ(held("null", kBert), words.size());
}

TEST(StreamEncoderTest, FixturesGiveTheIdsOfTheWhole) {
  const std::string text(kText, sizeof kText - 1);
  for (const char* name :
       {"gpt2.tokenizer.json", "cl100k_base.tiktoken", "o200k_base.tiktoken",
        "bert-base-uncased.tokenizer.json", "all-minilm-l6-v2.tokenizer.json",
        "sentencepiece-unigram-en.model", "sentencepiece-unigram-ja.model"}) {
    const auto tokenizer = LoadTokenizer(
        LocalFiles(), testing::FindFixture(std::string("tokenizers/") + name));
    if (!tokenizer.ok()) GTEST_SKIP() << testing::MissingFixture(name);
    const std::vector<TokenId> whole = Ids(**tokenizer, text);
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      StreamEncoder encoder(**tokenizer);
      std::vector<TokenId> ids;
      ASSERT_OK(encoder.Add(std::string_view(text).substr(0, cut), ids));
      ASSERT_OK(encoder.Add(std::string_view(text).substr(cut), ids));
      ASSERT_OK(encoder.Finish(ids));
      EXPECT_EQ(ids, whole) << name << " at " << cut;
    }
  }
}

TEST(StreamEncoderTest, ErrorsSayWhereTheirOffsetsCountFrom) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseTiktoken(TinyTiktoken({"th"}), "x", "gpt2"));
  StreamEncoder encoder(*tokenizer, {.special_text = SpecialText::kRefuse});
  std::vector<TokenId> ids;
  ASSERT_OK(encoder.Add("the other <|endof", ids));
  ASSERT_OK(encoder.Add("text|> day", ids));
  EXPECT_THAT(encoder.Finish(ids),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("from byte 9 on: the text holds the special "
                                 "token \"<|endoftext|>\" at offset 1")));
}

TEST(StreamEncoderTest, AnotherTextMayFollow) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseTiktoken(TinyTiktoken({"th"}), "x", "gpt2"));
  StreamEncoder encoder(*tokenizer);
  std::vector<TokenId> ids;
  for (int text = 0; text < 2; ++text) {
    ids.clear();
    ASSERT_OK(encoder.Add("the th", ids));
    ASSERT_OK(encoder.Finish(ids));
    EXPECT_EQ(ids, Ids(*tokenizer, "the th"));
    EXPECT_EQ(encoder.held_bytes(), 0u);
  }
}

}  // namespace
}  // namespace penstock
