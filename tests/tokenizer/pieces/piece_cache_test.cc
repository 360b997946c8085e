#include "tokenizer/pieces/piece_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tests/tokenizer/pieces/table_threads.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Optional;

class PieceCacheTest : public ::testing::Test {
 protected:
  PieceCacheTest() { self_.Enter(); }

  // What is remembered of `piece`; nullopt for nothing.
  static std::optional<std::vector<TokenId>> Known(const PieceCache& cache,
                                                   std::string_view piece) {
    const PieceCache::Key key = PieceKey::Of(piece);
    const auto* const entry = cache.Find(key, PieceCache::HashOf(key));
    if (entry == nullptr) return std::nullopt;
    std::vector<TokenId> ids(PieceCache::kMaxIds);
    entry->ids().CopyTo(ids.data());
    ids.resize(entry->ids().count());
    return ids;
  }

  // As a tokenizer does, which makes room between batches.
  void Insert(PieceCache& cache, std::string_view piece,
              const std::vector<TokenId>& ids) {
    const PieceCache::Key key = PieceKey::Of(piece);
    cache.Insert(by_, key, PieceCache::HashOf(key), ids);
    if (!cache.WantsRoom()) return;
    self_.Leave();
    cache.MakeRoom();
    self_.Enter();
  }

  Readers readers_;
  Readers::Reader self_{readers_};
  Inserter by_{self_};
};

