// Weighs what threads remember together, as the kernel counts it.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/interface/batch_parts.h"
#include "tokenizer/pieces/came_lately.h"
#include "tokenizer/pieces/line_bits.h"

namespace penstock {
namespace {

// Without those of files, which come and go as others need memory.
double ResidentMib() {
  long pages = 0, resident = 0, of_files = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident >> of_files;
  return static_cast<double>((resident - of_files) * sysconf(_SC_PAGESIZE)) /
         (1 << 20);
}

// Words that nobody wrote before: of 6 letters, and of 24 every fourth time,
// which are remembered elsewhere.
std::string WordsSeenOnce(size_t words, std::mt19937_64& random) {
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    for (size_t letter = 0; letter < (i % 4 == 0 ? 24 : 6); ++letter) {
      text += static_cast<char>('a' + random() % 26);
    }
    text += ' ';
  }
  return text;
}

// By each of `threads`, of `words` in all.
void EncodeWordsSeenOnce(const Tokenizer& tokenizer, size_t threads,
                         size_t words, uint64_t seed) {
  constexpr size_t kWordsOfAText = 1000;
  std::vector<std::jthread> running;
  for (size_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      std::mt19937_64 random(seed + thread);
      std::vector<TokenId> ids;
      for (size_t i = 0; i < words / threads / kWordsOfAText; ++i) {
        ids.clear();
        EXPECT_TRUE(
            tokenizer.Encode(WordsSeenOnce(kWordsOfAText, random), {}, ids)
                .ok());
      }
    });
  }
}

// Remembers the ids of words, however they are cut.
std::shared_ptr<const Tokenizer> BytePairs() {
  return *ParseTiktoken(testing::TinyTiktoken({"th"}), "tiny.tiktoken", "gpt2");
}

// With a piece for any two letters, so that whole words are parts.
std::shared_ptr<const Tokenizer> SentencePieces(SentencePieceModel::Type type) {
  testing::TinySentencePiece model = {.type = type};
  std::vector<std::string> texts;
  for (char first = 'a'; first <= 'z'; ++first) {
    texts.push_back(std::string(1, first));
    texts.push_back(std::string("\u2581") + first);
    for (char second = 'a'; second <= 'z'; ++second) {
      texts.push_back({first, second});
    }
  }
  model.pieces = {{"<unk>", 0, SentencePiece::Type::kUnknown}};
  for (const std::string& text : texts) {
    model.pieces.push_back(
        {text, -1 - static_cast<float>(model.pieces.size()) / 64});
  }
  return testing::ParseTiny(model);
}

struct Remembering {
  const char* name;
  double told_mib;
  size_t filling;  // words: two times as many fill it, three times are more
  std::shared_ptr<const Tokenizer> (*make)();
};

using Case = std::tuple<Remembering, size_t>;  // and threads
class SharedMemoryTest : public ::testing::TestWithParam<Case> {};

TEST_P(SharedMemoryTest, IsAsMuchAsIsToldAndGivenBack) {
  const auto& [remembering, threads] = GetParam();
  const size_t filling = remembering.filling;
  const auto tokenizer = remembering.make();
  ASSERT_NE(tokenizer, nullptr);
  EncodeWordsSeenOnce(*tokenizer, threads, filling, 1);
  // Threads may have kept each other from growing it; one alone does not.
  EncodeWordsSeenOnce(*tokenizer, 1, filling, 500);
  const double full = ResidentMib();
  // Past the limit: what comes now takes the place of what is there.
  EncodeWordsSeenOnce(*tokenizer, threads, filling, 1000);
  const double still_full = ResidentMib();
  // The kernel may have put a page of 2 MiB where small ones were.
  EXPECT_LT(still_full - full, 3);
  tokenizer->ForgetTexts();
  const double given_back = still_full - ResidentMib();
  EXPECT_GT(given_back, remembering.told_mib - 2);
  // And what each thread had of its own: 922 KiB at most.
  EXPECT_LT(given_back,
            remembering.told_mib + 2 + 0.9 * static_cast<double>(threads));
}

