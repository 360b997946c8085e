#include "tokenizer/byte_tokenizer.h"

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using ::testing::SizeIs;
using testing::StatusIs;

TEST(ByteTokenizerTest, IdsAreTheBytes) {
  EXPECT_THAT(Ids(ByteTokenizer(), std::string_view("a\0\xff", 3)),
              ElementsAre(97, 0, 255));
}

TEST(ByteTokenizerTest, NoTextBecomesTheEndToken) {
  for (const SpecialText policy :
       {SpecialText::kAllow, SpecialText::kRefuse, SpecialText::kAsText}) {
    EXPECT_THAT(Ids(ByteTokenizer(), "<|endoftext|>", {.special_text = policy}),
                SizeIs(13));
  }
}

TEST(ByteTokenizerTest, EndTokenHasASpellingAndCanBeSkipped) {
  const ByteTokenizer tokenizer;
  EXPECT_EQ(tokenizer.IdOf("<|endoftext|>"), 256u);
  EXPECT_EQ(tokenizer.TokenOf(256), "<|endoftext|>");
  const std::vector<TokenId> ids = {'a', 256, 'b'};
  std::string text;
  ASSERT_OK(tokenizer.Decode(ids, {}, text));
  EXPECT_EQ(text, "a<|endoftext|>b");
  text.clear();
  ASSERT_OK(tokenizer.Decode(ids, {.skip_special_tokens = true}, text));
  EXPECT_EQ(text, "ab");
}

TEST(ByteTokenizerTest, UnknownIdIsNamed) {
  std::string text;
  EXPECT_THAT(ByteTokenizer().Decode(std::vector<TokenId>{257}, {}, text),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("id 257 is not in the vocabulary")));
}

}  // namespace
}  // namespace penstock
