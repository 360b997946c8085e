#include "tokenizer/components/component_tokenizer.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/components/words.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using testing::Cases;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using testing::kDataLoss;
using testing::kInvalid;
using testing::kUnimplemented;
using testing::ParseWords;
using testing::ScratchFolder;
using testing::StatusIs;
using testing::Words;
using testing::WordsWith;

TEST(ComponentTokenizerTest, SpecialTextIsAllowedRefusedOrText) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(Words()));
  EXPECT_THAT(Ids(*tokenizer, "A [X]b"), ElementsAre(2, 1, 3));
  EXPECT_THAT(Ids(*tokenizer, "A [X]b", {.special_text = SpecialText::kAsText}),
              ElementsAre(2, 0));
  std::vector<TokenId> ids = {7};
  EXPECT_THAT(
      tokenizer->Encode("A [X]b", {.special_text = SpecialText::kRefuse}, ids),
      StatusIs(kInvalid, AllOf(HasSubstr("[X]"), HasSubstr("offset 2"))));
  EXPECT_THAT(ids, ElementsAre(7));
}

TEST(ComponentTokenizerTest, EachUtf8ErrorBecomesOneReplacementCharacter) {
  const json document = WordsWith("/model/vocab/\ufffd", 4);
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseWords(WordsWith("/pre_tokenizer",
                           {{"type", "FixedLength"}, {"length", 1}},
                           document)));
  // Python 3.11: b"a\xe6\x97b\xff\xf0\x90\x80".decode(errors="replace").
  EXPECT_THAT(Ids(*tokenizer,
                  "a\xe6\x97"
                  "b\xff\xf0\x90\x80"),
              ElementsAre(2, 4, 3, 4, 4));
  std::vector<TokenId> ids;
  std::vector<TokenOrigin> origins;
  EXPECT_THAT(tokenizer->EncodeWithOrigins("\xff", {}, ids, origins),
              StatusIs(kInvalid, HasSubstr("not UTF-8")));
}

TEST(ComponentTokenizerTest, OriginsCountBytesAndCharacters) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(Words()));
  std::vector<TokenId> ids;
  std::vector<TokenOrigin> origins;
  ASSERT_OK(tokenizer->EncodeWithOrigins("é a[X]", {}, ids, origins));
  EXPECT_THAT(ids, ElementsAre(0, 2, 1));
  EXPECT_THAT(origins, ElementsAre(TokenOrigin{0, 2, 0, 1, 0},
                                   TokenOrigin{3, 4, 2, 3, 1},
                                   TokenOrigin{4, 7, 3, 6, 2}));
}

// "c</w>" has no token and becomes five bytes, of which the text has one. They
// were looked for behind the piece, and the process ended.
TEST(ComponentTokenizerTest, BytesOfAnAffixAreOfThePiecesLastCharacter) {
  const json bpe = {{"type", "BPE"},
                    {"vocab",
                     {{"a", 0},
                      {"<0x63>", 1},
                      {"<0x3C>", 2},
                      {"<0x2F>", 3},
                      {"<0x77>", 4},
                      {"<0x3E>", 5}}},
                    {"merges", json::array()},
                    {"byte_fallback", true},
                    {"end_of_word_suffix", "</w>"}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseWords(WordsWith("/model", bpe)));
  std::vector<TokenId> ids;
  std::vector<TokenOrigin> origins;
  ASSERT_OK(tokenizer->EncodeWithOrigins("ac", {}, ids, origins));
  EXPECT_THAT(ids, ElementsAre(0, 1, 2, 3, 4, 5));
  const TokenOrigin last = {1, 2, 1, 2, 0};
  EXPECT_THAT(origins, ElementsAre(TokenOrigin{0, 1, 0, 1, 0}, last, last, last,
                                   last, last));
}

TEST(ComponentTokenizerTest, UnknownTextWithoutUnknownTokenIsAnError) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseWords(WordsWith("/model/unk_token", "none")));
  std::vector<TokenId> ids;
  EXPECT_THAT(tokenizer->Encode("zzz", {}, ids),
              StatusIs(kInvalid, HasSubstr("\"none\"")));
}

TEST(ComponentTokenizerTest, FingerprintTellsComponentsApart) {
  std::vector<json> documents = {
      Words(), WordsWith("/normalizer", nullptr),
      WordsWith("/model/unk_token", "a"), WordsWith("/model/vocab/c", 4),
      WordsWith("/padding", json::parse(R"({"strategy": {"Fixed": 3},
        "direction": "Left", "pad_to_multiple_of": null, "pad_id": 0,
        "pad_type_id": 0, "pad_token": "?"})"))};
  std::vector<uint64_t> prints;
  for (const json& document : documents) {
    ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseWords(document));
    for (const uint64_t other : prints) {
      EXPECT_NE(tokenizer->Fingerprint(), other);
    }
    prints.push_back(tokenizer->Fingerprint());
  }
}

