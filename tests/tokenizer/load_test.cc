#include "tokenizer/load.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kInvalid;
using testing::ScratchFolder;
using testing::StatusIs;
using testing::TinyJson;
using testing::TinyTiktoken;

TEST(LoadTest, BytesNeedNoFile) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       LoadTokenizer(LocalFiles(), "bytes"));
  EXPECT_EQ(tokenizer->Describe(), "bytes, 257 ids");
}

TEST(LoadTest, NameOfARankFileGivesItsPattern) {
  const ScratchFolder folder;
  const std::string path =
      folder.Write("o200k_base.tiktoken", TinyTiktoken({}));
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, LoadTokenizer(LocalFiles(), path));
  EXPECT_EQ(tokenizer->IdOf("<|endoftext|>"), 199999u);
  EXPECT_THAT(tokenizer->Describe(), HasSubstr("o200k pattern"));
}

TEST(LoadTest, GivenPatternOutranksTheName) {
  const ScratchFolder folder;
  const std::string path =
      folder.Write("o200k_base.tiktoken", TinyTiktoken({}));
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       LoadTokenizer(LocalFiles(), path, {.pattern = "gpt2"}));
  EXPECT_EQ(tokenizer->IdOf("<|endoftext|>"), 50256u);
}

TEST(LoadTest, RankFileOfUnknownNameNeedsAPattern) {
  const ScratchFolder folder;
  EXPECT_THAT(
      LoadTokenizer(LocalFiles(),
                    folder.Write("my.tiktoken", TinyTiktoken({}))),
      StatusIs(kInvalid, AllOf(HasSubstr("my.tiktoken: unknown pattern \"my\""),
                               HasSubstr("cl100k_base"))));
}

TEST(LoadTest, PatternWhereNoneIsNeededIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.Write("t.json", TinyJson({}, {}).dump());
  EXPECT_OK(LoadTokenizer(LocalFiles(), path));
  for (const std::string& name : {path, std::string("bytes")}) {
    EXPECT_THAT(LoadTokenizer(LocalFiles(), name, {.pattern = "gpt2"}),
                StatusIs(kInvalid, HasSubstr("takes no pattern")));
  }
}

TEST(LoadTest, OtherFilesAreAnsweredWithWhatCanBeRead) {
  EXPECT_THAT(
      LoadTokenizer(LocalFiles(), "vocab.bpe"),
      StatusIs(kInvalid, AllOf(HasSubstr("vocab.bpe"), HasSubstr("*.json"),
                               HasSubstr("*.tiktoken"), HasSubstr("*.model"),
                               HasSubstr("\"bytes\""))));
}

TEST(LoadTest, KindsHaveNames) {
  for (const std::string_view name : TokenizerKindNames()) {
    EXPECT_TRUE(TokenizerKindByName(name).has_value()) << name;
  }
  EXPECT_EQ(TokenizerKindByName("tokenizer.json"), std::nullopt);
}

TEST(LoadTest, TheKindOutranksTheName) {
  const ScratchFolder folder;
  const std::string ranks = folder.Write("ranks.json", TinyTiktoken({"ab"}));
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      LoadTokenizer(LocalFiles(), ranks,
                    {.kind = TokenizerKind::kTiktoken, .pattern = "gpt2"}));
  EXPECT_EQ(tokenizer->IdOf("ab"), 256u);
  const std::string json = folder.Write("tokenizer", TinyJson({}, {}).dump());
  EXPECT_OK(LoadTokenizer(LocalFiles(), json,
                          {.kind = TokenizerKind::kTokenizerJson}));
  ASSERT_OK_AND_ASSIGN(
      const auto bytes,
      LoadTokenizer(LocalFiles(), json, {.kind = TokenizerKind::kBytes}));
  EXPECT_EQ(bytes->Describe(), "bytes, 257 ids");
  folder.Write("merges.txt", "a b\n");
  EXPECT_OK(LoadTokenizer(LocalFiles(),
                          folder.Write("v", R"({"a": 0, "b": 1, "ab": 2})"),
                          {.kind = TokenizerKind::kVocabJson}));
}

