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
  EXPECT_GT(kept, kPieces - kPieces / 1000);
}

// Also one that has grown where it is until it may no more.
TEST(PieceCacheTest, StaysWithinItsBoundAndGoesOnToTakeNewPieces) {
  for (const size_t most_bytes :
       {PieceCache::kFirstBytes, 4 * PieceCache::kFirstBytes}) {
    PieceCache cache(most_bytes);
    constexpr size_t kPieces = 200'000;
    for (size_t i = 0; i < kPieces; ++i) {
      const std::string piece = std::to_string(i);
      // Twice, where it is refused when it comes first.
      Insert(cache, piece, {static_cast<TokenId>(i)});
      if (!Known(cache, piece)) Insert(cache, piece, {static_cast<TokenId>(i)});
      EXPECT_THAT(Known(cache, piece),
                  Optional(ElementsAre(static_cast<TokenId>(i))));
    }
    EXPECT_EQ(cache.size_bytes(), most_bytes);
    cache.Clear();
    EXPECT_EQ(cache.size_bytes(), PieceCache::kFirstBytes);
    EXPECT_EQ(Known(cache, "1"), std::nullopt);
  }
}

TEST(PieceCacheTest, PiecesThatComeOnceLeaveAFullTableAsItIs) {
  PieceCache cache(PieceCache::kFirstBytes);
  const auto kept = [&] {
    std::vector<std::string> pieces;
    for (size_t i = 0; i < 50'000; ++i) {
      const std::string piece = "first" + std::to_string(i);
      if (Known(cache, piece)) pieces.push_back(piece);
    }
    return pieces;
  };
  for (size_t i = 0; i < 50'000; ++i) {
    Insert(cache, "first" + std::to_string(i), {1});
  }
  const std::vector<std::string> before = kept();
  // Nearly as many as there are places.
  EXPECT_GT(before.size(), 16'000U);
  for (size_t i = 0; i < 100'000; ++i) {
    Insert(cache, "once" + std::to_string(i), {2});
  }
  // But for those that hash like one that was refused lately.
  EXPECT_GT(kept().size(), before.size() - 20);
}

}  // namespace
}  // namespace penstock
