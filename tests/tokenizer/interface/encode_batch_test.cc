#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/every_kind.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/interface/batch_parts.h"
#include "tokenizer/interface/stream_decoder.h"

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
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

// What no cut may go through: special tokens, marks, contractions, spaces.
std::string SomeWords(size_t bytes, uint32_t seed) {
  constexpr std::string_view kWords[] = {
      "the",     " the",    "'s",    " it's",         "  ",          "\n\n",
      " \u65e5", "e\u0301", " 1234", "<|endoftext|>", " na\u00efve", "\r\n the",
      "AAA",     " a",      "!?",    " the<|x",       "\u3000",      "\t"};
  std::string text;
  while (text.size() < bytes) {
    seed = seed * 1664525 + 1013904223;
    text += kWords[(seed >> 16) % std::size(kWords)];
  }
  return text;
}

TokenizerPtr Gpt2WithSpecials() {
  TiktokenRules rules = {.pattern = "gpt2"};
  rules.specials = {{"<|endoftext|>", 300}, {"the<|x", 301}};
  return *ParseTiktoken(
      TinyTiktoken({"th", "the", " the", "  ", " a", "'s", "AA", "12"}), "gpt2",
      rules);
}

TokenizerPtr Json(const nlohmann::json& changes) {
  auto document = TinyJson({"th", "the", "\u0120the", "\u0120\u0120"},
                           {"t h", "th e", "\u0120 the", "\u0120 \u0120"});
  document["added_tokens"] = {AddedTokenJson("<|endoftext|>", 260),
                              AddedTokenJson("<s>", 261)};
  document.update(changes);
  return *ParseTokenizerJson(document.dump(), "tiny.json");
}

// "<s>" before and behind each text.
TokenizerPtr Framed() {
  const auto special =
      nlohmann::json::parse(R"({"SpecialToken": {"id": "<s>", "type_id": 0}})");
  const auto text =
      nlohmann::json::parse(R"({"Sequence": {"id": "A", "type_id": 0}})");
  return Json(
      {{"post_processor",
        {{"type", "TemplateProcessing"},
         {"single", {special, text, special}},
         {"pair", {text, text}},
         {"special_tokens",
          {{"<s>", {{"id", "<s>"}, {"ids", {261}}, {"tokens", {"<s>"}}}}}}}}});
}

TokenizerPtr Truncated() {
  return Json({{"truncation",
                {{"max_length", 1000},
                 {"stride", 0},
                 {"strategy", "LongestFirst"},
                 {"direction", "Left"}}}});
}

const std::vector<size_t> kCounts = testing::kCaseStride == 1
                                        ? std::vector<size_t>{1, 3, 8}
                                        : std::vector<size_t>{8};

void ExpectSameWithThreads(const Tokenizer& tokenizer,
                           std::span<const std::string_view> texts,
                           EncodeOptions options = {},
                           std::vector<size_t> counts = kCounts) {
  Encodings expected;
  for (const std::string_view text : texts) {
    ASSERT_OK(tokenizer.Encode(text, options, expected.ids));
    expected.row_offsets.push_back(expected.ids.size());
  }
  for (const size_t threads : counts) {
    Encodings rows;
    ASSERT_OK(
        tokenizer.EncodeBatch(texts, options, rows, {.threads = threads}));
    EXPECT_EQ(rows.row_offsets, expected.row_offsets)
        << tokenizer.Describe() << ", " << threads << " threads";
    EXPECT_TRUE(rows.ids == expected.ids) << tokenizer.Describe();
  }
}

