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

size_t PageBytes() { return sysconf(_SC_PAGESIZE); }

// How many pages have memory, as the system says.
size_t TakenPages(void* data, size_t size_bytes) {
  std::vector<unsigned char> taken(size_bytes / PageBytes());
  EXPECT_EQ(mincore(data, size_bytes, taken.data()), 0);
  return std::ranges::count_if(taken, [](int bits) { return bits & 1; });
}
size_t TakenPages(const ZeroPages& pages) {
  return TakenPages(pages.data(), pages.size_bytes());
}

// Whether the system tells taken pages from others, and takes them ahead.
bool SystemTakes() {
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool tells = TakenPages(memory, kBytes) == 0;
  const bool takes = madvise(memory, kBytes, MADV_POPULATE_WRITE) == 0;
  munmap(memory, kBytes);
  return tells && takes;
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
  EXPECT_EQ(std::ranges::count(BytesOf(pages), 0), kBytes);
}

TEST(ZeroPagesTest, HasMemoryOnlyWhileItIsUsed) {
  if (!SystemTakes()) GTEST_SKIP() << "this system takes no memory ahead";
  ZeroPages pages(kBytes);
  EXPECT_EQ(TakenPages(pages), 0u);
  BytesOf(pages).back() = 'a';
  EXPECT_EQ(TakenPages(pages), 1u);
  pages.Clear(kBytes);
  EXPECT_EQ(TakenPages(pages), 0u);
}

TEST(ZeroPagesTest, TakeTakesMemoryAndChangesNothing) {
  if (!SystemTakes()) GTEST_SKIP() << "this system takes no memory ahead";
  ZeroPages pages(kBytes);
  BytesOf(pages)[kBytes / 2] = 'a';
  pages.Take(kBytes / 2, kBytes / 2);
  EXPECT_EQ(TakenPages(pages), kBytes / 2 / PageBytes());
  pages.Take(0, kBytes);
  EXPECT_EQ(TakenPages(pages), kBytes / PageBytes());
  EXPECT_EQ(std::ranges::count(BytesOf(pages), 'a'), 1);
  EXPECT_EQ(std::ranges::count(BytesOf(pages), 0), kBytes - 1);
}

}  // namespace
}  // namespace penstock
