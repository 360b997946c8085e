// Damaged and hostile .model files: a named error, never anything worse.
#include "tokenizer/sentencepiece/sentencepiece_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/formats/wire/wire_builder.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using testing::Chunk;
using ::testing::HasSubstr;
using testing::Ids;
using testing::kDataLoss;
using testing::ParseTiny;
using testing::StatusIs;
using testing::TinyPiece;
using testing::TinySentencePiece;
using testing::VarintField;
using PieceType = SentencePiece::Type;
using Type = SentencePieceModel::Type;

auto ParseModel(const std::string& bytes) {
  return SentencePieceTokenizer::Parse(bytes, "a.model");
}

TinySentencePiece With(TinyPiece piece, Type type = Type::kUnigram) {
  TinySentencePiece model = {.type = type};
  model.pieces.push_back(piece);
  return model;
}

TEST(SentencePieceModelTest, CutOffAnywhereIsAnErrorOrAModel) {
  const std::string bytes = TinySentencePiece{.rules = {{"A", "a"}}}.Bytes();
  size_t errors = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto tokenizer = ParseModel(bytes.substr(0, size));
    if (tokenizer.ok()) {
      Ids(**tokenizer, "ab A foo");
    } else {
      ++errors;
      EXPECT_THAT(tokenizer, StatusIs(kDataLoss, HasSubstr("a.model: ")));
    }
  }
  // Only what ends with one of the fields of ModelProto is a model.
  EXPECT_GT(errors, bytes.size() - 30);
}

TEST(SentencePieceModelTest, DamageIsNamedWithItsOffset) {
  EXPECT_THAT(ParseModel(Chunk(1, Chunk(1, "a")) + "\x0a\x05xyz"),
              StatusIs(kDataLoss, AllOf(HasSubstr("a.model: not a "
                                                  "SentencePiece model"),
                                        HasSubstr("past the end at offset"))));
  EXPECT_THAT(ParseModel(""), StatusIs(kDataLoss, HasSubstr("no pieces")));
}

TEST(SentencePieceModelTest, UnknownFieldsAndTypesAreSteppedOver) {
  const std::string bytes = TinySentencePiece().Bytes();
  ASSERT_OK_AND_ASSIGN(
      const auto model,
      ParseSentencePieceModel(bytes + Chunk(200, "x") + VarintField(1, 7) +
                                  Chunk(2, VarintField(3, 9)),
                              "a.model"));
  EXPECT_EQ(model.type, Type::kUnigram);
  EXPECT_EQ(model.pieces.size(), testing::TinyPieces().size());
}

TEST(SentencePieceModelTest, PiecesThatCannotBeAreNamed) {
  EXPECT_THAT(ParseModel(With({""}).Bytes()),
              StatusIs(kDataLoss, HasSubstr("piece 22 (\"\") is empty")));
  EXPECT_THAT(
      ParseModel(With({std::string_view("x\0y", 3)}).Bytes()),
      StatusIs(kDataLoss, HasSubstr("piece 22 (\"x\\x00y\") holds a NUL")));
  EXPECT_THAT(ParseModel(With({"ab"}).Bytes()),
              StatusIs(kDataLoss, HasSubstr("(\"ab\") is piece 6 again")));
  EXPECT_THAT(ParseModel(With({"foo", 0, PieceType::kUserDefined}).Bytes()),
              StatusIs(kDataLoss, HasSubstr("(\"foo\") is piece 15 again")));
  EXPECT_THAT(ParseModel(With({"x", NAN}).Bytes()),
              StatusIs(kDataLoss, HasSubstr("score that is not finite")));
  EXPECT_THAT(ParseModel(With({"?", 0, PieceType::kUnknown}).Bytes()),
              StatusIs(kDataLoss, HasSubstr("second unknown piece, after "
                                            "piece 0")));
  const std::string longest(8000, 'a');
  EXPECT_THAT(ParseModel(With({longest}).Bytes()),
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("piece 22 has 8000 bytes")));
}

TEST(SentencePieceModelTest, BytePiecesComeAllTogetherOrNotAtAll) {
  EXPECT_THAT(ParseModel(With({"<0x41>", 0, PieceType::kByte}).Bytes()),
              StatusIs(kDataLoss, HasSubstr("has no byte fallback")));
  TinySentencePiece model = With({"<0xgg>", 0, PieceType::kByte});
  model.byte_fallback = true;
  EXPECT_THAT(ParseModel(model.Bytes()),
              StatusIs(kDataLoss, HasSubstr("not spelled like \"<0x0A>\"")));
  std::string none = TinySentencePiece().Bytes();
  none += Chunk(2, VarintField(35, 1));
  EXPECT_THAT(ParseModel(none), StatusIs(kDataLoss, HasSubstr("\"<0x00>\"")));
}

