#include "tokenizer/training/bpe_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/patterns/patterns.h"
#include "tokenizer/training/write_tokenizer_json.h"
#include "tokenizer/unicode/byte_alphabet.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::kInvalid;
using testing::StatusIs;
using Spelled = std::pair<std::string, std::string>;
using TrainingTexts = std::vector<std::string_view>;

constexpr uint64_t kNoLimit = 1 << 30;

void Count(const TrainingTexts& texts, PieceCounts& counts) {
  const auto gpt2 = PreTokenizerByRegex(RegexByName("gpt2"));
  ASSERT_THAT(counts.Add(*gpt2, texts), IsOk());
}

LearnedBpe Train(const TrainingTexts& texts, BpeTrainingOptions options) {
  PieceCounts counts(kNoLimit);
  Count(texts, counts);
  auto learned = TrainBpe(counts, options);
  EXPECT_THAT(learned, IsOk());
  return *std::move(learned);
}

std::vector<Spelled> MergesOf(const LearnedBpe& learned) {
  std::vector<Spelled> merges;
  for (const auto& [left, right] : learned.merges) {
    merges.emplace_back(learned.tokens[left], learned.tokens[right]);
  }
  return merges;
}

// What the class promises, with no index and no heap: counts all neighbours
// again for each merge.
std::vector<Spelled> MergesTheSlowWay(const std::vector<std::string>& pieces,
                                      size_t most, uint64_t min_frequency) {
  // Ids of spelled bytes grow with their characters, and all of these are
  // letters that are spelled as they are.
  std::vector<std::string> tokens;
  for (char c = 'a'; c <= 'z'; ++c) tokens.emplace_back(1, c);
  std::vector<std::vector<size_t>> words;
  for (const std::string& piece : pieces) {
    auto& word = words.emplace_back();
    for (const char c : piece) word.push_back(c - 'a');
  }
  std::vector<Spelled> merges;
  while (merges.size() < most) {
    std::map<std::pair<size_t, size_t>, uint64_t> counts;
    for (const auto& word : words) {
      for (size_t i = 0; i + 1 < word.size(); ++i) {
        ++counts[{word[i], word[i + 1]}];
      }
    }
    // The first of the largest: the smallest pair.
    const auto best = std::max_element(
        counts.begin(), counts.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == counts.end() || best->second < min_frequency) break;
    const auto [left, right] = best->first;
    merges.emplace_back(tokens[left], tokens[right]);
    tokens.push_back(tokens[left] + tokens[right]);
    for (auto& word : words) {
      std::vector<size_t> merged;
      for (size_t i = 0; i < word.size(); ++i) {
        const bool here =
            i + 1 < word.size() && word[i] == left && word[i + 1] == right;
        merged.push_back(here ? tokens.size() - 1 : word[i]);
        i += here;
      }
      word = std::move(merged);
    }
  }
  return merges;
}

// Expected: tokenizers 0.23.3, BpeTrainer(vocab_size=300, min_frequency=2,
// initial_alphabet=ByteLevel.alphabet(), special_tokens=["<s>", "Ġthe"]).
TEST(BpeTrainingTest, MergesAreThoseOfHuggingFace) {
  using std::string_view_literals::operator""sv;
  const LearnedBpe learned =
      Train({"the cat sat on the mat; the cat ate the rat",
             "aaaaaaaaaaaaa aaaa aaaaa aaa aa", "abababab baba ab\n\n\nab  ab",
             "日本語の日本", "\x00\x01 it's the theatre's"sv},
            {.vocabulary_size = 300, .special_tokens = {"<s>", "Ġthe"}});
  EXPECT_THAT(
      MergesOf(learned),
      ElementsAreArray(std::vector<Spelled>{
          {"a", "a"},  {"a", "b"},       {"a", "t"},    {"aa", "aa"},
          {"h", "e"},  {"t", "he"},      {"Ġ", "the"},  {"ab", "ab"},
          {"'", "s"},  {"c", "at"},      {"¥", "æ"},    {"æ", "Ĺ"},
          {"Ġ", "aa"}, {"Ġ", "ab"},      {"Ġ", "aaaa"}, {"Ġ", "cat"},
          {"ľ", "¬"},  {"aaaa", "aaaa"}, {"¥æ", "ľ¬"},  {"æĹ", "¥æľ¬"}}));
  // "Ġthe" is a special token already: 2 + 256 + 19.
  EXPECT_EQ(learned.tokens.size(), 277);
  EXPECT_EQ(learned.tokens[2], "!");
  EXPECT_EQ(learned.tokens[257], "Ń");
  EXPECT_EQ(learned.tokens[258], "aa");

  const auto tokenizer =
      ParseTokenizerJson(TokenizerJson(learned, RegexByName("gpt2")), "t.json");
  ASSERT_THAT(tokenizer, IsOk());
  std::vector<TokenId> ids;
  ASSERT_THAT((*tokenizer)->Encode("the catté aaaaaa", {}, ids), IsOk());
  EXPECT_THAT(ids, ElementsAre(263, 272, 85, 129, 104, 271, 258));
}

TEST(BpeTrainingTest, MergesAreThoseOfCountingAgainForEach) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const int letters = 1 + round % 4;
    std::vector<std::string> pieces;
    for (int i = 0; i < 30; ++i) {
      std::string piece;
      for (size_t n = 1 + random() % 25; n > 0; --n) {
        piece += static_cast<char>('a' + random() % letters);
      }
      pieces.push_back(piece);
    }
    const uint64_t min_frequency = 1 + round % 3;
    const LearnedBpe learned =
        Train(TrainingTexts(pieces.begin(), pieces.end()),
              {.vocabulary_size = 256 + 60, .min_frequency = min_frequency});
    ASSERT_THAT(MergesOf(learned),
                ElementsAreArray(MergesTheSlowWay(pieces, 60, min_frequency)))
        << "round " << round;
  }
}

