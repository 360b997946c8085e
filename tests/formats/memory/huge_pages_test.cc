#include "formats/memory/huge_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "formats/files/file.h"
#include "formats/files/mapped_bytes.h"

namespace penstock {
namespace {

// What the system says of the mapping with the byte at `address`.
std::string FlagsAt(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool here = false;
  while (std::getline(maps, line)) {
    if (line.starts_with("VmFlags:")) {
      if (here) return line + " ";
      continue;
    }
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      here = begin <= at && at < end;
    }
  }
  return "";
}

bool PrefersHugePages(const void* address) {
  return FlagsAt(address).find(" hg ") != std::string::npos;
}

TEST(HugePagesTest, OnlyPagesThatLieInTheMemoryAreAskedFor) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "this system has no huge pages";
  }
  constexpr size_t kBytes = 5 * kHugePageBytes;
  void* const mapping = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  const auto begin = reinterpret_cast<uintptr_t>(mapping);
  char* const page = static_cast<char*>(mapping) +
                     (kHugePageBytes - begin % kHugePageBytes) % kHugePageBytes;

  PreferHugePages(page + 1, 2 * kHugePageBytes - 2);
  EXPECT_FALSE(PrefersHugePages(page));
  EXPECT_FALSE(PrefersHugePages(page + kHugePageBytes));

  PreferHugePages(page + kHugePageBytes - 1, 2 * kHugePageBytes);
  EXPECT_FALSE(PrefersHugePages(page + kHugePageBytes - 1));
  EXPECT_TRUE(PrefersHugePages(page + kHugePageBytes));
  EXPECT_TRUE(PrefersHugePages(page + 2 * kHugePageBytes - 1));
  EXPECT_FALSE(PrefersHugePages(page + 2 * kHugePageBytes));
  munmap(mapping, kBytes);
}

TEST(HugePagesTest, LargeTablesBeginWithAPage) {
  constexpr size_t kLarge = kHugePageBytes / 2;
  HugePageVector<char> large(kLarge);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data()) % kHugePageBytes, 0U);
  // As it grows and shrinks over the limit, its values stay.
  HugePageVector<uint64_t> values;
  for (uint64_t i = 0; i < 3 * kHugePageBytes / sizeof(i); ++i) {
    values.push_back(i);
  }
  values.resize(1000);
  values.shrink_to_fit();
  for (uint64_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i);
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "this system has no huge pages";
  }
  EXPECT_TRUE(PrefersHugePages(large.data()));
}

TEST(HugePagesTest, AFileThatIsReadAllOverIsMappedSo) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "this system has no huge pages";
  }
  const std::string path = ::testing::TempDir() + "huge_pages_test";
  constexpr size_t kBytes = 5 * kHugePageBytes / 2;
  std::ofstream(path) << std::string(kBytes, 'a');
  const auto file = LocalFiles().OpenForRead(path);
  ASSERT_TRUE(file.ok()) << file.status();
  const auto bytes = MapOrCopy(**file);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const std::string_view all = (*bytes)->bytes();
  EXPECT_EQ(all, std::string(kBytes, 'a'));
  const auto begin = reinterpret_cast<uintptr_t>(all.data());
  EXPECT_TRUE(PrefersHugePages(
      all.data() + (kHugePageBytes - begin % kHugePageBytes) % kHugePageBytes));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace penstock
