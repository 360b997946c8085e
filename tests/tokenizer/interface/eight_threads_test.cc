// One tokenizer of each kind, used by many threads at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/every_kind.h"
#include "tokenizer/interface/stream_decoder.h"

namespace penstock {
namespace {

using testing::EveryKind;
using testing::IsOk;
using testing::NamedTokenizer;

std::string TextOf(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
  std::string text;
  EXPECT_THAT(tokenizer.Decode(ids, {}, text), IsOk());
  return text;
}

TEST(EightThreadsTest, ShareATokenizerOfEachKind) {
  std::string long_text;
  for (int i = 0; i < 40; ++i) {
    long_text += "the theory " + std::string(i % 7, 'a') + "b, 日本 ";
  }
  const std::vector<std::string> texts = {
      long_text, "the theory of everything, don't", "日本語 and 😀 \xc3\xa9",
      "ab ab aab", std::string(500, 'a') + " b"};
  for (const NamedTokenizer& named : EveryKind()) {
    const Tokenizer& tokenizer = *named.tokenizer;
    std::vector<std::vector<TokenId>> ids(texts.size());
    std::vector<std::string> decoded;
    for (size_t i = 0; i < texts.size(); ++i) {
      // A text that has no ids has none on any thread.
      (void)tokenizer.Encode(texts[i], {}, ids[i]);
      decoded.push_back(TextOf(tokenizer, ids[i]));
    }
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (size_t n = 0; n < 2 * texts.size(); ++n) {
          const size_t i = (n + t) % texts.size();
          std::vector<TokenId> again;
          (void)tokenizer.Encode(texts[i], {}, again);
          EXPECT_EQ(again, ids[i]) << named.name;
          EXPECT_EQ(TextOf(tokenizer, again), decoded[i]) << named.name;
          const auto stream = tokenizer.NewStreamDecoder({});
          std::string text;
          for (const TokenId id : again) {
            EXPECT_THAT(stream->Add(id, text), IsOk());
          }
          EXPECT_OK(stream->Finish(text));
          EXPECT_EQ(text, decoded[i]) << named.name;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace penstock
