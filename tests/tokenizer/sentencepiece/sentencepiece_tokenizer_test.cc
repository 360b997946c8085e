#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using namespace std::string_view_literals;
using ::testing::AllOf;
using testing::FindFixture;
using ::testing::HasSubstr;
using testing::Ids;
using testing::kInvalid;
using testing::MissingFixture;
using testing::ParseTiny;
using testing::ScratchFolder;
using testing::StatusIs;
using testing::TinySentencePiece;
using PieceType = SentencePiece::Type;
using Type = SentencePieceModel::Type;

struct EncodedRow {
  std::string_view text;
  std::vector<TokenId> en, ja;
};

// Of the models in sentencepiece's own tests; ids by sentencepiece 0.2.3.
const EncodedRow kEncodedRows[] = {
    {"Hello world.",
     {151, 88, 21, 887, 6},
     {6, 4066, 1129, 2123, 2123, 1477, 6, 5808, 1477, 2366, 2123, 2453, 601}},
    {"  I  saw a\tgirl\n with a telescope. ",
     {9, 459, 11, 0, 37, 158, 31, 0, 44, 11, 4, 142, 82, 8, 28, 21, 132, 6},
     {6,    3213, 6,    1995, 931,  5808, 6,    931,  7715, 2373, 1079,
      2366, 2123, 0,    6,    5808, 1079, 1485, 1895, 6,    931,  6,
      1485, 1129, 2123, 1129, 1995, 2355, 1477, 2586, 1129, 601}},
    {"a\0b\0"sv, {11, 0, 66, 0}, {6, 931, 0, 4717, 0}},
    {"▁▁the▁", {4, 4, 7}, {6, 6, 6, 1485, 1895, 1129}},
    {"ｆｕｌｌ　ｗｉｄｔｈ ①②③ ㍿ ﷺ",
     {495, 102, 140, 95, 4, 357, 596, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0},
     {6,  5642, 1846, 2123, 2123, 6, 5808, 1079, 2453, 1485, 1895, 1847,
      33, 6,    4579, 6,    0,    6, 0,    6,    0,    6,    0}},
    {"e\xcc\x81 A\xcc\x8a ガ がぎ ｶﾞ",
     {4, 0, 4, 0, 4, 0, 4, 0, 4, 0},
     {6, 7592, 6, 0, 6, 878, 6, 12, 468, 6, 878}},
    {"吾輩は猫である。名前はまだ無い。",
     {4, 0},
     {6, 3973, 6019, 9, 6022, 24, 5, 1606, 9, 2206, 2441, 5}},
    {"x\xff\xc0\x80y\xe2\x96 \xed\xa0\x80",
     {4, 297, 0, 34, 0, 4, 0},
     {6, 5887, 0, 3826, 0, 6, 0}},
    {"<s> </s> <unk>",
     {4, 0, 8, 0, 4, 0, 8, 0, 4, 0, 160, 46, 0},
     {6, 6051, 1995, 4977, 6, 6051, 442, 1995, 4977, 6, 6051, 1846, 3902, 3534,
      4977}},
    {"\x01\x7f\xc2\x85\xe2\x80\xa8z", {4, 0, 997}, {6, 0, 6509}},
};

TEST(SentencePieceTokenizerTest, PublishedModelsGiveTheReferencesIds) {
  const std::string en =
      FindFixture("tokenizers/sentencepiece-unigram-en.model");
  const std::string ja =
      FindFixture("tokenizers/sentencepiece-unigram-ja.model");
  if (en.empty() || ja.empty()) {
    GTEST_SKIP() << MissingFixture("tokenizers/sentencepiece-unigram-en.model");
  }
  ASSERT_OK_AND_ASSIGN(const auto english, LoadTokenizer(LocalFiles(), en));
  ASSERT_OK_AND_ASSIGN(const auto japanese, LoadTokenizer(LocalFiles(), ja));
  for (const EncodedRow& row : kEncodedRows) {
    EXPECT_EQ(Ids(*english, row.text), row.en) << row.text;
    EXPECT_EQ(Ids(*japanese, row.text), row.ja) << row.text;
  }
  EXPECT_THAT(english->Describe(),
              AllOf(HasSubstr("SentencePiece unigram, 1000 ids"),
                    HasSubstr("normalization nfkc")));
}

TEST(SentencePieceTokenizerTest, LoadsByTheNameOfItsFile) {
  const ScratchFolder folder;
  const std::string path =
      folder.Write("my.model", TinySentencePiece().Bytes());
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, LoadTokenizer(LocalFiles(), path));
  EXPECT_EQ(Ids(*tokenizer, "ab"), std::vector<TokenId>{8});
  EXPECT_THAT(LoadTokenizer(LocalFiles(), path, {.pattern = "gpt2"}),
              StatusIs(kInvalid, HasSubstr("takes no pattern")));
}

