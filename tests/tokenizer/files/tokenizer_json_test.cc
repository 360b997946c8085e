#include "tokenizer/files/tokenizer_json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/patterns/deepseek_regexes.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::AddedTokenJson;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using testing::kDataLoss;
using testing::kUnimplemented;
using testing::StatusIs;
using testing::TinyJson;

StatusOr<std::shared_ptr<const Tokenizer>> ParseJson(const json& document) {
  return ParseTokenizerJson(document.dump(), "tiny.json");
}

// "ab", "abc" and "cab", which no merge leads to.
json Tiny() { return TinyJson({"ab", "abc", "cab"}, {"a b", "ab c"}); }

// The document with one place changed.
json With(const char* place, json value, json document = Tiny()) {
  document[json::json_pointer(place)] = std::move(value);
  return document;
}

TEST(TokenizerJsonTest, OnlyListedPairsMerge) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(Tiny()));
  EXPECT_THAT(Ids(*tokenizer, "abc"), ElementsAre(257));
  EXPECT_THAT(Ids(*tokenizer, "cab"), ElementsAre('c', 256));
}

TEST(TokenizerJsonTest, IgnoreMergesTakesAPieceThatIsAToken) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseJson(With("/model/ignore_merges", true)));
  EXPECT_THAT(Ids(*tokenizer, "cab"), ElementsAre(258));
  EXPECT_THAT(Ids(*tokenizer, "cabb"), ElementsAre('c', 256, 'b'));
}

TEST(TokenizerJsonTest, MergesMayBePairs) {
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseJson(With(
          "/model/merges",
          json::array({json::array({"a", "b"}), json::array({"ab", "c"})}))));
  EXPECT_THAT(Ids(*tokenizer, "abc"), ElementsAre(257));
}

TEST(TokenizerJsonTest, OldFilesHaveNoModelType) {
  json document = Tiny();
  document["model"].erase("type");
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  EXPECT_THAT(Ids(*tokenizer, "abc"), ElementsAre(257));
}

TEST(TokenizerJsonTest, PrefixSpaceIsAddedToEachStretchOfText) {
  // As tokenizers 0.23.3 does: not before a space, nor to an empty stretch.
  json document = With("/pre_tokenizer/add_prefix_space", true);
  document["added_tokens"] = {AddedTokenJson("<x>", 259)};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  EXPECT_THAT(Ids(*tokenizer, "a<x>b<x> c"),
              ElementsAre(' ', 'a', 259, ' ', 'b', 259, ' ', 'c'));
  EXPECT_THAT(Ids(*tokenizer, "<x>"), ElementsAre(259));
  EXPECT_THAT(Ids(*tokenizer, ""), ElementsAre());
}

TEST(TokenizerJsonTest, TokensThatAreNotSpecialAreFoundInEveryText) {
  json document = Tiny();
  document["added_tokens"] = {AddedTokenJson("<x>", 259),
                              AddedTokenJson("<y>", 260)};
  document["added_tokens"][0]["special"] = false;
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  EXPECT_THAT(Ids(*tokenizer, "<x><y>"), ElementsAre(259, 260));
  EXPECT_THAT(Ids(*tokenizer, "<x><y>", {.special_text = SpecialText::kAsText}),
              ElementsAre(259, '<', 'y', '>'));
  EXPECT_THAT(Ids(*tokenizer, "<x>", {.special_text = SpecialText::kRefuse}),
              ElementsAre(259));
}

TEST(TokenizerJsonTest, NormalizedTokensGetWhatTheOthersLeave) {
  // As tokenizers 0.23.3 does, though "<x>" begins further left.
  json document = Tiny();
  document["added_tokens"] = {AddedTokenJson("<x>", 259),
                              AddedTokenJson("x>b", 260)};
  document["added_tokens"][0]["normalized"] = true;
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  EXPECT_THAT(Ids(*tokenizer, "a<x>b"), ElementsAre('a', '<', 260));
  EXPECT_THAT(Ids(*tokenizer, "a<x>c"), ElementsAre('a', 259, 'c'));
}

