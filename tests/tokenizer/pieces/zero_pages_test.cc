#include "tokenizer/pieces/zero_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace penstock {
namespace {

constexpr size_t kBytes = 64 << 10;

std::span<char> BytesOf(const ZeroPages& pages) {
  return {static_cast<char*>(pages.data()), pages.size_bytes()};
}

// How many of its pages have memory.
size_t TakenPages(const ZeroPages& pages) {
  const size_t page_bytes = sysconf(_SC_PAGESIZE);
  std::vector<unsigned char> taken(pages.size_bytes() / page_bytes);
  EXPECT_EQ(mincore(pages.data(), pages.size_bytes(), taken.data()), 0);
  return std::ranges::count_if(taken, [](int bits) { return bits & 1; });
}

bool SystemTakes() {
  const ZeroPages pages(kBytes);
  return madvise(pages.data(), kBytes, MADV_POPULATE_WRITE) == 0;
}

TEST(ZeroPagesTest, GrowsWhereItIsAndForgets) {
  ZeroPages pages(kBytes, 4 * kBytes);
  const void* const data = pages.data();
  std::ranges::fill(BytesOf(pages), 'a');
  pages.GrowTo(2 * kBytes);
  EXPECT_EQ(pages.data(), data);
  EXPECT_EQ(std::ranges::count(BytesOf(pages), 'a'), kBytes);
  EXPECT_EQ(std::ranges::count(BytesOf(pages), 0), kBytes);
  pages.Clear(kBytes);
  EXPECT_EQ(TakenPages(pages), 0u);
  EXPECT_EQ(std::ranges::count(BytesOf(pages), 0), kBytes);
}

TEST(ZeroPagesTest, TakesNoMemoryBeforeItIsUsed) {
  EXPECT_EQ(TakenPages(ZeroPages(kBytes)), 0u);
}

TEST(ZeroPagesTest, TakeTakesMemoryAndChangesNothing) {
  if (!SystemTakes()) GTEST_SKIP() << "this system takes no memory ahead";
  ZeroPages pages(kBytes);
  BytesOf(pages)[kBytes / 2] = 'a';
  pages.Take(kBytes / 2, kBytes / 2);
  EXPECT_EQ(TakenPages(pages), kBytes / 2 / sysconf(_SC_PAGESIZE));
  pages.Take(0, kBytes);
  EXPECT_EQ(TakenPages(pages), kBytes / sysconf(_SC_PAGESIZE));
  EXPECT_EQ(std::ranges::count(BytesOf(pages), 'a'), 1);
  EXPECT_EQ(std::ranges::count(BytesOf(pages), 0), kBytes - 1);
}

}  // namespace
}  // namespace penstock
