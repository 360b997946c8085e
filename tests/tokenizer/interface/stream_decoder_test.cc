#include "tokenizer/interface/stream_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/every_kind.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using testing::EveryKind;
using ::testing::HasSubstr;
using testing::Ids;
using testing::IsOk;
using testing::NamedTokenizer;
using testing::StatusIs;

std::string Decode(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                   DecodeOptions options = {}) {
  std::string text;
  EXPECT_THAT(tokenizer.Decode(ids, options, text), IsOk());
  return text;
}

// Streams `ids` and checks that what came out, also if they had ended after
// any of them, is what Decode makes of them.
void ExpectStreamsLikeDecode(const NamedTokenizer& named,
                             std::span<const TokenId> ids,
                             DecodeOptions options, bool every_end) {
  const std::string whole = Decode(*named.tokenizer, ids, options);
  const bool is_utf8 = IsValidUtf8(whole);
  const auto stream = named.tokenizer->NewStreamDecoder(options);
  std::string streamed;
  for (size_t i = 0; i < ids.size(); ++i) {
    std::string added;
    ASSERT_THAT(stream->Add(ids[i], added), IsOk());
    ASSERT_TRUE(IsValidUtf8(added) || !is_utf8) << named.name;
    streamed += added;
    // None of what came can be taken back.
    ASSERT_TRUE(whole.starts_with(streamed)) << named.name;
    if (!every_end) continue;
    const auto ending = named.tokenizer->NewStreamDecoder(options);
    std::string text;
    for (const TokenId id : ids.first(i + 1)) {
      ASSERT_THAT(ending->Add(id, text), IsOk());
    }
    EXPECT_OK(ending->Finish(text));
    ASSERT_EQ(text, Decode(*named.tokenizer, ids.first(i + 1), options))
        << named.name;
  }
  std::string last;
  EXPECT_OK(stream->Finish(last));
  ASSERT_TRUE(IsValidUtf8(last) || !is_utf8) << named.name;
  ASSERT_EQ(streamed + last, whole) << named.name;
}

// Ids that have a token.
std::vector<TokenId> UsedIds(const Tokenizer& tokenizer) {
  std::vector<TokenId> used;
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (tokenizer.TokenOf(id)) used.push_back(id);
  }
  return used;
}

void ExpectRandomIdsStream(const NamedTokenizer& named, int rounds,
                           size_t most) {
  const std::vector<TokenId> used = UsedIds(*named.tokenizer);
  std::mt19937 random(1);
  for (int round = 0; round < rounds; ++round) {
    std::vector<TokenId> ids;
    for (size_t n = random() % (most + 1); n > 0; --n) {
      ids.push_back(used[random() % used.size()]);
      if (random() % 4 == 0) ids.push_back(ids.back());
    }
    ExpectStreamsLikeDecode(named, ids, {.skip_special_tokens = round % 2 == 0},
                            true);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(StreamDecoderTest, RandomIdsGiveTheTextOfDecodeWhereverTheyEnd) {
  for (const NamedTokenizer& named : EveryKind()) {
    ExpectRandomIdsStream(named, testing::Cases(150), 12);
    if (HasFatalFailure()) return;
  }
}

TEST(StreamDecoderTest, TextsComeBackWhereverTheIdsEnd) {
  const std::string text =
      "The  theory, of 日本語 and 😀 emoji; it's e\xcc\x81t\xc3\xa9.\n\n the "
      "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 end  ";
  for (const NamedTokenizer& named : EveryKind()) {
    std::vector<TokenId> ids;
    if (!named.tokenizer->Encode(text, {}, ids).ok()) continue;
    ExpectStreamsLikeDecode(named, ids, {}, true);
    if (HasFatalFailure()) return;
  }
}

TEST(StreamDecoderTest, RealVocabulariesStreamLikeDecode) {
  const auto fixtures = testing::FixtureTokenizers();
  if (fixtures.empty()) {
    GTEST_SKIP() << testing::MissingFixture("tokenizers");
  }
  for (const NamedTokenizer& named : fixtures) {
    ExpectRandomIdsStream(named, testing::Cases(40), 30);
    if (HasFatalFailure()) return;
    for (const char* corpus : {"corpora/moby.txt", "corpora/neko.txt"}) {
      auto text = ReadWholeFile(LocalFiles(), testing::FindFixture(corpus));
      ASSERT_THAT(text, IsOk());
      text->resize(100'000 / testing::kCaseStride);
      ExpectStreamsLikeDecode(named, Ids(*named.tokenizer, *text), {}, false);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(StreamDecoderTest, ByteLevelTextComesAsSoonAsACharacterIsWhole) {
  for (const NamedTokenizer& named : EveryKind()) {
    if (named.name != "bytes" && named.name != "byte-level json") continue;
    const auto stream = named.tokenizer->NewStreamDecoder({});
    std::vector<std::string> added;
    for (const char c : std::string("a\xf0\x9f\x98\x80\xff\xe6z")) {
      const auto id = static_cast<unsigned char>(c);
      ASSERT_THAT(stream->Add(id, added.emplace_back()), IsOk());
    }
    // 0xFF begins no character; 0xE6 does, until the "z".
    EXPECT_THAT(added,
                ::testing::ElementsAre("a", "", "", "", "\xf0\x9f\x98\x80",
                                       "\xff", "", "\xe6z"));
    std::string rest;
    EXPECT_OK(stream->Finish(rest));
    EXPECT_EQ(rest, "");
  }
}

TEST(StreamDecoderTest, FinishGivesTheHalfCharacterAsDecodeDoes) {
  for (const NamedTokenizer& named : EveryKind()) {
    if (named.name != "bytes" && named.name != "sentencepiece 1") continue;
    const TokenId first = named.name == "bytes" ? 0xe6 : 22 + 0xe6;
    const auto stream = named.tokenizer->NewStreamDecoder({});
    std::string text;
    ASSERT_THAT(stream->Add(first, text), IsOk());
    EXPECT_EQ(text, "");
    EXPECT_OK(stream->Finish(text));
    EXPECT_EQ(text, named.name == "bytes" ? "\xe6" : "\ufffd");
  }
}

TEST(StreamDecoderTest, AnUnknownIdLeavesTheStreamAsItWas) {
  for (const NamedTokenizer& named : EveryKind()) {
    const Tokenizer& tokenizer = *named.tokenizer;
    const std::vector<TokenId> used = UsedIds(tokenizer);
    const auto stream = tokenizer.NewStreamDecoder({});
    std::string text;
    ASSERT_THAT(stream->Add(used.back(), text), IsOk());
    const std::string before = text;
    EXPECT_THAT(
        stream->Add(static_cast<TokenId>(tokenizer.vocabulary_size()), text),
        StatusIs(StatusCode::kInvalidArgument,
                 HasSubstr("is not in the vocabulary")))
        << named.name;
    EXPECT_EQ(text, before);
    ASSERT_THAT(stream->Add(used.front(), text), IsOk());
    EXPECT_OK(stream->Finish(text));
    EXPECT_EQ(text, Decode(tokenizer, std::vector{used.back(), used.front()}))
        << named.name;
  }
}

}  // namespace
}  // namespace penstock
