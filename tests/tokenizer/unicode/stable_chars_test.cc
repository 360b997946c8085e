#include "tokenizer/unicode/stable_chars.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

constexpr NormalizationForm kForms[] = {
    NormalizationForm::kNfc, NormalizationForm::kNfd, NormalizationForm::kNfkc,
    NormalizationForm::kNfkd};

std::string TextOf(uint32_t c) {
  std::string text;
  AppendChar(c, text);
  return text;
}

// Annex 15's quick check properties, by DerivedNormalizationProps.txt, and a
// combining class of 0.
TEST(StableCharsTest, AreThoseThatAFormLeavesAlone) {
  struct Case {
    uint32_t c;
    bool nfc, nfd, nfkc, nfkd;
  };
  for (const Case& known : {Case{'a', true, true, true, true},
                            {0xc5, true, false, true, false},
                            {0x300, false, false, false, false},
                            {0x340, false, false, false, false},
                            {0x439, true, false, true, false},
                            {0x958, false, false, false, false},
                            {0x1100, true, true, true, true},
                            {0x1161, false, true, false, true},
                            {0x212b, false, false, false, false},
                            {0x4e00, true, true, true, true},
                            {0xac00, true, false, true, false},
                            {0xfb01, true, true, false, false},
                            {0x110ba, false, false, false, false},
                            {0x1d15e, false, false, false, false},
                            {0x1d400, true, true, false, false},
                            {0x1f600, true, true, true, true}}) {
    const bool expected[] = {known.nfc, known.nfd, known.nfkc, known.nfkd};
    for (size_t i = 0; i < std::size(kForms); ++i) {
      EXPECT_EQ(StableChars::Of(kForms[i]).Has(known.c), expected[i])
          << std::hex << known.c << " " << i;
    }
  }
}

// Alone, and at any place of 64 bytes that are looked through at once, over
// their end too.
TEST(StableCharsTest, AreFoundInTextAsOneByOne) {
  const std::string around(80, 'a');
  std::string longer;
  for (const NormalizationForm form : kForms) {
    const StableChars& chars = StableChars::Of(form);
    for (uint32_t c = 0; c < 0x110000; ++c) {
      if (c == 0xd800) c = 0xe000;
      const std::string text = TextOf(c);
      ASSERT_EQ(chars.Skip(text, 0), chars.Has(c) ? text.size() : 0)
          << std::hex << c;
      const size_t place = c * 7 % 64;
      longer.assign(around, 0, place).append(text).append(around);
      ASSERT_EQ(chars.Skip(longer, 0), chars.Has(c) ? longer.size() : place)
          << std::hex << c;
    }
  }
}

// In text of everything, from each character on, and where text ends soon
// behind it.
TEST(StableCharsTest, AreFoundInMixedTextAsOneByOne) {
  std::mt19937 random(7);
  const auto below = [&random](uint32_t end) { return random() % end; };
  for (const NormalizationForm form : kForms) {
    const StableChars& chars = StableChars::Of(form);
    for (int round = 0; round < 300; ++round) {
      std::string text;
      std::vector<size_t> begins;
      while (text.size() < 400) {
        constexpr uint32_t kFirsts[] = {' ',    0xe0,   0x300,  0x430,  0x640,
                                        0x900,  0x1e00, 0x2000, 0x3000, 0x30a0,
                                        0x4e00, 0xac00, 0xff00, 0x1f600};
        uint32_t c = kFirsts[below(std::size(kFirsts))] + below(90);
        // Most texts have runs of hundreds of bytes.
        if (!chars.Has(c) && below(40) != 0) c = 0x4e00;
        begins.push_back(text.size());
        text += TextOf(c);
      }
      for (const size_t begin : begins) {
        ASSERT_EQ(chars.Skip(text, begin), chars.SkipOneByOne(text, begin));
        const std::string_view cut = std::string_view(text).substr(0, begin);
        ASSERT_EQ(chars.Skip(cut, 0), chars.SkipOneByOne(cut, 0)) << begin;
      }
    }
  }
}

TEST(StableCharsTest, TheFirstOfTheOthersIsFoundWhereverItStands) {
  const StableChars& chars = StableChars::Of(NormalizationForm::kNfc);
  for (const char* const stable : {"", "\u00e9", "\u4e00", "\U0001f600"}) {
    for (const char* const other : {"\u0301", "\u212b", "\U0001d15e"}) {
      for (size_t before = 0; before < 20; ++before) {
        for (size_t behind = 0; behind < 10; ++behind) {
          const std::string text =
              std::string(before, 'a') + stable + std::string(behind, 'b');
          EXPECT_EQ(chars.Skip(text, 0), text.size());
          EXPECT_EQ(chars.Skip(text + other + "cccccccc", 0), text.size());
          EXPECT_EQ(chars.Skip(text + other + text, text.size()), text.size());
        }
      }
    }
  }
}

}  // namespace
}  // namespace penstock
