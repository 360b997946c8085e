#include "tokenizer/load.h"

#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScratchFolder;
using testing::StatusIs;
using testing::TinyJson;
using testing::TinyTiktoken;

constexpr auto kInvalidArgument = StatusCode::kInvalidArgument;

TEST(LoadTest, BytesNeedNoFile) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       LoadTokenizer(LocalFiles(), "bytes"));
  EXPECT_EQ(tokenizer->Describe(), "bytes, 257 ids");
}

TEST(LoadTest, NameOfARankFileGivesItsPattern) {
  const ScratchFolder folder;
  const std::string path =
      folder.Write("o200k_base.tiktoken", TinyTiktoken({}));
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, LoadTokenizer(LocalFiles(), path));
  EXPECT_EQ(tokenizer->IdOf("<|endoftext|>"), 199999u);
  EXPECT_THAT(tokenizer->Describe(), HasSubstr("o200k pattern"));
}

TEST(LoadTest, GivenPatternOutranksTheName) {
  const ScratchFolder folder;
  const std::string path =
      folder.Write("o200k_base.tiktoken", TinyTiktoken({}));
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       LoadTokenizer(LocalFiles(), path, {.pattern = "gpt2"}));
  EXPECT_EQ(tokenizer->IdOf("<|endoftext|>"), 50256u);
}

TEST(LoadTest, RankFileOfUnknownNameNeedsAPattern) {
  const ScratchFolder folder;
  EXPECT_THAT(LoadTokenizer(LocalFiles(),
                            folder.Write("my.tiktoken", TinyTiktoken({}))),
              StatusIs(kInvalidArgument,
                       AllOf(HasSubstr("my.tiktoken: unknown pattern \"my\""),
                             HasSubstr("cl100k_base"))));
}

TEST(LoadTest, PatternWhereNoneIsNeededIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.Write("t.json", TinyJson({}, {}).dump());
  EXPECT_OK(LoadTokenizer(LocalFiles(), path));
  for (const std::string& name : {path, std::string("bytes")}) {
    EXPECT_THAT(LoadTokenizer(LocalFiles(), name, {.pattern = "gpt2"}),
                StatusIs(kInvalidArgument, HasSubstr("takes no pattern")));
  }
}

TEST(LoadTest, OtherFilesAreAnsweredWithWhatCanBeRead) {
  EXPECT_THAT(LoadTokenizer(LocalFiles(), "vocab.bpe"),
              StatusIs(kInvalidArgument,
                       AllOf(HasSubstr("vocab.bpe"), HasSubstr("*.json"),
                             HasSubstr("*.tiktoken"), HasSubstr("*.model"),
                             HasSubstr("\"bytes\""))));
}

TEST(LoadTest, MissingFileIsNamed) {
  for (const char* name : {"nowhere/t.json", "nowhere/gpt2.tiktoken"}) {
    EXPECT_THAT(LoadTokenizer(LocalFiles(), name),
                StatusIs(StatusCode::kNotFound, HasSubstr(name)));
  }
}

}  // namespace
}  // namespace penstock
