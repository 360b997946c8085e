#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tests/tokenizer/bpe/encode_by_definition.h"
#include "tokenizer/bpe/bpe.h"
#include "tokenizer/bpe/derivations.h"
#include "tokenizer/vocabulary/vocabulary_trie.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using testing::EncodeByDefinition;

// The bytes, and tokens from 256 on.
Vocabulary VocabularyOf(const std::vector<std::string>& tokens) {
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
  }
  TokenId id = 256;
  for (const std::string& token : tokens) vocabulary.Add(id++, token);
  return vocabulary;
}

std::vector<TokenId> Encode(const Bpe& bpe, std::string_view piece) {
  Neighbours neighbours;
  std::vector<TokenId> ids;
  bpe.Encode(piece, neighbours, ids);
  return ids;
}

bool HasPlainDerivations(const Vocabulary& vocabulary) {
  return Derivations::FromRanks(vocabulary, TokenTrieOf(vocabulary)->shorter)
      .has_value();
}
bool HasLateDerivations(const Vocabulary& vocabulary) {
  return Derivations::FromLateMerges(vocabulary,
                                     MergesByRank(vocabulary).PairsByRank())
      .has_value();
}

TEST(LateMergesTest, APairMergesAsSoonAsItsPartIsThere) {
  // bcd is of bc and d, which comes after abcd.
  const Vocabulary vocabulary = VocabularyOf({"bc", "abcd", "bcd", "ab"});
  ASSERT_FALSE(HasPlainDerivations(vocabulary));
  ASSERT_TRUE(HasLateDerivations(vocabulary));
  const Bpe bpe = Bpe::FromRanks(vocabulary);
  EXPECT_TRUE(bpe.CanSave());
  EXPECT_TRUE(bpe.MakesTokenOf("abcd"));
  EXPECT_THAT(Encode(bpe, "abcd"), ElementsAre(257));
  EXPECT_THAT(Encode(bpe, "abcdbcdabc"), ElementsAre(257, 258, 'a', 256));
}

TEST(LateMergesTest, WhatComesOfALatePairMayMergeAtOnceToo) {
  // cd comes last; with it bcd, and with that abcd and its two.
  const Vocabulary vocabulary = VocabularyOf({"abcde", "abcd", "bcd", "cd"});
  ASSERT_FALSE(HasPlainDerivations(vocabulary));
  ASSERT_TRUE(HasLateDerivations(vocabulary));
  const Bpe bpe = Bpe::FromRanks(vocabulary);
  EXPECT_THAT(Encode(bpe, "abcdebcdcd"), ElementsAre(256, 258, 259));
}

TEST(LateMergesTest, RefusesWhatIsNotTheSameAtOnePlaceAndAtAll) {
  // Of abab the first ab and the a behind it are one; taken at all places at
  // once, both ab would be.
  EXPECT_FALSE(HasLateDerivations(VocabularyOf({"aba", "ab"})));
  // The c between two ab goes with the first.
  EXPECT_FALSE(HasLateDerivations(VocabularyOf({"cab", "abc", "ab"})));
  // Of four aa it is the second pair that shows.
  EXPECT_FALSE(HasLateDerivations(VocabularyOf({"abab", "ab"})));
  // Not the neighbours, but their order, is what is wrong with these.
  EXPECT_TRUE(HasLateDerivations(VocabularyOf({"abd", "cab", "ab"})));
}

