#include "tokenizer/vocabulary/char_cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;

Vocabulary Of(const std::vector<std::string>& tokens) {
  Vocabulary vocabulary;
  TokenId id = 0;
  for (const std::string& token : tokens) vocabulary.Add(id++, token);
  return vocabulary;
}

// Between the characters of three bytes that `text` begins with; the rest is
// the last part's.
std::vector<std::string> Parts(const CharCuts& cuts, std::string_view text) {
  CharCuts::Run run;
  cuts.Read(text, run);
  std::vector<std::string> parts = {""};
  for (size_t i = 0; i < run.count; ++i) {
    parts.back() += text.substr(i * 3, 3);
    if (run.cuts >> i & 1) parts.emplace_back();
  }
  parts.back() += text.substr(run.count * 3);
  return parts;
}

std::vector<std::string> Parts(const std::vector<std::string>& tokens,
                               std::string_view piece) {
  return Parts(CharCuts(Of(tokens)), piece);
}

TEST(CharCutsTest, CharactersThatNoTokenJoinsAreParts) {
  EXPECT_THAT(Parts(std::vector<std::string>{"日", "本", "a"}, "日本日"),
              ElementsAre("日", "本", "日"));
  EXPECT_THAT(Parts(std::vector<std::string>{"日本"}, "日本日本語"),
              ElementsAre("日本", "日本", "語"));
  EXPECT_THAT(Parts(std::vector<std::string>{"x日本語y"}, "語日本語日"),
              ElementsAre("語", "日本語", "日"));
}

TEST(CharCutsTest, BytesOfACharacterJoinIt) {
  // 本 is E6 9C AC, 語 is E8 AA 9E, 書 is E6 9B B8.
  EXPECT_THAT(Parts(std::vector<std::string>{"日\xe6"}, "語日本語"),
              ElementsAre("語", "日本", "語"));
  EXPECT_THAT(Parts(std::vector<std::string>{"日\xe6\x9c"}, "語日本語"),
              ElementsAre("語", "日本", "語"));
  EXPECT_THAT(Parts(std::vector<std::string>{"日\xe6\x9c"}, "日書日語"),
              ElementsAre("日", "書", "日", "語"));
  EXPECT_THAT(Parts(std::vector<std::string>{"\xac語"}, "日本語日"),
              ElementsAre("日", "本語", "日"));
  EXPECT_THAT(Parts(std::vector<std::string>{"\x9c\xac語"}, "日本語日"),
              ElementsAre("日", "本語", "日"));
  EXPECT_THAT(Parts(std::vector<std::string>{"\x9c\xac語"}, "書語日語"),
              ElementsAre("書", "語", "日", "語"));
  EXPECT_THAT(Parts(std::vector<std::string>{"\xac\xe8"}, "日本語本書"),
              ElementsAre("日", "本語", "本", "書"));
  EXPECT_THAT(Parts(std::vector<std::string>{"\x9c\xac\xe8\xaa"}, "日本語本"),
              ElementsAre("日", "本語", "本"));
}

TEST(CharCutsTest, TellsWhereTokensReachWithWholeCharacters) {
  const auto read = [](const std::vector<std::string>& tokens) {
    CharCuts::Run run;
    CharCuts(Of(tokens)).Read("日本語a", run);
    return run;
  };
  EXPECT_EQ(read({"a"}).whole, 3u);
  EXPECT_EQ(read({"日本語"}).whole, 3u);
  EXPECT_EQ(read({"日本語"}).cuts, 0u);
  EXPECT_EQ(read({"本\xe8", "本語"}).whole, 1u);
  EXPECT_EQ(read({"\x97\xa5本"}).whole, 2u);
  EXPECT_EQ(read({"\xac\xe8\xaa"}).whole, 1u);
  // Characters that lie within it are whole.
  EXPECT_EQ(read({"\xa5本語a"}).whole, 2u);
}

TEST(CharCutsTest, ReadsCharactersOfThreeBytes) {
  const CharCuts cuts(Of({"a"}));
  const auto count = [&](std::string_view text) {
    CharCuts::Run run;
    cuts.Read(text, run);
    return run.count;
  };
  EXPECT_EQ(count(""), 0u);
  EXPECT_EQ(count("日本a語"), 2u);
  EXPECT_EQ(count("日本я語"), 2u);
  EXPECT_EQ(count("日本😀語"), 2u);
  EXPECT_EQ(count("日\xe6\x9c"), 1u);
  EXPECT_EQ(count("日\xe6\x9c日"), 1u);
  EXPECT_EQ(count("\xac日"), 0u);
  std::string many;
  for (size_t i = 0; i < 2 * CharCuts::kMostRead; ++i) many += "日";
  EXPECT_EQ(count(many), CharCuts::kMostRead);
  // Nothing is said of what follows the last.
  CharCuts::Run run;
  cuts.Read(many, run);
  EXPECT_EQ(run.cuts, ~uint64_t{0} >> 1);
  cuts.Read("日本a", run);
  EXPECT_EQ(run.cuts, 1u);
}

