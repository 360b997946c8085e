#include "tokenizer/vocabulary/piece_boundaries.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tokenizer/interface/text_buffer.h"
#include "tokenizer/vocabulary/part_cutter.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {
namespace {

const std::string kSpaceChar = "\xe2\x96\x81";

using Chars = std::vector<std::string>;
using Pairs = std::set<std::pair<std::string, std::string>>;

std::string Joined(const Chars& chars) {
  std::string text;
  for (const std::string& c : chars) text += c;
  return text;
}

// Pieces of which the pairs are known, and what they make.
class Pieces {
 public:
  void Add(const Chars& chars) {
    for (size_t i = 0; i + 1 < chars.size(); ++i) {
      pairs_.emplace(chars[i], chars[i + 1]);
    }
    pieces_.push_back(Joined(chars));
  }
  bool Has(const std::string& before, const std::string& after) const {
    return pairs_.contains({before, after});
  }
  PieceBoundaries boundaries() const {
    const std::vector<std::string_view> pieces(pieces_.begin(), pieces_.end());
    return PieceBoundaries::Of(pieces);
  }

 private:
  Pairs pairs_;
  Chars pieces_;
};

// Where parts begin and end among the characters of the text, which they make
// up; nothing where one ends within a character.
std::set<size_t> PartEnds(const Chars& chars, const PieceBoundaries& boundaries,
                          const std::vector<PlacedToken>& tokens = {}) {
  std::set<size_t> char_ends;
  std::string text;
  for (const std::string& c : chars) {
    text += c;
    char_ends.insert(text.size());
  }
  TextBuffer buffer;
  buffer.Reserve(text.size());
  buffer.SetEnd(text.copy(buffer.end(), text.size()) + buffer.end());
  std::set<size_t> ends;
  std::string again;
  PartCutter cutter(buffer.text(), boundaries, tokens);
  while (!cutter.AtEnd()) {
    const std::string_view part = cutter.Next();
    EXPECT_FALSE(part.empty());
    again += part;
    EXPECT_TRUE(char_ends.contains(again.size())) << text;
    ends.insert(again.size());
  }
  EXPECT_EQ(again, text);
  return ends;
}

class PieceBoundariesTest : public ::testing::Test {
 protected:
  size_t Below(size_t end) { return random_() % end; }
  Chars RandomChars(const Chars& alphabet, size_t size) {
    Chars chars(size);
    for (std::string& c : chars) c = alphabet[Below(alphabet.size())];
    return chars;
  }
  // No part ends where a piece goes on; where none does one ends, if a U+2581
  // stands there `at_spaces` or both characters are ASCII.
  void Check(const Pieces& pieces, const PieceBoundaries& boundaries,
             const Chars& text, bool at_spaces) {
    const std::set<size_t> ends = PartEnds(text, boundaries);
    size_t at = 0;
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      at += text[i].size();
      const bool joined = pieces.Has(text[i], text[i + 1]);
      const bool is_ascii = text[i].size() == 1 && text[i + 1].size() == 1;
      const bool must = is_ascii || (at_spaces && text[i + 1] == kSpaceChar);
      if (joined || must) {
        EXPECT_EQ(ends.contains(at), !joined)
            << Joined(text) << ": " << text[i] << " before " << text[i + 1]
            << " at " << at;
      }
    }
  }

  std::mt19937 random_{7};
};

TEST_F(PieceBoundariesTest, PartsEndWhereNoPieceGoesOn) {
  const Chars alphabet = {"a",    "b", "c",  "Z",  "1", ",", "\n",
                          "\x7f", "é", "漢", "字", "😀", "’", kSpaceChar};
  for (int model = 0; model < testing::Cases(40); ++model) {
    // In some models a piece may go on behind a space, or begin nowhere else.
    const bool has_inner_spaces = model % 4 == 1;
    const bool has_two_spaces = model % 4 == 2;
    const bool has_lone_spaces = model % 4 == 3;
    Pieces pieces;
    for (int piece = 0; piece < 12; ++piece) {
      Chars chars = RandomChars(alphabet, 1 + Below(4));
      for (size_t i = 0; i < chars.size(); ++i) {
        if (chars[i] != kSpaceChar || has_inner_spaces) continue;
        if (i > 0 || has_lone_spaces) chars[i] = "a";
      }
      pieces.Add(chars);
    }
    if (has_two_spaces) {
      pieces.Add({kSpaceChar, kSpaceChar, kSpaceChar});
    }
    const PieceBoundaries boundaries = pieces.boundaries();
    for (int text = 0; text < 40; ++text) {
      Check(pieces, boundaries, RandomChars(alphabet, Below(200)),
            !has_inner_spaces);
    }
  }
}