// Mistral's and Marian's names of SentencePiece models.
TEST(LoadTest, SentencePieceModelsHaveManyNames) {
  const ScratchFolder folder;
  const std::string model = testing::TinySentencePiece().Bytes();
  for (const char* name :
       {"tokenizer.model", "tokenizer.model.v1", "m.model.v7m1", "en.spm"}) {
    ASSERT_OK_AND_ASSIGN(
        const auto tokenizer,
        LoadTokenizer(LocalFiles(), folder.Write(name, model)));
    EXPECT_THAT(tokenizer->Describe(), HasSubstr("unigram"));
  }
  EXPECT_THAT(
      LoadTokenizer(LocalFiles(), folder.Write("tokenizer.model.bak", model)),
      StatusIs(kInvalid, HasSubstr("give its kind")));
}

TEST(LoadTest, CuttingAndPaddingOfAFileCanBeLeftOut) {
  const ScratchFolder folder;
  nlohmann::json document = TinyJson({}, {});
  document["truncation"] = {{"direction", "Right"},
                            {"max_length", 2},
                            {"strategy", "LongestFirst"},
                            {"stride", 0}};
  document["padding"] = {{"strategy", {{"Fixed", 4}}},
                         {"direction", "Right"},
                         {"pad_to_multiple_of", nullptr},
                         {"pad_id", 0},
                         {"pad_type_id", 0},
                         {"pad_token", "a"}};
  // The one for byte-level BPE, and the other.
  for (const bool is_bare : {false, true}) {
    if (is_bare) document["decoder"] = nullptr;
    const std::string path = folder.Write("t.json", document.dump());
    const auto ids_of = [&](LoadOptions options) {
      const auto loaded = LoadTokenizer(LocalFiles(), path, options);
      EXPECT_OK(loaded);
      return testing::Ids(**loaded, "abc");
    };
    EXPECT_THAT(ids_of({}), ElementsAre('a', 'b', 0, 0));
    EXPECT_THAT(ids_of({.truncation = false}), ElementsAre('a', 'b', 'c', 0));
    EXPECT_THAT(ids_of({.padding = false}), ElementsAre('a', 'b'));
    EXPECT_THAT(ids_of({.truncation = false, .padding = false}),
                ElementsAre('a', 'b', 'c'));
  }
}

TEST(LoadTest, PublishedSpecialTokensHaveTheirNumbers) {
  const ScratchFolder folder;
  const std::string path = folder.Write("tokenizer.model", TinyTiktoken({}));
  ASSERT_OK_AND_ASSIGN(const auto llama, LoadTokenizer(LocalFiles(), path,
                                                       {.pattern = "llama-4"}));
  // meta-llama/llama-models, models/llama4/tokenizer.py and its comments.
  EXPECT_EQ(llama->TokenOf(200000), "<|begin_of_text|>");
  EXPECT_EQ(llama->TokenOf(200005), "<|header_start|>");
  EXPECT_EQ(llama->TokenOf(200018), "<|finetune_right_pad|>");
  EXPECT_EQ(llama->TokenOf(200079),
            "<|text_post_train_reserved_special_token_68|>");
  EXPECT_EQ(llama->TokenOf(200080), "<|image_start|>");
  EXPECT_EQ(llama->TokenOf(200092), "<|patch|>");
  EXPECT_EQ(llama->TokenOf(201133), "<|vision_reserved_special_token_1047|>");
  EXPECT_EQ(llama->TokenOf(201143), "<|reasoning_thinking_end|>");
  EXPECT_EQ(llama->TokenOf(202047), "<|reserved_special_token_903|>");
  EXPECT_EQ(llama->vocabulary_size(), 202048u);
  ASSERT_OK_AND_ASSIGN(const auto kimi, LoadTokenizer(LocalFiles(), path,
                                                      {.pattern = "kimi-k2"}));
  EXPECT_EQ(kimi->TokenOf(163584), "[BOS]");
  EXPECT_EQ(kimi->TokenOf(163589), "<|reserved_token_163589|>");
  EXPECT_EQ(kimi->TokenOf(163839), "[PAD]");
  EXPECT_EQ(kimi->vocabulary_size(), 163840u);
  // Han is cut apart.
  std::vector<TokenOrigin> origins;
  std::vector<TokenId> ids;
  ASSERT_OK(kimi->EncodeWithOrigins("a\u6f22b", {}, ids, origins));
  EXPECT_EQ(origins.back().word, 2u);
}

TEST(LoadTest, MissingFileIsNamed) {
  for (const char* name : {"nowhere/t.json", "nowhere/gpt2.tiktoken"}) {
    EXPECT_THAT(LoadTokenizer(LocalFiles(), name),
                StatusIs(StatusCode::kNotFound, HasSubstr(name)));
  }
}

}  // namespace
}  // namespace penstock