TEST(EncodeBatchTest, AnyNumberOfThreadsGivesTheRowsOfOne) {
  const std::string longest = SomeWords(2 * BatchParts::kJobBytes, 1);
  const std::string longer = SomeWords(BatchParts::kJobBytes + 1, 2);
  std::vector<std::string_view> texts = {"", "the", longest, "", longer, " a"};
  // Many of them make a job.
  for (size_t i = 0; i < 3000; ++i) {
    texts.push_back(
        std::string_view(longer).substr(i * 50 % BatchParts::kJobBytes, 50));
  }
  for (const TokenizerPtr& tokenizer :
       {Gpt2WithSpecials(), Json(nlohmann::json::object()), Framed(),
        Truncated(), TokenizerPtr(std::make_shared<ByteTokenizer>())}) {
    ExpectSameWithThreads(*tokenizer, texts);
    if (testing::kCaseStride != 1) continue;
    ExpectSameWithThreads(
        *tokenizer, texts,
        {.special_text = SpecialText::kAsText, .add_special_tokens = false});
  }
}

TEST(EncodeBatchTest, EveryKindOfTokenizerGivesTheRowsOfOneThread) {
  const std::string text = SomeWords(BatchParts::kJobBytes * 5 / 4, 3);
  const std::vector<std::string_view> texts = {"the", text};
  const auto& kinds = testing::EveryKind();
  for (size_t i = 0; i < kinds.size(); i += testing::kCaseStride) {
    ExpectSameWithThreads(*kinds[i].tokenizer, texts, {}, {2});
  }
}

TEST(EncodeBatchTest, LongTextIsCutAndPartsMakeItUp) {
  const std::string longest = SomeWords(9 * BatchParts::kJobBytes, 4);
  const std::vector<std::string_view> texts = {"the", longest};
  const TokenizerPtr tokenizer = Gpt2WithSpecials();
  const BatchParts parts(*tokenizer, texts, {});
  EXPECT_GE(parts.jobs(), 9u);
  std::string joined;
  for (size_t job = 0; job < parts.jobs(); ++job) {
    for (const TextPart& part : parts.OfJob(job)) {
      EXPECT_LE(part.bytes.size(), BatchParts::kJobBytes);
      joined += part.bytes;
    }
  }
  EXPECT_EQ(joined, "the" + longest);
}

