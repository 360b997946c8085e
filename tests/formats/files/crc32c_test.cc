#include "formats/files/crc32c.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <numeric>
#include <string>

namespace penstock {
namespace {

// RFC 3720, appendix B.4, and the check value of the catalogues of CRCs.
TEST(Crc32cTest, GivesThePublishedValues) {
  std::string rising(32, '\0');
  std::iota(rising.begin(), rising.end(), '\0');
  const std::string falling(rising.rbegin(), rising.rend());
  for (auto* extend : {&ExtendCrc32c, &ExtendCrc32cPortable}) {
    EXPECT_EQ(extend(0, "123456789"), 0xE3069283u);
    EXPECT_EQ(extend(0, std::string(32, '\0')), 0x8A9136AAu);
    EXPECT_EQ(extend(0, std::string(32, '\xff')), 0x62A8AB43u);
    EXPECT_EQ(extend(0, rising), 0x46DD794Eu);
    EXPECT_EQ(extend(0, falling), 0x113FDB5Cu);
    EXPECT_EQ(extend(0, ""), 0u);
  }
}

TEST(Crc32cTest, AllWaysAgreeAtEverySizeAndAlignment) {
  std::string bytes(5000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * i * 31 + i);
  }
  const std::string_view all = bytes;
  for (size_t size = 0; size < 1400; ++size) {
    for (size_t begin = 0; begin < 9; ++begin) {
      const auto part = all.substr(begin, size);
      ASSERT_EQ(Crc32c(part), ExtendCrc32cPortable(0, part)) << size;
    }
  }
  EXPECT_EQ(Crc32c(all), ExtendCrc32cPortable(0, all));
}

// What is masked out of a vector must not be touched either.
TEST(Crc32cTest, NothingOutsideTheBytesIsRead) {
  const size_t page = sysconf(_SC_PAGESIZE);
  void* const pages =
      mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  char* const bytes = static_cast<char*>(pages) + page;
  ASSERT_EQ(mprotect(bytes, page, PROT_READ | PROT_WRITE), 0);
  std::iota(bytes, bytes + page, '\0');
  for (size_t size = 0; size <= page; ++size) {
    for (const std::string_view part :
         {std::string_view(bytes, size),
          std::string_view(bytes + page - size, size)}) {
      ASSERT_EQ(Crc32c(part), ExtendCrc32cPortable(0, part)) << size;
    }
  }
  munmap(pages, 3 * page);
}

TEST(Crc32cTest, ACopyIsOfTheBytesAloneAndHasTheirChecksum) {
  std::string from(5000, '\0');
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7);
  // Each short one, and longer ones that end anywhere in a block.
  for (size_t size = 0; size < 4900; size += size < 1400 ? 1 : 97) {
    for (const size_t begin : {0, 1, 63}) {
      std::string to(size + 2, '#');
      ASSERT_EQ(CopyAndCrc32c(from.data() + begin, size, to.data() + 1),
                ExtendCrc32cPortable(0, from.substr(begin, size)));
      ASSERT_EQ(to, '#' + from.substr(begin, size) + '#') << size;
    }
  }
  EXPECT_EQ(CopyAndCrc32c(from.data(), 0, nullptr), 0u);
}

// Another process writes there all the time, as one may in a mapped file.
TEST(Crc32cTest, TheChecksumIsOfWhatWasWrittenWhateverOthersDo) {
  constexpr size_t kBytes = 600;
  auto* const shared =
      static_cast<unsigned char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(shared), MAP_FAILED);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (unsigned round = 0;; ++round) {
      for (size_t i = 0; i < kBytes; ++i) {
        reinterpret_cast<volatile unsigned char*>(shared)[i] =
            static_cast<unsigned char>(round * 37 + i);
      }
    }
  }
  std::string to;
  for (size_t i = 0; i < 40 * kBytes && !HasFailure(); ++i) {
    to.assign(i % kBytes, '#');
    const uint32_t told =
        CopyAndCrc32c(reinterpret_cast<char*>(shared), to.size(), to.data());
    EXPECT_EQ(told, ExtendCrc32cPortable(0, to)) << to.size();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  munmap(shared, kBytes);
}

TEST(Crc32cTest, AStreamIsOfTheBytesAloneAndHasTheirChecksum) {
  std::string from(9000, '\0');
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7);
  // Around the sizes that are copied in another way, and their last vectors.
  const auto try_size = [&](size_t size, size_t begin, size_t place) {
    const std::string_view part = std::string_view(from).substr(begin, size);
    std::string to(place + size + 1, '#');
    ASSERT_EQ(StreamAndCrc32c(77, part.data(), size, to.data() + place),
              ExtendCrc32cPortable(77, part))
        << size;
    ASSERT_EQ(to, std::string(place, '#').append(part) + '#') << size;
  };
  for (size_t size = 0; size < 300; ++size) try_size(size, size % 64, 1);
  for (size_t size = 4000; size < 4300; ++size) {
    for (const size_t place : {0, 1, 63}) try_size(size, size % 67, place);
  }
  for (size_t place = 0; place < 66; ++place) try_size(8500, 5, place);
}

TEST(Crc32cTest, ExtendedPieceByPieceItIsTheSame) {
  std::string bytes(1000, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  const std::string_view all = bytes;
  for (size_t cut = 0; cut <= all.size(); ++cut) {
    ASSERT_EQ(ExtendCrc32c(Crc32c(all.substr(0, cut)), all.substr(cut)),
              Crc32c(all));
  }
}

TEST(Crc32cTest, MaskIsThatOfTfRecordAndIsUndone) {
  // The first record of the golden bytes: length 0, stored 0x07980329.
  EXPECT_EQ(MaskCrc32c(Crc32c(std::string(8, '\0'))), 0x07980329u);
  for (const uint32_t crc : {0u, 1u, 0xE3069283u, 0xffffffffu}) {
    EXPECT_EQ(UnmaskCrc32c(MaskCrc32c(crc)), crc);
  }
}

}  // namespace
}  // namespace penstock
