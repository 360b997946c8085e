#include "formats/streams/igzip_place.h"

#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/streams/gzip_compressor.h"
#include "tests/formats/streams/reference_zlib.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

// Of which nothing is there before it is written.
class Memory {
 public:
  explicit Memory(size_t size)
      : bytes_(static_cast<char*>(
            mmap(nullptr, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
        size_(size) {}
  ~Memory() { munmap(bytes_, size_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool is_there() const { return bytes_ != MAP_FAILED; }
  char* at(size_t place) const { return bytes_ + place; }
  void Forget(char* from, size_t size) const {
    const auto within = reinterpret_cast<uintptr_t>(from) % 4096;
    madvise(from - within, size + within, MADV_DONTNEED);
  }

 private:
  char* const bytes_;
  const size_t size_;
};

// As GzipCompressor does.
std::string Packed(std::string_view text, void* place) {
  std::vector<uint8_t> level_buffer(ISAL_DEF_LVL1_DEFAULT);
  std::string out(text.size() + 1000, '\0');
  auto* const state = new (place) isal_zstream;
  isal_deflate_init(state);
  state->level = 1;
  state->level_buf = level_buffer.data();
  state->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  state->gzip_flag = IGZIP_GZIP;
  state->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  state->avail_in = text.size();
  state->next_out = reinterpret_cast<uint8_t*>(out.data());
  state->avail_out = out.size();
  state->end_of_stream = 1;
  EXPECT_EQ(isal_deflate(state), COMP_OK);
  out.resize(state->total_out);
  return out;
}

// In which what stands at the first three places comes again and again.
std::string Repetitive(uint32_t seed) {
  std::mt19937 random(seed);
  std::string begin;
  for (int i = 0; i < 6; ++i) begin += static_cast<char>(random());
  std::string text = begin;
  while (text.size() < 3000) {
    text += static_cast<char>(random());
    text += begin.substr(random() % 3, 4);
  }
  return text;
}

// Addresses that have all values of the lowest 13 hashed bits lead to half of
// the slots, and so to half of those that matter.
TEST(IgzipPlaceTest, WhatIsWrittenDoesNotDependOnIt) {
  constexpr size_t kStep = size_t{64} << 10;
  constexpr size_t kPlaces = 8192;
  const Memory memory(kPlaces * kStep + sizeof(isal_zstream));
  ASSERT_TRUE(memory.is_there());
  size_t refused = 0;
  for (int seed = 0; seed < 4; ++seed) {
    const std::string text = Repetitive(seed);
    const std::string_view first(text.data(), kIgzipFirstBytes);
    std::set<std::string> outputs;
    for (size_t place = 0; place < kPlaces; ++place) {
      char* const state = memory.at(place * kStep);
      const bool may = IgzipMayLieAt(state, first);
      refused += !may;
      if (!may) continue;
      outputs.insert(Packed(text, state));
      memory.Forget(state, sizeof(isal_zstream));
    }
    EXPECT_EQ(outputs.size(), 1u);
  }
  EXPECT_GT(refused, 0u);
}

// A CRC-32C that begins with 0, bit by bit.
uint32_t SlotOf(uint32_t bytes) {
  for (int i = 0; i < 32; ++i) {
    bytes = bytes >> 1 ^ (bytes & 1 ? 0x82f63b78 : 0);
  }
  return bytes % 8192;
}

uint32_t SlotAt(std::string_view first, size_t position) {
  uint32_t bytes;
  std::memcpy(&bytes, first.data() + position, sizeof(bytes));
  return SlotOf(bytes);
}

TEST(IgzipPlaceTest, ItIsNotAnAddressWithTheSlotOfAFirstPosition) {
  std::mt19937_64 random(2);
  for (int i = 0; i < testing::Cases(20'000); ++i) {
    const auto hashed = static_cast<uint32_t>(random());
    std::string first(kIgzipFirstBytes, '\0');
    for (char& c : first) c = static_cast<char>(random());
    // Bytes that are the address's own have its slot.
    const size_t position = random() % 4;
    if (position < 3) std::memcpy(first.data() + position, &hashed, 4);
    const uint32_t slot = SlotOf(hashed);
    const bool may = slot != SlotAt(first, 0) && slot != SlotAt(first, 1) &&
                     slot != SlotAt(first, 2);
    EXPECT_FALSE(may && position < 3);
    const uint64_t others = (random() & 0xffff) | (random() & 0x7fff) << 48;
    // It is only looked at.
    const auto* const address =
        reinterpret_cast<const void*>(uint64_t{hashed} << 16 | others);
    ASSERT_EQ(IgzipMayLieAt(address, first), may);
  }
}

// Until there are enough bytes to choose a place, they are kept.
TEST(IgzipPlaceTest, TextIsAddedInPortionsOfAnySize) {
  const std::string whole = "abcabcabcabc, abcabc";
  for (size_t size = 0; size <= whole.size(); ++size) {
    for (size_t portion = 1; portion <= 8; ++portion) {
      const std::string text = whole.substr(0, size);
      const auto compressor = MakeGzipCompressor();
      std::string packed;
      for (size_t at = 0; at < size; at += portion) {
        ASSERT_OK(compressor->Add({}, packed));
        ASSERT_OK(compressor->Add(text.substr(at, portion), packed));
      }
      ASSERT_OK(compressor->Finish(packed));
      ASSERT_EQ(testing::ReferenceDecompress(packed, testing::kGzipBits), text)
          << size << ", " << portion;
    }
  }
}

}  // namespace
}  // namespace penstock
