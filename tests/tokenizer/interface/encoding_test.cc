#include "tokenizer/interface/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using testing::Cases;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kInvalid;
using testing::StatusIs;
using testing::TinyJson;
using testing::TinyTiktoken;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;
using Ranges = std::vector<std::pair<uint32_t, uint32_t>>;

TokenizerPtr TinyEncoder() {
  return *ParseTiktoken(TinyTiktoken({"th", "the", " the", "\xe6\x97"}), "tiny",
                        "gpt2");
}

Ranges Bytes(const Encoding& encoding) {
  Ranges ranges;
  for (const TokenOrigin& origin : encoding.origins) {
    ranges.push_back({origin.begin_byte, origin.end_byte});
  }
  return ranges;
}

Ranges Chars(const Encoding& encoding) {
  Ranges ranges;
  for (const TokenOrigin& origin : encoding.origins) {
    ranges.push_back({origin.begin_char, origin.end_char});
  }
  return ranges;
}

TEST(EncodingTest, TokensOfAPartOfACharacterAreAllOfTheCharacters) {
  ASSERT_OK_AND_ASSIGN(const Encoding encoding,
                       EncodeFully(*TinyEncoder(), {"\u65e5 the"}));
  EXPECT_THAT(encoding.ids, ElementsAre(259, 0xa5, 258));
  EXPECT_THAT(Bytes(encoding),
              ElementsAre(std::pair(0, 3), std::pair(0, 3), std::pair(3, 7)));
  EXPECT_THAT(Chars(encoding),
              ElementsAre(std::pair(0, 1), std::pair(0, 1), std::pair(1, 5)));
  EXPECT_EQ(encoding.origins[1].word, 0u);
  EXPECT_EQ(encoding.origins[2].word, 1u);
}

TEST(EncodingTest, CallsCutAndPadWhatFilesDoNot) {
  FullEncodeOptions options;
  options.truncation = Truncation{.max_length = 3, .stride = 1};
  options.padding = Padding{.length = 4, .id = 9, .type_id = 2};
  ASSERT_OK_AND_ASSIGN(const Encoding encoding,
                       EncodeFully(*TinyEncoder(), {"abcd"}, options));
  EXPECT_THAT(encoding.ids, ElementsAre('a', 'b', 'c', 9));
  EXPECT_THAT(encoding.type_ids, ElementsAre(0, 0, 0, 2));
  EXPECT_THAT(encoding.attention, ElementsAre(1, 1, 1, 0));
  EXPECT_TRUE(encoding.origins[3].special);
  ASSERT_EQ(encoding.overflowing.size(), 1u);
  EXPECT_THAT(encoding.overflowing[0].ids, ElementsAre('c', 'd', 9, 9));
  options.keep_overflow = false;
  ASSERT_OK_AND_ASSIGN(const Encoding alone,
                       EncodeFully(*TinyEncoder(), {"abcd"}, options));
  EXPECT_TRUE(alone.overflowing.empty());
}

TEST(EncodingTest, CallsUndoWhatFilesAskFor) {
  auto document = TinyJson({}, {});
  document["truncation"] = nlohmann::json::parse(
      R"({"max_length": 2, "stride": 0, "strategy": "LongestFirst"})");
  document["padding"] = nlohmann::json::parse(
      R"({"strategy": {"Fixed": 6}, "direction": "Right", "pad_id": 0,
          "pad_type_id": 0, "pad_token": "!", "pad_to_multiple_of": null})");
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseTokenizerJson(document.dump(), "cut.json"));
  ASSERT_OK_AND_ASSIGN(const Encoding cut, EncodeFully(*tokenizer, {"abc"}));
  EXPECT_THAT(cut.ids, ElementsAre('a', 'b', 0, 0, 0, 0));
  FullEncodeOptions options;
  options.truncation =
      Truncation{.max_length = std::numeric_limits<size_t>::max()};
  options.padding = Padding{.length = 0};
  ASSERT_OK_AND_ASSIGN(const Encoding whole,
                       EncodeFully(*tokenizer, {"abc"}, options));
  EXPECT_THAT(whole.ids, ElementsAre('a', 'b', 'c'));
}

// What tokenizers 0.23.3 gives: one space at the begin of a text counts as put
// there, but not behind the token that a processor before has put there.
TEST(EncodingTest, TextsBehindATokenAreTrimmedFromTheirFirstSpaceOn) {
  const nlohmann::json trim = {{"type", "ByteLevel"},
                               {"add_prefix_space", true},
                               {"trim_offsets", true}};
  nlohmann::json bert = {
      {"type", "BertProcessing"}, {"cls", {"a", 'a'}}, {"sep", {"b", 'b'}}};
  nlohmann::json roberta = bert;
  roberta.update({{"add_prefix_space", true}, {"trim_offsets", false}});
  struct Case {
    nlohmann::json processors;
    bool special;
    Ranges offsets;
  };
  const Case cases[] = {
      {{bert, trim},
       true,
       {{0, 0}, {4, 4}, {4, 5}, {0, 0}, {2, 3}, {4, 4}, {4, 5}, {0, 0}}},
      {{trim, bert},
       true,
       {{0, 0}, {3, 3}, {4, 5}, {0, 0}, {2, 3}, {4, 4}, {4, 5}, {0, 0}}},
      {{roberta, trim},
       true,
       {{0, 0}, {4, 4}, {4, 5}, {0, 0}, {0, 0}, {4, 4}, {4, 5}, {0, 0}}},
      {{roberta, trim},
       false,
       {{1, 1}, {2, 3}, {4, 4}, {4, 5}, {1, 1}, {2, 3}, {4, 4}, {4, 5}}},
  };
  for (const Case& made : cases) {
    nlohmann::json document = TinyJson({}, {});
    document["post_processor"] = {{"type", "Sequence"},
                                  {"processors", made.processors}};
    document["truncation"] = {{"max_length", 8},
                              {"stride", 0},
                              {"strategy", "LongestFirst"},
                              {"direction", "Left"}};
    ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                         ParseTokenizerJson(document.dump(), "trim.json"));
    ASSERT_OK_AND_ASSIGN(
        const Encoding encoding,
        EncodeFully(*tokenizer, {"x y z", "x y z"},
                    {.encode = {.add_special_tokens = made.special}}));
    EXPECT_EQ(Chars(encoding), made.offsets) << made.processors;
  }
}