json Template() {
  return {
      {"type", "TemplateProcessing"},
      {"single",
       json::array({{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
                    {{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                    {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}}})},
      {"pair", json::array()},
      {"special_tokens",
       {{"<s>", {{"id", "<s>"}, {"ids", {259}}, {"tokens", {"<s>"}}}},
        {"</s>",
         {{"id", "</s>"}, {"ids", {260, 97}}, {"tokens", {"</s>", "a"}}}}}}};
}

TEST(TokenizerJsonTest, TemplateStandsAroundTheTextWhenAsked) {
  json document = With("/post_processor", Template());
  document["added_tokens"] = {AddedTokenJson("<s>", 259),
                              AddedTokenJson("</s>", 260)};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  EXPECT_THAT(Ids(*tokenizer, "ab"), ElementsAre(259, 256, 260, 97));
  EXPECT_THAT(Ids(*tokenizer, "ab", {.add_special_tokens = false}),
              ElementsAre(256));
  document["added_tokens"].erase(1);
  EXPECT_THAT(ParseJson(document),
              StatusIs(kDataLoss, HasSubstr("not in the vocabulary")));
}

TEST(TokenizerJsonTest, TokensKeepTheirSpelling) {
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseJson(TinyJson({"\u0120a", "\u65e5", "<|x y|>"}, {"\u0120 a"})));
  EXPECT_EQ(tokenizer->IdOf("\u0120a"), 256u);
  EXPECT_EQ(tokenizer->TokenOf(256), "\u0120a");
  EXPECT_EQ(tokenizer->IdOf(" a"), std::nullopt);
  // Not of the byte alphabet: known by name, and decoded as it stands.
  EXPECT_EQ(tokenizer->IdOf("\u65e5"), 257u);
  EXPECT_EQ(tokenizer->TokenOf(258), "<|x y|>");
  std::string text;
  ASSERT_OK(tokenizer->Decode(std::vector<TokenId>{256, 257, 258}, {}, text));
  EXPECT_EQ(text, " a\u65e5<|x y|>");
  EXPECT_THAT(Ids(*tokenizer, "\u65e5"), ElementsAre(0xe6, 0x97, 0xa5));
}

TEST(TokenizerJsonTest, ByteWithoutATokenIsNamedWhereItOccurs) {
  json document = Tiny();
  document["model"]["vocab"].erase("x");
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  std::vector<TokenId> ids;
  EXPECT_THAT(tokenizer->Encode("abx", {}, ids),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("byte 0x78 at offset 2 has no token")));
  EXPECT_THAT(ids, ElementsAre());
}

// It became id 4294967295, and with offsets the process ended.
TEST(TokenizerJsonTest, PrefixSpaceWithoutATokenIsNamed) {
  json document = With("/pre_tokenizer/add_prefix_space", true);
  document["model"]["vocab"].erase("\u0120");
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  const auto is_named =
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("byte 0x20 at offset 0 has no token"));
  std::vector<TokenId> ids;
  std::vector<TokenOrigin> origins;
  EXPECT_THAT(tokenizer->Encode("ab", {}, ids), is_named);
  EXPECT_THAT(tokenizer->EncodeWithOrigins("ab", {}, ids, origins), is_named);
  EXPECT_THAT(ids, ElementsAre());
}

TEST(TokenizerJsonTest, ByteBehindAPrefixSpaceIsNamedWhereTheTextHasIt) {
  json document = With("/pre_tokenizer/add_prefix_space", true);
  document["model"]["vocab"].erase("x");
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  std::vector<TokenId> ids;
  EXPECT_THAT(tokenizer->Encode("abx", {}, ids),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("byte 0x78 at offset 2 has no token")));
}

