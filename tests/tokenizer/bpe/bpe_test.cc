#include "tokenizer/bpe/bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tests/tokenizer/bpe/encode_by_definition.h"
#include "tokenizer/bpe/short_merge.h"
#include "tokenizer/vocabulary/vocabulary_trie.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using testing::EncodeByDefinition;

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
  Neighbours neighbours;
  Bpe::FromMerges(Letters(), std::move(merges)).Encode(piece, neighbours, ids);
  return ids;
}

std::vector<TokenId> EncodeByRank(std::string_view piece) {
  std::vector<TokenId> ids;
  Neighbours neighbours;
  Bpe::FromRanks(Letters()).Encode(piece, neighbours, ids);
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
  EXPECT_THAT(EncodeByRank("abc"), ElementsAre(kAbc));
  EXPECT_THAT(EncodeByRank("bca"), ElementsAre(kBc, 'a'));
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

// Vocabularies of strings of a and b, drawn from those up to length 6, with
// ranks that grow from short to long or not.
Vocabulary Drawn(uint32_t seed, bool in_order) {
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
  }
  TokenId id = 256;
  for (uint32_t i = 0; i < 128; ++i) {
    const uint32_t bits = in_order ? i : i * 77 % 128;
    seed = seed * 1664525 + 1013904223;
    if (in_order && seed >> 30 == 0) continue;
    std::string token;
    for (uint32_t k = bits; k > 1; k >>= 1) token += k & 1 ? 'a' : 'b';
    if (token.size() > 1) vocabulary.Add(id++, token);
  }
  return vocabulary;
}

std::string DrawnPiece(size_t size, uint32_t& state) {
  std::string piece;
  while (piece.size() < size) {
    state = state * 1664525 + 1013904223;
    piece += (state >> 30) == 0 ? 'c' : "ab"[state >> 29 & 1];
  }
  return piece;
}

// Both kinds of tables, and pieces of every length.
void ExpectFollowsTheDefinition(const Vocabulary& vocabulary) {
  const MergeTable merges = MergesByRank(vocabulary);
  const Bpe by_rank = Bpe::FromRanks(vocabulary);
  const Bpe by_merges = Bpe::FromMerges(vocabulary, merges);
  Neighbours neighbours[2];
  uint32_t state = 7;
  // Short pieces, which are merged in another way, more often.
  for (size_t i = 0; i < 500; ++i) {
    const size_t size = i < 300 ? 1 + i % 20 : i - 299;
    const std::string piece = DrawnPiece(size, state);
    const std::vector<TokenId> expected = EncodeByDefinition(merges, piece);
    std::vector<TokenId> ids;
    by_rank.Encode(piece, neighbours[0], ids);
    ASSERT_EQ(ids, expected) << piece;
    if (by_rank.cuts() != nullptr && size <= kMostMergedIds) {
      std::vector<TokenId> merged(piece.size());
      std::ranges::transform(piece, merged.begin(),
                             [&](char byte) { return by_rank.ByteId(byte); });
      merged.resize(by_rank.MergeIds(merged));
      ASSERT_EQ(merged, expected) << piece;
    }
    ids.clear();
    by_merges.Encode(piece, neighbours[1], ids);
    ASSERT_EQ(ids, expected) << piece;
  }
}

bool RanksHaveDerivations(const Vocabulary& vocabulary) {
  return Derivations::FromRanks(vocabulary, TokenTrieOf(vocabulary)->shorter)
      .has_value();
}

TEST(BpeTest, PiecesFollowTheDefinitionWhereRanksGrowWithLength) {
  for (int seed = 0; seed < testing::Cases(40); ++seed) {
    const Vocabulary vocabulary = Drawn(static_cast<uint32_t>(seed), true);
    EXPECT_TRUE(RanksHaveDerivations(vocabulary));
    ExpectFollowsTheDefinition(vocabulary);
  }
}

TEST(BpeTest, PiecesFollowTheDefinitionWhereRanksAreScrambled) {
  const Vocabulary vocabulary = Drawn(0, false);
  EXPECT_FALSE(RanksHaveDerivations(vocabulary));
  ExpectFollowsTheDefinition(vocabulary);
}