INSTANTIATE_TEST_SUITE_P(
    All, SharedMemoryTest,
    ::testing::Combine(
        ::testing::Values(
            // 128 MiB of pieces, 768 KiB of those that found no room, 128 MiB
            // of long ones, 16 MiB of where they are and 256 KiB of those that
            // came lately.
            Remembering{"BytePairs", 273, 2'400'000, BytePairs},
            // 128 MiB, and 256 KiB of those that found no room.
            Remembering{"Unigram", 128.25, 1'200'000,
                        [] {
                          return SentencePieces(
                              SentencePieceModel::Type::kUnigram);
                        }},
            // And 32 MiB of long ones, 4 MiB of where they are and 256 KiB of
            // those that came lately.
            Remembering{
                "SentencePieceBpe", 164.5, 1'200'000,
                [] { return SentencePieces(SentencePieceModel::Type::kBpe); }}),
        ::testing::Values(1, 2, 8)),
    [](const auto& info) {
      return std::get<0>(info.param).name +
             std::to_string(std::get<1>(info.param));
    });

// Beside a table of 128 MiB they are too small to be told above.
TEST(BesideTablesMemoryTest, IsAsMuchAsIsToldAndGivenBack) {
  constexpr double kToldMib = 0.25;
  constexpr double kPagesMib = 0.05;  // of others
  constexpr size_t kLines = (128 << 20) / 64;
  LineBits bits(kLines);
  CameLately lately;
  const double empty = ResidentMib();
  for (size_t line = 0; line < kLines; ++line) bits.Set(line);
  const double with_bits = ResidentMib();
  EXPECT_NEAR(with_bits - empty, kToldMib, kPagesMib);
  for (uint64_t i = 0; i < 1'000'000; ++i) {
    lately.Add(static_cast<uint32_t>(i * 0x9e3779b1));
  }
  const double with_both = ResidentMib();
  EXPECT_NEAR(with_both - with_bits, kToldMib, kPagesMib);
  bits.Clear();
  lately.Clear();
  EXPECT_NEAR(with_both - ResidentMib(), 2 * kToldMib, kPagesMib);
}

// Ten times what there is room for, each piece twice in a row.
TEST(HugePiecesMemoryTest, IsAsMuchAsIsToldAndGivenBack) {
  constexpr double kToldMib = 32.25;
  const auto tokenizer = BytePairs();
  std::vector<TokenId> ids;
  const auto encode_twice = [&](char letter, size_t bytes) {
    for (int i = 0; i < 2; ++i) {
      ids.clear();
      ASSERT_TRUE(tokenizer->Encode(std::string(bytes, letter), {}, ids).ok());
      ASSERT_EQ(ids.size(), bytes);
    }
  };
  // 5 bytes each of piece and id: 25 MiB of 32.
  encode_twice('a', 5 << 20);
  tokenizer->ForgetTexts();
  const double empty = ResidentMib();
  double most = 0;
  for (int i = 0; i < 100; ++i) {
    encode_twice(static_cast<char>('a' + i % 26), (600 << 10) + i * 1000);
    most = std::max(most, ResidentMib() - empty);
  }
  EXPECT_GT(most, kToldMib - 6);
  EXPECT_LT(most, kToldMib + 4);
  const double full = ResidentMib();
  tokenizer->ForgetTexts();
  EXPECT_GT(full - ResidentMib(), 0);
  EXPECT_LT(ResidentMib() - empty, 2);
}

// Twice of what is expected, of which nothing is written to.
TEST(RoomForIdsMemoryTest, WhatIsNotWrittenToTakesNone) {
  const std::string text(1 << 20, 'x');
  const std::vector<std::string_view> texts(200, text);
  std::vector<TokenId> ids;
  RoomForIds room(texts, ids);
  ids.resize(100'000);
  const double before = ResidentMib();
  room.Encoded(text.size());
  EXPECT_GE(ids.capacity() * sizeof(TokenId), 150u << 20);
  // What there was moved, maybe to a page of 2 MiB.
  EXPECT_LT(ResidentMib() - before, 4);
}

}  // namespace
}  // namespace penstock
#endif
