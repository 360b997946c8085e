#include "tokenizer/bpe/part_encoder.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tokenizer/bpe/lane_merges.h"
#include "tokenizer/bpe/new_pieces.h"

namespace penstock {
namespace {

class PartEncoderTest : public ::testing::Test {
 protected:
  std::vector<TokenId> Encode(const Bpe& bpe, std::string_view piece) {
    std::vector<TokenId> ids = {7};
    const PieceMemory::Visit visit(pieces_);
    PartEncoder(bpe, {pieces_, chars_, neighbours_}, results_)
        .Encode(piece, ids);
    EXPECT_EQ(ids.front(), 7u);
    ids.erase(ids.begin());
    return ids;
  }

  std::vector<TokenId> ByBpe(const Bpe& bpe, std::string_view piece) {
    std::vector<TokenId> ids;
    bpe.Encode(piece, neighbours_, ids);
    return ids;
  }

  void Forget() {
    shared_.Clear();
    chars_ = CharIds();
    neighbours_ = Neighbours();
  }

  // Some characters three times as often as the others.
  std::string Drawn(size_t count) {
    static const std::vector<std::string> kChars = {
        "日", "本", "書", "晰", "語", "誰", "가",   "각",      "ｶ",
        "ア", "ィ", "ก",  "a",  "я",  "😀",  "\xe6", "\x9c\xac"};
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      const size_t drawn = random_() % (3 * kChars.size());
      text += kChars[drawn < kChars.size() ? drawn : drawn % 7];
    }
    return text;
  }

  static Vocabulary Bytes() {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) {
      vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
    }
    return vocabulary;
  }

  // Bytes, and tokens that two neighbours of a text become, as training would.
  Vocabulary DrawnVocabulary(size_t merges) {
    Vocabulary vocabulary = Bytes();
    std::vector<TokenId> ids;
    for (TokenId id = 256; merges > 0; --merges) {
      if (merges % 8 == 0 || ids.empty()) {
        ids.clear();
        Neighbours neighbours;
        Bpe::FromRanks(vocabulary).Encode(Drawn(60), neighbours, ids);
      }
      const size_t at = random_() % (ids.size() - 1);
      std::string token(vocabulary.BytesOf(ids[at]));
      token += vocabulary.BytesOf(ids[at + 1]);
      if (vocabulary.Add(id, token) == Vocabulary::Added::kYes) ++id;
    }
    return vocabulary;
  }

  // Bytes, and these.
  static Bpe BpeOf(const std::vector<std::string>& tokens) {
    Vocabulary vocabulary = Bytes();
    for (const std::string& token : tokens) {
      EXPECT_EQ(vocabulary.Add(vocabulary.size(), token),
                Vocabulary::Added::kYes);
    }
    return Bpe::FromRanks(vocabulary);
  }

  std::mt19937 random_{11};
  SharedPieces shared_;
  PieceMemory pieces_{shared_};
  CharIds chars_;
  Neighbours neighbours_;
  PartResults results_;
};

// Known parts and new ones; more characters than are read at once; parts with
// more bytes, and with more ids, than are remembered; with tokens of several
// characters and without.
TEST_F(PartEncoderTest, PiecesHaveTheIdsThatBpeGivesThem) {
  size_t with_chars = 0;
  const int cases = testing::Cases(60);
  for (int i = 0; i < cases; ++i) {
    const Bpe bpe = Bpe::FromRanks(DrawnVocabulary(10 + i % 6 * 60));
    ASSERT_NE(bpe.cuts(), nullptr);
    with_chars += !bpe.chars().empty();
    Forget();
    for (size_t k = 0; k < 200; ++k) {
      const std::string piece = Drawn(1 + k);
      const std::vector<TokenId> expected = ByBpe(bpe, piece);
      ASSERT_EQ(Encode(bpe, piece), expected) << piece;
      ASSERT_EQ(Encode(bpe, piece), expected) << piece;
    }
  }
  EXPECT_GT(with_chars, size_t{0});
  EXPECT_LT(with_chars, size_t(cases));
}

