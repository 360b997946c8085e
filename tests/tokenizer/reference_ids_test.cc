// Ids of published vocabularies, compared with those of the references.
//
// tools/interop/compare_tokenizers.py compares far more, where the references
// are.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/fixtures.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using namespace std::string_view_literals;
using testing::FindFixture;
using testing::Ids;
using testing::MissingFixture;

struct ReferenceRow {
  std::string_view text;
  std::vector<TokenId> gpt2, cl100k, o200k;
};

// gpt2: Hugging Face tokenizers 0.23.3. The others: tiktoken 0.14.0, with
// allowed_special="all".
const ReferenceRow kReferenceRows[] = {
    {"", {}, {}, {}},
    {"hello world", {31373, 995}, {15339, 1917}, {24912, 2375}},
    {"Hello, World! It's 2024.",
     {15496, 11, 2159, 0, 632, 338, 48609, 13},
     {9906, 11, 4435, 0, 1102, 596, 220, 2366, 19, 13},
     {13225, 11, 5922, 0, 7744, 220, 1323, 19, 13}},
    {" leading", {3756}, {6522}, {8117}},
    {"trailing   ",
     {9535, 4386, 220, 220, 220},
     {376, 14612, 262},
     {371, 24408, 271}},
    {"a  b   c",
     {64, 220, 275, 220, 220, 269},
     {64, 220, 293, 256, 272},
     {64, 220, 287, 256, 274}},
    {"\n\n\nx", {628, 198, 87}, {1432, 87}, {2499, 87}},
    {"x \n\n  y\r\n\r\n z",
     {87, 220, 628, 220, 331, 201, 198, 201, 198, 1976},
     {87, 4815, 220, 379, 881, 1167},
     {87, 1202, 220, 342, 1414, 579}},
    {"don't DON'T we'LL I'\xc5\xbf he'd'd",
     {9099, 470, 23917, 6, 51, 356, 6, 3069, 314, 6, 129, 123, 339, 1549, 1549},
     {15357, 956, 45373, 17773, 584, 6, 4178, 358, 6, 129, 123, 568, 4265,
      4265},
     {91418, 153384, 581, 6, 7454, 3413, 70067, 71619, 11062}},
    {"12345678 1 22 333 4444",
     {10163, 2231, 30924, 352, 2534, 23460, 604, 30272},
     {4513, 10961, 2495, 220, 16, 220, 1313, 220, 8765, 220, 14870, 19},
     {7633, 19354, 4388, 220, 16, 220, 1709, 220, 15517, 220, 24954, 19}},
    {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad"
     "\xe3\x82\xb9\xe3\x83\x88\xe3\x80\x81\xe3\x81\xa7\xe3\x81\x99\xe3\x80\x82",
     {33768, 98, 17312, 105, 45739, 252, 5641, 24336, 25084, 43302, 23513,
      30640, 33623, 16764},
     {9080, 22656, 45918, 252, 16144, 57933, 62903, 71634, 5486, 38641, 1811},
     {9048, 40909, 3385, 16056, 18368, 38236, 1395, 15121, 788}},
    {"na\xc3\xafve caf\xc3\xa9 Stra\xc3\x9f"
     "e \xc7\x85ungla",
     {2616, 38776, 40304, 15195, 39683, 68, 220, 131, 227, 2150, 5031},
     {3458, 38672, 588, 53050, 27745, 24352, 220, 131, 227, 2234, 4355},
     {1503, 9954, 737, 30469, 71184, 220, 131, 227, 988, 1675}},
    {"e\xcc\x81 \xcc\x81x !\xcc\x81",
     {68, 136, 223, 220, 136, 223, 87, 5145, 136, 223},
     {68, 54939, 220, 54939, 87, 758, 54939},
     {68, 13430, 220, 13430, 87, 1073, 13430}},
    {"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 "
     "\xf0\x9f\x87\xaf\xf0\x9f\x87\xb5",
     {41840, 102, 447, 235, 41840, 102, 447, 235, 41840, 100, 12520, 229, 107,
      8582, 229, 113},
     {9468, 239, 102, 378, 235, 9468, 239, 102, 378, 235, 9468, 239, 100, 11410,
      229, 107, 9468, 229, 113},
     {28823, 102, 2524, 28823, 102, 2524, 28823, 100, 173468, 107, 55506, 113}},
    {"x\xc2\xb2+y\xc2\xb3=\xe2\x85\xa7\xc2\xbd",
     {87, 31185, 10, 88, 126, 111, 28, 158, 227, 100, 23141},
     {87, 30556, 44110, 44301, 28, 71567, 100, 27154},
     {87, 13848, 102753, 45681, 28, 25371, 100, 27124}},
    {"camelCaseHTTPServer\xc3\x89"
     "COLE\xe6\x97\xa5\xe6\x9c\xac"
     "ABC",
     {66, 17983, 20448, 6535, 28820, 18497, 38351, 8220, 2538, 33768, 98, 17312,
      105, 24694},
     {94421, 4301, 9412, 5592, 27887, 8445, 877, 9080, 22656, 26484},
     {178067, 6187, 17893, 6444, 5859, 8310, 1400, 9048, 44197}},
    {"/usr//bin/x\n/",
     {14, 14629, 1003, 8800, 14, 87, 198, 14},
     {55438, 322, 7006, 11009, 198, 14},
     {165272, 393, 11893, 22739, 198, 14}},
    {"a\x00"
     "b"sv,
     {64, 188, 65},
     {64, 188, 65},
     {64, 188, 65}},
    {"\xe3\x80\x80\xe3\x80\x80\xe5\x85\xa8\xe8\xa7\x92\xe3\x80\x80\xe7\xa9\xba"
     "\xe7\x99\xbd",
     {5099, 222, 5099, 222, 17739, 101, 164, 100, 240, 5099, 222, 163, 102, 118,
      163, 50159},
     {23249, 23249, 37087, 64936, 23249, 35894, 23706, 121},
     {1397, 1397, 5145, 36205, 1397, 16207, 17760}},
    {"\xe1\xb2\x89\\u",
     {157, 110, 231, 59, 84},
     {157, 110, 231, 3855},
     {157, 110, 231, 7570}},
    {"_foo__bar",
     {62, 21943, 834, 5657},
     {766, 2689, 565, 2308},
     {62, 16660, 771, 2990}},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aa",
     {24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794,
      24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794,
      24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794, 24794,
      24794, 24794, 24794, 24794, 24794, 24794, 24794},
     {70540, 70540, 70540, 70540, 70540, 70540, 70540, 70540, 70540, 70540,
      70540, 70540, 70540, 70540, 70540, 70540, 70540, 70540, 29558},
     {117525, 117525, 117525, 117525, 117525, 117525, 117525, 117525, 117525,
      117525, 117525, 117525, 117525, 117525, 117525, 117525, 117525, 117525,
      45037}},
    {"<|endoftext|>", {50256}, {100257}, {199999}},
    {"a <|endoftext|>\n<|endoftext",
     {64, 220, 50256, 198, 27, 91, 437, 1659, 5239},
     {64, 220, 100257, 198, 27, 91, 8862, 728, 428},
     {64, 220, 199999, 198, 27, 91, 419, 1440, 919}},
    {" \t \t", {220, 197, 220, 197}, {220, 49030}, {220, 112458}},
    {"\t\ttab", {197, 197, 8658}, {197, 59249}, {197, 119380}},
    {"if (x) {\n    return y;\n}\n",
     {361, 357, 87, 8, 1391, 198, 220, 220, 220, 1441, 331, 26, 198, 92, 198},
     {333, 320, 87, 8, 341, 262, 471, 379, 280, 534},
     {366, 350, 87, 8, 405, 271, 622, 342, 307, 739}},
    {"' 's ''s",
     {6, 705, 82, 10148, 82},
     {6, 364, 82, 3436, 82},
     {6, 461, 82, 8686, 82}},
};