// Tokens of two others, or letters, in an order that has some too late.
std::vector<std::string> DrawnTokens(uint32_t& state) {
  const auto draw = [&](uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  const uint32_t letters = 3 + draw(3);
  std::vector<std::string> tokens;
  const auto part = [&] {
    const uint32_t i = draw(letters + static_cast<uint32_t>(tokens.size()));
    return i < letters ? std::string(1, static_cast<char>('a' + i))
                       : tokens[i - letters];
  };
  for (uint32_t left = 4 + draw(8); left > 0; --left) {
    std::string token = part();
    token += part();
    if (token.size() <= 6 && std::ranges::find(tokens, token) == tokens.end()) {
      tokens.push_back(token);
    }
  }
  for (uint32_t left = 1 + draw(2); left > 0; --left) {
    const auto from = tokens.begin() + draw(tokens.size());
    std::rotate(from, from + 1, tokens.end());
  }
  return tokens;
}

// Letters, and tokens, which are rare among letters.
std::string DrawnPieceOf(const std::vector<std::string>& tokens, size_t size,
                         uint32_t& state) {
  std::string piece;
  while (piece.size() < size) {
    state = state * 1664525 + 1013904223;
    const size_t drawn = (state >> 8) % (3 * tokens.size());
    piece += drawn < tokens.size()
                 ? tokens[drawn]
                 : std::string(1, static_cast<char>('a' + drawn % 5));
  }
  return piece;
}

TEST(LateMergesTest, PiecesFollowTheDefinition) {
  uint32_t state = 3;
  int late = 0;
  int refused = 0;
  const int cases = testing::Cases(1200);
  for (int i = 0; i < cases; ++i) {
    const std::vector<std::string> tokens = DrawnTokens(state);
    const Vocabulary vocabulary = VocabularyOf(tokens);
    const MergeTable merges = MergesByRank(vocabulary);
    const Bpe by_rank = Bpe::FromRanks(vocabulary);
    const Bpe by_merges = Bpe::FromMerges(vocabulary, merges);
    if (!HasPlainDerivations(vocabulary)) {
      const bool has_late = HasLateDerivations(vocabulary);
      ++(has_late ? late : refused);
      EXPECT_EQ(by_rank.CanSave(), has_late);
    }
    for (int k = 0; k < 40; ++k) {
      const std::string piece = DrawnPieceOf(tokens, 4 + k, state);
      const std::vector<TokenId> expected = EncodeByDefinition(merges, piece);
      ASSERT_EQ(Encode(by_rank, piece), expected)
          << piece << " of " << ::testing::PrintToString(tokens);
      ASSERT_EQ(Encode(by_merges, piece), expected)
          << piece << " of " << ::testing::PrintToString(tokens);
    }
  }
  EXPECT_GT(late, cases / 20);
  EXPECT_GT(refused, cases / 20);
}

// A file may list any of the pairs, in any order.
TEST(LateMergesTest, ListedPairsFollowTheDefinition) {
  uint32_t state = 5;
  int plain = 0;
  int late = 0;
  int refused = 0;
  const int cases = testing::Cases(1200);
  for (int i = 0; i < cases; ++i) {
    const std::vector<std::string> tokens = DrawnTokens(state);
    const Vocabulary vocabulary = VocabularyOf(tokens);
    MergeTable merges;
    uint32_t rank = 0;
    for (const auto& pair : MergesByRank(vocabulary).PairsByRank()) {
      state = state * 1664525 + 1013904223;
      if (state >> 30 == 0) continue;
      // One of four comes much later.
      const bool is_moved = (state >> 28 & 3) == 0;
      merges.Add(pair.left, pair.right,
                 {is_moved ? 100 + (state >> 8) % 900 * 100 + rank : rank,
                  pair.merge.merged});
      ++rank;
    }
    const auto pairs = merges.PairsByRank();
    const bool is_plain =
        Derivations::FromMerges(vocabulary, pairs).has_value();
    const bool is_late =
        Derivations::FromLateMerges(vocabulary, pairs).has_value();
    ++(is_plain ? plain : is_late ? late : refused);
    const Bpe bpe = Bpe::FromMerges(vocabulary, merges);
    EXPECT_EQ(bpe.CanSave(), is_plain || is_late);
    for (int k = 0; k < 40; ++k) {
      const std::string piece = DrawnPieceOf(tokens, 4 + k, state);
      ASSERT_EQ(Encode(bpe, piece), EncodeByDefinition(merges, piece))
          << piece << " of " << ::testing::PrintToString(tokens);
    }
  }
  EXPECT_GT(plain, cases / 20);
  EXPECT_GT(late, cases / 20);
  EXPECT_GT(refused, cases / 50);
}

}  // namespace
}  // namespace penstock