TEST_F(PartEncoderTest, PiecesThatAreAddedTogetherHaveTheirOwnIds) {
  size_t wrong = 0;
  for (int i = 0; i < testing::Cases(20); ++i) {
    const Bpe bpe = Bpe::FromRanks(DrawnVocabulary(100 + i % 4 * 100));
    Forget();
    std::vector<std::string> pieces(300);
    for (std::string& piece : pieces) piece = Drawn(1 + random_() % 40);
    const PieceMemory::Visit visit(pieces_);
    PartEncoder encoder(bpe, {pieces_, chars_, neighbours_}, results_);
    for (size_t k = 0; k < pieces.size(); ++k) {
      ASSERT_EQ(encoder.Add(pieces[k]), k);
    }
    for (size_t k = pieces.size(); k-- > 0;) {  // asked for in any order
      const auto ids = encoder.IdsOf(k);
      ASSERT_EQ(std::vector(ids.begin(), ids.end()), ByBpe(bpe, pieces[k]));
    }
    for (const auto& doubt : results_.doubts) wrong += doubt.is_wrong;
  }
  EXPECT_GT(wrong, size_t{0});
}

// 本語 comes about before 日本 does, and then 日本 cannot.
const std::vector<std::string> kWrong = {
    "\xe6\x97", "日",   "\xe6\x9c", "本",    "\xe8\xaa", "語",
    "本語",     "日本", "語日",     "語語",  "日日",     "a日",
    "本本",     "日語", "本日",     "日本日"};

TEST_F(PartEncoderTest, LongestTokensThatWouldMergeAreNotTaken) {
  const Bpe bpe = BpeOf(kWrong);
  ASSERT_FALSE(bpe.chars().empty());
  // None of its characters came alone before.
  EXPECT_EQ(Encode(bpe, "日本語"), (std::vector<TokenId>{257, 262}));
  EXPECT_EQ(Encode(bpe, "日本"), std::vector<TokenId>{263});
  EXPECT_EQ(Encode(bpe, "a日本語語"), (std::vector<TokenId>{267, 262, 261}));
}

// As many ids as are merged side by side, one more, and those of a piece that
// is read in two times.
TEST_F(PartEncoderTest, LongPartsThatAreNotTheLongestTokensAreMerged) {
  const Bpe bpe = BpeOf(kWrong);
  std::string piece;
  while (piece.size() < 63 * 3) piece += "日本語";
  for (const std::string_view first : {"", "a", "語", "aa", "語語"}) {
    for (const std::string_view last : {"", "日", "日本"}) {
      std::string text(first);
      text += piece;
      text += last;
      EXPECT_EQ(Encode(bpe, text), ByBpe(bpe, text)) << text;
    }
  }
}

// Bytes that spell a character of fewer bytes in three are not that character.
TEST_F(PartEncoderTest, OverlongCharactersAreNotShortOnes) {
  std::vector<std::string> tokens = kWrong;
  for (const char* token : {"\xe0\x81", "\xe0\x81\xa1", "\xe0\x81\xa1日",
                            "日\xe0\x81\xa1", "é", "é日"}) {
    tokens.emplace_back(token);
  }
  const Bpe bpe = BpeOf(tokens);
  ASSERT_FALSE(bpe.chars().empty());
  for (const std::string piece :
       {"日\xe0\x81\xa1日", "\xe0\x81\xa1日本日", "a日本日", "é日本日"}) {
    EXPECT_EQ(Encode(bpe, piece), ByBpe(bpe, piece)) << piece;
  }
}

TEST_F(PartEncoderTest, ThereIsRoomForSomePieces) {
  const Bpe bpe = BpeOf(kWrong);
  const PieceMemory::Visit visit(pieces_);
  PartEncoder encoder(bpe, {pieces_, chars_, neighbours_}, results_);
  const std::string piece(64, 'a');
  for (int i = 0; i < 512; ++i) {
    ASSERT_TRUE(encoder.HasRoomFor(piece));
    encoder.Add(piece);
  }
  EXPECT_TRUE(encoder.HasRoomFor(""));
  EXPECT_FALSE(encoder.HasRoomFor("a"));
}

TEST_F(PartEncoderTest, NewPiecesWithoutRoomAreLeftAlone) {
  const Bpe bpe = BpeOf(kWrong);
  const Vocabulary vocabulary = Bytes();
  const PieceMemory::Visit visit(pieces_);
  PartEncoder encoder(bpe, {pieces_, chars_, neighbours_}, results_);
  LaneMerges merges;
  NewPieces pieces(vocabulary, bpe, merges, encoder);
  const std::string piece(64, 'a');
  for (size_t i = 0; i < 513; ++i) pieces.Add(piece, NewPieces::Way::kParts);
  for (size_t i = 0; i < 513; ++i) {
    EXPECT_EQ(pieces.IdsOf(i).has_value(), i < 512);
  }
}

