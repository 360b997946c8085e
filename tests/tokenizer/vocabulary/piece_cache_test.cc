#include "tokenizer/vocabulary/piece_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Optional;

// What is remembered of `piece`; nullopt for nothing.
std::optional<std::vector<TokenId>> Known(const PieceCache& cache,
                                          std::string_view piece) {
  const PieceCache::Key key = PieceKey::Of(piece);
  const auto* const entry = cache.Find(key, PieceCache::HashOf(key));
  if (entry == nullptr) return std::nullopt;
  std::vector<TokenId> ids(PieceCache::kMaxIds);
  entry->CopyTo(ids.data());
  ids.resize(entry->count());
  return ids;
}

void Insert(PieceCache& cache, std::string_view piece,
            const std::vector<TokenId>& ids) {
  const PieceCache::Key key = PieceKey::Of(piece);
  cache.Insert(key, PieceCache::HashOf(key), ids);
}

TEST(PieceCacheTest, PiecesThatDifferHaveKeysThatDiffer) {
  // Every string of two letters and NUL, up to the longest piece by doubling.
  std::vector<std::string> pieces;
  for (size_t size = 1; size <= PieceCache::kMaxPieceBytes; ++size) {
    for (size_t i = 0; i < size; ++i) {
      for (const char c : {'\0', 'a', 'b'}) {
        std::string piece(size, 'a');
        piece[i] = c;
        pieces.push_back(piece);
        piece[size - 1] = 'c';
        pieces.push_back(piece);
      }
    }
  }
  std::map<std::pair<uint64_t, uint64_t>, std::string> seen;
  for (const std::string& piece : pieces) {
    const PieceCache::Key key = PieceKey::Of(piece);
    const auto [at, is_new] =
        seen.emplace(std::pair(key.head, key.tail), piece);
    EXPECT_EQ(at->second, piece);
    EXPECT_EQ(PieceKey::OfReadable((piece + "more than 16 bytes").data(),
                                   piece.size()),
              key);
  }
}

TEST(PieceCacheTest, GivesBackWhatWasStored) {
  PieceCache cache;
  EXPECT_EQ(Known(cache, "the"), std::nullopt);
  Insert(cache, "the", {1, 2, 3, 4});
  EXPECT_THAT(Known(cache, "the"), Optional(ElementsAre(1, 2, 3, 4)));
  EXPECT_EQ(Known(cache, "teh"), std::nullopt);
}

TEST(PieceCacheTest, KeepsPiecesOfEverySizeWithEveryCount) {
  PieceCache cache;
  for (size_t size = 1; size <= PieceCache::kMaxPieceBytes; ++size) {
    for (size_t count = 0; count <= PieceCache::kMaxIds; ++count) {
      const std::string piece = std::string(size, 'x') + std::to_string(count);
      if (piece.size() > PieceCache::kMaxPieceBytes) continue;
      const std::vector<TokenId> ids(count, static_cast<TokenId>(size));
      Insert(cache, piece, ids);
      EXPECT_THAT(Known(cache, piece), Optional(ElementsAreArray(ids)))
          << size << ", " << count;
    }
  }
}

TEST(PieceCacheTest, KeepsNeitherManyNorLargeIds) {
  PieceCache cache;
  Insert(cache, "many", {1, 2, 3, 4, 5});
  EXPECT_EQ(Known(cache, "many"), std::nullopt);
  Insert(cache, "large", {1u << 24});
  EXPECT_EQ(Known(cache, "large"), std::nullopt);
  Insert(cache, "largest", {(1u << 24) - 1, 0xffffffff});
  EXPECT_THAT(Known(cache, "largest"),
              Optional(ElementsAre((1u << 24) - 1, 0xffffffff)));
}

TEST(PieceCacheTest, RemembersWhereTheIdsOfAPieceAre) {
  PieceCache cache;
  const PieceCache::Key key = PieceKey::Of("place");
  const PieceCache::Hash hash = PieceCache::HashOf(key);
  cache.InsertElsewhere(key, hash, 0xfedcba98);
  ASSERT_TRUE(cache.Find(key, hash)->is_elsewhere());
  EXPECT_EQ(cache.Find(key, hash)->place(), 0xfedcba98);
  cache.Insert(key, hash, std::vector<TokenId>{7});
  EXPECT_THAT(Known(cache, "place"), Optional(ElementsAre(7)));
  cache.Clear();
  EXPECT_EQ(Known(cache, "place"), std::nullopt);
}

