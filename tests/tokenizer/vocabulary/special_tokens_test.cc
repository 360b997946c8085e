#include "tokenizer/vocabulary/special_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary/token_begins.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "begin:id" of every match, left to right.
std::vector<std::string> Matches(std::vector<SpecialToken> tokens,
                                 std::string_view text) {
  const SpecialTokens specials(std::move(tokens));
  std::vector<std::string> found;
  size_t pos = 0;
  while (const auto match = specials.FindNext(text, pos)) {
    found.push_back(std::to_string(match->begin) + ":" +
                    std::to_string(match->token->id));
    pos = match->end;
  }
  return found;
}

// What Matches() gives, found by comparing every token at every place.
std::vector<std::string> NaiveMatches(const std::vector<SpecialToken>& tokens,
                                      std::string_view text) {
  std::vector<std::string> found;
  for (size_t pos = 0; pos < text.size();) {
    const SpecialToken* longest = nullptr;
    for (const SpecialToken& token : tokens) {
      if (text.substr(pos).starts_with(token.text) &&
          (longest == nullptr || longest->text.size() < token.text.size())) {
        longest = &token;
      }
    }
    if (longest != nullptr) {
      found.push_back(std::to_string(pos) + ":" + std::to_string(longest->id));
    }
    pos += longest == nullptr ? 1 : longest->text.size();
  }
  return found;
}

std::vector<SpecialToken> TokensOf(const std::vector<std::string>& texts) {
  std::vector<SpecialToken> tokens;
  for (const std::string& text : texts) {
    tokens.push_back({text, static_cast<TokenId>(tokens.size())});
  }
  return tokens;
}

// `pairs` tokens, no two with the same first two letters, these of "abcdefg".
std::vector<std::string> TokensOfPairs(size_t pairs) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < pairs; ++i) {
    const char first = "abcde"[i / 5], second = "abcfg"[i % 5];
    texts.push_back({first, second});
    if (i % 2 == 1) texts.back() += 'a';
  }
  return texts;
}

// Sets that are looked for in every way that there is.
std::vector<std::vector<std::string>> TokenSets() {
  return {
      {"ab"},                                  // one pair
      {"aab"},                                 // that may overlap itself
      {"ab", "aca", "adb"},                    // pairs with one first byte
      {"aa", "aaa", "aaaa", "aaaaaaa", "bb"},  // tokens that begin others
      {std::string("a\0", 2), std::string(2, '\0')},
      {"\xff\x80", "\x80\xff", "\x7f\xff"},
      {"a"},  // one byte
      {"a", "bca"},
      {"\n", "\n\n", "<a>", "</a>", "[b]"},
      {"b", "bb", "bbc", "cab"},
      TokensOfPairs(8),
      TokensOfPairs(9),
      TokensOfPairs(24),
      TokensOfPairs(25),
  };
}

TEST(SpecialTokensTest, LongestOfThoseThatBeginTogetherWins) {
  EXPECT_THAT(Matches({{"<x>", 1}, {"<x>y", 2}, {"<x>yz", 3}}, "<x>y<x>yz<x>"),
              ElementsAre("0:2", "4:3", "9:1"));
}

TEST(SpecialTokensTest, LeftmostWinsOverLonger) {
  EXPECT_THAT(Matches({{"ab", 1}, {"bcde", 2}}, "abcde"), ElementsAre("0:1"));
}

TEST(SpecialTokensTest, PartOfATokenIsNone) {
  EXPECT_THAT(Matches({{"<x>y", 2}, {"<<", 3}}, "<x> <x <"), IsEmpty());
}

TEST(SpecialTokensTest, TokensMayBeginWithAnyByte) {
  EXPECT_THAT(
      Matches({{"\xe6\x97\xa5", 1}, {std::string(1, '\0'), 2}, {"z", 3}},
              std::string_view("a\0\xe6\x97\xa5z", 6)),
      ElementsAre("1:2", "2:1", "5:3"));
}

