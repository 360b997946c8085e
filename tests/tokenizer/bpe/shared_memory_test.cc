// Weighs what threads remember together, as the kernel counts it.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/tiktoken.h"

namespace penstock {
namespace {

double ResidentMib() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20);
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

class SharedMemoryTest : public ::testing::TestWithParam<size_t> {};

// 32 MiB of pieces, 256 KiB of those that found no room, 32 MiB of long ones
// and 4 MiB of where they are, by any number of threads.
TEST_P(SharedMemoryTest, IsAsMuchAsIsToldAndGivenBack) {
  constexpr double kToldMib = 68.25;
  constexpr size_t kFilling = 1'200'000;
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseTiktoken(testing::TinyTiktoken({"th"}), "tiny.tiktoken", "gpt2"));
  EncodeWordsSeenOnce(*tokenizer, GetParam(), kFilling, 1);
  const double full = ResidentMib();
  // Past the limit: what comes now takes the place of what is there.
  EncodeWordsSeenOnce(*tokenizer, GetParam(), kFilling, 1000);
  const double still_full = ResidentMib();
  EXPECT_LT(still_full - full, 2);
  tokenizer->ForgetTexts();
  const double given_back = still_full - ResidentMib();
  EXPECT_GT(given_back, kToldMib - 2);
  EXPECT_LT(given_back, kToldMib + 2);
  RecordProperty("given_back_mib", std::to_string(given_back));
}

INSTANTIATE_TEST_SUITE_P(Threads, SharedMemoryTest, ::testing::Values(1, 2, 8));

}  // namespace
}  // namespace penstock
#endif
