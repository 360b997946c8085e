#include "tokenizer/vocabulary/boundary_block.h"

#include <gtest/gtest.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {
namespace {

using Befores = AsciiPairs::Befores;
constexpr size_t kChars = AsciiPairs::kChars;

class BoundaryBlockTest : public ::testing::Test {
 protected:
  // Characters behind `groups` different sets of others, besides those behind
  // none.
  Befores RandomBefores(size_t groups) {
    std::vector<std::bitset<kChars>> sets(groups);
    for (size_t i = 0; i < groups; ++i) {
      for (size_t c = 0; c < kChars; ++c) sets[i][c] = random_() % 3 == 0;
      // Makes them differ.
      for (size_t bit = 0; bit < 7; ++bit) sets[i][bit] = (i + 1) >> bit & 1;
    }
    Befores befores;
    for (size_t c = 0; c < kChars; ++c) {
      const size_t set = c < groups ? c : random_() % (groups + 1);
      if (set < groups) befores[c] = sets[set];
    }
    return befores;
  }
  // Whether `pairs` has all of `befores`; returns how many it has more.
  static size_t CheckPairs(const Befores& befores, const AsciiPairs& pairs) {
    size_t more = 0;
    for (size_t before = 0; before < kChars; ++before) {
      for (size_t after = 0; after < kChars; ++after) {
        std::string text(BoundaryBlock::kBytes + 2, static_cast<char>(after));
        text[0] = static_cast<char>(before);
        const bool joined = (BoundaryBlock(text.data(), pairs).joined & 1) != 0;
        if (befores[after][before]) {
          EXPECT_TRUE(joined) << before << ", " << after;
        } else {
          more += joined;
        }
      }
    }
    return more;
  }

  std::mt19937 random_{5};
};

TEST_F(BoundaryBlockTest, PairsAreExactAsLongAsThereAreGroups) {
  for (const size_t groups : {0, 1, 6, 7, 8, 40, 62, 63}) {
    const Befores befores = RandomBefores(groups);
    EXPECT_EQ(CheckPairs(befores, AsciiPairs(befores)), 0u) << groups;
  }
  // One more: two sets share a group, and no pair is lost.
  for (const size_t groups : {64, 65, 120}) {
    const Befores befores = RandomBefores(groups);
    EXPECT_GT(CheckPairs(befores, AsciiPairs(befores)), 0u) << groups;
  }
}

TEST_F(BoundaryBlockTest, SeesEachByteAsItIs) {
  const AsciiPairs pairs(RandomBefores(30));
  for (int i = 0; i < testing::Cases(2'000); ++i) {
    std::string text;
    while (text.size() < BoundaryBlock::kBytes + 2) {
      switch (random_() % 4) {
        case 0:
          text += "\xe2\x96\x81";
          break;
        case 1:
          text += static_cast<char>(random_() % 128);
          break;
        case 2:
          text += "\xe2\x96";
          break;
        default:
          text += static_cast<char>(random_());
      }
    }
    const BoundaryBlock block(text.data(), pairs);
    const uint64_t joined = pairs.JoinedPlainly(text.data());
    for (size_t k = 0; k < BoundaryBlock::kBytes; ++k) {
      const auto byte = static_cast<unsigned char>(text[k]);
      const auto next = static_cast<unsigned char>(text[k + 1]);
      EXPECT_EQ(block.wide >> k & 1, byte >= 0x80);
      EXPECT_EQ(block.trails >> k & 1, byte >= 0x80 && byte < 0xc0);
      EXPECT_EQ(block.spaces >> k & 1, text.compare(k, 3, "\xe2\x96\x81") == 0);
      if (byte < 0x80 && next < 0x80) {
        EXPECT_EQ(block.joined >> k & 1, joined >> k & 1);
      }
    }
  }
}

TEST_F(BoundaryBlockTest, WhatIsSavedIsLoaded) {
  const Befores befores = RandomBefores(20);
  TableWriter writer;
  AsciiPairs(befores).Save(writer);
  TableReader reader(writer.bytes());
  const AsciiPairs again = AsciiPairs::Load(reader);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(CheckPairs(befores, again), 0u);

  // A group that there is not.
  std::string damaged(writer.bytes());
  damaged[damaged.size() - 1] = 64;
  TableReader damaged_reader(damaged);
  AsciiPairs::Load(damaged_reader);
  EXPECT_FALSE(damaged_reader.ok());
}

}  // namespace
}  // namespace penstock
