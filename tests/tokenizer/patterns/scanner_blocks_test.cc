// The scanners look at blocks of 64 bytes; RE2, character by character, at the
// patterns that the references publish.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/tokenizer/patterns/pieces.h"
#include "tokenizer/patterns/cl100k_scanner.h"
#include "tokenizer/patterns/gpt2_scanner.h"
#include "tokenizer/patterns/o200k_scanner.h"
#include "tokenizer/patterns/regex_pretokenizer.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using testing::Cases;
using testing::PiecesOf;

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+)"
    R"(|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kCl100kEnd =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kOlmo =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
    R"(| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kKimi =
    R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?)"
    R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?)"
    R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::string DrawnText(std::mt19937& random) {
  constexpr std::string_view kParts[] = {
      " ", " ", " ", "  ", "            ", "\n", "\n\n", "\r\n", "\t", " \n",
      "\n ", "a", "bc", "def", "G", "HI", "Jk", "1", "23", "4567", "'s", "'S",
      "'t", "'ll", "'Re", "'vE", "'", "'l", "''", "/", "//", ".", ",", "!?",
      "(", "\x1c", "@", "[", "`", "{", "é", "日", "　", "'ſ", "́", "²", "\xff",
      // Longer than what scanners look at in one go:
      "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVW",
      // Of each kind that CharBlock tells or does not: letters of two bytes,
      "É", "жЖ", "ǅ", "ª", "ʰ", "א",
      // Han: letters, a number, a symbol, one of four bytes;
      "日本", "々", "〇", "⺀", "\U00020000",
      // of three; others;
      "Ạ", "ạ", "한글", "ア", "ー", "Ａ", "’", "—", "。", "─", "€", "«",
      // and what is neither, is cut off, or is no UTF-8.
      "\u00a0", "٣", "ไทย", "\U0001f600", "\xc3", "\xe3\x81", "\xed\xa0\x80",
      "\xe0\x80\x80"};
  // Some texts have no wide characters, some no newlines, and so on.
  std::vector<std::string_view> parts;
  while (parts.size() < 12)
    parts.push_back(kParts[random() % std::size(kParts)]);
  std::string text;
  const size_t size = 200 + random() % 100;
  while (text.size() < size) text += parts[random() % parts.size()];
  return text;
}

enum class Texts { kAll, kUtf8 };

// `end` stands behind each text.
void ExpectCutsAs(std::string_view regex, const PreTokenizer& scanner,
                  std::string_view end = "", Texts texts = Texts::kAll) {
  const auto oracle = RegexPreTokenizer::Make(regex, RegexRules::kTiktoken);
  ASSERT_TRUE(oracle.ok()) << oracle.status();
  std::mt19937 random(5);
  for (int i = 0; i < Cases(5000); ++i) {
    const std::string text = DrawnText(random).append(end);
    if (texts == Texts::kUtf8 && !IsValidUtf8(text)) continue;
    const auto expected = PiecesOf(**oracle, text, 1000);
    for (const size_t window : {3, 1000}) {
      const auto pieces = PiecesOf(scanner, text, window);
      const auto differ = std::ranges::mismatch(pieces, expected);
      ASSERT_EQ(pieces.end(), differ.in1)
          << "finds \"" << *differ.in1 << "\", not \"" << *differ.in2
          << "\", as piece " << differ.in1 - pieces.begin() << " of\n"
          << ::testing::PrintToString(expected);
    }
  }
}

TEST(ScannerBlocksTest, Gpt2) { ExpectCutsAs(kGpt2, Gpt2Scanner()); }
// Its two spellings cut spaces at the end otherwise.
TEST(ScannerBlocksTest, Cl100k) {
  ExpectCutsAs(kLlama3, Cl100kScanner(Cl100kSpelling::kTiktoken), "z");
}
TEST(ScannerBlocksTest, Cl100kAtTheEnd) {
  // What is not regular is PCRE2's, which takes UTF-8 only.
  ExpectCutsAs(kCl100kEnd, Cl100kScanner(Cl100kSpelling::kTiktoken), "",
               Texts::kUtf8);
}
TEST(ScannerBlocksTest, Llama3) {
  ExpectCutsAs(kLlama3, Cl100kScanner(Cl100kSpelling::kLlama3));
}
TEST(ScannerBlocksTest, Qwen2) {
  ExpectCutsAs(kQwen2, Cl100kScanner(Cl100kSpelling::kQwen2));
}
TEST(ScannerBlocksTest, Olmo) {
  ExpectCutsAs(kOlmo, Cl100kScanner(Cl100kSpelling::kLlama3));
}
TEST(ScannerBlocksTest, Qwen35) {
  ExpectCutsAs(kQwen35, Cl100kScanner(Cl100kSpelling::kQwen35));
}
TEST(ScannerBlocksTest, Kimi) {
  ExpectCutsAs(kKimi, O200kScanner(O200kSpelling::kKimi));
}
TEST(ScannerBlocksTest, O200k) {
  ExpectCutsAs(kO200k, O200kScanner(O200kSpelling::kO200k));
}
TEST(ScannerBlocksTest, Tekken) {
  ExpectCutsAs(kTekken, O200kScanner(O200kSpelling::kTekken));
}

}  // namespace
}  // namespace penstock