json SplitBy(const char* regex, const char* behaviour, bool invert) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", regex}}},
          {"behavior", behaviour},
          {"invert", invert}};
}
json Digits(bool individual) {
  return {{"type", "Digits"}, {"individual_digits", individual}};
}
// `steps`, then byte-level.
json BytesBehind(std::vector<json> steps, bool use_regex = false) {
  json byte_level = Tiny()["pre_tokenizer"];
  byte_level["use_regex"] = use_regex;
  steps.push_back(std::move(byte_level));
  return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

std::vector<json> DeepSeekSplits() {
  std::vector<json> splits;
  for (const char* regex : testing::kDeepSeekRegexes) {
    splits.push_back(SplitBy(regex, "Isolated", false));
  }
  return splits;
}
json SequenceOf(json normalizers) {
  return {{"type", "Sequence"}, {"normalizers", std::move(normalizers)}};
}

// Texts of what the expressions below tell apart.
std::string SomeText(uint32_t seed) {
  constexpr std::string_view kParts[] = {"a", "b",  "c", "ab", "1",      "23",
                                         " ", "\n", ".", "'s", "\u65e5", "<x>"};
  std::string text;
  for (int i = 0; i < 40; ++i) {
    seed = seed * 1664525 + 1013904223;
    text += kParts[(seed >> 16) % std::size(kParts)];
  }
  return text;
}

TEST(TokenizerJsonTest, WhatCutsByExpressionsIsByteLevel) {
  const json words =
      SplitBy(R"( ?\p{L}+(?!\.)|\s+(?!\S)|\s)", "Isolated", false);
  for (const json& cuts :
       {BytesBehind({SplitBy("a|[bc]{2}", "Isolated", false)}),
        BytesBehind({SplitBy("a|[bc]{2}|\\d", "Removed", true)}),
        BytesBehind({SplitBy("\\p{N}{1,2}", "Isolated", false),
                     SplitBy("[\u65e5-\u65e9]+", "Isolated", false), words}),
        BytesBehind({SplitBy("[^b]+", "Removed", true), words}),
        BytesBehind({words, SplitBy("c", "Isolated", false)}, true),
        BytesBehind({Digits(true)}, true), BytesBehind({Digits(false), words}),
        BytesBehind({Digits(true)}), BytesBehind(DeepSeekSplits())}) {
    json document = With("/pre_tokenizer", cuts);
    document["added_tokens"] = {AddedTokenJson("<x>", 259)};
    ASSERT_OK_AND_ASSIGN(const auto bytes, ParseJson(document));
    EXPECT_THAT(bytes->Describe(), HasSubstr("byte-level BPE"));
    // Each component for itself, as a normalizer that does nothing asks for.
    document["normalizer"] = SequenceOf({SequenceOf(json::array())});
    ASSERT_OK_AND_ASSIGN(const auto components, ParseJson(document));
    EXPECT_THAT(components->Describe(),
                ::testing::Not(HasSubstr("byte-level BPE")));
    for (uint32_t seed = 0; seed < 50; ++seed) {
      const std::string text = SomeText(seed);
      std::vector<TokenId> ids, other_ids;
      std::vector<TokenOrigin> origins, other_origins;
      ASSERT_OK(bytes->EncodeWithOrigins(text, {}, ids, origins));
      ASSERT_OK(
          components->EncodeWithOrigins(text, {}, other_ids, other_origins));
      EXPECT_EQ(ids, other_ids) << text << cuts;
      EXPECT_EQ(Ids(*bytes, text), ids) << text << cuts;
      ASSERT_EQ(origins.size(), other_origins.size());
      for (size_t i = 0; i < origins.size(); ++i) {
        EXPECT_EQ(origins[i].begin_byte, other_origins[i].begin_byte) << text;
        EXPECT_EQ(origins[i].end_byte, other_origins[i].end_byte) << text;
        EXPECT_EQ(origins[i].word, other_origins[i].word) << text;
      }
    }
  }
}

TEST(TokenizerJsonTest, KnownSplitsHaveOneScannerAndNoNormalizerIsNone) {
  json document = With("/pre_tokenizer", BytesBehind(DeepSeekSplits()));
  document["normalizer"] = SequenceOf(json::array());
  ASSERT_OK_AND_ASSIGN(const auto known, ParseJson(document));
  EXPECT_THAT(known->Describe(), HasSubstr("deepseek"));
  // Another behaviour, or another order, is not known.
  std::vector<json> splits = DeepSeekSplits();
  std::swap(splits[0], splits[1]);
  document = With("/pre_tokenizer", BytesBehind(splits));
  ASSERT_OK_AND_ASSIGN(const auto turned, ParseJson(document));
  EXPECT_THAT(turned->Describe(), ::testing::Not(HasSubstr("deepseek")));
  splits = DeepSeekSplits();
  splits[1]["behavior"] = "Removed";
  splits[1]["invert"] = true;
  document = With("/pre_tokenizer", BytesBehind(splits));
  ASSERT_OK_AND_ASSIGN(const auto removed, ParseJson(document));
  EXPECT_THAT(removed->Describe(), ::testing::Not(HasSubstr("deepseek")));
}

// As the reference: tokenizers 0.23.3.
TEST(TokenizerJsonTest, AByteWithoutATokenBetweenOwnPiecesIsLeftOut) {
  json document =
      With("/pre_tokenizer", BytesBehind({SplitBy("a|x", "Isolated", false)}));
  document["model"]["vocab"].erase("x");
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  EXPECT_THAT(Ids(*tokenizer, "abx"), ElementsAre('a', 'b'));
}

struct Refused {
  const char* place;
  json value;
  StatusCode code;
  const char* words;
};

TEST(TokenizerJsonTest, WhatIsNotThereIsNamed) {
  const std::vector<Refused> all = {
      {"/model/type", "Markov", kUnimplemented, "model Markov"},
      {"/model/dropout", 1.1, kDataLoss, "model.dropout is not a number from"},
      {"/version", "2.0", kUnimplemented, "version \"2.0\""},
      {"/truncation", {{"max_length", 8}}, kDataLoss, "truncation.stride"},
      {"/padding",
       {{"strategy", "BatchLongest"}, {"pad_token", "a"}},
       kDataLoss,
       "padding.direction"},
      {"/normalizer", {{"type", "Rot13"}}, kUnimplemented, "normalizer Rot13"},
      {"/decoder", {{"type", "Metaspace"}}, kDataLoss, "decoder.replacement"},
      {"/pre_tokenizer",
       {{"type", "Metaspace"}},
       kDataLoss,
       "pre_tokenizer.replacement"},
      {"/pre_tokenizer", BytesBehind({SplitBy("\\X+", "Isolated", false)}),
       kUnimplemented, "the pattern \\X+: \\X is not supported"},
      {"/post_processor",
       {{"type", "BertProcessing"}},
       kDataLoss,
       "post_processor.cls"},
      {"/post_processor",
       {{"type", "BertProcessing"}, {"cls", {"<s>", 400}}, {"sep", {"a", 97}}},
       kDataLoss,
       "id 400, which is not in the vocabulary"},
      {"/model/vocab/ab", 97, kDataLoss, "which another token has"},
      {"/model/vocab/ab", -1, kDataLoss, "id of \"ab\""},
      {"/model/vocab/ab", 4194304, StatusCode::kResourceExhausted,
       "the limit is 4194303"},
      {"/model/merges/0", "ab", kDataLoss, "model.merges[0]"},
      {"/model/merges/0", "a b c", kDataLoss, "model.merges[0]"},
      {"/model/merges/1", "b a", kDataLoss,
       "model.merges[1]: \"ba\" is not in model.vocab"},
      {"/model/merges", 1, kDataLoss, "model.merges is not an array"},
      {"/model/ignore_merges", "yes", kDataLoss, "model.ignore_merges is not"},
      {"/pre_tokenizer/add_prefix_space", nullptr, kDataLoss,
       "pre_tokenizer.add_prefix_space is missing"},
      {"/model", 1, kDataLoss, "model is not an object"},
  };
  for (const Refused& refused : all) {
    EXPECT_THAT(ParseJson(With(refused.place, refused.value)),
                StatusIs(refused.code, HasSubstr(refused.words)))
        << refused.place << " = " << refused.value;
  }
}

TEST(TokenizerJsonTest, AddedTokensThatAreNotAsTheFileSaysAreWarnedOf) {
  const auto parse = [](json tokens) {
    std::vector<std::string> warnings;
    EXPECT_OK(
        ParseTokenizerJson(With("/added_tokens", std::move(tokens)).dump(),
                           "tiny.json", {.warnings = &warnings})
            .status());
    return warnings;
  };
  EXPECT_THAT(parse({AddedTokenJson("<x>", 259), AddedTokenJson("ab", 256),
                     AddedTokenJson("<x>", 259)}),
              ElementsAre());
  EXPECT_THAT(parse({AddedTokenJson("<x>", 300), AddedTokenJson("ab", 259),
                     AddedTokenJson("", 5)}),
              ElementsAre("tiny.json: added_tokens[0]: \"<x>\" has id 300 in "
                          "the file, and is given 259",
                          "tiny.json: added_tokens[1]: \"ab\" has id 259 in "
                          "the file, and is given 256",
                          "tiny.json: added_tokens[2]: passed over, "
                          "\"content\" is empty"));
}

// Byte-level BPE has a path of its own, which must agree.
TEST(TokenizerJsonTest, AddedTokensAreNumberedAlikeOnBothPaths) {
  json document = Tiny();
  document["model"]["vocab"]["far"] = 300;
  document["added_tokens"] = {
      AddedTokenJson("far", 7), AddedTokenJson("<y>", 9),
      AddedTokenJson("<x>", 9), AddedTokenJson("<y>", 9)};
  ASSERT_OK_AND_ASSIGN(const auto fast, ParseJson(document));
  document["normalizer"] = {{"type", "Sequence"},
                            {"normalizers", {{{"type", "NFC"}}}}};
  ASSERT_OK_AND_ASSIGN(const auto slow, ParseJson(document));
  ASSERT_NE(fast->Describe(), slow->Describe());
  EXPECT_THAT(Ids(*fast, "<x>far<y>"), ElementsAre(261, 300, 260));
  EXPECT_EQ(Ids(*slow, "<x>far<y>"), Ids(*fast, "<x>far<y>"));
}

TEST(TokenizerJsonTest, RepeatedNamesAreRefused) {
  std::string file = Tiny().dump();
  const std::string token = "\"cab\":";
  file.insert(file.find(token), "\"cab\":300,");
  EXPECT_THAT(ParseTokenizerJson(file, "tiny.json"),
              StatusIs(kDataLoss, HasSubstr("\"cab\" is given twice")));
  file = Tiny().dump();
  file.insert(1, "\"version\":\"1.0\",");
  EXPECT_THAT(ParseTokenizerJson(file, "tiny.json"),
              StatusIs(kDataLoss, HasSubstr("field version is given twice")));
}

TEST(TokenizerJsonTest, FileThatIsNotJsonIsNamed) {
  const std::string file = Tiny().dump();
  for (const std::string& bad : {std::string(), file.substr(0, file.size() / 2),
                                 file + "}", std::string("[1, 2]")}) {
    EXPECT_THAT(ParseTokenizerJson(bad, "tiny.json"),
                StatusIs(kDataLoss, HasSubstr("tiny.json: ")));
  }
}

TEST(TokenizerJsonTest, WordPieceWithoutATypeIsRecognised) {
  json document = Tiny();
  document["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};
  document["model"] = {{"unk_token", "?"},
                       {"continuing_subword_prefix", "##"},
                       {"max_input_chars_per_word", 100},
                       {"vocab", {{"?", 0}, {"ab", 1}, {"##c", 2}}}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseJson(document));
  EXPECT_THAT(Ids(*tokenizer, "abc x"), ElementsAre(1, 2, 0));
}

}  // namespace
}  // namespace penstock