// As blocks of 64 bytes see of them.
TEST_F(PieceBoundariesTest, SpacesAreSeenAtEveryPlace) {
  Pieces pieces;
  pieces.Add({kSpaceChar, "a", "a"});
  pieces.Add({kSpaceChar, kSpaceChar});
  for (size_t before = 0; before < 140; ++before) {
    for (const size_t spaces : {1, 2, 3}) {
      Chars text(before, "a");
      text.insert(text.end(), spaces, kSpaceChar);
      text.insert(text.end(), 80, "a");
      std::set<size_t> expected = {before + 3 * spaces + 80};
      if (before > 0) expected.insert(before);
      EXPECT_EQ(PartEnds(text, pieces.boundaries()), expected)
          << before << ", " << spaces;
    }
  }
}

TEST_F(PieceBoundariesTest, PartsEndAtTokensToo) {
  const Chars alphabet = {"a", "b", "漢", kSpaceChar};
  Pieces pieces;
  pieces.Add({"a", "b", "a"});
  pieces.Add({kSpaceChar, "a", "漢", "漢"});
  for (const PieceBoundaries& boundaries :
       {PieceBoundaries(), pieces.boundaries()}) {
    for (int i = 0; i < testing::Cases(1000); ++i) {
      const Chars text = RandomChars(alphabet, Below(150));
      std::vector<PlacedToken> tokens;
      std::set<size_t> expected = PartEnds(text, boundaries);
      size_t place = 0;
      for (size_t c = 0; c <= text.size(); ++c) {
        // At most two in one place, the first and the last ones, too.
        for (size_t some = Below(40) < 38 ? 0 : 1 + Below(2); some > 0;
             --some) {
          tokens.push_back({place, 7});
          if (place > 0) expected.insert(place);
        }
        if (c < text.size()) place += text[c].size();
      }
      ASSERT_EQ(PartEnds(text, boundaries, tokens), expected) << Joined(text);
    }
  }
}

TEST_F(PieceBoundariesTest, OneWithoutPiecesCutsEverywhereOrNowhere) {
  const Chars text = RandomChars({"a", "漢", "😀", kSpaceChar}, 150);
  EXPECT_EQ(PartEnds(text, PieceBoundaries::Of({})).size(), text.size());
  EXPECT_EQ(PartEnds(text, PieceBoundaries()).size(), 1u);
  EXPECT_TRUE(PartEnds({}, PieceBoundaries()).empty());
}

TEST_F(PieceBoundariesTest, OneWithAPieceThatIsNotUtf8CutsNowhere) {
  for (const std::string_view piece : {"a\xe2\x96", "\x80"}) {
    const std::vector<std::string_view> pieces = {"a", piece, "b"};
    EXPECT_EQ(PartEnds({"c", "d"}, PieceBoundaries::Of(pieces)).size(), 1u);
  }
}

TEST_F(PieceBoundariesTest, WhatIsSavedCutsAlike) {
  const Chars alphabet = {"a", "b", ",", "é", "漢", kSpaceChar};
  for (const Chars& piece :
       {Chars{"a", kSpaceChar}, Chars{kSpaceChar, "b"},
        Chars{kSpaceChar, kSpaceChar}, Chars{"a", "b"}, Chars{"漢", "a"}}) {
    Pieces pieces;
    pieces.Add(piece);
    TableWriter writer;
    pieces.boundaries().Save(writer);
    TableReader reader(writer.bytes());
    const PieceBoundaries again = PieceBoundaries::Load(reader);
    ASSERT_TRUE(reader.ok());
    const Chars text = RandomChars(alphabet, 300);
    EXPECT_EQ(PartEnds(text, again), PartEnds(text, pieces.boundaries()));
  }
}

}  // namespace
}  // namespace penstock