TEST(SentencePieceTokenizerTest, ControlTextIsTextUnlessRefused) {
  const auto tokenizer = ParseTiny({});
  const std::vector<TokenId> expected = {7, 0};
  for (const auto special : {SpecialText::kAllow, SpecialText::kAsText}) {
    EXPECT_EQ(Ids(*tokenizer, "a<s>", {.special_text = special}), expected);
  }
  std::vector<TokenId> ids = {5};
  EXPECT_THAT(
      tokenizer->Encode("a </s>", {.special_text = SpecialText::kRefuse}, ids),
      StatusIs(kInvalid, AllOf(HasSubstr("\"</s>\" at offset 2"))));
  EXPECT_EQ(ids, std::vector<TokenId>{5});
  ASSERT_OK(
      tokenizer->Encode("a", {.special_text = SpecialText::kRefuse}, ids));
  EXPECT_EQ(ids, (std::vector<TokenId>{5, 7}));
}

TEST(SentencePieceTokenizerTest, TokensAndIdsLeadToEachOther) {
  const auto tokenizer = ParseTiny({.byte_fallback = true});
  EXPECT_EQ(tokenizer->vocabulary_size(), 22u + 256);
  for (TokenId id = 0; id < tokenizer->vocabulary_size(); ++id) {
    const auto token = tokenizer->TokenOf(id);
    ASSERT_TRUE(token) << id;
    EXPECT_EQ(tokenizer->IdOf(*token), id);
  }
  EXPECT_EQ(tokenizer->TokenOf(22 + 256), std::nullopt);
  EXPECT_EQ(tokenizer->IdOf("no such piece"), std::nullopt);
}

TEST(SentencePieceTokenizerTest, UnknownIdIsNamedAndTheTextKept) {
  const auto tokenizer = ParseTiny({});
  std::string text = "kept";
  EXPECT_THAT(
      tokenizer->Decode(std::vector<TokenId>{4, 22}, {}, text),
      StatusIs(kInvalid,
               HasSubstr("id 22 is not in the vocabulary, which has 22 ids")));
  EXPECT_EQ(text, "kept");
}

TEST(SentencePieceTokenizerTest, DecodeAppendsAsIfTheTextWereEmpty) {
  const auto tokenizer = ParseTiny({});
  std::string text = "kept";
  ASSERT_OK(tokenizer->Decode(std::vector<TokenId>{1, 7, 8, 2}, {}, text));
  EXPECT_EQ(text, "kepta ab");
}

// The first one of the first piece is left out.
TEST(SentencePieceTokenizerTest, DecodePutsSpacesWhereverAPieceHasThem) {
  std::string many, more_spaces;
  for (int i = 0; i < 300; ++i) many += kSpaceSymbol;
  more_spaces = std::string(kSpaceSymbol) + "a" + std::string(kSpaceSymbol) +
                std::string(kSpaceSymbol) + "b" + std::string(kSpaceSymbol);
  TinySentencePiece model;
  const auto first = static_cast<TokenId>(model.pieces.size());
  model.pieces.push_back({many});
  model.pieces.push_back({more_spaces});
  model.pieces.push_back(
      {std::string_view(more_spaces).substr(kSpaceSymbol.size())});
  const auto tokenizer = ParseTiny(model);
  for (const auto& [ids, expected] :
       std::vector<std::pair<std::vector<TokenId>, std::string>>{
           {{first}, std::string(299, ' ')},
           {{first + 1, first}, "a  b " + std::string(300, ' ')},
           {{first + 2, first + 1, first + 2}, "a  b  a  b a  b "}}) {
    std::string text;
    ASSERT_OK(tokenizer->Decode(ids, {}, text));
    EXPECT_EQ(text, expected);
  }
}

// By hand: E3 81 is cut off by <s>'s neighbour; 41 stands alone.
TEST(SentencePieceTokenizerTest, BytePiecesMakeCharactersOrReplacements) {
  const auto tokenizer = ParseTiny({.byte_fallback = true});
  const TokenId zero = 22;
  std::string text;
  ASSERT_OK(tokenizer->Decode(
      std::vector<TokenId>{zero + 0xe3, zero + 0x81, zero + 0x8b, 4,
                           zero + 0xe3, zero + 0x81, 4, zero + 0x41},
      {}, text));
  EXPECT_EQ(text,
            "かa\xef\xbf\xbd\xef\xbf\xbd"
            "aA");
}