struct ReferenceVocabulary {
  const char* file;
  std::vector<TokenId> ReferenceRow::*ids;
  size_t size;
};

void PrintTo(const ReferenceVocabulary& vocabulary, std::ostream* out) {
  *out << vocabulary.file;
}

class ReferenceTest : public ::testing::TestWithParam<ReferenceVocabulary> {
 protected:
  void SetUp() override {
    const std::string name = std::string("tokenizers/") + GetParam().file;
    const std::string path = FindFixture(name);
    if (path.empty()) GTEST_SKIP() << MissingFixture(name);
    ASSERT_OK_AND_ASSIGN(tokenizer_, LoadTokenizer(LocalFiles(), path));
  }

  std::string Decoded(const std::vector<TokenId>& ids) const {
    std::string text;
    EXPECT_OK(tokenizer_->Decode(ids, {}, text));
    return text;
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
};

INSTANTIATE_TEST_SUITE_P(
    Published, ReferenceTest,
    ::testing::Values(ReferenceVocabulary{"gpt2.tokenizer.json",
                                          &ReferenceRow::gpt2, 50257},
                      ReferenceVocabulary{"cl100k_base.tiktoken",
                                          &ReferenceRow::cl100k, 100277},
                      ReferenceVocabulary{"o200k_base.tiktoken",
                                          &ReferenceRow::o200k, 200019}),
    [](const auto& info) {
      return std::string(info.param.file, 0,
                         std::string_view(info.param.file).find_first_of("._"));
    });

TEST_P(ReferenceTest, IdsAreTheReferences) {
  for (const ReferenceRow& row : kReferenceRows) {
    EXPECT_EQ(Ids(*tokenizer_, row.text), row.*GetParam().ids) << row.text;
  }
  EXPECT_EQ(tokenizer_->vocabulary_size(), GetParam().size);
}

TEST_P(ReferenceTest, KnownPiecesHaveTheSameIdsAsNewOnes) {
  for (int round = 0; round < 2; ++round) {
    for (const ReferenceRow& row : kReferenceRows) {
      EXPECT_EQ(Ids(*tokenizer_, row.text), row.*GetParam().ids) << row.text;
    }
  }
}

TEST_P(ReferenceTest, CorporaDecodeToThemselves) {
  for (const char* corpus : {"moby.txt", "botchan.txt", "neko.txt"}) {
    const std::string name = std::string("corpora/") + corpus;
    const std::string path = FindFixture(name);
    if (path.empty()) GTEST_SKIP() << MissingFixture(name);
    ASSERT_OK_AND_ASSIGN(const std::string text,
                         ReadWholeFile(LocalFiles(), path));
    EXPECT_EQ(Decoded(Ids(*tokenizer_, text)), text) << corpus;
  }
}

TEST_P(ReferenceTest, EveryByteStringDecodesToItself) {
  std::string text;
  uint32_t state = 1;
  for (int i = 0; i < 100000; ++i) {
    state = state * 1664525 + 1013904223;
    text.push_back(static_cast<char>(state >> 24));
  }
  EXPECT_EQ(
      Decoded(Ids(*tokenizer_, text, {.special_text = SpecialText::kAsText})),
      text);
}

TEST_P(ReferenceTest, OneLetterAMillionTimesEnds) {
  const std::string text(1000000, 'a');
  EXPECT_EQ(Decoded(Ids(*tokenizer_, text)), text);
}

}  // namespace
}  // namespace penstock
