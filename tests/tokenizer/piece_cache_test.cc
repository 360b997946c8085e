#include "tokenizer/piece_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace penstock {
namespace {

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
  std::map<std::tuple<uint64_t, uint64_t, uint32_t>, std::string> seen;
  for (const std::string& piece : pieces) {
    const PieceCache::Key key = PieceCache::KeyOf(piece);
    const auto [at, is_new] =
        seen.emplace(std::tuple(key.head, key.tail, key.size), piece);
    EXPECT_EQ(at->second, piece);
  }
}

TEST(PieceCacheTest, GivesBackWhatWasStored) {
  PieceCache cache;
  const PieceCache::Key key = PieceCache::KeyOf("the");
  EXPECT_EQ(cache.Find(key), nullptr);
  cache.Insert(key, std::vector<TokenId>{1, 2, 3});
  const PieceCache::Entry* entry = cache.Find(key);
  ASSERT_NE(entry, nullptr);
  EXPECT_THAT(std::vector(entry->ids, entry->ids + entry->count),
              ::testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(cache.Find(PieceCache::KeyOf("teh")), nullptr);
}

TEST(PieceCachesTest, NestedLeasesAreTwoCaches) {
  PieceCaches caches;
  const PieceCaches::Lease outer(caches);
  const PieceCaches::Lease inner(caches);
  EXPECT_NE(&*outer, &*inner);
}

TEST(PieceCachesTest, ThreadGetsItsCacheAgain) {
  PieceCaches caches;
  const PieceCache::Key key = PieceCache::KeyOf("the");
  {
    const PieceCaches::Lease lease(caches);
    (*lease).Insert(key, std::vector<TokenId>{7});
  }
  const PieceCaches::Lease lease(caches);
  EXPECT_NE((*lease).Find(key), nullptr);
}

}  // namespace
}  // namespace penstock
