#include "tokenizer/bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;

constexpr TokenId kAb = 256, kBc = 257, kAbc = 258, kAa = 259;

// The bytes, then ab bc abc aa.
Vocabulary Letters() {
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
  }
  vocabulary.Add(kAb, "ab");
  vocabulary.Add(kBc, "bc");
  vocabulary.Add(kAbc, "abc");
  vocabulary.Add(kAa, "aa");
  return vocabulary;
}

std::vector<TokenId> Encode(MergeTable merges, std::string_view piece) {
  std::vector<TokenId> ids;
  Bpe(Letters(), std::move(merges)).Encode(piece, ids);
  return ids;
}

TEST(BpeTest, LowestRankMergesFirst) {
  MergeTable merges;
  merges.Add('b', 'c', {.rank = 0, .merged = kBc});
  merges.Add('a', 'b', {.rank = 1, .merged = kAb});
  EXPECT_THAT(Encode(merges, "abc"), ElementsAre('a', kBc));
}

TEST(BpeTest, LeftmostMergesFirstAtEqualRank) {
  MergeTable merges;
  merges.Add('a', 'a', {.rank = 0, .merged = kAa});
  EXPECT_THAT(Encode(merges, "aaa"), ElementsAre(kAa, 'a'));
}

TEST(BpeTest, OnlyListedPairsMerge) {
  MergeTable merges;
  merges.Add('b', 'c', {.rank = 0, .merged = kBc});
  merges.Add('a', 'b', {.rank = 1, .merged = kAb});
  // "abc" is a token, but only "ab" + "c" leads to it, never "a" + "bc".
  merges.Add(kAb, 'c', {.rank = 2, .merged = kAbc});
  EXPECT_THAT(Encode(merges, "abc"), ElementsAre('a', kBc));
}

TEST(BpeTest, RanksMergeEveryPairThatIsAToken) {
  // "ab" has the lowest rank; then "ab" + "c", as "a" + "bc" would have.
  EXPECT_THAT(Encode(MergesByRank(Letters()), "abc"), ElementsAre(kAbc));
  EXPECT_THAT(Encode(MergesByRank(Letters()), "bca"), ElementsAre(kBc, 'a'));
}

TEST(BpeTest, RanksNameBothWaysToAToken) {
  const MergeTable merges = MergesByRank(Letters());
  EXPECT_EQ(merges.size(), 5u);  // a+b b+c ab+c a+bc a+a
  EXPECT_EQ(merges.Find('a', kBc).merged, kAbc);
  EXPECT_EQ(merges.Find(kAb, 'c').merged, kAbc);
  EXPECT_EQ(merges.Find('c', 'a').rank, Merge::kNever);
}

TEST(BpeTest, LaterMergeOfAPairReplacesTheEarlier) {
  MergeTable merges;
  merges.Add('a', 'b', {.rank = 0, .merged = kAb});
  merges.Add('b', 'c', {.rank = 1, .merged = kBc});
  merges.Add('a', 'b', {.rank = 2, .merged = kAb});
  EXPECT_THAT(Encode(merges, "abc"), ElementsAre('a', kBc));
}

// The definition, without any of the data structures.
std::vector<TokenId> EncodeByDefinition(const MergeTable& merges,
                                        std::string_view piece) {
  std::vector<TokenId> ids;
  for (const unsigned char byte : piece) ids.push_back(byte);
  while (true) {
    Merge best;
    size_t at = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const Merge merge = merges.Find(ids[i], ids[i + 1]);
      if (merge.rank < best.rank) {
        best = merge;
        at = i;
      }
    }
    if (best.rank == Merge::kNever) return ids;
    ids[at] = best.merged;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

TEST(BpeTest, PiecesOfEveryLengthFollowTheDefinition) {
  // All strings of a and b up to length 6, as tokens in a scrambled order, so
  // that ranks do not grow with length.
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
  }
  for (uint32_t i = 0; i < 128; ++i) {
    const uint32_t bits = i * 77 % 128;
    std::string token;
    for (uint32_t k = bits; k > 1; k >>= 1) token += k & 1 ? 'a' : 'b';
    if (token.size() > 1) vocabulary.Add(256 + i, token);
  }
  const MergeTable merges = MergesByRank(vocabulary);
  const Bpe bpe(vocabulary, merges);
  uint32_t state = 7;
  // 128 bytes is where the scan ends and the heap begins.
  for (size_t size = 1; size <= 300; ++size) {
    std::string piece;
    while (piece.size() < size) {
      state = state * 1664525 + 1013904223;
      piece += (state >> 30) == 0 ? 'c' : "ab"[state >> 29 & 1];
    }
    std::vector<TokenId> ids;
    bpe.Encode(piece, ids);
    EXPECT_EQ(ids, EncodeByDefinition(merges, piece)) << piece;
  }
}

}  // namespace
}  // namespace penstock