TEST(EncodeBatchTest, TextIsCutBehindALongPiece) {
  // Longer than what is looked at first, and than twice that.
  const std::string long_piece(3 * BatchParts::kJobBytes + 5, '.');
  const std::string text =
      long_piece + SomeWords(4 * BatchParts::kJobBytes, 6) + long_piece;
  const TokenizerPtr tokenizer = Gpt2WithSpecials();
  const std::vector<std::string_view> texts = {text};
  const BatchParts parts(*tokenizer, texts, {});
  std::string joined;
  size_t longer = 0;
  for (size_t job = 0; job < parts.jobs(); ++job) {
    for (const TextPart& part : parts.OfJob(job)) {
      EXPECT_LE(part.bytes.size(), 4 * BatchParts::kJobBytes);
      longer += part.bytes.size() > BatchParts::kJobBytes;
      joined += part.bytes;
    }
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(longer, 2u);
  EXPECT_GE(parts.jobs(), 5u);
  Encodings one, two;
  ASSERT_TRUE(tokenizer->EncodeBatch(texts, {}, one).ok());
  ASSERT_TRUE(tokenizer->EncodeBatch(texts, {}, two, {.threads = 2}).ok());
  EXPECT_TRUE(one.ids == two.ids);
}

// Bytes that cannot be cut; counts how many are looked at for a cut.
class Uncut : public Tokenizer {
 public:
  size_t SafeCut(std::string_view text) const override {
    looked += text.size();
    return 0;
  }
  Status Encode(std::string_view text, EncodeOptions options,
                std::vector<TokenId>& ids) const override {
    return bytes_.Encode(text, options, ids);
  }
  Status EncodeBare(std::string_view text, EncodeOptions options,
                    std::vector<TokenId>& ids,
                    std::vector<TokenOrigin>& origins,
                    std::vector<std::string>& surfaces) const override {
    return bytes_.EncodeBare(text, options, ids, origins, surfaces);
  }
  Status Decode(std::span<const TokenId> ids, DecodeOptions options,
                std::string& text) const override {
    return bytes_.Decode(ids, options, text);
  }
  std::unique_ptr<StreamDecoder> NewStreamDecoder(
      DecodeOptions options) const override {
    return bytes_.NewStreamDecoder(options);
  }
  size_t vocabulary_size() const override { return bytes_.vocabulary_size(); }
  std::optional<TokenId> IdOf(std::string_view token) const override {
    return bytes_.IdOf(token);
  }
  std::optional<std::string> TokenOf(TokenId id) const override {
    return bytes_.TokenOf(id);
  }
  uint64_t Fingerprint() const override { return bytes_.Fingerprint(); }
  std::string Describe() const override { return "bytes without a cut"; }

  mutable size_t looked = 0;

 private:
  ByteTokenizer bytes_;
};

TEST(EncodeBatchTest, TextWithoutACutIsLookedAtOnce) {
  for (const size_t jobs : {4, 40}) {
    const Uncut tokenizer;
    const std::string text(jobs * BatchParts::kJobBytes + 1, 'x');
    const std::vector<std::string_view> texts = {text};
    const BatchParts parts(tokenizer, texts, {});
    EXPECT_EQ(parts.jobs(), 1u);
    EXPECT_GE(tokenizer.looked, text.size() / 2);
    // And a little again where the next part begins.
    EXPECT_LE(tokenizer.looked, text.size() + 1000);
  }
}

TEST(EncodeBatchTest, ErrorNamesTheTextItsOffsetAndKeepsTheRowsBefore) {
  std::string longest = std::string(4 * BatchParts::kJobBytes, 'x');
  for (size_t i = 0; i < longest.size(); i += 100) longest[i] = ' ';
  const size_t place = 3 * BatchParts::kJobBytes + 99;
  longest.replace(place, 13, "<|endoftext|>");
  const std::string before = longest.substr(0, place);
  const std::vector<std::string_view> texts = {"the", before, longest, "a",
                                               longest};
  const TokenizerPtr tokenizer = Gpt2WithSpecials();
  for (const size_t threads : {1, 2, 3, 8, 8, 8}) {
    Encodings rows;
    EXPECT_THAT(
        tokenizer->EncodeBatch(texts, {.special_text = SpecialText::kRefuse},
                               rows, {.threads = threads}),
        StatusIs(StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("text 2"), HasSubstr("<|endoftext|>"),
                       HasSubstr(std::to_string(place)))));
    ASSERT_EQ(rows.rows(), 2u);
    EXPECT_EQ(rows.ids.size(), rows.row_offsets.back());
    const auto row = rows.ids_of(1);
    EXPECT_TRUE(std::vector(row.begin(), row.end()) == Ids(*tokenizer, before));
  }
}

TEST(EncodeBatchTest, WhatIsLongAndCannotBeCutComesFirst) {
  const Uncut tokenizer;
  const std::string text(5 * BatchParts::kJobBytes, 'x');
  const std::string_view all = text;
  const size_t twice = 2 * BatchParts::kJobBytes;
  const std::vector<std::string_view> texts = {
      all.substr(0, twice),     all.substr(0, twice + 1),
      all.substr(0, twice - 1), all,
      all.substr(0, twice + 1), all.substr(0, twice)};
  const BatchParts parts(tokenizer, texts, {});
  ASSERT_EQ(parts.jobs(), texts.size());
  EXPECT_THAT(parts.LongestFirst(), ElementsAre(3, 1, 4, 0, 2, 5));
}

// The last text is encoded first, and fails at its end.
TEST(EncodeBatchTest, RowsBeforeAnErrorThatIsFoundFirstAreKept) {
  std::string longest(4 * BatchParts::kJobBytes, '.');
  longest += "<|endoftext|>";
  std::string some;
  while (some.size() < BatchParts::kJobBytes / 2) some += " the";
  std::vector<std::string_view> texts(6, some);
  texts.push_back(longest);
  texts.emplace_back("a");
  const TokenizerPtr tokenizer = Gpt2WithSpecials();
  EXPECT_EQ(BatchParts(*tokenizer, texts, {}).LongestFirst().front(), 6u);
  for (const size_t threads : {2, 3, 8}) {
    Encodings rows;
    EXPECT_THAT(
        tokenizer->EncodeBatch(texts, {.special_text = SpecialText::kRefuse},
                               rows, {.threads = threads}),
        StatusIs(StatusCode::kInvalidArgument, HasSubstr("text 6")));
    EXPECT_EQ(rows.rows(), 6u);
    // An error before it is the one that is told.
    texts[4] = "<|endoftext|>";  // in the job of the one behind it
    Encodings fewer;
    EXPECT_THAT(
        tokenizer->EncodeBatch(texts, {.special_text = SpecialText::kRefuse},
                               fewer, {.threads = threads}),
        StatusIs(StatusCode::kInvalidArgument, HasSubstr("text 4")));
    EXPECT_EQ(fewer.rows(), 4u);
    texts[4] = some;
  }
}