TEST_F(PieceCacheTest, PiecesThatDifferHaveKeysThatDiffer) {
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

TEST_F(PieceCacheTest, GivesBackWhatWasStored) {
  PieceCache cache(readers_);
  EXPECT_EQ(Known(cache, "the"), std::nullopt);
  Insert(cache, "the", {1, 2, 3, 4});
  EXPECT_THAT(Known(cache, "the"), Optional(ElementsAre(1, 2, 3, 4)));
  EXPECT_EQ(Known(cache, "teh"), std::nullopt);
}

TEST_F(PieceCacheTest, KeepsPiecesOfEverySizeWithEveryCount) {
  PieceCache cache(readers_);
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

TEST_F(PieceCacheTest, KeepsNeitherManyNorLargeIds) {
  PieceCache cache(readers_);
  Insert(cache, "many", {1, 2, 3, 4, 5});
  EXPECT_EQ(Known(cache, "many"), std::nullopt);
  Insert(cache, "large", {1u << 24});
  EXPECT_EQ(Known(cache, "large"), std::nullopt);
  Insert(cache, "largest", {(1u << 24) - 1, 0xffffffff});
  EXPECT_THAT(Known(cache, "largest"),
              Optional(ElementsAre((1u << 24) - 1, 0xffffffff)));
}

TEST_F(PieceCacheTest, RemembersWhereTheIdsOfAPieceAre) {
  PieceCache cache(readers_);
  const PieceCache::Key key = PieceKey::Of("place");
  const PieceCache::Hash hash = PieceCache::HashOf(key);
  for (const uint64_t place : {uint64_t{0xfedcba9876543210}, uint64_t{7}}) {
    cache.InsertElsewhere(by_, key, hash, place);
    ASSERT_TRUE(cache.Find(key, hash)->ids().is_elsewhere());
    EXPECT_EQ(cache.Find(key, hash)->ids().place(), place);
  }
  cache.Clear();
  EXPECT_EQ(cache.Find(key, hash), nullptr);
}

TEST_F(PieceCacheTest, GrowsSoThatNearlyEveryPieceIsKept) {
  PieceCache cache(readers_);
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
TEST_F(PieceCacheTest, StaysWithinItsBoundAndGoesOnToTakeNewPieces) {
  for (const size_t most_bytes :
       {PieceCache::kFirstBytes, 4 * PieceCache::kFirstBytes}) {
    PieceCache cache(readers_, most_bytes);
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
class FullPieceCacheTest : public PieceCacheTest {
 protected:
  FullPieceCacheTest() {
    Fill("first");
    for (size_t i = 0; i < kPieces; ++i) {
      const std::string piece = "first" + std::to_string(i);
      if (Known(cache_, piece)) first_.push_back(piece);
    }
  }

  void Fill(std::string_view name, TokenId id = 1) {
    for (size_t i = 0; i < kPieces; ++i) {
      Insert(cache_, std::string(name) + std::to_string(i), {id});
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
  PieceCache cache_{readers_, PieceCache::kFirstBytes};
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

TEST_F(FullPieceCacheTest, OnceClearedItTakesAsMuchAgain) {
  cache_.Clear();
  Fill("first");
  EXPECT_EQ(ShareKept(), 1);
}

// A third of them are beside the line that they hash to.
TEST_F(PieceCacheTest, EachPieceOfAFullTableGetsItsNewPlace) {
  PieceCache cache(readers_, PieceCache::kFirstBytes);
  constexpr uint64_t kPieces = 50'000;
  for (const uint64_t turn : {1, 2}) {
    size_t known = 0;
    for (uint64_t i = 0; i < kPieces; ++i) {
      const PieceCache::Key key = PieceKey::Of(std::to_string(i));
      const PieceCache::Hash hash = PieceCache::HashOf(key);
      const auto* const before = cache.Find(key, hash);
      if (turn == 2 && before == nullptr) continue;
      cache.InsertElsewhere(by_, key, hash, turn * kPieces + i);
      const auto* const entry = cache.Find(key, hash);
      ASSERT_TRUE(entry != nullptr && (turn == 1 || entry == before));
      EXPECT_EQ(entry->ids().place(), turn * kPieces + i);
      ++known;
    }
    // As many as there are places, nearly.
    if (turn == 2) {
      EXPECT_GT(known, 16'000u);
    }
  }
}

// What it found stays as it was while it is inside, though it is gone for those
// who look now.
TEST_F(FullPieceCacheTest, AnEntryIsNotWrittenWhileAnotherMayLookAtIt) {
  Readers::Reader other(readers_);
  other.Enter();
  struct Found {
    std::string piece;
    const PieceEntry* entry;
  };
  std::vector<Found> found;
  for (const std::string& piece : first_) {
    const PieceCache::Key key = PieceKey::Of(piece);
    found.push_back({piece, cache_.Find(key, PieceCache::HashOf(key))});
    ASSERT_NE(found.back().entry, nullptr);
  }
  for (const char* name : {"once", "another"}) Fill(name, 2);
  size_t gone = 0;
  for (const Found& one : found) {
    gone += Known(cache_, one.piece) ? 0 : 1;
    TokenId ids[PieceCache::kMaxIds];
    one.entry->ids().CopyTo(ids);
    EXPECT_EQ(ids[0], 1u);
  }
  // No more than wait at a time.
  EXPECT_EQ(gone, 32u);
  other.Leave();
  Fill("third", 3);
  EXPECT_LT(ShareKept(), 0.6);
}

// However many pieces came meanwhile.
TEST_F(PieceCacheTest, GrowsLaterWhereAnotherStaysInside) {
  PieceCache cache(readers_);
  std::optional<Readers::Reader> other(readers_);
  other->Enter();
  const auto insert_some = [&](size_t from, size_t count) {
    for (size_t i = from; i < from + count; ++i) {
      Insert(cache, std::to_string(i), {static_cast<TokenId>(i)});
    }
  };
  insert_some(0, 20'000);  // more than there are places
  EXPECT_EQ(cache.size_bytes(), PieceCache::kFirstBytes);
  other->Leave();
  insert_some(20'000, 80'000);
  // The least that is half empty.
  EXPECT_EQ(cache.size_bytes(), 16 * PieceCache::kFirstBytes);
}

// Some give up while others make room; none makes more than there may be.
TEST_F(PieceCacheTest, ThreadsThatAskForRoomAtOnceStayWithinTheBound) {
  self_.Leave();
  for (int run = 0; run < testing::Cases(20); ++run) {
    PieceCache cache(readers_, 2 * PieceCache::kFirstBytes);
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        Readers::Reader self(readers_);
        Inserter by(self);
        for (size_t n = 0; n < 8000; n += 200) {
          if (cache.WantsRoom()) cache.MakeRoom();
          self.Enter();
          for (size_t k = 0; k < 200; ++k) {
            const std::string piece = std::to_string((n + k) * 4 + t);
            const PieceCache::Key key = PieceKey::Of(piece);
            cache.Insert(by, key, PieceCache::HashOf(key),
                         std::vector<TokenId>{1});
          }
          self.Leave();
        }
      });
    }
    threads.clear();
    // Nobody is inside any more.
    while (cache.WantsRoom()) cache.MakeRoom();
    EXPECT_LE(cache.size_bytes(), 2 * PieceCache::kFirstBytes);
  }
}

// Threads with their own pieces and those of all: what is found is what was
// stored, in a table that is filled many times over and in one that grows.
TEST_F(PieceCacheTest, ThreadsThatShareATableFindOnlyWhatWasStored) {
  self_.Leave();
  const auto ids_of = [](size_t i) {
    return std::vector<TokenId>(1 + i % PieceCache::kMaxIds,
                                static_cast<TokenId>(i * 7919 % 1'000'000));
  };
  const size_t kPieces = testing::Cases(200'000);
  for (const size_t times : {2, 64}) {
    PieceCache cache(readers_, times * PieceCache::kFirstBytes);
    const auto knew = [&](Inserter& by, size_t i) {
      const std::string piece = std::to_string(i);
      if (const auto known = Known(cache, piece)) {
        EXPECT_EQ(*known, ids_of(i)) << piece;
        return true;
      }
      const PieceCache::Key key = PieceKey::Of(piece);
      cache.Insert(by, key, PieceCache::HashOf(key), ids_of(i));
      return false;
    };
    EXPECT_GT(testing::KnownToFourThreads(readers_, cache, kPieces, knew),
              kPieces / 4);
    EXPECT_LE(cache.size_bytes(), times * PieceCache::kFirstBytes);
    const auto count_kept = [&] {
      size_t kept = 0;
      for (size_t i = 0; i < 4 * kPieces; ++i) {
        const auto known = Known(cache, std::to_string(i));
        if (!known) continue;
        ++kept;
        EXPECT_EQ(*known, ids_of(i)) << i;
      }
      return kept;
    };
    // While a thread that waits for the processor stays inside, the table
    // cannot grow: there may be no more than its first places.
    EXPECT_GT(count_kept(), PieceCache::kFirstBytes / sizeof(PieceEntry) / 2);
    // One alone makes room: nearly all are kept, or as many as there are places
    // for.
    self_.Enter();
    for (size_t i = 0; i < 2 * kPieces; ++i) {
      const std::string piece = std::to_string(i);
      if (!Known(cache, piece)) Insert(cache, piece, ids_of(i));
    }
    self_.Leave();
    const size_t places = times * PieceCache::kFirstBytes / sizeof(PieceEntry);
    EXPECT_GT(count_kept(), std::min(2 * kPieces, places) / 10 * 9);
  }
}

}  // namespace
}  // namespace penstock
