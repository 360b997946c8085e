#include "tokenizer/pieces/part_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/tokenizer/pieces/table_threads.h"
#include "tokenizer/pieces/part_reader.h"

namespace penstock {
namespace {

// With bytes behind it that do not count.
PartKey KeyOfPart(std::string_view part) {
  std::string readable(part);
  readable.resize(2 * PartKey::kMostBytes, '#');
  return PartKey::Of(readable.data(), part.size());
}

PartEntry::Content ContentOf(const PartKey& key, TokenId id) {
  PartEntry::Content content = {key, {}};
  content.ids.count = 1;
  content.ids.ids[0] = id;
  content.ids.safe_score = id;
  return content;
}

// Whether the part is known, with this id; it is remembered from now on.
bool KnewPart(PartCache& cache, Inserter& by, std::string_view part,
              TokenId id) {
  const PartKey key = KeyOfPart(part);
  PartEntry* const set = cache.SetOf(key);
  if (const PartIds* known = PartCache::Find(set, key)) {
    EXPECT_EQ(known->count, 1) << part;
    EXPECT_EQ(known->ids[0], id) << part;
    EXPECT_EQ(known->safe_score, id) << part;
    return true;
  }
  cache.Insert(by, set, ContentOf(key, id));
  return false;
}

class PartCacheTest : public ::testing::Test {
 protected:
  PartCacheTest() { self_.Enter(); }

  bool Knew(PartCache& cache, std::string_view part, TokenId id) {
    if (cache.WantsRoom()) {
      self_.Leave();
      cache.MakeRoom();
      self_.Enter();
    }
    return KnewPart(cache, by_, part, id);
  }

  Readers readers_;
  Readers::Reader self_{readers_};
  Inserter by_{self_};
};

TEST_F(PartCacheTest, PartsOfEverySizeDiffer) {
  PartCache cache(readers_);
  for (const bool again : {false, true}) {
    for (size_t size = 1; size <= PartKey::kMostBytes; ++size) {
      const auto id = static_cast<TokenId>(size);
      EXPECT_EQ(Knew(cache, std::string(size, '\0'), 2 * id), again);
      EXPECT_EQ(Knew(cache, std::string(size, 'a'), 2 * id + 1), again);
    }
  }
}

TEST_F(PartCacheTest, AnEntryIsOfOnePartAlone) {
  PartEntry entry = {};
  const std::string part(PartKey::kMostBytes, 'a');
  entry.Write(ContentOf(KeyOfPart(part), 1));
  EXPECT_TRUE(entry.IsOf(KeyOfPart(part)));
  for (size_t at = 0; at < part.size(); ++at) {
    std::string other = part;
    other[at] = 'b';
    EXPECT_FALSE(entry.IsOf(KeyOfPart(other))) << at;
    EXPECT_FALSE(entry.IsOf(KeyOfPart(part.substr(at + 1) + "b"))) << at;
    if (at > 0) {
      EXPECT_FALSE(entry.IsOf(KeyOfPart(part.substr(at)))) << at;
    }
  }
}

// Each byte of a part decides where it is, so that few share a set.
TEST_F(PartCacheTest, PartsThatDifferInOneByteAnywhereSpread) {
  PartCache cache(readers_, PartCache::kFirstBytes);
  for (size_t at = 0; at < PartKey::kMostBytes; ++at) {
    size_t kept = 0;
    for (const bool again : {false, true}) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string part(PartKey::kMostBytes, 'a');
        part[at] = static_cast<char>(byte);
        const bool knew = Knew(cache, part, 1);
        if (again && knew) ++kept;
      }
    }
    EXPECT_GT(kept, 250u) << at;
    self_.Leave();
    cache.Clear();
    self_.Enter();
  }
}

TEST_F(PartCacheTest, GrowsSoThatMostPartsAreKept) {
  PartCache cache(readers_);
  constexpr size_t kParts = 100'000;
  for (size_t i = 0; i < kParts; ++i) {
    EXPECT_FALSE(Knew(cache, std::to_string(i), static_cast<TokenId>(i)));
  }
  EXPECT_GT(cache.size_bytes(), PartCache::kFirstBytes);
  size_t kept = 0;
  for (size_t i = kParts; i-- > 0;) {
    kept += Knew(cache, std::to_string(i), static_cast<TokenId>(i));
  }
  EXPECT_GT(kept, kParts * 8 / 10);
}