struct Crossed {
  bool at_all = false;
  bool with_some_bytes = false;  // of a character beside the place
};

// By tokens that lie over `place` where they stand in the text.
Crossed TokensCross(const Vocabulary& vocabulary, std::string_view text,
                    size_t place) {
  Crossed crossed;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view token = vocabulary.BytesOf(id);
    for (size_t before = 1; before < token.size() && before <= place;
         ++before) {
      if (!text.substr(place - before).starts_with(token)) continue;
      crossed.at_all = true;
      if (before < 3 || token.size() - before < 3) {
        crossed.with_some_bytes = true;
      }
    }
  }
  return crossed;
}

// Texts of a few characters that share their bytes, and of broken ones; tokens
// from anywhere in such texts.
TEST(CharCutsTest, NoTokenCrossesWhatIsSaidToBeFree) {
  const std::vector<std::string> chars = {
      "日", "本", "書", "晰", "語", "誰",   "가",   "각",       "ｶ",       "ア",
      "ィ", "ก",  "a",  "я",  "😀",  "\xe6", "\xac", "\x9c\xac", "\xe6\x9c"};
  std::mt19937 random(5);
  const auto drawn = [&](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += chars[random() % chars.size()];
    return text;
  };
  size_t cut = 0, crossed = 0, whole = 0, broken = 0;
  for (int i = 0; i < testing::Cases(300); ++i) {
    Vocabulary vocabulary;
    for (TokenId id = 0; id < 40; ++id) {
      const std::string from = drawn(6);
      const size_t begin = random() % from.size();
      vocabulary.AddForDecoding(id, from.substr(begin, 1 + random() % 9));
    }
    const CharCuts cuts(vocabulary);
    const std::string text = drawn(200);
    CharCuts::Run run;
    for (size_t at = 0; at < text.size(); at += 3 * run.count + 1) {
      cuts.Read(std::string_view(text).substr(at), run);
      for (size_t k = 0; k + 1 < run.count; ++k) {
        const size_t place = at + 3 * (k + 1);
        const Crossed crosses = TokensCross(vocabulary, text, place);
        crossed += crosses.at_all;
        broken += crosses.with_some_bytes;
        if (run.whole >> k & 1) {
          EXPECT_FALSE(crosses.with_some_bytes) << place << text;
          whole += crosses.at_all;
        }
        if (run.cuts >> k & 1) {
          EXPECT_FALSE(crosses.at_all) << place << text;
          ++cut;
        }
      }
    }
  }
  EXPECT_GT(cut, 10u);
  EXPECT_GT(crossed, 10u);
  EXPECT_GT(whole, 10u);
  EXPECT_GT(broken, 10u);
}

// With as many tokens as real vocabularies have: the pairs do not fill what is
// there for them.
TEST(CharCutsTest, FewPlacesAreLostToChance) {
  const auto char_of = [](uint32_t code) {
    return std::string{static_cast<char>(0xe0 | code >> 12),
                       static_cast<char>(0x80 | (code >> 6 & 0x3f)),
                       static_cast<char>(0x80 | (code & 0x3f))};
  };
  std::mt19937 random(7);
  const auto drawn = [&] { return char_of(0x4e00 + random() % 0x5000); };
  Vocabulary vocabulary;
  for (TokenId id = 0; id < 20'000; ++id) {
    vocabulary.AddForDecoding(id, drawn() + drawn());
  }
  const CharCuts cuts(vocabulary);
  // As its memory is stated; sizes and padding stand beside the tables.
  TableWriter tables;
  cuts.Save(tables);
  EXPECT_LE(tables.bytes().size(), (17u << 10) + 8 * 20'000 + 256);
  EXPECT_GE(tables.bytes().size(), (16u << 10) + 4 * 20'000);
  size_t parts = 0;
  constexpr size_t kPairs = 20'000;
  for (size_t i = 0; i < kPairs; ++i) {
    parts += Parts(cuts, drawn() + drawn()).size();
  }
  EXPECT_GT(parts, 2 * kPairs - kPairs / 20);
}

}  // namespace
}  // namespace penstock
