// Ids and texts of hand-built models, compared with those that sentencepiece
// 0.2.3 gives for the same models.
//
// tools/interop/compare_sentencepiece.py compares far more, where it is
// installed.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
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

struct ModelRow {
  std::string_view text;
  std::vector<TokenId> ids;
  std::string_view decoded;
};
struct Model {
  const char* name;
  std::vector<ModelRow> rows;
};
void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

class SentencePieceReferenceTest : public ::testing::TestWithParam<Model> {};

TEST_P(SentencePieceReferenceTest, GivesTheSameIdsAndTexts) {
  const auto tokenizer = ParseTiny(ModelOf(GetParam().name));
  ASSERT_NE(tokenizer, nullptr);
  for (const ModelRow& row : GetParam().rows) {
    EXPECT_EQ(Ids(*tokenizer, row.text), row.ids) << row.text;
    // Again, now that the parts are remembered.
    EXPECT_EQ(Ids(*tokenizer, row.text), row.ids) << row.text;
    std::string decoded;
    ASSERT_OK(tokenizer->Decode(row.ids, {}, decoded));
    EXPECT_EQ(decoded, row.decoded) << row.text;
  }
}

const Model kModels[] = {
#include "tests/tokenizer/sentencepiece/sentencepiece_reference.inc"
};

INSTANTIATE_TEST_SUITE_P(Models, SentencePieceReferenceTest,
                         ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace penstock