TEST(SpecialTokensTest, RandomTextsHaveWhatComparingAtEachPlaceFinds) {
  std::mt19937 random(1);
  for (const std::vector<std::string>& texts : TokenSets()) {
    const std::vector<SpecialToken> tokens = TokensOf(texts);
    // All letters of the tokens, or one and much that is in none.
    std::string letters = "g.";
    for (const std::string& text : texts) letters += text;
    for (const std::string& alphabet :
         {letters, letters.substr(2, 2) + std::string(20, '.')}) {
      for (size_t size = 0; size <= 200; ++size) {
        // Of its exact size, so that a sanitizer sees a read behind it.
        std::vector<char> text(size);
        std::generate(text.begin(), text.end(),
                      [&] { return alphabet[random() % alphabet.size()]; });
        const std::string_view view(text.data(), text.size());
        ASSERT_EQ(Matches(tokens, view), NaiveMatches(tokens, view))
            << ::testing::PrintToString(texts) << " in "
            << ::testing::PrintToString(view);
      }
    }
  }
}

TEST(SpecialTokensTest, TokensAreFoundAtEveryPlace) {
  for (const std::vector<std::string>& texts : TokenSets()) {
    const std::vector<SpecialToken> tokens = TokensOf(texts);
    const SpecialTokens specials(tokens);
    for (const SpecialToken& token : tokens) {
      for (const size_t size : {63, 64, 65, 66, 127, 128, 129, 130, 200}) {
        for (size_t place = 0; place + token.text.size() <= size; ++place) {
          std::vector<char> text(size, '.');
          std::ranges::copy(token.text, text.begin() + place);
          const std::string_view view(text.data(), text.size());
          for (const size_t begin : {size_t{0}, place / 2, place}) {
            const auto match = specials.FindNext(view, begin);
            ASSERT_TRUE(match) << token.text << " at " << place;
            ASSERT_EQ(match->begin, place) << token.text;
            ASSERT_EQ(match->end, place + token.text.size()) << token.text;
            ASSERT_EQ(match->token->id, token.id) << token.text;
          }
          ASSERT_EQ(Matches(tokens, view.substr(0, place + 1)),
                    NaiveMatches(tokens, view.substr(0, place + 1)));
        }
      }
    }
  }
}

// Eight pairs are told apart, and bytes behind the text are none.
TEST(TokenBeginsTest, StopWhereATokenBegins) {
  for (const std::vector<std::string>& tokens : TokenSets()) {
    std::set<std::string> pairs;
    for (const std::string& token : tokens) pairs.insert(token.substr(0, 2));
    TokenBegins begins;
    for (const std::string& pair : pairs) begins.Add(pair);
    const auto may_begin = [&](std::string_view rest, bool by_first) {
      return std::ranges::any_of(pairs, [&](const std::string& pair) {
        return by_first
                   ? rest[0] == pair[0]
                   : (std::string(rest.substr(0, 2)) + '\0').starts_with(pair);
      });
    };
    std::mt19937 random(2);
    for (int i = 0; i < 3000; ++i) {
      std::vector<char> bytes(random() % 150);
      const std::string letters = "abcdefg<[/\n\x7f\x80\xff.";
      for (char& c : bytes) {
        c = random() % 20 == 0 ? letters[random() % letters.size()] : '.';
      }
      const std::string_view text(bytes.data(), bytes.size());
      const size_t from = random() % (text.size() + 2);
      size_t expected = std::min(from, text.size());
      while (expected < text.size() &&
             !may_begin(text.substr(expected), false)) {
        ++expected;
      }
      size_t by_first = std::min(from, text.size());
      while (by_first < text.size() &&
             !may_begin(text.substr(by_first), true)) {
        ++by_first;
      }
      const size_t found = begins.Next(text, from);
      if (pairs.size() <= 8) {
        ASSERT_EQ(found, expected) << text << " from " << from;
      } else {
        ASSERT_LE(found, expected);
        ASSERT_GE(found, by_first);
      }
      ASSERT_EQ(TokenBegins::NextOneByOne(begins, text, from), by_first);
    }
  }
}

TEST(SpecialTokensTest, NothingIsFoundBehindTheEnd) {
  const SpecialTokens specials({{"ab", 1}});
  EXPECT_FALSE(specials.FindNext("", 0));
  EXPECT_FALSE(specials.FindNext("ab", 1));
  EXPECT_FALSE(specials.FindNext("ab", 2));
}

TEST(SpecialTokensTest, NoTokensNeverMatch) {
  EXPECT_THAT(Matches({}, "<x>"), IsEmpty());
}

}  // namespace
}  // namespace penstock
