#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/patterns/pieces.h"
#include "tokenizer/patterns/cl100k_scanner.h"
#include "tokenizer/patterns/deepseek_scanner.h"
#include "tokenizer/patterns/gpt2_scanner.h"
#include "tokenizer/patterns/o200k_scanner.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using testing::PiecesOf;
using SplitTexts = std::vector<std::string>;

struct SplitRow {
  std::string_view text;
  SplitTexts gpt2, cl100k, llama3, o200k;
};
void PrintTo(const SplitRow& row, std::ostream* out) { *out << row.text; }

// Pieces that the Python package regex 2026.11.15 finds with the patterns of
// tiktoken 0.14 (`$` written \Z, as it means there) and of Llama 3.
const SplitRow kSplitRows[] = {
    {"It's  DON'T we'LL I'\xc5\xbf 'x",
     {"It", "'s", " ", " DON", "'", "T", " we", "'", "LL", " I", "'",
      "\xc5\xbf", " '", "x"},
     {"It", "'s", " ", " DON", "'T", " we", "'LL", " I", "'\xc5\xbf", " '",
      "x"},
     {"It", "'s", " ", " DON", "'T", " we", "'LL", " I", "'\xc5\xbf", " '",
      "x"},
     {"It's", " ", " DON'T", " we'LL", " I'\xc5\xbf", " '", "x"}},
    {"a  b \n\n  c\r\n d",
     {"a", " ", " b", " \n\n ", " c", "\r\n", " d"},
     {"a", " ", " b", " \n\n", " ", " c", "\r\n", " d"},
     {"a", " ", " b", " \n\n", " ", " c", "\r\n", " d"},
     {"a", " ", " b", " \n\n", " ", " c", "\r\n", " d"}},
    {"x \n ",
     {"x", " \n "},
     {"x", " \n "},
     {"x", " \n", " "},
     {"x", " \n", " "}},
    {"x\n  ",
     {"x", "\n  "},
     {"x", "\n  "},
     {"x", "\n", "  "},
     {"x", "\n", "  "}},
    {"  ", {"  "}, {"  "}, {"  "}, {"  "}},
    {" \t\nword",
     {" \t", "\n", "word"},
     {" \t\n", "word"},
     {" \t\n", "word"},
     {" \t\n", "word"}},
    {"12345 67\xd9\xa3\xd9\xa4\xe2\x85\xa7\xc2\xbd",
     {"12345", " 67\xd9\xa3\xd9\xa4\xe2\x85\xa7\xc2\xbd"},
     {"123", "45", " ", "67\xd9\xa3", "\xd9\xa4\xe2\x85\xa7\xc2\xbd"},
     {"123", "45", " ", "67\xd9\xa3", "\xd9\xa4\xe2\x85\xa7\xc2\xbd"},
     {"123", "45", " ", "67\xd9\xa3", "\xd9\xa4\xe2\x85\xa7\xc2\xbd"}},
    {"!?\r\n\nx",
     {"!?", "\r\n", "\n", "x"},
     {"!?\r\n\n", "x"},
     {"!?\r\n\n", "x"},
     {"!?\r\n\n", "x"}},
    {" //\n/a",
     {" //", "\n", "/", "a"},
     {" //\n", "/a"},
     {" //\n", "/a"},
     {" //\n/", "a"}},
    {"\xe3\x80\x80\xe3\x80\x80\xe5\x85\xa8 \xc2\x85z",
     {"\xe3\x80\x80", "\xe3\x80\x80", "\xe5\x85\xa8", " ", "\xc2\x85", "z"},
     {"\xe3\x80\x80", "\xe3\x80\x80\xe5\x85\xa8", " ", "\xc2\x85z"},
     {"\xe3\x80\x80", "\xe3\x80\x80\xe5\x85\xa8", " ", "\xc2\x85z"},
     {"\xe3\x80\x80", "\xe3\x80\x80\xe5\x85\xa8", " ", "\xc2\x85z"}},
    {"camelHTTPServer \xe6\x97\xa5\xe6\x9c\xac"
     "ABC\xe6\x97\xa5"
     "d",
     {"camelHTTPServer",
      " \xe6\x97\xa5\xe6\x9c\xac"
      "ABC\xe6\x97\xa5"
      "d"},
     {"camelHTTPServer",
      " \xe6\x97\xa5\xe6\x9c\xac"
      "ABC\xe6\x97\xa5"
      "d"},
     {"camelHTTPServer",
      " \xe6\x97\xa5\xe6\x9c\xac"
      "ABC\xe6\x97\xa5"
      "d"},
     {"camel", "HTTPServer",
      " \xe6\x97\xa5\xe6\x9c\xac"
      "ABC\xe6\x97\xa5"
      "d"}},
    {"\xcc\x81"
     "ABC e\xcc\x81 !\xcc\x81 !!\xcc\x81",
     {"\xcc\x81", "ABC", " e", "\xcc\x81", " !\xcc\x81", " !!\xcc\x81"},
     {"\xcc\x81"
      "ABC",
      " e", "\xcc\x81", " !\xcc\x81", " !!\xcc\x81"},
     {"\xcc\x81"
      "ABC",
      " e", "\xcc\x81", " !\xcc\x81", " !!\xcc\x81"},
     {"\xcc\x81", "ABC", " e\xcc\x81", " !\xcc\x81", " !!\xcc\x81"}},
    {"\xc7\x85"
     "a\xca\xb0"
     "B'Sx",
     {"\xc7\x85"
      "a\xca\xb0"
      "B",
      "'", "Sx"},
     {"\xc7\x85"
      "a\xca\xb0"
      "B",
      "'S", "x"},
     {"\xc7\x85"
      "a\xca\xb0"
      "B",
      "'S", "x"},
     {"\xc7\x85"
      "a\xca\xb0",
      "B'S", "x"}},
    {"_a (b) -c",
     {"_", "a", " (", "b", ")", " -", "c"},
     {"_a", " (", "b", ")", " -", "c"},
     {"_a", " (", "b", ")", " -", "c"},
     {"_a", " (", "b", ")", " -", "c"}},
    {"\xe1\xa0\x8ex \xe2\x80\x8by",
     {"\xe1\xa0\x8e", "x", " \xe2\x80\x8b", "y"},
     {"\xe1\xa0\x8ex", " \xe2\x80\x8b", "y"},
     {"\xe1\xa0\x8ex", " \xe2\x80\x8b", "y"},
     {"\xe1\xa0\x8ex", " \xe2\x80\x8b", "y"}},
    {"'' 's's",
     {"''", " '", "s", "'s"},
     {"''", " '", "s", "'s"},
     {"''", " '", "s", "'s"},
     {"''", " '", "s's"}},
};

