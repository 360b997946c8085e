#include "tokenizer/sentencepiece/sentencepiece_normalizer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tokenizer/vocabulary/piece_trie_builder.h"

namespace penstock {
namespace {

StatusOr<UserDefinedSymbols> SymbolOf(std::string_view text) {
  PieceTrieBuilder builder;
  builder.Add(text, 0);
  PENSTOCK_ASSIGN_OR_RETURN(PieceTrie trie, builder.Build());
  std::array<bool, 256> leads = {};
  leads[static_cast<unsigned char>(text[0])] = true;
  return UserDefinedSymbols(std::move(trie), leads);
}

// Normalize looks at many bytes at once, NormalizeWithOrigins at a character.
TEST(SentencePieceNormalizerTest, RunsBecomeWhatTheirCharactersBecome) {
  const std::vector<std::string> kTexts = {
      " ",
      " ",
      "  ",
      "a",
      "b",
      "Z",
      "~",
      "!",
      "word",
      "sixteen_letters_",
      "a_word_of_more_than_thirty-two_letters",
      "\n",
      "\t",
      "\r",
      "\x7f",
      std::string(1, '\0'),
      "é",
      "漢",
      "😀",
      "\xe2\x96\x81",
      "\x80",
      "\xff",
      "<sym>",
      "e\xcc\x81"};
  const std::vector<testing::Rules> kRules = {
      {},
      {{"\n", " "}, {"\t", " "}, {"\r", " "}},
      {{"\n", " "}, {"\r\n", " "}, {"\t", ""}},
      {{"\n", "x"}, {"e\xcc\x81", "é"}},
      {{" ", " "}, {"Z", "z"}, {"~", " "}},
      {{" ", "_"}, {"漢", " \n "}}};
  std::mt19937 random(5);
  for (const testing::Rules& rules : kRules) {
    Charsmap charsmap;
    if (!rules.empty()) {
      ASSERT_OK_AND_ASSIGN(charsmap,
                           Charsmap::Parse(testing::TinyCharsmap(rules)));
    }
    for (int flags = 0; flags < 32; ++flags) {
      ASSERT_OK_AND_ASSIGN(const UserDefinedSymbols symbols,
                           (flags & 16) != 0 ? SymbolOf("<sym>")
                                             : StatusOr<UserDefinedSymbols>(
                                                   UserDefinedSymbols()));
      const SentencePieceNormalization options = {
          .add_dummy_prefix = (flags & 1) != 0,
          .remove_extra_whitespaces = (flags & 2) != 0,
          .escape_whitespaces = (flags & 4) != 0};
      const SentencePieceNormalizer normalizer(options, charsmap,
                                               (flags & 8) != 0, symbols);
      TextBuffer fast, plain;
      std::vector<uint32_t> origins;
      for (int text = 0; text < testing::Cases(60); ++text) {
        // In memory of its size, so that a sanitizer sees what is read.
        std::string made;
        for (size_t left = random() % 60; left > 0; --left) {
          made += kTexts[random() % (text % 2 == 0 ? 11 : kTexts.size())];
        }
        const auto exact = std::make_unique<char[]>(made.size());
        made.copy(exact.get(), made.size());
        const std::string_view input(exact.get(), made.size());
        normalizer.Normalize(input, fast);
        normalizer.NormalizeWithOrigins(input, plain, origins);
        ASSERT_EQ(fast.text(), plain.text()) << input << ", flags " << flags;
      }
    }
  }
}

}  // namespace
}  // namespace penstock
