#include "tokenizer/vocabulary/part_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace penstock {
namespace {

// With bytes behind it that do not count.
PartCache::Key KeyOfPart(std::string_view part) {
  std::string readable(part);
  readable.resize(2 * PartCache::kMaxPartBytes, '#');
  return PartCache::KeyOf(readable.data(), part.size());
}

// Whether the part was known with this id; remembers it.
bool ClaimPart(PartCache& cache, std::string_view part, TokenId id) {
  cache.MakeRoom();
  const PartCache::Key key = KeyOfPart(part);
  bool known;
  PartCache::Entry& entry = cache.Claim(cache.SetOf(key), key, known);
  if (known) return entry.count == 1 && entry.ids[0] == id;
  entry.count = 1;
  entry.ids[0] = id;
  return false;
}

TEST(PartCacheTest, PartsOfEverySizeDiffer) {
  PartCache cache;
  for (const bool again : {false, true}) {
    for (size_t size = 1; size <= PartCache::kMaxPartBytes; ++size) {
      const auto id = static_cast<TokenId>(size);
      EXPECT_EQ(ClaimPart(cache, std::string(size, '\0'), 2 * id), again);
      EXPECT_EQ(ClaimPart(cache, std::string(size, 'a'), 2 * id + 1), again);
    }
  }
}

TEST(PartCacheTest, GrowsSoThatMostPartsAreKept) {
  PartCache cache;
  constexpr size_t kParts = 100'000;
  for (size_t i = 0; i < kParts; ++i) {
    EXPECT_FALSE(ClaimPart(cache, std::to_string(i), static_cast<TokenId>(i)));
  }
  EXPECT_GT(cache.size_bytes(), PartCache::kFirstBytes);
  size_t kept = 0;
  for (size_t i = kParts; i-- > 0;) {
    kept += ClaimPart(cache, std::to_string(i), static_cast<TokenId>(i));
  }
  EXPECT_GT(kept, kParts * 8 / 10);
}

TEST(PartCacheTest, StaysWithinItsBoundAndTakesWhatIsNew) {
  PartCache cache(PartCache::kFirstBytes);
  for (size_t i = 0; i < 50'000; ++i) {
    const auto id = static_cast<TokenId>(i);
    EXPECT_FALSE(ClaimPart(cache, std::to_string(i), id));
    EXPECT_TRUE(ClaimPart(cache, std::to_string(i), id));
  }
  EXPECT_EQ(cache.size_bytes(), PartCache::kFirstBytes);
}

}  // namespace
}  // namespace penstock
