// The stack that a batch of pieces takes, as docs/tokenizers.md tells it.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/piece_batch.h"
#include "tokenizer/bpe/tiktoken.h"

namespace penstock::testing {
namespace {

// How deep `work` goes into a stack of zeros.
size_t StackOf(const std::function<void()>& work) {
  constexpr size_t kBytes = 4 << 20;
  void* const stack = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(stack, MAP_FAILED);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, kBytes);
  pthread_t thread;
  const auto run = [](void* what) -> void* {
    (*static_cast<const std::function<void()>*>(what))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run,
                           const_cast<std::function<void()>*>(&work)),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const char* const begin = static_cast<const char*>(stack);
  const char* const used =
      std::find_if(begin, begin + kBytes, [](char c) { return c != 0; });
  const size_t depth = begin + kBytes - used;
  munmap(stack, kBytes);
  return depth;
}

TEST(BatchStackTest, ABatchTakesNoMoreThanIsTold) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have frames of their own";
#endif
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseTiktoken(TinyTiktoken({"ab", "ba", " a"}), "tiny.tiktoken", "gpt2"));
  std::string text;
  for (size_t i = 0; i < 3 * PieceBatch::kMost; ++i) {
    text += " a";
    text.append(i % 40, "ab"[i % 2]);
  }
  const size_t none = StackOf([] {});
  const size_t depth =
      StackOf([&] { EXPECT_FALSE(Ids(*tokenizer, text).empty()); }) - none;
  EXPECT_LT(depth, 240u << 10);
  EXPECT_GT(depth, 128u << 10);  // it was seen
}

}  // namespace
}  // namespace penstock::testing
