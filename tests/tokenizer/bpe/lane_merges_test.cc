#include "tokenizer/bpe/lane_merges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tokenizer/bpe/bpe.h"

namespace penstock {
namespace {

class LaneMergesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LaneMerges::IsThere()) {
      GTEST_SKIP() << "this processor has no AVX-512";
    }
  }

  std::string Drawn(size_t bytes, size_t letters) {
    std::string piece(bytes, '\0');
    for (char& c : piece) c = static_cast<char>('a' + random_() % letters);
    return piece;
  }

  // Bytes, and about as many tokens, which neighbours of some text become, as
  // training would.
  Vocabulary DrawnVocabulary(size_t tokens, size_t letters) {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) {
      vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
    }
    for (size_t tries = 0; tries < tokens;) {
      std::vector<TokenId> ids;
      Neighbours neighbours;
      Bpe::FromRanks(vocabulary).Encode(Drawn(100, letters), neighbours, ids);
      for (size_t at = 0; at + 1 < ids.size() && tries < tokens; at += 3) {
        std::string token(vocabulary.BytesOf(ids[at]));
        token += vocabulary.BytesOf(ids[at + 1]);
        vocabulary.Add(static_cast<TokenId>(vocabulary.size()), token);
        ++tries;
      }
    }
    return vocabulary;
  }

  // What Bpe makes of each piece alone.
  void ExpectFollowsBpe(const Bpe& bpe, size_t letters) {
    ASSERT_NE(bpe.cuts(), nullptr);
    Neighbours neighbours;
    for (const size_t count : {1u, 4u, 5u, 15u, 16u, 17u, 100u, 0u, 1000u}) {
      std::vector<std::string> pieces;
      const size_t most = 1 + random_() % LaneMerges::kMostBytes;
      for (size_t i = 0; i < count; ++i) {
        pieces.push_back(Drawn(1 + random_() % most, letters));
      }
      merges_.Clear();
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(merges_.Add(pieces[i]), i);
      }
      merges_.Run(bpe.derivations(), bpe.byte_pairs());
      for (size_t i = 0; i < count; ++i) {
        std::vector<TokenId> expected;
        bpe.Encode(pieces[i], neighbours, expected);
        const auto ids = merges_.IdsOf(i);
        ASSERT_EQ(std::vector<TokenId>(ids.begin(), ids.end()), expected)
            << pieces[i];
      }
    }
  }

  std::mt19937 random_{5};
  LaneMerges merges_;
};

// Few and many pairs, of which some hash alike.
TEST_F(LaneMergesTest, PiecesHaveTheIdsThatBpeGivesThem) {
  for (int i = 0; i < testing::Cases(40); ++i) {
    const size_t letters = 2 + i % 9;
    ExpectFollowsBpe(Bpe::FromRanks(DrawnVocabulary(5 << i % 9, letters)),
                     letters);
  }
}

// The rank of a pair is not what it becomes.
TEST_F(LaneMergesTest, IdsNeedNotGrowWithRanks) {
  for (int i = 0; i < testing::Cases(20); ++i) {
    const Vocabulary in_order = DrawnVocabulary(300, 5);
    const auto tokens = static_cast<TokenId>(in_order.size());
    const auto turned = [&](TokenId id) {
      return id < 256 ? id : tokens - 1 - (id - 256);
    };
    Vocabulary vocabulary;
    for (TokenId id = 0; id < tokens; ++id) {
      vocabulary.Add(turned(id), in_order.BytesOf(id));
    }
    // Of all cuts of a token those that make it.
    const Bpe by_rank = Bpe::FromRanks(in_order);
    MergeTable merges;
    for (const auto& pair : MergesByRank(in_order).PairsByRank()) {
      if (by_rank.derivations().ranks().Find(pair.left, pair.right) ==
          Merge::kNever) {
        continue;
      }
      merges.Add(turned(pair.left), turned(pair.right),
                 {pair.merge.rank, turned(pair.merge.merged)});
    }
    ExpectFollowsBpe(Bpe::FromMerges(vocabulary, std::move(merges)), 5);
  }
}

TEST_F(LaneMergesTest, EqualPairsMergeFromTheLeft) {
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
  }
  vocabulary.Add(256, "aa");
  const Bpe bpe = Bpe::FromRanks(vocabulary);
  const std::string piece(31, 'a');
  merges_.Add(piece);
  merges_.Run(bpe.derivations(), bpe.byte_pairs());
  std::vector<TokenId> expected(16, 256);
  expected.back() = 'a';
  EXPECT_TRUE(std::ranges::equal(merges_.IdsOf(0), expected));
}

}  // namespace
}  // namespace penstock
