// What every Tokenizer keeps. A new kind joins in one line of MakeTokenizer.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/files/tokenizer_json.h"

namespace penstock {
namespace {

using testing::AddedTokenJson;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using testing::StatusIs;
using testing::TinyJson;
using testing::TinyTiktoken;

using Made = StatusOr<std::shared_ptr<const Tokenizer>>;

Made MakeTokenizer(const std::string& kind) {
  if (kind == "bytes") return std::make_shared<ByteTokenizer>();
  if (kind == "json") {
    auto document =
        TinyJson({"th", "the", "\u0120the"}, {"t h", "th e", "\u0120 the"});
    document["added_tokens"] = {AddedTokenJson("<x>", 259)};
    return ParseTokenizerJson(document.dump(), kind);
  }
  return ParseTiktoken(TinyTiktoken({"th", "the", " the", "\xe6\x97"}), kind,
                       kind);
}

class TokenizerTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(tokenizer_, MakeTokenizer(GetParam()));
  }
  std::shared_ptr<const Tokenizer> tokenizer_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, TokenizerTest,
                         ::testing::Values("bytes", "json", "gpt2",
                                           "cl100k_base", "o200k_base"));

// Pseudo-random text, half of it words.
std::string SomeText(uint32_t seed, size_t parts) {
  std::string text;
  uint32_t state = seed;
  for (size_t i = 0; i < parts; ++i) {
    state = state * 1664525 + 1013904223;
    if (state >> 31) {
      text += " the they 12345\r\n";
    } else {
      text.push_back(static_cast<char>(state >> 20));
    }
  }
  return text;
}

TEST_P(TokenizerTest, EveryTextDecodesToItself) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const std::string text = SomeText(seed, seed * 8);
    const std::vector<TokenId> ids = Ids(*tokenizer_, text);
    std::string decoded = "before ";
    ASSERT_OK(tokenizer_->Decode(ids, {}, decoded));
    EXPECT_EQ(decoded, "before " + text);
  }
}

TEST_P(TokenizerTest, EncodeAppends) {
  std::vector<TokenId> ids = {5};
  ASSERT_OK(tokenizer_->Encode("a", {}, ids));
  EXPECT_THAT(ids, ElementsAre(5, 'a'));
}

TEST_P(TokenizerTest, BatchHasTheRowsOfItsTexts) {
  const std::vector<std::string_view> texts = {"the", "", " the x"};
  Encodings rows;
  ASSERT_OK(tokenizer_->EncodeBatch(texts, {}, rows));
  ASSERT_OK(tokenizer_->EncodeBatch(texts, {}, rows));
  ASSERT_EQ(rows.rows(), 6u);
  for (size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.ids_of(i);
    EXPECT_EQ(std::vector(row.begin(), row.end()),
              Ids(*tokenizer_, texts[i % 3]));
  }
}

TEST_P(TokenizerTest, UnknownIdIsNamedAndTheTextKept) {
  const auto id = static_cast<TokenId>(tokenizer_->vocabulary_size());
  std::string text = "kept";
  EXPECT_THAT(
      tokenizer_->Decode(std::vector<TokenId>{'a', id}, {}, text),
      StatusIs(StatusCode::kInvalidArgument,
               AllOf(HasSubstr("id " + std::to_string(id) + " is not in"),
                     HasSubstr("vocabulary"))));
  EXPECT_EQ(text, "kept");
}

TEST_P(TokenizerTest, TokensAndIdsLeadToEachOther) {
  size_t tokens = 0;
  for (TokenId id = 0; id < tokenizer_->vocabulary_size(); ++id) {
    const auto token = tokenizer_->TokenOf(id);
    if (!token) continue;
    ++tokens;
    EXPECT_EQ(tokenizer_->IdOf(*token), id);
  }
  EXPECT_GT(tokens, 256u);
  EXPECT_EQ(tokenizer_->TokenOf(0xffffffff), std::nullopt);
  EXPECT_EQ(tokenizer_->IdOf("no such token"), std::nullopt);
}

TEST_P(TokenizerTest, ThreadsThatShareItGetTheSameIds) {
  std::vector<std::string> texts;
  std::vector<std::vector<TokenId>> expected;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    texts.push_back(SomeText(seed, 300));
    expected.push_back(Ids(*tokenizer_, texts.back()));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(Ids(*tokenizer_, texts[i]), expected[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(TokenizerTest, ForgettingTextsWhileThreadsEncodeChangesNoIds) {
  const std::string text = SomeText(1, 2000);
  const std::vector<TokenId> expected = Ids(*tokenizer_, text);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(Ids(*tokenizer_, text), expected);
        tokenizer_->ForgetTexts();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(TokenizerTest, LoadedAgainItHasTheSameFingerprint) {
  ASSERT_OK_AND_ASSIGN(const auto again, MakeTokenizer(GetParam()));
  EXPECT_EQ(again->Fingerprint(), tokenizer_->Fingerprint());
  EXPECT_EQ(again->Describe(), tokenizer_->Describe());
}

TEST(FingerprintTest, DiffersWithEverythingThatDecidesIds) {
  auto base = TinyJson({"ab", "bc"}, {"a b", "b c"});
  std::vector<nlohmann::json> documents(8, base);
  documents[1]["model"]["merges"] = {"b c", "a b"};
  documents[2]["model"]["merges"] = {"a b"};
  documents[3]["model"]["ignore_merges"] = true;
  documents[4]["pre_tokenizer"]["use_regex"] = false;
  documents[5]["pre_tokenizer"]["add_prefix_space"] = true;
  documents[6]["added_tokens"] = {AddedTokenJson("<x>", 258)};
  documents[7] = TinyJson({"bc", "ab"}, {"a b", "b c"});
  std::vector<uint64_t> prints;
  for (const auto& document : documents) {
    ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                         ParseTokenizerJson(document.dump(), "x"));
    prints.push_back(tokenizer->Fingerprint());
  }
  for (const char* pattern : {"gpt2", "cl100k_base", "o200k_base"}) {
    ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                         ParseTiktoken(TinyTiktoken({"ab"}), "x", pattern));
    prints.push_back(tokenizer->Fingerprint());
  }
  prints.push_back(ByteTokenizer().Fingerprint());
  for (size_t i = 0; i < prints.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(prints[i], prints[j]) << i << j;
  }
}

}  // namespace
}  // namespace penstock