// Also one that has grown where it is until it may no more.
TEST_F(PartCacheTest, StaysWithinItsBoundAndTakesWhatIsNew) {
  for (const size_t most_bytes :
       {PartCache::kFirstBytes, 4 * PartCache::kFirstBytes}) {
    PartCache cache(readers_, most_bytes);
    for (size_t i = 0; i < 50'000; ++i) {
      const auto id = static_cast<TokenId>(i);
      EXPECT_FALSE(Knew(cache, std::to_string(i), id));
      EXPECT_TRUE(Knew(cache, std::to_string(i), id));
    }
    EXPECT_EQ(cache.size_bytes(), most_bytes);
    self_.Leave();
    cache.Clear();
    self_.Enter();
    EXPECT_EQ(cache.size_bytes(), PartCache::kFirstBytes);
    EXPECT_FALSE(Knew(cache, "1", 1));
  }
}

// However many parts came meanwhile.
TEST_F(PartCacheTest, GrowsLaterWhereAnotherStaysInside) {
  PartCache cache(readers_);
  Readers::Reader other(readers_);
  other.Enter();
  const auto add = [&](TokenId from, TokenId count) {
    for (TokenId id = from; id < from + count; ++id) {
      Knew(cache, std::to_string(id), id);
    }
  };
  add(0, 20'000);  // more than there are places
  EXPECT_EQ(cache.size_bytes(), PartCache::kFirstBytes);
  other.Leave();
  add(20'000, 80'000);
  EXPECT_GE(cache.size_bytes(), 8 * PartCache::kFirstBytes);
}

// A table with three parts for each place.
class FullPartCacheTest : public PartCacheTest {
 protected:
  FullPartCacheTest() {
    Fill("first");
    for (size_t i = 0; i < kParts; ++i) {
      const std::string part = "first" + std::to_string(i);
      if (IsKnown(part)) first_.push_back(part);
    }
  }

  bool IsKnown(std::string_view part) const {
    const PartKey key = KeyOfPart(part);
    return PartCache::Find(cache_.SetOf(key), key) != nullptr;
  }
  void Fill(const std::string& name) {
    for (size_t i = 0; i < kParts; ++i) {
      Knew(cache_, name + std::to_string(i), 1);
    }
  }

  static constexpr size_t kParts = 25'000;
  PartCache cache_{readers_, PartCache::kFirstBytes};
  std::vector<std::string> first_;  // that are known
};

TEST_F(FullPartCacheTest, PartsThatComeOnceLeaveHalfOfItAsItIs) {
  ASSERT_GT(first_.size(), 8000u);  // of the 8192 places
  for (const char* name : {"once", "another", "third"}) Fill(name);
  const auto kept =
      std::ranges::count_if(first_, [&](auto& part) { return IsKnown(part); });
  // But for those that hash like one that came lately.
  EXPECT_NEAR(static_cast<double>(kept), first_.size() / 2.0, 80);
}

// Nor does it know what came lately.
TEST_F(FullPartCacheTest, OnceClearedItTakesTheSamePartsAgain) {
  cache_.Clear();
  Fill("first");
  EXPECT_TRUE(
      std::ranges::all_of(first_, [&](auto& part) { return IsKnown(part); }));
}

TEST_F(FullPartCacheTest, APartThatComesAgainIsKeptFromThoseThatComeOnce) {
  // It goes when others come; then it comes again soon.
  Knew(cache_, "again", 1);
  for (size_t i = 0; IsKnown("again"); ++i) {
    ASSERT_LT(i, 20 * kParts);
    Knew(cache_, "other" + std::to_string(i), 1);
  }
  Knew(cache_, "again", 1);
  for (const char* name : {"once", "another", "third"}) Fill(name);
  EXPECT_TRUE(IsKnown("again"));
}

// What it found stays as it was while it is inside, though it is gone for those
// who look now.
TEST_F(PartCacheTest, AnEntryIsNotWrittenWhileAnotherMayLookAtIt) {
  PartCache cache(readers_, PartCache::kFirstBytes);
  constexpr size_t kParts = 50'000;
  for (size_t i = 0; i < kParts; ++i) Knew(cache, std::to_string(i), 1);
  Readers::Reader other(readers_);
  other.Enter();
  std::vector<const PartIds*> found;
  std::vector<PartKey> keys;
  for (size_t i = 0; i < kParts; ++i) {
    const PartKey key = KeyOfPart(std::to_string(i));
    if (const PartIds* known = PartCache::Find(cache.SetOf(key), key)) {
      found.push_back(known);
      keys.push_back(key);
    }
  }
  ASSERT_GT(found.size(), 8000u);  // of the 8192 places
  const auto gone = [&] {
    size_t count = 0;
    for (const PartKey& key : keys) {
      count += PartCache::Find(cache.SetOf(key), key) == nullptr ? 1 : 0;
    }
    return count;
  };
  for (size_t i = kParts; i < 2 * kParts; ++i) {
    Knew(cache, std::to_string(i), 2);
  }
  EXPECT_EQ(gone(), TakenPlaces<PartEntry>::kMostWaiting);
  for (const PartIds* known : found) EXPECT_EQ(known->ids[0], 1u);
  other.Leave();
  for (size_t i = 2 * kParts; i < 3 * kParts; ++i) {
    Knew(cache, std::to_string(i), 3);
  }
  EXPECT_GT(gone(), 4000u);
}

// Nor what waited for a place.
TEST_F(PartCacheTest, NothingComesBackThatWasThereBeforeItWasCleared) {
  PartCache cache(readers_, PartCache::kFirstBytes);
  Readers::Reader other(readers_);
  constexpr TokenId kParts = 50'000;
  const auto fill = [&](TokenId from) {
    for (TokenId id = from; id < from + kParts; ++id) {
      Knew(cache, std::to_string(id), id);
    }
  };
  fill(0);
  other.Enter();
  fill(kParts);
  other.Leave();
  self_.Leave();
  cache.Clear();
  self_.Enter();
  fill(2 * kParts);
  for (TokenId id = 0; id < 2 * kParts; ++id) {
    const PartKey key = KeyOfPart(std::to_string(id));
    EXPECT_EQ(PartCache::Find(cache.SetOf(key), key), nullptr) << id;
  }
}

// Else no other thread could make room.
TEST_F(PartCacheTest, AReaderOfPartsIsInsideUntilItsEnd) {
  self_.Leave();
  SharedParts shared;
  Readers::Reader self(shared.readers), other(shared.readers);
  const auto is_inside = [&] {
    return !shared.readers.HavePassed(shared.readers.Stamp(), other);
  };
  const PieceBoundaries boundaries;
  std::string text = "text";
  const size_t size = text.size();
  text.resize(size + TextBuffer::kSlack);
  {
    PartReader reader(std::string_view(text).substr(0, size), boundaries,
                      shared, self);
    EXPECT_FALSE(is_inside());
    EXPECT_FALSE(reader.Next().empty());
    EXPECT_TRUE(is_inside());
  }
  EXPECT_FALSE(is_inside());
}

// Threads with their own parts and those of all: what is found is what was
// stored, in a table that is filled many times over and in one that grows.
TEST_F(PartCacheTest, ThreadsThatShareATableFindOnlyWhatWasStored) {
  self_.Leave();
  const size_t kParts = testing::Cases(100'000);
  for (const size_t times : {2, 64}) {
    PartCache cache(readers_, times * PartCache::kFirstBytes);
    const auto id_of = [](size_t i) {
      return static_cast<TokenId>(i * 7919 % 1'000'000);
    };
    const auto knew = [&](Inserter& by, size_t i) {
      return KnewPart(cache, by, std::to_string(i), id_of(i));
    };
    EXPECT_GT(testing::KnownToFourThreads(readers_, cache, kParts, knew),
              kParts / 4);
    EXPECT_LE(cache.size_bytes(), times * PartCache::kFirstBytes);
    const auto count_kept = [&] {
      size_t kept = 0;
      for (size_t i = 0; i < 4 * kParts; ++i) {
        const PartKey key = KeyOfPart(std::to_string(i));
        const PartIds* const known = PartCache::Find(cache.SetOf(key), key);
        if (known == nullptr) continue;
        ++kept;
        EXPECT_EQ(known->ids[0], id_of(i)) << i;
      }
      return kept;
    };
    // While a thread that waits for the processor stays inside, the table
    // cannot grow: there may be no more than its first places.
    EXPECT_GT(count_kept(), PartCache::kFirstBytes / sizeof(PartEntry) / 2);
    // One alone makes room: most are kept, or as many as there are places for.
    self_.Enter();
    for (size_t i = 0; i < 2 * kParts; ++i) {
      Knew(cache, std::to_string(i), id_of(i));
    }
    self_.Leave();
    const size_t places = times * PartCache::kFirstBytes / sizeof(PartEntry);
    EXPECT_GT(count_kept(), std::min(2 * kParts, places) / 2);
  }
}

}  // namespace
}  // namespace penstock