TEST(SentencePieceTokenizerTest, FingerprintDiffersWithAllThatDecidesIds) {
  std::vector<TinySentencePiece> models(9);
  models[1].type = Type::kBpe;
  models[2].add_dummy_prefix = false;
  models[3].remove_extra_whitespaces = false;
  models[4].escape_whitespaces = false;
  models[5].whitespace_is_suffix = true;
  models[6].rules = {{"A", "a"}};
  models[7].pieces[4].score = -4;
  models[8].pieces[4].type = PieceType::kUnused;
  std::set<uint64_t> prints;
  for (const TinySentencePiece& model : models) {
    prints.insert(ParseTiny(model)->Fingerprint());
    EXPECT_EQ(ParseTiny(model)->Fingerprint(), ParseTiny(model)->Fingerprint());
  }
  prints.insert(ParseTiny({}, UnigramRules::kUntil021)->Fingerprint());
  EXPECT_EQ(prints.size(), models.size() + 1);
}

// "u" has no piece of its own, but stands in one: such words are remembered,
// too.
TEST(SentencePieceTokenizerTest, UnknownTextInsideOfWordsStaysWhereItIs) {
  TinySentencePiece model;
  model.pieces = {{"<unk>", 0, PieceType::kUnknown},
                  {"<s>", 0, PieceType::kControl},
                  {"</s>", 0, PieceType::kControl},
                  {"▁", -1},
                  {"a", -2},
                  {"b", -3},
                  {"aub", -2.5}};
  model.add_dummy_prefix = false;
  for (const bool as_bytes : {false, true}) {
    model.byte_fallback = as_bytes;
    const auto tokenizer = ParseTiny(model);
    ASSERT_NE(tokenizer, nullptr);
    const TokenId u = as_bytes ? 7 + 'u' : 0;
    const auto fused = [&](size_t count) {
      return std::vector<TokenId>(as_bytes ? count : 1, u);
    };
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Ids(*tokenizer, "aub"), (std::vector<TokenId>{6}));
      EXPECT_EQ(Ids(*tokenizer, "aua"), (std::vector<TokenId>{4, u, 4}));
      EXPECT_EQ(Ids(*tokenizer, "ua"), (std::vector<TokenId>{u, 4}));
      EXPECT_EQ(Ids(*tokenizer, "u"), (std::vector<TokenId>{u}));
      EXPECT_EQ(Ids(*tokenizer, "uuu"), fused(3));
      // More pieces than are remembered.
      std::vector<TokenId> many;
      for (int k = 0; k < 6; ++k) many.insert(many.end(), {4, u});
      EXPECT_EQ(Ids(*tokenizer, "auauauauauau"), many);
    }
    std::vector<TokenId> ids;
    std::vector<TokenOrigin> origins;
    ASSERT_OK(tokenizer->EncodeWithOrigins("aua aub", {}, ids, origins));
    ASSERT_EQ(origins.size(), 5);
    EXPECT_EQ(origins[1].begin_byte, 1);
    EXPECT_EQ(origins[1].end_byte, 2);
    EXPECT_EQ(origins[4].begin_byte, 4);
  }
}

// They are parts of their own, remembered by themselves, and follow each other
// in every way.
TEST(SentencePieceTokenizerTest, UnknownCharactersStandAloneWhereverTheyAre) {
  std::mt19937 random(11);
  for (const Type type : {Type::kUnigram, Type::kBpe}) {
    for (const bool as_bytes : {false, true}) {
      TinySentencePiece model = {.type = type, .byte_fallback = as_bytes};
      model.pieces = {{"<unk>", 0, PieceType::kUnknown},
                      {"<s>", 0, PieceType::kControl},
                      {"a", -1},
                      {"b", -2},
                      {"▁", -3}};
      model.add_dummy_prefix = model.remove_extra_whitespaces = false;
      const auto tokenizer = ParseTiny(model);
      ASSERT_NE(tokenizer, nullptr);
      const std::vector<std::string> chars = {"a", "b",  " ", "u",
                                              "é", "漢", "😀"};
      for (int i = 0; i < testing::Cases(300); ++i) {
        std::string text;
        std::vector<TokenId> expected;
        bool after_unknown = false;
        for (size_t k = 0; k < 1 + random() % 150; ++k) {
          const size_t c = random() % chars.size();
          text += chars[c];
          const bool is_unknown = c > 2;
          if (!is_unknown) {
            expected.push_back(static_cast<TokenId>(2 + c));
          } else if (as_bytes) {
            for (const unsigned char byte : chars[c]) {
              expected.push_back(static_cast<TokenId>(5 + byte));
            }
          } else if (!after_unknown) {
            expected.push_back(0);
          }
          after_unknown = is_unknown;
        }
        ASSERT_EQ(Ids(*tokenizer, text), expected) << text;
        std::vector<TokenId> ids;
        std::vector<TokenOrigin> origins;
        ASSERT_OK(tokenizer->EncodeWithOrigins(text, {}, ids, origins));
        ASSERT_EQ(ids, expected) << text;
        ASSERT_EQ(Ids(*tokenizer, text), expected) << text;
        if (i % 50 == 0) tokenizer->ForgetTexts();
      }
    }
  }
}