TEST(EncodingTest, BatchesNameTheTextThatFails) {
  const TextPair texts[] = {{"a"}, {"\xff"}};
  EXPECT_THAT(EncodeFully(*TinyEncoder(), texts),
              StatusIs(kInvalid, AllOf(HasSubstr("text 1"),
                                       HasSubstr("0xFF at offset 0"))));
}

TEST(EncodingTest, MoreOverflowThanTheLimitIsAnError) {
  const std::string text(60'000, 'x');
  FullEncodeOptions options;
  options.truncation = Truncation{.max_length = 400};
  EXPECT_THAT(
      EncodeFully(*TinyEncoder(), {text, text}, options),
      StatusIs(StatusCode::kResourceExhausted, HasSubstr("overflowing")));
}

TEST(EncodingTest, TextThatCannotBeCutIsAnError) {
  FullEncodeOptions options;
  options.truncation =
      Truncation{.max_length = 2, .strategy = TruncationStrategy::kOnlySecond};
  EXPECT_THAT(EncodeFully(*TinyEncoder(), {"abc"}, options),
              StatusIs(kInvalid, HasSubstr("second of two texts")));
  EXPECT_THAT(EncodeFully(*TinyEncoder(), {"abc", "d"}, options),
              StatusIs(kInvalid, HasSubstr("2 tokens too many")));
  options.truncation = Truncation{.max_length = 2, .stride = 2};
  EXPECT_THAT(EncodeFully(*TinyEncoder(), {"abc"}, options),
              StatusIs(kInvalid, HasSubstr("stride of 2")));
}

TEST(EncodingTest, EveryKindCanRefuseWhatIsNotUtf8) {
  std::vector<TokenizerPtr> tokenizers = {TinyEncoder(),
                                          std::make_shared<ByteTokenizer>()};
  for (const char* name :
       {"gpt2.tokenizer.json", "bert-base-uncased.tokenizer.json",
        "sentencepiece-unigram-en.model"}) {
    const auto loaded = LoadTokenizer(
        LocalFiles(), testing::FindFixture(std::string("tokenizers/") + name));
    if (loaded.ok()) tokenizers.push_back(*loaded);
  }
  for (const TokenizerPtr& tokenizer : tokenizers) {
    std::vector<TokenId> ids = {7};
    EXPECT_THAT(tokenizer->Encode("abc\xe6\x97",
                                  {.invalid_utf8 = InvalidUtf8::kRefuse}, ids),
                StatusIs(kInvalid, HasSubstr("byte 0xE6 at offset 3")))
        << tokenizer->Describe();
    EXPECT_THAT(ids, ElementsAre(7));
    EXPECT_OK(tokenizer->Encode("abc\xe6\x97", {}, ids));
  }
}

// sentencepiece 0.2.3: encode(text, return_type="proto").
TEST(EncodingTest, SentencePieceTellsItsBeginsAndEnds) {
  const auto tokenizer = LoadTokenizer(
      LocalFiles(),
      testing::FindFixture("tokenizers/sentencepiece-unigram-en.model"));
  if (!tokenizer.ok()) GTEST_SKIP() << testing::MissingFixture("en.model");
  ASSERT_OK_AND_ASSIGN(
      const Encoding encoding,
      EncodeFully(**tokenizer, {"h\u00e9llo \u65e5\u672c world"}));
  EXPECT_THAT(encoding.ids, ElementsAre(4, 60, 0, 88, 21, 4, 0, 887));
  EXPECT_EQ(
      Bytes(encoding),
      (Ranges{
          {0, 0}, {0, 1}, {1, 3}, {3, 5}, {5, 6}, {6, 7}, {7, 13}, {13, 19}}));
  EXPECT_EQ(Chars(encoding).back(), std::pair(8u, 14u));
}

// 'a' and ' ' by the million, and NUL: in n log n.
TEST(EncodingTest, LongRunsAreEncodedByEveryKind) {
  std::vector<TokenizerPtr> tokenizers = {TinyEncoder()};
  for (const char* name :
       {"gpt2.tokenizer.json", "cl100k_base.tiktoken",
        "bert-base-uncased.tokenizer.json", "sentencepiece-unigram-en.model"}) {
    const auto loaded = LoadTokenizer(
        LocalFiles(), testing::FindFixture(std::string("tokenizers/") + name));
    if (loaded.ok()) tokenizers.push_back(*loaded);
  }
  for (const TokenizerPtr& tokenizer : tokenizers) {
    for (const char c : {'a', ' ', '7', '\0', '\n'}) {
      std::vector<TokenId> ids;
      ASSERT_OK(tokenizer->Encode(std::string(Cases(1'000'000), c), {}, ids));
    }
  }
}

}  // namespace
}  // namespace penstock