TEST(EncodeBatchTest, NoThreadIsRefused) {
  Encodings rows;
  EXPECT_THAT(ByteTokenizer().EncodeBatch({}, {}, rows, {.threads = 0}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("not 0")));
}

TEST(EncodeBatchTest, RowsAreAppendedBehindThoseThatAreThere) {
  const std::string longest = SomeWords(2 * BatchParts::kJobBytes, 5);
  const std::vector<std::string_view> texts = {longest};
  const TokenizerPtr tokenizer = Gpt2WithSpecials();
  Encodings rows;
  ASSERT_OK(tokenizer->EncodeBatch(texts, {}, rows, {.threads = 2}));
  const std::vector<TokenId> once = rows.ids;
  ASSERT_OK(tokenizer->EncodeBatch(texts, {}, rows, {.threads = 2}));
  ASSERT_EQ(rows.rows(), 2u);
  const auto second = rows.ids_of(1);
  EXPECT_TRUE(std::equal(once.begin(), once.end(), rows.ids.begin()));
  EXPECT_TRUE(
      std::equal(once.begin(), once.end(), second.begin(), second.end()));
}

TEST(RoomForIdsTest, IdsOfLikeTextsMoveNoMoreOnceSomeAreEncoded) {
  const std::string text(1024, 'x');
  const std::vector<std::string_view> texts(20'000, text);
  std::vector<TokenId> ids = {7};
  RoomForIds room(texts, ids);
  const TokenId* data = nullptr;
  for (size_t t = 0; t < texts.size(); ++t) {
    ids.insert(ids.end(), 300, 8);
    room.Encoded(text.size());
    if (t == 64) data = ids.data();
  }
  EXPECT_EQ(ids.data(), data);
  EXPECT_EQ(ids[0], 7u);
}

// Each takes a little more room than the one before.
TEST(RoomForIdsTest, IdsOfBatchesBehindEachOtherMoveAFewTimes) {
  const std::string text(1024, 'x');
  const std::vector<std::string_view> texts(100, text);
  std::vector<TokenId> ids;
  size_t moves = 0;
  for (size_t batch = 0; batch < 2000; ++batch) {
    RoomForIds room(texts, ids);
    for (size_t t = 0; t < texts.size(); ++t) {
      const TokenId* const data = ids.data();
      ids.insert(ids.end(), 100 + batch % 50, 8);
      room.Encoded(text.size());
      moves += ids.data() != data ? 1 : 0;
    }
  }
  EXPECT_LT(moves, 30u);
}

// Those that come later have ten times as many.
TEST(RoomForIdsTest, IdsMoveAFewTimesWhereTextsDiffer) {
  const std::string text(1024, 'x');
  const std::vector<std::string_view> texts(20'000, text);
  std::vector<TokenId> ids;
  RoomForIds room(texts, ids);
  size_t moves = 0;
  for (size_t t = 0; t < texts.size(); ++t) {
    const TokenId* const data = ids.data();
    ids.insert(ids.end(), t < 100 ? 100 : 1000, 8);
    room.Encoded(text.size());
    if (t >= 64) moves += ids.data() != data ? 1 : 0;
  }
  EXPECT_GT(moves, 0u);
  EXPECT_LE(moves, 4u);
}

}  // namespace
}  // namespace penstock