TEST(PieceCacheTest, GrowsSoThatNearlyEveryPieceIsKept) {
  PieceCache cache;
  constexpr size_t kPieces = 100'000;
  for (size_t i = 0; i < kPieces; ++i) {
    Insert(cache, std::to_string(i), {static_cast<TokenId>(i)});
  }
  // The least that is half empty.
  EXPECT_EQ(cache.size_bytes(), 8u << 20);
  size_t kept = 0;
  for (size_t i = 0; i < kPieces; ++i) {
    const auto known = Known(cache, std::to_string(i));
    if (!known) continue;
    ++kept;
    EXPECT_THAT(*known, ElementsAre(static_cast<TokenId>(i)));
  }
  EXPECT_GT(kept, kPieces - kPieces / 50);
}

// Also one that has grown where it is until it may no more.
TEST(PieceCacheTest, StaysWithinItsBoundAndGoesOnToTakeNewPieces) {
  for (const size_t most_bytes :
       {PieceCache::kFirstBytes, 4 * PieceCache::kFirstBytes}) {
    PieceCache cache(most_bytes);
    constexpr size_t kPieces = 200'000;
    for (size_t i = 0; i < kPieces; ++i) {
      const std::string piece = std::to_string(i);
      Insert(cache, piece, {static_cast<TokenId>(i)});
      EXPECT_THAT(Known(cache, piece),
                  Optional(ElementsAre(static_cast<TokenId>(i))));
    }
    EXPECT_EQ(cache.size_bytes(), most_bytes);
    cache.Clear();
    EXPECT_EQ(cache.size_bytes(), PieceCache::kFirstBytes);
    EXPECT_EQ(Known(cache, "1"), std::nullopt);
  }
}

// A full table, and pieces that come to it.
class FullPieceCacheTest : public ::testing::Test {
 protected:
  FullPieceCacheTest() {
    Fill("first");
    for (size_t i = 0; i < kPieces; ++i) {
      const std::string piece = "first" + std::to_string(i);
      if (Known(cache_, piece)) first_.push_back(piece);
    }
  }

  void Fill(std::string_view name) {
    for (size_t i = 0; i < kPieces; ++i) {
      Insert(cache_, std::string(name) + std::to_string(i), {1});
    }
  }

  // Of those that filled the table.
  double ShareKept() const {
    size_t kept = 0;
    for (const std::string& piece : first_)
      kept += Known(cache_, piece) ? 1 : 0;
    return static_cast<double>(kept) / static_cast<double>(first_.size());
  }

  static constexpr size_t kPieces = 50'000;  // three for each place
  PieceCache cache_{PieceCache::kFirstBytes};
  std::vector<std::string> first_;
};

TEST_F(FullPieceCacheTest, PiecesThatComeOnceLeaveHalfOfItAsItIs) {
  // Nearly as many as there are places.
  ASSERT_GT(first_.size(), 16'000U);
  for (const char* name : {"once", "another", "third"}) Fill(name);
  // But for those that hash like one that came lately.
  EXPECT_GT(ShareKept(), 0.49);
  EXPECT_LT(ShareKept(), 0.51);
}

TEST_F(FullPieceCacheTest, APieceThatComesAgainIsKeptFromThoseThatComeOnce) {
  // It goes when others come; then it comes again soon.
  const std::string piece = "again";
  Insert(cache_, piece, {2});
  for (size_t i = 0; Known(cache_, piece); ++i) {
    ASSERT_LT(i, 20 * kPieces);
    Insert(cache_, "other" + std::to_string(i), {1});
  }
  Insert(cache_, piece, {2});
  for (const char* name : {"once", "another", "third"}) Fill(name);
  EXPECT_THAT(Known(cache_, piece), Optional(ElementsAre(2)));
}

}  // namespace
}  // namespace penstock