// docs/tokenizers.md states how much: 1 MiB, and as much for long pieces.
TEST_F(PartEncoderTest, PiecesThatAreAddedTakeLittleMemory) {
  const Bpe bpe = BpeOf(kWrong);
  for (const std::string_view part : {"日", "日本", "日日本語", "可", "a日"}) {
    std::string piece;
    while (piece.size() < 48) piece += part;
    const std::vector<TokenId> expected = ByBpe(bpe, piece);
    PartResults results;
    const auto before = mallinfo2().uordblks;
    const PieceMemory::Visit visit(pieces_);
    PartEncoder encoder(bpe, {pieces_, chars_, neighbours_}, results);
    size_t count = 0;
    for (; encoder.HasRoomFor(piece); ++count) encoder.Add(piece);
    EXPECT_GE(count, 600u);
    for (size_t i = 0; i < count; ++i) {
      const auto ids = encoder.IdsOf(i);
      EXPECT_EQ(std::vector(ids.begin(), ids.end()), expected);
    }
    EXPECT_LE(mallinfo2().uordblks - before, size_t{1} << 20) << part;
  }
}

TEST_F(PartEncoderTest, LongPiecesTakeLittleMemory) {
  const Bpe bpe = BpeOf(kWrong);
  for (const std::string_view part :
       {"日本語語", "日", "ab日本語語c日", "日可"}) {
    std::string piece = "可";
    while (piece.size() < 5'000'000) piece += part;
    piece += "可語";
    const std::vector<TokenId> expected = ByBpe(bpe, piece);
    PartResults results;
    const auto before = mallinfo2().uordblks;
    {
      std::vector<TokenId> ids;
      const PieceMemory::Visit visit(pieces_);
      PartEncoder(bpe, {pieces_, chars_, neighbours_}, results)
          .Encode(piece, ids);
      EXPECT_EQ(ids, expected);
    }
    EXPECT_LE(mallinfo2().uordblks - before, size_t{1} << 20) << part;
  }
}

TEST_F(PartEncoderTest, CharactersAreRemembered) {
  const Bpe bpe = Bpe::FromRanks(Bytes());
  EXPECT_EQ(Encode(bpe, "日本").size(), 6u);
  TokenId ids[CharIds::kMostIds];
  EXPECT_EQ(chars_.CopyTo(0x65e5, ids), 3u);
  EXPECT_EQ(ids[0], 0xe6u);
  EXPECT_EQ(ids[1], 0x97u);
  EXPECT_EQ(ids[2], 0xa5u);
  EXPECT_EQ(chars_.CopyTo(0x672c, ids), 3u);
}

// What whole characters become costs as little as a look.
TEST_F(PartEncoderTest, PartsWithBrokenCharactersAreRemembered) {
  Vocabulary vocabulary = Bytes();
  TokenId id = vocabulary.size();
  for (const char* token : {"\xe6\x9c", "本", "\xe8\xaa", "語", "\xe6\x97",
                            "日", "\xe6\x9b", "書", "本\xe8", "日a", "書日"}) {
    vocabulary.Add(id++, token);
  }
  const Bpe bpe = Bpe::FromRanks(vocabulary);
  EXPECT_FALSE(Encode(bpe, "日本語書日日a日").empty());
  const auto remembers = [&](std::string_view part) {
    const PieceKey key = PieceKey::Of(part);
    return shared_.pieces.Find(key, PieceCache::HashOf(key)) != nullptr;
  };
  EXPECT_TRUE(remembers("本語"));
  EXPECT_TRUE(remembers("日a日"));
  EXPECT_FALSE(remembers("日"));
  EXPECT_FALSE(remembers("書日"));
}

TEST(CharIdsTest, IdsThatDoNotFitAreNotKept) {
  CharIds chars;
  TokenId ids[CharIds::kMostIds];
  constexpr TokenId kLargest = (1u << 21) - 2;
  EXPECT_EQ(chars.CopyTo('a', ids), 0u);
  chars.Set('a', std::vector<TokenId>{0, kLargest});
  EXPECT_EQ(chars.CopyTo('a', ids), 2u);
  EXPECT_EQ(ids[0], 0u);
  EXPECT_EQ(ids[1], kLargest);
  chars.Set('b', std::vector<TokenId>{1, kLargest + 1});
  EXPECT_EQ(chars.CopyTo('b', ids), 0u);
  chars.Set(0xffff, std::vector<TokenId>{kLargest, 1, 2});
  EXPECT_EQ(chars.CopyTo(0xffff, ids), 3u);
  EXPECT_EQ(ids[0], kLargest);
  EXPECT_EQ(ids[2], 2u);
}

}  // namespace
}  // namespace penstock
