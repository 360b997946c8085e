#include "tokenizer/vocabulary/piece_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

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
    const PieceCache::Key key = PieceCache::KeyOf(piece);
    const auto [at, is_new] =
        seen.emplace(std::pair(key.head, key.tail), piece);
    EXPECT_EQ(at->second, piece);
    EXPECT_EQ(
        PieceCache::KeyOfReadable(std::string_view(piece + "more than 16 bytes")
                                      .substr(0, piece.size())),
        key);
  }
}

TEST(PieceCacheTest, GivesBackWhatWasStored) {
  PieceCache cache;
  const PieceCache::Key key = PieceCache::KeyOf("the");
  const PieceCache::Line line = PieceCache::LineOf(key);
  EXPECT_EQ(cache.Find(key, line), nullptr);
  cache.Insert(key, line, std::vector<TokenId>{1, 2, 3, 4});
  const PieceCache::Entry* entry = cache.Find(key, line);
  ASSERT_NE(entry, nullptr);
  EXPECT_THAT(entry->ids(), ElementsAre(1, 2, 3, 4));
  TokenId ids[PieceCache::kMaxIds];
  entry->CopyTo(ids);
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, 4));
  const PieceCache::Key other = PieceCache::KeyOf("teh");
  EXPECT_EQ(cache.Find(other, PieceCache::LineOf(other)), nullptr);
}

TEST(PieceCacheTest, KeepsPiecesOfEverySizeWithEveryCount) {
  PieceCache cache;
  for (size_t size = 1; size <= PieceCache::kMaxPieceBytes; ++size) {
    for (size_t count = 0; count <= PieceCache::kMaxIds; ++count) {
      const auto key = PieceCache::KeyOf(std::string(size, 'x'));
      const auto line = PieceCache::LineOf(key);
      const std::vector<TokenId> ids(count, static_cast<TokenId>(size));
      cache.Insert(key, line, ids);
      const PieceCache::Entry* entry = cache.Find(key, line);
      ASSERT_NE(entry, nullptr) << size << ", " << count;
      EXPECT_THAT(entry->ids(), ElementsAreArray(ids));
    }
  }
}

TEST(PieceCacheTest, ThirdPieceOfALineReplacesTheFirst) {
  PieceCache cache;
  constexpr PieceCache::Line kLine = 5;
  for (const char* piece : {"a", "b", "c"}) {
    cache.Insert(PieceCache::KeyOf(piece), kLine,
                 std::vector<TokenId>{static_cast<TokenId>(piece[0])});
  }
  EXPECT_EQ(cache.Find(PieceCache::KeyOf("a"), kLine), nullptr);
  EXPECT_EQ(cache.Find(PieceCache::KeyOf("b"), kLine)->ids()[0], TokenId{'b'});
  EXPECT_EQ(cache.Find(PieceCache::KeyOf("c"), kLine)->ids()[0], TokenId{'c'});
}

}  // namespace
}  // namespace penstock
