#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tokenizer/vocabulary/first_bytes.h"
#include "tokenizer/vocabulary/piece_trie_builder.h"

namespace penstock::testing {
namespace {

using TriePieces = std::map<std::string, TokenId>;

constexpr auto kNone = static_cast<TokenId>(PieceTrie::kNoPiece);

// Strings of few letters share long beginnings; of all bytes, none.
TriePieces RandomPieces(std::mt19937& random, size_t count, size_t letters,
                        size_t longest, std::string_view first) {
  TriePieces pieces;
  for (size_t i = 0; i < count; ++i) {
    std::string piece(first);
    for (size_t left = 1 + random() % longest; left > 0; --left) {
      piece += static_cast<char>(random() % letters * 255 / letters);
    }
    pieces.emplace(piece, static_cast<TokenId>(pieces.size()));
  }
  return pieces;
}

TokenId LongestShorter(const TriePieces& pieces, std::string_view piece) {
  while (piece.size() > 1) {
    piece.remove_suffix(1);
    const auto found = pieces.find(std::string(piece));
    if (found != pieces.end()) return found->second;
  }
  return kNone;
}

TEST(PieceTrieTest, WithoutPiecesNothingIsFound) {
  ASSERT_OK_AND_ASSIGN(const PieceTrie trie, PieceTrieBuilder().Build());
  EXPECT_EQ(trie.Find("a"), PieceTrie::kNoPiece);
}

TEST(PieceTrieTest, ItFindsItsPiecesAndWhatTheyBeginWithAndNothingElse) {
  std::mt19937 random(5);
  for (const size_t letters : {1, 2, 5, 256}) {
    for (const size_t count : {1, 31, 32, 33, 3000}) {
      for (const std::string_view first : {"", "seven b", "more than eight"}) {
        const TriePieces pieces =
            RandomPieces(random, count, letters, 20, first);
        PieceTrieBuilder builder;
        builder.Reserve(count);
        for (const auto& [text, id] : pieces) builder.Add(text, id);
        std::vector<TokenId> shorter(pieces.size());
        ASSERT_OK_AND_ASSIGN(const PieceTrie trie, builder.Build(shorter));
        for (const auto& [text, id] : pieces) {
          ASSERT_EQ(trie.Find(text), static_cast<int32_t>(id));
          ASSERT_EQ(shorter[id], LongestShorter(pieces, text));
          std::string other = text;
          char& changed = other[random() % other.size()];
          changed = static_cast<char>(changed + 1 + random() % 255);
          for (const std::string& not_surely :
               {other, text + '\0', text.substr(1),
                text.substr(0, text.size() - 1)}) {
            const auto found = pieces.find(not_surely);
            if (not_surely.empty()) continue;
            ASSERT_EQ(trie.Find(not_surely),
                      found == pieces.end()
                          ? PieceTrie::kNoPiece
                          : static_cast<int32_t>(found->second));
          }
        }
      }
    }
  }
}

TEST(PieceTrieTest, APieceThatIsRemovedIsNoneAnyMore) {
  const std::string texts[] = {"ab", "abc", "b"};
  PieceTrieBuilder builder;
  for (TokenId id = 0; id < 3; ++id) builder.Add(texts[id], id);
  ASSERT_OK_AND_ASSIGN(PieceTrie trie, builder.Build());
  trie.Remove("ab");
  EXPECT_EQ(trie.Find("ab"), PieceTrie::kNoPiece);
  EXPECT_EQ(trie.Find("abc"), 1);
  EXPECT_EQ(trie.Find("b"), 2);
}

// 2^23 units of 8 bytes: as many bytes less the first block and the root's.
TEST(PieceTrieTest, EightMillionPrefixesAreTooManyInOnePieceOrInSome) {
  const auto build = [](const std::vector<std::string>& texts) {
    PieceTrieBuilder builder;
    for (size_t i = 0; i < texts.size(); ++i) {
      builder.Add(texts[i], static_cast<TokenId>(i));
    }
    return builder.Build().status();
  };
  constexpr size_t kFit = (1 << 23) - 4096;
  EXPECT_OK(build({std::string(kFit, 'a')}));
  EXPECT_OK(build({std::string(kFit / 2, 'a'), std::string(kFit / 2, 'b')}));
  for (const auto& texts :
       {std::vector{std::string(1 << 23, 'a')},
        std::vector{std::string(1 << 22, 'a'), std::string(1 << 22, 'b')},
        std::vector{std::string(1 << 24, 'a')}}) {
    EXPECT_THAT(build(texts),
                StatusIs(StatusCode::kResourceExhausted,
                         ::testing::HasSubstr("8 million prefixes")));
  }
}

TEST(FirstBytesTest, AreThoseOfATextOfAnySizeAndNothingBehind) {
  const std::string text = "\x81\x02\xf3\x04\x85\xf6\x07\x88\x99";
  for (size_t size = 0; size <= text.size(); ++size) {
    // Of its own, so that a sanitizer sees what is read behind it.
    const std::vector<char> bytes(text.data(), text.data() + size);
    uint64_t expected = 0;
    for (size_t i = 0; i < size && i < 8; ++i) {
      expected |= uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
    }
    EXPECT_EQ(FirstBytes({bytes.data(), size}), expected) << size;
  }
}

}  // namespace
}  // namespace penstock::testing
