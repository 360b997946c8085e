#include "tokenizer/vocabulary/char_trie.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {
namespace {

class CharTrieTest : public ::testing::Test {
 protected:
  using Chars = std::vector<CharTrie::Char>;

  static CharTrie TrieOf(const std::vector<std::string>& tokens) {
    Vocabulary vocabulary;
    for (const std::string& token : tokens) {
      EXPECT_EQ(vocabulary.Add(vocabulary.size(), token),
                Vocabulary::Added::kYes);
    }
    std::vector<TokenId> all(vocabulary.size());
    std::iota(all.begin(), all.end(), TokenId{0});
    return CharTrie(vocabulary, all);
  }

  // The token that `chars` are, kNoToken if they are only the begin of one;
  // nullopt where none begins so.
  static std::optional<TokenId> Find(const CharTrie& trie, const Chars& chars) {
    CharTrie::Node node = trie.At(chars[0]);
    for (size_t i = 1; i < chars.size() && node.exists(); ++i) {
      node = trie.ChildOf(node, chars[i]);
    }
    if (!node.exists()) return std::nullopt;
    return node.id();
  }

  static std::string Utf8(CharTrie::Char c) {
    return {static_cast<char>(0xe0 | c >> 12),
            static_cast<char>(0x80 | (c >> 6 & 0x3f)),
            static_cast<char>(0x80 | (c & 0x3f))};
  }
};

TEST_F(CharTrieTest, TokensAreFoundByTheirCharacters) {
  const CharTrie trie =
      TrieOf({"日", "日本", "日本語版", " 日本", "a", "é", "é本", "日é", "ab"});
  ASSERT_FALSE(trie.empty());
  EXPECT_EQ(Find(trie, {0x65e5}), 0u);
  EXPECT_EQ(Find(trie, {0x65e5, 0x672c}), 1u);
  EXPECT_EQ(Find(trie, {0x65e5, 0x672c, 0x8a9e}), kNoToken);
  EXPECT_EQ(Find(trie, {0x65e5, 0x672c, 0x8a9e, 0x7248}), 2u);
  EXPECT_EQ(Find(trie, {' '}), kNoToken);
  EXPECT_EQ(Find(trie, {' ', 0x65e5}), kNoToken);
  EXPECT_EQ(Find(trie, {' ', 0x65e5, 0x672c}), 3u);
  EXPECT_EQ(Find(trie, {'a'}), 4u);
  EXPECT_EQ(Find(trie, {0xe9}), 5u);
  EXPECT_EQ(Find(trie, {0xe9, 0x672c}), 6u);
  EXPECT_EQ(Find(trie, {0x672c}), std::nullopt);
  EXPECT_EQ(Find(trie, {0x65e5, 0x65e5}), std::nullopt);
  EXPECT_EQ(Find(trie, {'a', 'b'}), std::nullopt);
  EXPECT_TRUE(trie.At(0x65e5).goes_on());
  EXPECT_FALSE(trie.At('a').goes_on());
}

// E0 81 A1 spells 'a'.
TEST_F(CharTrieTest, OtherTokensAreLeftOut) {
  const CharTrie trie =
      TrieOf({"日本", "\xe0\x81\xa1", "\xe0\x81\xa1本", "日\xe0\x81\xa1", "😀",
              "日\xe6", "\xc1\xa1日", "\x9c日", "ab日"});
  ASSERT_FALSE(trie.empty());
  EXPECT_EQ(Find(trie, {'a'}), std::nullopt);
  EXPECT_EQ(Find(trie, {0x65e5}), kNoToken);
  EXPECT_EQ(Find(trie, {0x65e5, 'a'}), std::nullopt);
  EXPECT_EQ(Find(trie, {0x65e5, 0x672c}), 0u);
}

TEST_F(CharTrieTest, VeryLongTokensAreLeftOut) {
  std::string longest;
  for (int i = 0; i < 64; ++i) longest += "日";
  const CharTrie trie = TrieOf({longest, longest + "日"});
  EXPECT_EQ(Find(trie, Chars(64, 0x65e5)), 0u);
  EXPECT_EQ(Find(trie, Chars(65, 0x65e5)), std::nullopt);
}

TEST_F(CharTrieTest, FewTokensOfSeveralCharactersAreNone) {
  std::vector<std::string> tokens = {"日本"};
  while (tokens.size() < 32) tokens.push_back(std::string(tokens.size(), 'a'));
  EXPECT_FALSE(TrieOf(tokens).empty());
  tokens.emplace_back("日");
  EXPECT_TRUE(TrieOf(tokens).empty());
  EXPECT_TRUE(CharTrie().empty());
}

// Rooms of all sizes, full to their limit and past it.
TEST_F(CharTrieTest, AllChildrenAreFoundAndNoOthers) {
  std::vector<std::string> tokens;
  std::vector<Chars> chars;
  for (CharTrie::Char c = 0; c < 130; ++c) {
    const CharTrie::Char parent = 0x4e00 + 7 * c;
    for (CharTrie::Char k = 0; k < c; ++k) {
      chars.push_back({parent, static_cast<CharTrie::Char>(0x3000 + 5 * k)});
      tokens.push_back(Utf8(parent) + Utf8(chars.back()[1]));
    }
  }
  for (uint32_t c = 0x800; c < 0x10000; ++c) {
    chars.push_back({0x3042, 0x3042, static_cast<CharTrie::Char>(c)});
    tokens.push_back("ああ" + Utf8(static_cast<CharTrie::Char>(c)));
  }
  const CharTrie trie = TrieOf(tokens);
  for (TokenId id = 0; id < tokens.size(); ++id) {
    ASSERT_EQ(Find(trie, chars[id]), id);
    ASSERT_EQ(Find(trie, {chars[id][0], 0x2fff}), std::nullopt);
  }
  EXPECT_EQ(Find(trie, {0x3042, 0x3042}), kNoToken);
  EXPECT_EQ(Find(trie, {0x3042, 0x3042, 0x7ff}), std::nullopt);
}

TEST_F(CharTrieTest, TablesCanBeUsedWhereTheyStand) {
  for (const std::string_view token : {"日本", "abc"}) {
    TableWriter writer;
    TrieOf({std::string(token)}).Save(writer);
    TableReader reader(writer.bytes());
    const CharTrie trie = CharTrie::Load(reader);
    EXPECT_TRUE(reader.ok());
    ASSERT_EQ(trie.empty(), token == "abc");
    if (trie.empty()) continue;
    EXPECT_EQ(Find(trie, {0x65e5, 0x672c}), 0u);
    EXPECT_EQ(Find(trie, {0x65e5, 0x65e5}), std::nullopt);
  }
  TableWriter writer;
  writer.PutTable(Table<uint64_t>(2));
  writer.PutTable(Table<uint64_t>(2));
  TableReader reader(writer.bytes());
  EXPECT_TRUE(CharTrie::Load(reader).empty());
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace penstock