// Room was once made for all of the text behind each of them: minutes, and
// now a fraction of a second.
TEST(ComponentTokenizerTest, WideCharactersDoNotMakeBertQuadratic) {
  std::string text;
  constexpr int kWords = Cases(1 << 20);
  for (int i = 0; i < kWords; ++i) text += "a \u00e9 ";
  const json bert = {{"type", "BertNormalizer"},
                     {"clean_text", true},
                     {"handle_chinese_chars", true},
                     {"strip_accents", true},
                     {"lowercase", true}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseWords(WordsWith("/normalizer", bert)));
  EXPECT_EQ(Ids(*tokenizer, text).size(), size_t{2} * kWords);
}

TEST(ComponentTokenizerTest, ComponentsWeLackAreNamed) {
  const json regex = {{"type", "Split"},
                      {"pattern", {{"Regex", "(?<=a+)b"}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  EXPECT_THAT(ParseWords(WordsWith("/normalizer", {{"type", "Rot13"}})),
              StatusIs(kUnimplemented, HasSubstr("normalizer Rot13")));
  EXPECT_THAT(ParseWords(WordsWith("/pre_tokenizer", {{"type", "Jieba"}})),
              StatusIs(kUnimplemented, HasSubstr("pre-tokenizer Jieba")));
  EXPECT_THAT(ParseWords(WordsWith("/pre_tokenizer", regex)),
              StatusIs(kUnimplemented, HasSubstr("(?<=a+)b")));
  EXPECT_THAT(ParseWords(WordsWith("/decoder", {{"type", "Morse"}})),
              StatusIs(kUnimplemented, HasSubstr("decoder Morse")));
  EXPECT_THAT(ParseWords(WordsWith("/post_processor", {{"type", "Wrap"}})),
              StatusIs(kUnimplemented, HasSubstr("post-processor Wrap")));
  EXPECT_THAT(ParseWords(WordsWith("/model/type", "Markov")),
              StatusIs(kUnimplemented, HasSubstr("model Markov")));
}

TEST(ComponentTokenizerTest, DamageIsNamed) {
  struct Damage {
    const char* place;
    json value;
    const char* words;
  };
  const Damage damages[] = {
      {"/normalizer", {{"type", "Strip"}}, "strip_left"},
      {"/normalizer",
       {{"type", "Precompiled"}, {"precompiled_charsmap", "!!"}},
       "base64"},
      {"/normalizer",
       {{"type", "Precompiled"}, {"precompiled_charsmap", "CAAAAAA="}},
       "character map"},
      {"/pre_tokenizer", {{"type", "FixedLength"}, {"length", 0}}, "length"},
      {"/pre_tokenizer",
       {{"type", "Metaspace"}, {"replacement", "ab"}},
       "not one character"},
      {"/added_tokens/0/id", -1, "id is not a whole number"},
      {"/model/vocab/c", 3, "another token"},
      {"/model/vocab/c", "x", "whole number"},
      {"/truncation", json::parse(R"({"max_length": 3, "stride": 3, "strategy":
         "LongestFirst"})"),
       "leaves nothing"},
  };
  for (const Damage& damage : damages) {
    EXPECT_THAT(ParseWords(WordsWith(damage.place, damage.value)),
                StatusIs(kDataLoss, AllOf(HasSubstr("words.json"),
                                          HasSubstr(damage.words))));
  }
}

TEST(ComponentTokenizerTest, VocabTxtIsBert) {
  const ScratchFolder folder;
  const std::string path = folder.Write(
      "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\n##s\nThe\n");
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, LoadTokenizer(LocalFiles(), path));
  EXPECT_THAT(Ids(*tokenizer, "The cats"), ElementsAre(2, 4, 5, 6, 3));
  ASSERT_OK_AND_ASSIGN(const auto cased,
                       LoadTokenizer(LocalFiles(), path, {.keep_case = true}));
  EXPECT_THAT(Ids(*cased, "The cats"), ElementsAre(2, 7, 5, 6, 3));
  EXPECT_THAT(
      LoadTokenizer(LocalFiles(), folder.Write("x-vocab.txt", "a\nb\n")),
      StatusIs(kDataLoss, HasSubstr("[CLS]")));
}

TEST(ComponentTokenizerTest, VocabJsonReadsTheMergesBesideIt) {
  const ScratchFolder folder;
  const std::string path =
      folder.Write("vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  EXPECT_THAT(LoadTokenizer(LocalFiles(), path),
              StatusIs(StatusCode::kNotFound, HasSubstr("merges.txt")));
  folder.Write("merges.txt", "#version: 0.2\na b\n");
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, LoadTokenizer(LocalFiles(), path));
  EXPECT_THAT(Ids(*tokenizer, "aba"), ElementsAre(2, 0));
}

TEST(ComponentTokenizerTest, AMillionLettersTakeNoLongerThanTheyMust) {
  json document = WordsWith("/pre_tokenizer", nullptr);
  document["model"] = json::parse(R"({"type": "BPE", "unk_token": "?",
    "vocab": {"?": 0, "[X]": 1, "a": 2, "aa": 3, "aaaa": 4},
    "merges": ["a a", "aa aa"]})");
  ASSERT_OK_AND_ASSIGN(const auto bpe, ParseWords(document));
  constexpr int kTokens = Cases(250'000);
  EXPECT_EQ(Ids(*bpe, std::string(4 * kTokens, 'a')),
            std::vector<TokenId>(kTokens, 4));
}

}  // namespace
}  // namespace penstock