class PieceTest : public ::testing::TestWithParam<SplitRow> {};

TEST_P(PieceTest, Gpt2CutsAsTheRegex) {
  EXPECT_EQ(PiecesOf(Gpt2Scanner(), GetParam().text), GetParam().gpt2);
}
TEST_P(PieceTest, Cl100kCutsAsTheRegex) {
  EXPECT_EQ(PiecesOf(Cl100kScanner(Cl100kSpelling::kTiktoken), GetParam().text),
            GetParam().cl100k);
}
TEST_P(PieceTest, Llama3CutsAsTheRegex) {
  EXPECT_EQ(PiecesOf(Cl100kScanner(Cl100kSpelling::kLlama3), GetParam().text),
            GetParam().llama3);
}
TEST_P(PieceTest, O200kCutsAsTheRegex) {
  EXPECT_EQ(PiecesOf(O200kScanner(O200kSpelling::kO200k), GetParam().text),
            GetParam().o200k);
}
INSTANTIATE_TEST_SUITE_P(Rows, PieceTest, ::testing::ValuesIn(kSplitRows));

// What every scanner keeps. A new one joins in one line.
std::unique_ptr<const PreTokenizer> MakeScanner(std::string_view name) {
  if (name == "gpt2") return std::make_unique<Gpt2Scanner>();
  if (name == "deepseek") return std::make_unique<DeepSeekScanner>();
  if (name == "o200k")
    return std::make_unique<O200kScanner>(O200kSpelling::kO200k);
  if (name == "kimi")
    return std::make_unique<O200kScanner>(O200kSpelling::kKimi);
  if (name == "qwen3.5")
    return std::make_unique<Cl100kScanner>(Cl100kSpelling::kQwen35);
  return std::make_unique<Cl100kScanner>(
      name == "llama3" ? Cl100kSpelling::kLlama3 : Cl100kSpelling::kTiktoken);
}

class ScannerTest : public ::testing::TestWithParam<const char*> {
 protected:
  const std::unique_ptr<const PreTokenizer> scanner_ = MakeScanner(GetParam());
};
INSTANTIATE_TEST_SUITE_P(All, ScannerTest,
                         ::testing::Values("gpt2", "cl100k", "llama3", "o200k",
                                           "deepseek", "kimi", "qwen3.5"));

TEST_P(ScannerTest, IsNamed) { EXPECT_EQ(scanner_->name(), GetParam()); }

TEST_P(ScannerTest, EmptyTextHasNoPiece) {
  EXPECT_TRUE(PiecesOf(*scanner_, "").empty());
}

TEST_P(ScannerTest, WindowDoesNotMoveThePieces) {
  for (const SplitRow& row : kSplitRows) {
    EXPECT_EQ(PiecesOf(*scanner_, row.text, 1), PiecesOf(*scanner_, row.text));
  }
}

TEST_P(ScannerTest, EachInvalidByteIsACharacterThatIsNoLetter) {
  // A stray tail, overlong forms, a surrogate, past U+10FFFF, a cut lead.
  for (const std::string_view bytes :
       {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf5", "\xff", "\xe3\x81", "\xf0\x9f\x98"}) {
    const std::string text = "x " + std::string(bytes);
    EXPECT_THAT(PiecesOf(*scanner_, text),
                ElementsAre("x", " " + std::string(bytes)));
  }
}

TEST_P(ScannerTest, CharacterCutAtTheEndIsNotReadPastIt) {
  const std::string_view whole = "\xe6\x97\xa5";
  for (size_t size = 1; size < whole.size(); ++size) {
    const std::vector<char> exact(whole.begin(), whole.begin() + size);
    EXPECT_THAT(PiecesOf(*scanner_, {exact.data(), size}),
                ElementsAre(std::string(whole.substr(0, size))));
  }
}

}  // namespace
}  // namespace penstock
