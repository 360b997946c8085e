// Ids and texts of hand-built models, compared with those that sentencepiece
// 0.2.3 gives for the same models.
//
// tools/interop_sentencepiece.py compares far more, where it is installed.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock {
namespace {

using namespace std::string_view_literals;
using testing::Ids;
using testing::ParseTiny;
using testing::Rules;
using testing::TinySentencePiece;
using Type = SentencePieceModel::Type;

const Rules kRules = {{"e\xcc\x81"sv, "é"sv},   {"\t"sv, " "sv},
                      {"A"sv, "a"sv},           {"①"sv, " - "sv},
                      {"\xe2\x80\x8b"sv, ""sv}, {"ZZ"sv, "b"sv},
                      {"ｱ"sv, "a b"sv}};

TinySentencePiece ModelOf(std::string_view name) {
  if (name == "Bpe") return {.type = Type::kBpe};
  if (name == "Word") return {.type = Type::kWord};
  if (name == "Char") return {.type = Type::kChar};
  if (name == "UnigramBytes") return {.byte_fallback = true};
  if (name == "BpeBytes") {
    return {.type = Type::kBpe,
            .byte_fallback = true,
            .add_dummy_prefix = false,
            .remove_extra_whitespaces = false};
  }
  if (name == "CharBytes") return {.type = Type::kChar, .byte_fallback = true};
  if (name == "UnigramRules") return {.rules = kRules};
  if (name == "UnigramSuffix") return {.whitespace_is_suffix = true};
  if (name == "BpeSpaces") {
    return {.type = Type::kBpe, .remove_extra_whitespaces = false};
  }
  if (name == "UnigramUnescaped") return {.escape_whitespaces = false};
  if (name == "UnigramNoDummy") return {.add_dummy_prefix = false};
  if (name == "WordRules") {
    return {.type = Type::kWord, .whitespace_is_suffix = true, .rules = kRules};
  }
  if (name == "UnigramSurface") {
    return {.decoding_rules = {{"a", "A"}, {"b", ""}}, .unknown_surface = "?"};
  }
  if (name == "BpeRules") {
    return {
        .type = Type::kBpe, .remove_extra_whitespaces = false, .rules = kRules};
  }
  return {};  // Unigram
}

struct Row {
  std::string_view text;
  std::vector<TokenId> ids;
  std::string_view decoded;
};
struct Model {
  const char* name;
  std::vector<Row> rows;
};
void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

class SentencePieceReferenceTest : public ::testing::TestWithParam<Model> {};

TEST_P(SentencePieceReferenceTest, GivesTheSameIdsAndTexts) {
  const auto tokenizer = ParseTiny(ModelOf(GetParam().name));
  ASSERT_NE(tokenizer, nullptr);
  for (const Row& row : GetParam().rows) {
    EXPECT_EQ(Ids(*tokenizer, row.text), row.ids) << row.text;
    // Again, now that the parts are remembered.
    EXPECT_EQ(Ids(*tokenizer, row.text), row.ids) << row.text;
    std::string decoded;
    ASSERT_OK(tokenizer->Decode(row.ids, {}, decoded));
    EXPECT_EQ(decoded, row.decoded) << row.text;
  }
}

const Model kModels[] = {
    {"Unigram",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {8}, "ab"sv},
         {" ab  a b "sv, {8, 7, 3, 5}, "ab a b"sv},
         {"abab"sv, {8, 6}, "abab"sv},
         {"ababab ab"sv, {8, 6, 6, 8}, "ababab ab"sv},
         {"abc"sv, {8, 10}, "abc"sv},
         {"abcabc"sv, {7, 12, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 0},
          "foofoo fo foo \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv, {7, 0, 5, 0}, "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {3, 14, 19, 14, 13},
          "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {3, 0, 7, 3, 0}, " \xe2\x81\x87  a  \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {7, 0, 5, 0},
          "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"d"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {8, 0}, "ab \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {7, 0, 5},
          "a \xe2\x81\x87 b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3, 0, 20, 3, 0, 3, 0},
          " \xe2\x81\x87 \xc3\xa9  \xe2\x81\x87   \xe2\x81\x87 "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 7, 3, 3, 5},
          "a  b"sv},
         {"bcabca"sv, {3, 12, 12}, "bcabca"sv},
         {"<0x61>"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {3, 0}, " \xe2\x81\x87 "sv},
     }},
    {"Bpe",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {8}, "ab"sv},
         {" ab  a b "sv, {8, 7, 3, 5}, "ab a b"sv},
         {"abab"sv, {8, 6}, "abab"sv},
         {"ababab ab"sv, {8, 9, 8}, "ababab ab"sv},
         {"abc"sv, {8, 10}, "abc"sv},
         {"abcabc"sv, {7, 12, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 0},
          "foofoo fo foo \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv, {7, 0, 5, 0}, "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {19, 0, 19, 14, 13},
          "\xe6\x97\xa5 \xe2\x81\x87  \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {3, 0, 7, 3, 0}, " \xe2\x81\x87  a  \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {7, 0, 5, 0},
          "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"d"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {8, 0}, "ab \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {7, 0, 5},
          "a \xe2\x81\x87 b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3, 0, 20, 3, 0, 3, 0},
          " \xe2\x81\x87 \xc3\xa9  \xe2\x81\x87   \xe2\x81\x87 "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 7, 3, 3, 5},
          "a  b"sv},
         {"bcabca"sv, {3, 12, 12}, "bcabca"sv},
         {"<0x61>"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {3, 0}, " \xe2\x81\x87 "sv},
     }},
    {"Word",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {8}, "ab"sv},
         {" ab  a b "sv, {8, 7, 0}, "ab a \xe2\x81\x87 "sv},
         {"abab"sv, {0}, " \xe2\x81\x87 "sv},
         {"ababab ab"sv, {0, 8}, " \xe2\x81\x87  ab"sv},
         {"abc"sv, {0}, " \xe2\x81\x87 "sv},
         {"abcabc"sv, {0}, " \xe2\x81\x87 "sv},
         {"foofoo fo food"sv, {0}, " \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv, {0}, " \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {0},
          " \xe2\x81\x87 "sv},
         {"xyz a zz"sv, {0, 7, 0}, " \xe2\x81\x87  a \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {0},
          " \xe2\x81\x87 "sv},
         {"d"sv, {0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {0}, " \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {0},
          " \xe2\x81\x87 "sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {0},
          " \xe2\x81\x87 "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 7, 3, 0},
          "a  \xe2\x81\x87 "sv},
         {"bcabca"sv, {0}, " \xe2\x81\x87 "sv},
         {"<0x61>"sv, {0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {0}, " \xe2\x81\x87 "sv},
     }},
    {"Char",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {3, 4, 5}, "ab"sv},
         {" ab  a b "sv, {3, 4, 5, 3, 4, 3, 5}, "ab a b"sv},
         {"abab"sv, {3, 4, 5, 4, 5}, "abab"sv},
         {"ababab ab"sv, {3, 4, 5, 4, 5, 4, 5, 3, 4, 5}, "ababab ab"sv},
         {"abc"sv, {3, 4, 5, 10}, "abc"sv},
         {"abcabc"sv, {3, 4, 5, 10, 4, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 0},
          "foofoo fo foo \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv, {3, 4, 0, 5, 0}, "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {3, 13, 0, 3, 13, 13, 0, 13},
          "\xe6\x97\xa5 \xe2\x81\x87  \xe6\x97\xa5\xe6\x97\xa5 \xe2\x81\x87 \xe6\x97\xa5"sv},
         {"xyz a zz"sv,
          {3, 0, 3, 4, 3, 0},
          " \xe2\x81\x87  a  \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {3, 4, 0, 5, 0},
          "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"d"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {3, 4, 5, 0}, "ab \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {3, 4, 0, 5},
          "a \xe2\x81\x87 b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3, 0, 20, 3, 0, 3, 0},
          " \xe2\x81\x87 \xc3\xa9  \xe2\x81\x87   \xe2\x81\x87 "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 3, 4, 3, 3, 5},
          "a  b"sv},
         {"bcabca"sv, {3, 5, 10, 4, 5, 10, 4}, "bcabca"sv},
         {"<0x61>"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {3, 0}, " \xe2\x81\x87 "sv},
     }},
    {"UnigramBytes",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {8}, "ab"sv},
         {" ab  a b "sv, {8, 7, 3, 5}, "ab a b"sv},
         {"abab"sv, {8, 6}, "abab"sv},
         {"ababab ab"sv, {8, 6, 6, 8}, "ababab ab"sv},
         {"abc"sv, {8, 10}, "abc"sv},
         {"abcabc"sv, {7, 12, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 122},
          "foofoo fo food"sv},
         {"a<s>b</s>"sv, {7, 82, 137, 84, 5, 82, 69, 137, 84}, "a<s>b</s>"sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {3, 14, 19, 14, 13},
          "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {3, 142, 143, 144, 7, 3, 144, 144}, "xyz a zz"sv},
         {"a\xff"
          "b\x80"sv,
          {7, 261, 213, 211, 5, 261, 213, 211},
          "a\xef\xbf\xbd"
          "b\xef\xbf\xbd"sv},
         {"d"sv, {3, 122}, "d"sv},
         {"abd"sv, {8, 122}, "abd"sv},
         {"a\x00"
          "b"sv,
          {7, 22, 5},
          "a\x00"
          "b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3,   123, 226, 151, 20,  3,   87, 31,  248, 167, 182,
           248, 150, 161, 112, 112, 112, 3,  261, 211, 199},
          "e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 7, 3, 3, 5},
          "a  b"sv},
         {"bcabca"sv, {3, 12, 12}, "bcabca"sv},
         {"<0x61>"sv, {3, 82, 70, 142, 76, 71, 84}, "<0x61>"sv},
         {"\t\xe2\x80\x8b"sv, {3, 31, 248, 150, 161}, "\t\xe2\x80\x8b"sv},
     }},
    {"BpeBytes",
     {
         {""sv, {}, ""sv},
         {" "sv, {3}, " "sv},
         {"ab"sv, {6}, "ab"sv},
         {" ab  a b "sv, {8, 3, 7, 3, 5, 3}, " ab  a b "sv},
         {"abab"sv, {9}, "abab"sv},
         {"ababab ab"sv, {9, 6, 8}, "ababab ab"sv},
         {"abc"sv, {6, 10}, "abc"sv},
         {"abcabc"sv, {4, 12, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv, {15, 15, 3, 16, 3, 15, 122}, "foofoo fo food"sv},
         {"a<s>b</s>"sv, {4, 82, 137, 84, 5, 82, 69, 137, 84}, "a<s>b</s>"sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {14, 19, 14, 13},
          "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {142, 143, 144, 7, 3, 144, 144}, "xyz a zz"sv},
         {"a\xff"
          "b\x80"sv,
          {4, 261, 213, 211, 5, 261, 213, 211},
          "a\xef\xbf\xbd"
          "b\xef\xbf\xbd"sv},
         {"d"sv, {122}, "d"sv},
         {"abd"sv, {6, 122}, "abd"sv},
         {"a\x00"
          "b"sv,
          {4, 22, 5},
          "a\x00"
          "b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {123, 226, 151, 20,  3,   87,  31, 248, 167, 182,
           248, 150, 161, 112, 112, 112, 3,  261, 211, 199},
          "e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {7, 3, 3, 5, 3},
          " a  b "sv},
         {"bcabca"sv, {12, 12}, "bcabca"sv},
         {"<0x61>"sv, {82, 70, 142, 76, 71, 84}, "<0x61>"sv},
         {"\t\xe2\x80\x8b"sv, {31, 248, 150, 161}, "\t\xe2\x80\x8b"sv},
     }},
    {"CharBytes",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {3, 4, 5}, "ab"sv},
         {" ab  a b "sv, {3, 4, 5, 3, 4, 3, 5}, "ab a b"sv},
         {"abab"sv, {3, 4, 5, 4, 5}, "abab"sv},
         {"ababab ab"sv, {3, 4, 5, 4, 5, 4, 5, 3, 4, 5}, "ababab ab"sv},
         {"abc"sv, {3, 4, 5, 10}, "abc"sv},
         {"abcabc"sv, {3, 4, 5, 10, 4, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 122},
          "foofoo fo food"sv},
         {"a<s>b</s>"sv,
          {3, 4, 82, 137, 84, 5, 82, 69, 137, 84},
          "a<s>b</s>"sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {3, 13, 252, 178, 194, 3, 13, 13, 252, 178, 194, 13},
          "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {3, 142, 143, 144, 3, 4, 3, 144, 144}, "xyz a zz"sv},
         {"a\xff"
          "b\x80"sv,
          {3, 4, 261, 213, 211, 5, 261, 213, 211},
          "a\xef\xbf\xbd"
          "b\xef\xbf\xbd"sv},
         {"d"sv, {3, 122}, "d"sv},
         {"abd"sv, {3, 4, 5, 122}, "abd"sv},
         {"a\x00"
          "b"sv,
          {3, 4, 22, 5},
          "a\x00"
          "b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3,   123, 226, 151, 20,  3,   87, 31,  248, 167, 182,
           248, 150, 161, 112, 112, 112, 3,  261, 211, 199},
          "e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 3, 4, 3, 3, 5},
          "a  b"sv},
         {"bcabca"sv, {3, 5, 10, 4, 5, 10, 4}, "bcabca"sv},
         {"<0x61>"sv, {3, 82, 70, 142, 76, 71, 84}, "<0x61>"sv},
         {"\t\xe2\x80\x8b"sv, {3, 31, 248, 150, 161}, "\t\xe2\x80\x8b"sv},
     }},
    {"UnigramRules",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {8}, "ab"sv},
         {" ab  a b "sv, {8, 7, 3, 5}, "ab a b"sv},
         {"abab"sv, {8, 6}, "abab"sv},
         {"ababab ab"sv, {8, 6, 6, 8}, "ababab ab"sv},
         {"abc"sv, {8, 10}, "abc"sv},
         {"abcabc"sv, {7, 12, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 0},
          "foofoo fo foo \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv, {7, 0, 5, 0}, "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {3, 14, 19, 14, 13},
          "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {3, 0, 7, 3, 0}, " \xe2\x81\x87  a  \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {7, 0, 5, 0},
          "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"d"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {8, 0}, "ab \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {7, 0, 5},
          "a \xe2\x81\x87 b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3, 20, 20, 7, 3, 21, 3, 5, 0, 7, 3, 5},
          "\xc3\xa9\xc3\xa9 a - b \xe2\x81\x87  a b"sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 7, 3, 3, 5},
          "a  b"sv},
         {"bcabca"sv, {3, 12, 12}, "bcabca"sv},
         {"<0x61>"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {}, ""sv},
     }},
    {"UnigramSuffix",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {6, 3}, "ab "sv},
         {" ab  a b "sv, {6, 7, 3, 5, 3}, "ab a b "sv},
         {"abab"sv, {6, 6, 3}, "abab "sv},
         {"ababab ab"sv, {6, 6, 6, 8, 3}, "ababab ab "sv},
         {"abc"sv, {6, 10, 3}, "abc "sv},
         {"abcabc"sv, {4, 12, 5, 10, 3}, "abcabc "sv},
         {"foofoo fo food"sv,
          {15, 15, 3, 16, 3, 15, 0, 3},
          "foofoo fo foo \xe2\x81\x87  "sv},
         {"a<s>b</s>"sv, {4, 0, 5, 0, 3}, "a \xe2\x81\x87 b \xe2\x81\x87  "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {14, 19, 14, 13, 3},
          "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5 "sv},
         {"xyz a zz"sv, {0, 7, 3, 0, 3}, " \xe2\x81\x87  a  \xe2\x81\x87  "sv},
         {"a\xff"
          "b\x80"sv,
          {4, 0, 5, 0, 3},
          "a \xe2\x81\x87 b \xe2\x81\x87  "sv},
         {"d"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"abd"sv, {6, 0, 3}, "ab \xe2\x81\x87  "sv},
         {"a\x00"
          "b"sv,
          {4, 0, 5, 3},
          "a \xe2\x81\x87 b "sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {0, 20, 3, 0, 3, 0, 3},
          " \xe2\x81\x87 \xc3\xa9  \xe2\x81\x87   \xe2\x81\x87  "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {7, 3, 3, 5, 3},
          "a  b "sv},
         {"bcabca"sv, {12, 12, 3}, "bcabca "sv},
         {"<0x61>"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"\t\xe2\x80\x8b"sv, {0, 3}, " \xe2\x81\x87  "sv},
     }},
    {"BpeSpaces",
     {
         {""sv, {}, ""sv},
         {" "sv, {3, 3}, " "sv},
         {"ab"sv, {8}, "ab"sv},
         {" ab  a b "sv, {3, 8, 3, 7, 3, 5, 3}, " ab  a b "sv},
         {"abab"sv, {8, 6}, "abab"sv},
         {"ababab ab"sv, {8, 9, 8}, "ababab ab"sv},
         {"abc"sv, {8, 10}, "abc"sv},
         {"abcabc"sv, {7, 12, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 0},
          "foofoo fo foo \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv, {7, 0, 5, 0}, "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {19, 0, 19, 14, 13},
          "\xe6\x97\xa5 \xe2\x81\x87  \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {3, 0, 7, 3, 0}, " \xe2\x81\x87  a  \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {7, 0, 5, 0},
          "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"d"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {8, 0}, "ab \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {7, 0, 5},
          "a \xe2\x81\x87 b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3, 0, 20, 3, 0, 3, 0},
          " \xe2\x81\x87 \xc3\xa9  \xe2\x81\x87   \xe2\x81\x87 "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 7, 3, 3, 5, 3},
          " a  b "sv},
         {"bcabca"sv, {3, 12, 12}, "bcabca"sv},
         {"<0x61>"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {3, 0}, " \xe2\x81\x87 "sv},
     }},
    {"UnigramUnescaped",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {0, 6}, " \xe2\x81\x87 ab"sv},
         {" ab  a b "sv,
          {0, 6, 0, 4, 0, 5},
          " \xe2\x81\x87 ab \xe2\x81\x87 a \xe2\x81\x87 b"sv},
         {"abab"sv, {0, 6, 6}, " \xe2\x81\x87 abab"sv},
         {"ababab ab"sv,
          {0, 6, 6, 6, 0, 6},
          " \xe2\x81\x87 ababab \xe2\x81\x87 ab"sv},
         {"abc"sv, {0, 6, 10}, " \xe2\x81\x87 abc"sv},
         {"abcabc"sv, {0, 4, 12, 5, 10}, " \xe2\x81\x87 abcabc"sv},
         {"foofoo fo food"sv,
          {0, 15, 15, 0, 16, 0, 15, 0},
          " \xe2\x81\x87 foofoo \xe2\x81\x87 fo \xe2\x81\x87 foo \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv,
          {0, 4, 0, 5, 0},
          " \xe2\x81\x87 a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {0, 14, 0, 13, 14, 13},
          " \xe2\x81\x87 \xe6\x97\xa5\xe6\x9c\xac \xe2\x81\x87 \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {0, 4, 0}, " \xe2\x81\x87 a \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {0, 4, 0, 5, 0},
          " \xe2\x81\x87 a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"d"sv, {0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {0, 6, 0}, " \xe2\x81\x87 ab \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {0, 4, 0, 5},
          " \xe2\x81\x87 a \xe2\x81\x87 b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {0, 20, 0},
          " \xe2\x81\x87 \xc3\xa9 \xe2\x81\x87 "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {0, 7, 3, 3, 5, 3},
          " \xe2\x81\x87  a  b "sv},
         {"bcabca"sv, {0, 12, 12}, " \xe2\x81\x87 bcabca"sv},
         {"<0x61>"sv, {0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {0}, " \xe2\x81\x87 "sv},
     }},
    {"UnigramNoDummy",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {6}, "ab"sv},
         {" ab  a b "sv, {6, 7, 3, 5}, "ab a b"sv},
         {"abab"sv, {6, 6}, "abab"sv},
         {"ababab ab"sv, {6, 6, 6, 8}, "ababab ab"sv},
         {"abc"sv, {6, 10}, "abc"sv},
         {"abcabc"sv, {4, 12, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {15, 15, 3, 16, 3, 15, 0},
          "foofoo fo foo \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv, {4, 0, 5, 0}, "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {14, 19, 14, 13},
          "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {0, 7, 3, 0}, " \xe2\x81\x87  a  \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {4, 0, 5, 0},
          "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"d"sv, {0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {6, 0}, "ab \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {4, 0, 5},
          "a \xe2\x81\x87 b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {0, 20, 3, 0, 3, 0},
          " \xe2\x81\x87 \xc3\xa9  \xe2\x81\x87   \xe2\x81\x87 "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {7, 3, 3, 5},
          "a  b"sv},
         {"bcabca"sv, {12, 12}, "bcabca"sv},
         {"<0x61>"sv, {0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {0}, " \xe2\x81\x87 "sv},
     }},
    {"WordRules",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {6, 3}, "ab "sv},
         {" ab  a b "sv, {6, 7, 0, 3}, "ab a \xe2\x81\x87  "sv},
         {"abab"sv, {9, 3}, "abab "sv},
         {"ababab ab"sv, {0, 8, 3}, " \xe2\x81\x87  ab "sv},
         {"abc"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"abcabc"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"foofoo fo food"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"a<s>b</s>"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {14, 0, 3},
          "\xe6\x97\xa5\xe6\x9c\xac \xe2\x81\x87  "sv},
         {"xyz a zz"sv, {0, 7, 0, 3}, " \xe2\x81\x87  a \xe2\x81\x87  "sv},
         {"a\xff"
          "b\x80"sv,
          {0, 3},
          " \xe2\x81\x87  "sv},
         {"d"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"abd"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"a\x00"
          "b"sv,
          {0, 3},
          " \xe2\x81\x87  "sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {0, 7, 0, 7, 0, 3},
          " \xe2\x81\x87  a \xe2\x81\x87  a \xe2\x81\x87  "sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {7, 3, 0, 3},
          "a  \xe2\x81\x87  "sv},
         {"bcabca"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"<0x61>"sv, {0, 3}, " \xe2\x81\x87  "sv},
         {"\t\xe2\x80\x8b"sv, {3}, ""sv},
     }},
    {"UnigramSurface",
     {
         {""sv, {}, ""sv},
         {" "sv, {}, ""sv},
         {"ab"sv, {8}, "A"sv},
         {" ab  a b "sv, {8, 7, 3, 5}, "A A "sv},
         {"abab"sv, {8, 6}, "AA"sv},
         {"ababab ab"sv, {8, 6, 6, 8}, "AAA A"sv},
         {"abc"sv, {8, 10}, "Ac"sv},
         {"abcabc"sv, {7, 12, 5, 10}, "AcAc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 0},
          "foofoo fo foo\?"sv},
         {"a<s>b</s>"sv, {7, 0, 5, 0}, "A\?\?"sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {3, 14, 19, 14, 13},
          "\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {3, 0, 7, 3, 0}, "\? A \?"sv},
         {"a\xff"
          "b\x80"sv,
          {7, 0, 5, 0},
          "A\?\?"sv},
         {"d"sv, {3, 0}, "\?"sv},
         {"abd"sv, {8, 0}, "A\?"sv},
         {"a\x00"
          "b"sv,
          {7, 0, 5},
          "A\?"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3, 0, 20, 3, 0, 3, 0},
          "\?\xc3\xa9 \? \?"sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 7, 3, 3, 5},
          "A  "sv},
         {"bcabca"sv, {3, 12, 12}, "cAcA"sv},
         {"<0x61>"sv, {3, 0}, "\?"sv},
         {"\t\xe2\x80\x8b"sv, {3, 0}, "\?"sv},
     }},
    {"BpeRules",
     {
         {""sv, {}, ""sv},
         {" "sv, {3, 3}, " "sv},
         {"ab"sv, {8}, "ab"sv},
         {" ab  a b "sv, {3, 8, 3, 7, 3, 5, 3}, " ab  a b "sv},
         {"abab"sv, {8, 6}, "abab"sv},
         {"ababab ab"sv, {8, 9, 8}, "ababab ab"sv},
         {"abc"sv, {8, 10}, "abc"sv},
         {"abcabc"sv, {7, 12, 5, 10}, "abcabc"sv},
         {"foofoo fo food"sv,
          {3, 15, 15, 3, 16, 3, 15, 0},
          "foofoo fo foo \xe2\x81\x87 "sv},
         {"a<s>b</s>"sv, {7, 0, 5, 0}, "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"\xe6\x97\xa5\xe6\x9c\xac \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv,
          {19, 0, 19, 14, 13},
          "\xe6\x97\xa5 \xe2\x81\x87  \xe6\x97\xa5\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5"sv},
         {"xyz a zz"sv, {3, 0, 7, 3, 0}, " \xe2\x81\x87  a  \xe2\x81\x87 "sv},
         {"a\xff"
          "b\x80"sv,
          {7, 0, 5, 0},
          "a \xe2\x81\x87 b \xe2\x81\x87 "sv},
         {"d"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"abd"sv, {8, 0}, "ab \xe2\x81\x87 "sv},
         {"a\x00"
          "b"sv,
          {7, 0, 5},
          "a \xe2\x81\x87 b"sv},
         {"e\xcc\x81\xc3\xa9 A\t\xe2\x91\xa0\xe2\x80\x8bZZZ \xef\xbd\xb1"sv,
          {3, 20, 20, 7, 3, 3, 21, 3, 5, 0, 7, 3, 5},
          "\xc3\xa9\xc3\xa9 a  - b \xe2\x81\x87  a b"sv},
         {"\xe2\x96\x81"
          "a\xe2\x96\x81\xe2\x96\x81"
          "b\xe2\x96\x81"sv,
          {3, 7, 3, 3, 5, 3},
          " a  b "sv},
         {"bcabca"sv, {3, 12, 12}, "bcabca"sv},
         {"<0x61>"sv, {3, 0}, " \xe2\x81\x87 "sv},
         {"\t\xe2\x80\x8b"sv, {3, 3}, " "sv},
     }},
};

INSTANTIATE_TEST_SUITE_P(Models, SentencePieceReferenceTest,
                         ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace penstock