TEST(BpeTrainingTest, ThreadsAndOrderOfDocumentsChangeNothing) {
  std::mt19937 random(2);
  std::vector<std::string> texts;
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (int w = 0; w < 40; ++w) {
      text += " w" + std::to_string(random() % 1000 * (random() % 1000));
    }
    texts.push_back(text);
  }
  const TrainingTexts views(texts.begin(), texts.end());
  const BpeTrainingOptions options = {.vocabulary_size = 600};
  const LearnedBpe one = Train(views, options);
  ASSERT_EQ(one.tokens.size(), 600);

  PieceCounts counts(kNoLimit);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = views.size() / 4 * (t + 1); i-- > views.size() / 4 * t;) {
        Count({views[i]}, counts);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto many = TrainBpe(counts, options);
  ASSERT_THAT(many, IsOk());
  EXPECT_EQ(many->tokens, one.tokens);
  EXPECT_EQ(many->merges, one.merges);
}

TEST(BpeTrainingTest, ACorpusWithoutPairsGivesTheBytes) {
  const LearnedBpe learned = Train({"a b c", ""}, {.vocabulary_size = 1000});
  EXPECT_EQ(learned.tokens.size(), 256);
  EXPECT_THAT(learned.merges, IsEmpty());
  const auto tokenizer =
      ParseTokenizerJson(TokenizerJson(learned, RegexByName("gpt2")), "t.json");
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->vocabulary_size(), 256);
}

TEST(BpeTrainingTest, OneLongPieceTakesNoLongerThanItsLength) {
  // Work that grew with merges x length would take minutes.
  const std::string text(3 << 20, 'a');
  const LearnedBpe learned = Train({text}, {.vocabulary_size = 300});
  EXPECT_EQ(learned.tokens[256], "aa");
  EXPECT_EQ(learned.tokens[257], "aaaa");
  EXPECT_EQ(learned.tokens.back().size(), size_t{1} << 21);
}

TEST(BpeTrainingTest, EveryPatternGivesAFileThatLoadsAndDecodes) {
  const std::string text = "It's 12345 o'clock,\n\n  HelloWorld \xff\xfe 日本";
  for (const std::string_view name : TrainingPatternNames()) {
    PieceCounts counts(kNoLimit);
    const auto pattern = PreTokenizerByRegex(RegexByName(name));
    ASSERT_THAT(counts.Add(*pattern, TrainingTexts{text, text}), IsOk());
    const auto learned = TrainBpe(
        counts,
        {.vocabulary_size = 280, .special_tokens = {"<|a\"\\\n\x01|>"}});
    ASSERT_THAT(learned, IsOk());
    const auto tokenizer = ParseTokenizerJson(
        TokenizerJson(*learned, RegexByName(name)), "trained.json");
    ASSERT_THAT(tokenizer, IsOk()) << name;
    EXPECT_THAT((*tokenizer)->Describe(), HasSubstr("byte-level BPE, 280 ids"));
    std::vector<TokenId> ids;
    ASSERT_THAT((*tokenizer)->Encode(text + "<|a\"\\\n\x01|>", {}, ids),
                IsOk());
    EXPECT_EQ(ids.back(), 0);
    std::string decoded;
    ASSERT_THAT((*tokenizer)->Decode(ids, {}, decoded), IsOk());
    EXPECT_EQ(decoded, text + "<|a\"\\\n\x01|>") << name;
  }
}

TEST(BpeTrainingTest, TooManyDifferentWordsAreRefused) {
  PieceCounts counts(/*max_bytes=*/10);
  const auto gpt2 = PreTokenizerByRegex(RegexByName("gpt2"));
  EXPECT_THAT(counts.Add(*gpt2, TrainingTexts{"aaaa aaaa", "aaaa aaaa"}),
              IsOk());
  EXPECT_THAT(counts.Add(*gpt2, TrainingTexts{"bbbb"}),
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("more than 10 bytes of different words")));
}

TEST(BpeTrainingTest, OptionsThatContradictEachOtherAreRefused) {
  EXPECT_THAT(
      CheckTraining({.vocabulary_size = 257, .special_tokens = {"<s>"}}),
      IsOk());
  EXPECT_THAT(
      CheckTraining({.vocabulary_size = 256, .special_tokens = {"<s>"}}),
      StatusIs(kInvalid, HasSubstr("choose 257 (256 bytes and 1")));
  EXPECT_THAT(CheckTraining({.vocabulary_size = size_t{1} << 30}),
              StatusIs(kInvalid, HasSubstr("to 4194304")));
  EXPECT_THAT(CheckTraining({.special_tokens = {"<s>", "<s>"}}),
              StatusIs(kInvalid, HasSubstr("\"<s>\" is given twice")));
  EXPECT_THAT(CheckTraining({.special_tokens = {"<s>", ""}}),
              StatusIs(kInvalid, HasSubstr("special token 1")));
  EXPECT_THAT(CheckTraining({.special_tokens = {"\xff"}}),
              StatusIs(kInvalid, HasSubstr("UTF-8")));
}

// tokenizers 0.23.3 learns the same with 0 and with 1.
TEST(BpeTrainingTest, AMinimalFrequencyOfZeroIsOne) {
  const TrainingTexts texts = {"abc abd xyz abc q"};
  const auto merges = [&](uint64_t min_frequency) {
    return MergesOf(
        Train(texts, {.vocabulary_size = 400, .min_frequency = min_frequency}));
  };
  EXPECT_THAT(merges(0), ElementsAreArray(merges(1)));
  EXPECT_LT(merges(2).size(), merges(1).size());
}

}  // namespace
}  // namespace penstock