TEST(SentencePieceModelTest, AnUnknownPieceIsNeededUnlessBytesStandIn) {
  TinySentencePiece model;
  model.pieces.erase(model.pieces.begin());
  EXPECT_THAT(ParseModel(model.Bytes()),
              StatusIs(kDataLoss, HasSubstr("no piece is the unknown one")));
  model.byte_fallback = true;
  EXPECT_OK(ParseModel(model.Bytes()));
}

// As sentencepiece has it: a control piece may share a name with another, but
// not in BPE.
TEST(SentencePieceModelTest, ReservedNamesAreASpaceOfTheirOwnButInBpe) {
  const auto tokenizer = ParseTiny(With({"<s>", -1}));
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(Ids(*tokenizer, "a<s>"), (std::vector<TokenId>{7, 22}));
  EXPECT_EQ(tokenizer->IdOf("<s>"), 1u);
  EXPECT_EQ(tokenizer->TokenOf(22), "<s>");
  EXPECT_THAT(ParseModel(With({"<s>", -1}, Type::kBpe).Bytes()),
              StatusIs(kDataLoss, HasSubstr("is piece 1 again")));
  TinySentencePiece twice = With({"<s>", -1});
  twice.pieces.push_back(twice.pieces.back());
  EXPECT_THAT(ParseModel(twice.Bytes()),
              StatusIs(kDataLoss, HasSubstr("piece 23 (\"<s>\") is piece 22 "
                                            "again")));
}

// Converters write one by mistake; sentencepiece 0.2.3 takes it as unused.
TEST(SentencePieceModelTest, NulPieceIsUnusedWhereThereAreBytes) {
  TinySentencePiece model = With({std::string_view("\0", 1), -1});
  EXPECT_THAT(ParseModel(model.Bytes()), StatusIs(kDataLoss, HasSubstr("NUL")));
  model.byte_fallback = true;
  const auto tokenizer = ParseTiny(model);
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(Ids(*tokenizer, std::string_view("a\0", 2)),
            (std::vector<TokenId>{7, 23}));
}

std::string WithCharsmap(std::string_view blob) {
  return TinySentencePiece().Bytes() + Chunk(3, Chunk(2, blob));
}

TEST(CharsmapTest, BrokenLayoutsAreNamed) {
  const std::string blob = testing::TinyCharsmap({{"A", "a"}});
  EXPECT_OK(ParseModel(WithCharsmap(blob)));
  EXPECT_THAT(ParseModel(WithCharsmap("abc")),
              StatusIs(kDataLoss, HasSubstr("a.model: the precompiled charsmap "
                                            "is cut off: it has 3 bytes")));
  std::string bad = blob;
  bad[2] = 1;  // the size of the trie
  EXPECT_THAT(ParseModel(WithCharsmap(bad)),
              StatusIs(kDataLoss, HasSubstr("its trie alone has")));
  bad = blob;
  bad[0] = 1;
  EXPECT_THAT(ParseModel(WithCharsmap(bad)),
              StatusIs(kDataLoss, HasSubstr("no multiple of 1024")));
  bad = blob;
  bad.back() = 'x';
  EXPECT_THAT(ParseModel(WithCharsmap(bad)),
              StatusIs(kDataLoss, HasSubstr("last text does not end")));
}

TEST(CharsmapTest, NoUnitCanLeadOutside) {
  const std::string blob = testing::TinyCharsmap({{"A", "a"}});
  const std::string units_end = blob.substr(0, blob.size() - 2);
  size_t cases = 0;
  size_t refused = 0;
  for (size_t at = 4; at + 4 <= units_end.size();
       at += 4 * testing::kCaseStride) {
    for (const std::string_view unit :
         {"\xff\xff\xff\xff", "\xff\xff\xff\x7f", "\x00\xff\xff\x3f",
          "\x41\x01\x00\x00"}) {
      ++cases;
      std::string bad = blob;
      bad.replace(at, 4, unit.data(), 4);
      const auto tokenizer = ParseModel(WithCharsmap(bad));
      if (tokenizer.ok()) {
        Ids(**tokenizer, "ab A foo \xe3\x81\x8b\xff");
      } else {
        ++refused;
        EXPECT_THAT(tokenizer, StatusIs(kDataLoss, HasSubstr("outside")));
      }
    }
  }
  EXPECT_GT(refused, cases / 2);
}

}  // namespace
}  // namespace penstock
