#include "tokenizer/patterns/deepseek_scanner.h"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/patterns/deepseek_regexes.h"
#include "tests/tokenizer/patterns/pieces.h"
#include "tokenizer/patterns/cut_in_turn.h"
#include "tokenizer/patterns/patterns.h"
#include "tokenizer/patterns/regex_pretokenizer.h"

namespace penstock {
namespace {

using testing::Cases;
using testing::kDeepSeekRegexes;
using testing::PiecesOf;

struct DeepSeekRow {
  std::string_view text;
  std::vector<std::string> pieces;
};

// What tokenizers 0.23.3 cuts by the pre_tokenizer of DeepSeek V3.
const DeepSeekRow kDeepSeekRows[] = {
    {"It's  12345 a", {"It", "'s", "  ", "123", "45", " a"}},
    {"a  b \n\n  c\r\n d", {"a", " ", " b", " \n\n", " ", " c", "\r\n", " d"}},
    {"x\n  12", {"x", "\n", "  ", "12"}},
    {"  中文 かな・カ。\n", {"  ", "中文", " ", "かな", "・", "カ", "。\n"}},
    {"中a_b (cd) !!e\n\n",
     {"中", "a", "_b", " (", "cd", ")", " !!", "e", "\n\n"}},
    {"'café ñ'é .x", {"'caf", "é", " ñ", "'", "é", " .", "x"}},
    {"\x01\x02"
     "a\x7f \x01.",
     {"\x01",
      "\x02"
      "a",
      "\x7f", " ", "\x01", "."}},
    {"e\u0301 \u0301x -\u200dy", {"e\u0301", " \u0301x", " -", "\u200dy"}},
    {"\u3040・\u3099ア゛゠", {"\u3040", "・", "\u3099ア", "゛゠"}},
    {"一二㐀丁龥龦", {"一二", "㐀", "丁龥", "龦"}},
    {"²½ Ⅷ٣x", {"²½", " ", "Ⅷ٣", "x"}},
    {"a\u3000\u3000b \u0085z", {"a", "\u3000", "\u3000b", " ", "\u0085z"}},
};

TEST(DeepSeekScannerTest, CutsAsTheReference) {
  for (const DeepSeekRow& row : kDeepSeekRows) {
    EXPECT_EQ(PiecesOf(DeepSeekScanner(), row.text), row.pieces) << row.text;
    EXPECT_EQ(PiecesOf(DeepSeekScanner(), row.text, 1), row.pieces) << row.text;
  }
}

std::string DeepSeekText(std::mt19937& random) {
  constexpr std::string_view kParts[] = {
      " ", " ", " ", "  ", "            ", "\n", "\n\n", "\r\n", "\t", " \n",
      "\n ", "\v", "\f", "\u0085", "\u2028", "\u00a0", "\u3000", "a", "bc", "G",
      "Jk", "abcdefghijklmnopqrstuvwxyz", "1", "23", "4567", "²", "٣", "Ⅷ", "'",
      "'s", "//", ".", ",", "!?", "(", "_", "@", "[", "`", "{", "~", "$",
      // Controls, unassigned, private; nobody's.
      "\x01", "\x1c", "\x7f", "\u0378", "\u200d", "\ue000", "\xff", "\xc3",
      "\xe3\x81", "\xed\xa0\x80",
      // Letters, marks and signs that are not ASCII.
      "é", "жЖ", "ª", "א", "ạ", "한글", "Ａ", "\u0301", "ไทย", "\U00010400",
      "’", "—", "。", "€", "«", "\U0001f600",
      // In and around the second pattern.
      "日本", "一", "龥", "龦", "㐀", "かな", "ア", "ー", "・", "゛", "\u3099",
      "\u3040", "゠", "ヿ", "〿"};
  // Some texts have no wide characters, some no newlines, and so on.
  std::vector<std::string_view> parts;
  while (parts.size() < 12)
    parts.push_back(kParts[random() % std::size(kParts)]);
  std::string text;
  const size_t size = 150 + random() % 100;
  while (text.size() < size) text += parts[random() % parts.size()];
  return text;
}

TEST(DeepSeekScannerTest, CutsAsItsExpressionsInTurn) {
  PreTokenizers cutters;
  for (const char* regex : kDeepSeekRegexes) {
    ASSERT_OK_AND_ASSIGN(auto cutter,
                         RegexPreTokenizer::Make(regex, RegexRules::kIsolated));
    cutters.push_back(std::move(cutter));
  }
  std::mt19937 random(5);
  for (int i = 0; i < Cases(10000); ++i) {
    const std::string text = DeepSeekText(random);
    std::vector<std::string> expected;
    const auto take = [&](size_t begin, std::span<const size_t> ends) {
      for (const size_t end : ends) {
        expected.push_back(text.substr(begin, end - begin));
        begin = end;
      }
      return OkStatus();
    };
    const TurnMasks masks(cutters);
    ASSERT_OK(
        (TurnCutter<1024, decltype(take)>(cutters, masks, text, take).Run()));
    for (const size_t window : {3, 1000}) {
      ASSERT_EQ(PiecesOf(DeepSeekScanner(), text, window), expected) << text;
    }
  }
}

TEST(DeepSeekScannerTest, IsFoundByItsThreeExpressions) {
  const std::vector<std::string_view> regexes(kDeepSeekRegexes.begin(),
                                              kDeepSeekRegexes.end());
  const auto scanner = PreTokenizerByRegexes(regexes);
  ASSERT_NE(scanner, nullptr);
  EXPECT_EQ(scanner->name(), "deepseek");
  EXPECT_NE(ScannerByName("deepseek"), nullptr);
  EXPECT_EQ(PreTokenizerByRegexes(std::span(regexes).first(2)), nullptr);
  EXPECT_EQ(PreTokenizerByRegexes({}), nullptr);
}

}  // namespace
}  // namespace penstock
