#include "tokenizer/files/tekken_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using testing::kDataLoss;
using testing::StatusIs;

// The bytes, "ab" and " ab", and one more that the size leaves out; behind 22
// special tokens, of which the file does not name the last two.
json TinyTekken() {
  json vocab = json::array();
  std::istringstream lines(testing::TinyTiktoken({"ab", " ab", "zz"}));
  for (std::string base64, rank; lines >> base64 >> rank;) {
    vocab.push_back({{"rank", std::stoi(rank)},
                     {"token_bytes", base64},
                     {"token_str", nullptr}});
  }
  return {{"config",
           {{"pattern",
             R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*)"
             R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
             R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+)"
             R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
             R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
            {"num_vocab_tokens", 259},
            {"default_vocab_size", 280},
            {"default_num_special_tokens", 22},
            {"version", "v3"}}},
          {"vocab", vocab},
          {"image", {{"image_patch_size", 16}}}};
}

json TekkenWith(const char* place, json value) {
  json document = TinyTekken();
  document[json::json_pointer(place)] = std::move(value);
  return document;
}

StatusOr<std::shared_ptr<const Tokenizer>> ParseTekken(const json& document) {
  return ParseTekkenJson(document.dump(), "tekken.json");
}

// Expected: mistral-common 1.13.1, Tekkenizer.encode and decode of this file.
TEST(TekkenJsonTest, RanksComeBehindTheSpecialTokens) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseTekken(TinyTekken()));
  EXPECT_THAT(Ids(*tokenizer, "ab ab 12<s>zz"),
              ElementsAre(278, 279, 54, 71, 72, 82, 137, 84, 144, 144));
  EXPECT_EQ(tokenizer->vocabulary_size(), 280u);
  EXPECT_EQ(tokenizer->IdOf("[INST]"), 3u);
  EXPECT_EQ(tokenizer->TokenOf(19), "[TOOL_CONTENT]");
  EXPECT_EQ(tokenizer->TokenOf(21), "<SPECIAL_21>");
  const std::vector<TokenId> ids = {1, 3, 278, 279, 21, 2};
  std::string kept, dropped;
  ASSERT_OK(tokenizer->Decode(ids, {}, kept));
  EXPECT_EQ(kept, "<s>[INST]ab ab<SPECIAL_21></s>");
  ASSERT_OK(tokenizer->Decode(ids, {.skip_special_tokens = true}, dropped));
  EXPECT_EQ(dropped, "ab ab");
}

TEST(TekkenJsonTest, NewerFilesNameTheirSpecialTokens) {
  json document = TekkenWith("/config/version", "v13");
  EXPECT_THAT(ParseTekken(document),
              StatusIs(kDataLoss, HasSubstr("special_tokens are missing")));
  document["special_tokens"] = {
      {{"rank", 0}, {"token_str", "<unk>"}, {"is_control", true}},
      {{"rank", 1}, {"token_str", "<s>"}, {"is_control", true}}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseTekken(document));
  EXPECT_EQ(tokenizer->TokenOf(1), "<s>");
  EXPECT_EQ(tokenizer->TokenOf(2), "<SPECIAL_2>");
}

TEST(TekkenJsonTest, TheNameTellsTheKindElseTheFieldsDo) {
  const testing::ScratchFolder folder;
  const std::string file = TinyTekken().dump();
  EXPECT_OK(LoadTokenizer(LocalFiles(), folder.Write("tekken.json", file)));
  const std::string other = folder.Write("mistral.json", file);
  EXPECT_THAT(LoadTokenizer(LocalFiles(), other),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("a tekken.json")));
  EXPECT_OK(
      LoadTokenizer(LocalFiles(), other, {.kind = TokenizerKind::kTekken}));
}

TEST(TekkenJsonTest, DamageIsNamed) {
  const struct {
    const char* place;
    json value;
    const char* words;
  } damages[] = {
      {"/config/pattern", 7, "config.pattern is not a string"},
      {"/config/default_vocab_size", 400, "vocab has 259 tokens"},
      {"/config/default_vocab_size", 277, "without room for the 256 bytes"},
      {"/config/default_num_special_tokens", 8, "20 special tokens, but"},
      {"/vocab/5/rank", 6, "vocab[5] is not a token of that rank"},
      {"/vocab/5/token_bytes", "AA==", "vocab[5] is not"},
      {"/vocab/257/token_bytes", "YWI=", "vocab[257] is not"},
      {"/vocab/257/token_bytes", "?", "vocab[257] is not"},
      {"/special_tokens", json::array({{{"rank", 1}, {"token_str", "a"}}}),
       "special_tokens[0]: rank 1"},
      {"/special_tokens",
       json::array({{{"rank", 0}, {"token_str", "<SPECIAL_4>"}}}),
       "given twice"},
  };
  for (const auto& damage : damages) {
    EXPECT_THAT(ParseTekken(TekkenWith(damage.place, damage.value)),
                StatusIs(kDataLoss, HasSubstr(damage.words)));
  }
  EXPECT_THAT(ParseTekken(TekkenWith("/config/version", "three")),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("\"three\"")));
}

}  // namespace
}  // namespace penstock