TEST(SentencePieceTokenizerTest, LongRepeatsAreCheapInEveryModel) {
  for (const Type type :
       {Type::kUnigram, Type::kBpe, Type::kWord, Type::kChar}) {
    TinySentencePiece model = {.type = type};
    // Without it, all merges could be settled part by part.
    model.pieces.push_back({"aa", -4});
    model.pieces.push_back({"aaaa", -9});
    const auto tokenizer = ParseTiny(model);
    const std::string text(testing::Cases(1'000'000), 'a');
    const std::vector<TokenId> ids = Ids(*tokenizer, text);
    std::string decoded;
    ASSERT_OK(tokenizer->Decode(ids, {}, decoded));
    EXPECT_EQ(decoded, type == Type::kWord ? " \xe2\x81\x87 " : text);
  }
}

// Sums of 0.1 and the like are equal but for rounding, which depends on all
// that stands before. Ids by sentencepiece 0.2.3 and 0.2.1.
TEST(SentencePieceTokenizerTest,
     RoundingFromTheStartOnDecidesLikeTheReferences) {
  const TinySentencePiece model = {
      .pieces = {{"<unk>", 0, PieceType::kUnknown},
                 {"<s>", 0, PieceType::kControl},
                 {"</s>", 0, PieceType::kControl},
                 {"▁", -0.7f},
                 {"a", -0.1f},
                 {"b", -0.2f},
                 {"ab", -0.3f},
                 {"ba", -0.30000001f},
                 {"aba", -0.4f},
                 {"▁x", -1000.3f},
                 {"zz", 0, PieceType::kUserDefined},
                 {"z", 0, PieceType::kUserDefined}}};
  struct {
    std::string text;
    std::vector<TokenId> since022, until021;
  } const rows[] = {
      {"abab", {3, 6, 6}, {3, 6, 6}},
      {"x abab", {9, 3, 6, 6}, {9, 3, 4, 7, 5}},
      {"x x x abab", {9, 9, 9, 3, 8, 5}, {9, 9, 9, 3, 8, 5}},
      {"abab abab abab x abab x abab x abab ",
       {3, 6, 6, 3, 6, 6, 3, 6, 6, 9, 3, 6, 6, 9, 3, 4, 5, 4, 5, 9, 3, 8, 5},
       {3, 6, 6, 3, 4, 7, 5, 3, 4, 7, 5, 9, 3,
        4, 7, 5, 9, 3, 4, 5, 4, 5, 9, 3, 8, 5}},
  };
  const auto newer = ParseTiny(model);
  const auto older = ParseTiny(model, UnigramRules::kUntil021);
  for (const auto& row : rows) {
    EXPECT_EQ(Ids(*newer, row.text), row.since022) << row.text;
    EXPECT_EQ(Ids(*older, row.text), row.until021) << row.text;
  }
  // Beyond 100,000 the newer releases begin again from 0.
  std::string text;
  for (int i = 0; i < 150; ++i) text += "x ";
  text += "abab baba aabb zzz";
  auto tail = [](const std::vector<TokenId>& ids) {
    return std::vector<TokenId>(ids.end() - 13, ids.end());
  };
  EXPECT_EQ(tail(Ids(*newer, text)),
            (std::vector<TokenId>{3, 8, 5, 3, 5, 8, 3, 4, 6, 5, 3, 11, 10}));
  EXPECT_EQ(tail(Ids(*older, text)),
            (std::vector<TokenId>{7, 5, 3, 7, 7, 3, 4, 4, 5, 5, 3, 11, 10}));
}

// 30,000 bytes of text that are and are not parts of pieces.
std::string SomeText(uint32_t seed) {
  static constexpr std::string_view kWords[] = {
      "ab", " ", "abab ", "bca", "日本", "foo", "\xff", "xyz", "\t", "é", "c "};
  std::string text;
  uint32_t state = seed;
  while (text.size() < 30000) {
    state = state * 1664525 + 1013904223;
    text += kWords[(state >> 16) % std::size(kWords)];
  }
  return text;
}

TEST(SentencePieceTokenizerTest, ThreadsThatShareItGetTheSameIds) {
  for (const Type type : {Type::kUnigram, Type::kBpe}) {
    const auto tokenizer = ParseTiny({.type = type});
    std::vector<std::string> texts;
    std::vector<std::vector<TokenId>> expected;
    for (uint32_t seed = 0; seed < 10; ++seed) {
      texts.push_back(SomeText(seed));
      expected.push_back(Ids(*ParseTiny({.type = type}), texts.back()));
    }
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (size_t i = 0; i < texts.size(); ++i) {
          EXPECT_EQ(Ids(*tokenizer, texts[i]), expected[i]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace penstock