TEST(BpeTest, PiecesFollowTheDefinitionWhereIdsAreNotInTheOrderOfRanks) {
  const Vocabulary in_order = Drawn(3, true);
  const auto last = static_cast<TokenId>(in_order.size() - 1);
  const auto turned = [&](TokenId id) {
    return id < 256 ? id : last + 256 - id;
  };
  Vocabulary vocabulary;
  for (TokenId id = 0; id <= last; ++id) {
    vocabulary.Add(id, in_order.BytesOf(turned(id)));
  }
  MergeTable merges;
  for (const auto& pair : MergesByRank(in_order).PairsByRank()) {
    merges.Add(turned(pair.left), turned(pair.right),
               {pair.merge.rank, turned(pair.merge.merged)});
  }
  const Bpe bpe = Bpe::FromMerges(vocabulary, merges);
  EXPECT_TRUE(
      Derivations::FromMerges(vocabulary, merges.PairsByRank()).has_value());
  Neighbours neighbours;
  uint32_t state = 7;
  for (size_t i = 0; i < 1000; ++i) {
    const std::string piece = DrawnPiece(1 + i % 40, state);
    std::vector<TokenId> ids;
    bpe.Encode(piece, neighbours, ids);
    ASSERT_EQ(ids, EncodeByDefinition(merges, piece)) << piece;
  }
}

TEST(BpeTest, AWayToATokenWhosePartsComeLaterIsNoWay) {
  Vocabulary letters;
  for (int byte = 0; byte < 256; ++byte) {
    letters.Add(byte, std::string(1, static_cast<char>(byte)));
  }
  letters.Add(256, "ab");
  letters.Add(257, "aba");  // of ab and a; ba comes later
  letters.Add(258, "ba");
  EXPECT_TRUE(RanksHaveDerivations(letters));
  ExpectFollowsTheDefinition(letters);
}

TEST(BpeTest, TokensThatNoMergesMakeAreNeverTaken) {
  Vocabulary letters = Letters();
  letters.Add(260, "cabc");  // of c and abc
  letters.Add(261, "xyz");   // neither xy nor yz is a token
  EXPECT_TRUE(RanksHaveDerivations(letters));
  const Bpe bpe = Bpe::FromRanks(letters);
  EXPECT_FALSE(bpe.MakesTokenOf("xyz"));
  EXPECT_TRUE(bpe.MakesTokenOf("cabc"));
  EXPECT_TRUE(bpe.MakesTokenOf("abc"));
  std::vector<TokenId> ids;
  Neighbours neighbours;
  bpe.Encode("cabcxyz", neighbours, ids);
  EXPECT_THAT(ids, ElementsAre(260, 'x', 'y', 'z'));
}

TEST(BpeTest, MillionEqualBytesAreEncodedInOneGo) {
  std::vector<TokenId> ids;
  Neighbours neighbours;
  Bpe::FromRanks(Letters()).Encode(std::string(1'000'001, 'a'), neighbours,
                                   ids);
  ASSERT_EQ(ids.size(), 500'001u);
  EXPECT_EQ(ids.front(), kAa);
  EXPECT_EQ(ids.back(), TokenId{'a'});
}

TEST(DerivationsTest, OnlyWhatSomeTextLeadsToIsThere) {
  Vocabulary vocabulary = Letters();
  vocabulary.Add(260, "cab");  // no two tokens make it
  vocabulary.Add(261, "bcb");
  MergeTable merges;
  merges.Add('b', 'c', {.rank = 0, .merged = kBc});
  merges.Add('a', 'b', {.rank = 1, .merged = kAb});
  merges.Add(kAb, 'c', {.rank = 2, .merged = kAbc});  // never side by side
  merges.Add(kBc, 'b', {.rank = 3, .merged = 261});
  const auto derivations =
      Derivations::FromMerges(vocabulary, merges.PairsByRank());
  ASSERT_TRUE(derivations.has_value());
  EXPECT_TRUE(derivations->Has('z'));
  EXPECT_TRUE(derivations->Has(kBc));
  EXPECT_TRUE(derivations->Has(261));
  EXPECT_FALSE(derivations->Has(kAbc));
  EXPECT_FALSE(derivations->Has(260));
  EXPECT_TRUE(derivations->StayApart('a', kBc));
  EXPECT_FALSE(derivations->StayApart(kAb, 'c'));  // is a, bc
  EXPECT_FALSE(derivations->StayApart('b', 'c'));
}

}  // namespace
}  // namespace penstock
