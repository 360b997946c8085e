#include "tokenizer/bpe/tiktoken.h"

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ids;
using testing::kDataLoss;
using testing::kInvalid;
using testing::StatusIs;
using testing::TinyTiktoken;

StatusOr<std::shared_ptr<const Tokenizer>> ParseRanks(
    const std::string& file, const std::string& pattern = "cl100k_base") {
  return ParseTiktoken(file, "tiny.tiktoken", pattern);
}

TEST(TiktokenTest, PieceThatIsATokenNeedsNoMerges) {
  // No two tokens make "xyz", yet tiktoken takes a whole piece first.
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseRanks(TinyTiktoken({"xyz"})));
  EXPECT_THAT(Ids(*tokenizer, "xyz"), ElementsAre(256));
  EXPECT_THAT(Ids(*tokenizer, "xyza"), ElementsAre('x', 'y', 'z', 'a'));
}

TEST(TiktokenTest, PartOfAPieceThatIsATokenNeedsMerges) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseRanks(TinyTiktoken({"日本"})));
  // What is known of the piece is not true of a part that is as long.
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Ids(*tokenizer, "日本"), ElementsAre(256));
    EXPECT_EQ(Ids(*tokenizer, "日本語").size(), 9u);
    EXPECT_EQ(Ids(*tokenizer, "語語日本").size(), 12u);
  }
}

// Most parts are pieces where no such token ends as a part may.
TEST(TiktokenTest, ATokenThatNeedsNoMergesLeavesOthersAlone) {
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseRanks(TinyTiktoken(
          {"xyz", "bc", "abc", "日本x", "\xe6\x97", "日", "\xe6\x9c", "本"})));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Ids(*tokenizer, "xyz abc xbc"),
                ElementsAre(256, ' ', 258, ' ', 'x', 257));
    EXPECT_THAT(Ids(*tokenizer, "日本x"), ElementsAre(259));
    EXPECT_THAT(Ids(*tokenizer, "日本xy"), ElementsAre(261, 263, 'x', 'y'));
    EXPECT_THAT(Ids(*tokenizer, "日本日本"), ElementsAre(261, 263, 261, 263));
  }
}

// Alone they are merged one by one; of many pieces some side by side, a few
// not.
TEST(TiktokenTest, NewPiecesHaveTheIdsThatTheyHaveAlone) {
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseRanks(TinyTiktoken({"ab", "ba", " a", " ab", "abab", "ababab"})));
  for (const size_t pieces : {100u, 127u, 128u, 129u, 2048u, 2049u, 5000u}) {
    for (const size_t added : {0u, 1u, 4u, 5u, 6u, 20u, 90u}) {
      tokenizer->ForgetTexts();
      const std::vector<std::string> known = {" ab", " ba"};
      std::vector<TokenId> expected;
      std::string text;
      for (size_t i = 0; i < pieces; ++i) {
        // Of 2 to 91 bytes.
        const std::string piece =
            i < added ? " a" + std::string(i, "ab"[i % 2]) : known[i % 2];
        text += piece;
        std::vector<TokenId> alone = Ids(*tokenizer, piece);
        expected.insert(expected.end(), alone.begin(), alone.end());
      }
      tokenizer->ForgetTexts();
      ASSERT_EQ(Ids(*tokenizer, text), expected) << pieces << " " << added;
      ASSERT_EQ(Ids(*tokenizer, text), expected);
    }
  }
}

TEST(TiktokenTest, NeighboursMergeWhereTheyMakeAToken) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseRanks(TinyTiktoken({"bc", "ab", "abc"})));
  // "bc" comes first; then "a" + "bc" is a token as much as "ab" + "c".
  EXPECT_THAT(Ids(*tokenizer, "abcd"), ElementsAre(258, 'd'));
}

TEST(TiktokenTest, SpecialTokensAreThoseOfThePattern) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseRanks(TinyTiktoken({})));
  EXPECT_EQ(tokenizer->IdOf("<|endoftext|>"), 100257u);
  EXPECT_EQ(tokenizer->IdOf("<|fim_prefix|>"), 100258u);
  EXPECT_EQ(tokenizer->IdOf("<|endofprompt|>"), 100276u);
  EXPECT_EQ(tokenizer->vocabulary_size(), 100277u);
  EXPECT_EQ(tokenizer->TokenOf(100261), std::nullopt);
}

TEST(TiktokenTest, SpecialTextFollowsItsPolicy) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseRanks(TinyTiktoken({})));
  const std::string text = "a<|endoftext|>b";
  EXPECT_THAT(Ids(*tokenizer, text), ElementsAre('a', 100257, 'b'));
  EXPECT_EQ(Ids(*tokenizer, text, {.special_text = SpecialText::kAsText}),
            std::vector<TokenId>(text.begin(), text.end()));
  std::vector<TokenId> ids = {7};
  EXPECT_THAT(
      tokenizer->Encode(text, {.special_text = SpecialText::kRefuse}, ids),
      StatusIs(kInvalid,
               HasSubstr("special token \"<|endoftext|>\" at offset 1")));
  EXPECT_THAT(ids, ElementsAre(7));
}

TEST(TiktokenTest, CarriageReturnsAndBlankLinesAreTaken) {
  std::string file = TinyTiktoken({"ab"});
  for (size_t i = 0; (i = file.find('\n', i)) != std::string::npos; i += 3) {
    file.replace(i, 1, "\r\n\n");
  }
  EXPECT_OK(ParseRanks(file));
}

TEST(TiktokenTest, UnknownPatternIsAnsweredWithTheKnownOnes) {
  EXPECT_THAT(
      ParseRanks(TinyTiktoken({}), "cl10k"),
      StatusIs(kInvalid, AllOf(HasSubstr("unknown pattern \"cl10k\""),
                               HasSubstr("cl100k_base"), HasSubstr("gpt2"))));
}

TEST(TiktokenTest, BadLinesAreNamedByNumber) {
  const std::string good = TinyTiktoken({});
  for (const char* bad :
       {"YWI", "YWI=256", "YWI= ", "YWI= x", "YWI= 256 ", "YWI= -1", " 256",
        "YWI 256", "Y?I= 256", "YWI=  256", "YWI= 99999999999999999999999"}) {
    EXPECT_THAT(ParseRanks(good + bad + "\n"),
                StatusIs(kDataLoss, AllOf(HasSubstr("tiny.tiktoken:257: "),
                                          HasSubstr("base64"))))
        << bad;
  }
}

// Whisper's multilingual.tiktoken has "= 50256".
TEST(TiktokenTest, AnEmptyTokenHasARankAndNoText) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseRanks(TinyTiktoken({"ab"}) + "= 257\nYWJj 258\n"));
  EXPECT_THAT(Ids(*tokenizer, "abc ab"), ElementsAre(258, ' ', 256));
  EXPECT_EQ(tokenizer->TokenOf(257), "");
  std::string text;
  ASSERT_OK(tokenizer->Decode(std::vector<TokenId>{257, 256}, {}, text));
  EXPECT_EQ(text, "ab");
}

TEST(TiktokenTest, NothingIsGivenTwice) {
  const std::string good = TinyTiktoken({});
  EXPECT_THAT(
      ParseRanks(good + "YWI= 255\n"),
      StatusIs(kDataLoss,
               HasSubstr("tiny.tiktoken:257: rank 255 is given twice")));
  EXPECT_THAT(
      ParseRanks(good + "YQ== 256\n"),
      StatusIs(kDataLoss, HasSubstr("rank 256 is also that of rank 97")));
}

TEST(TiktokenTest, CutFileIsNotTakenForAVocabulary) {
  const std::string good = TinyTiktoken({"ab", "abc"});
  const size_t line = good.find('\n', 1000) + 1;
  EXPECT_THAT(ParseRanks(good.substr(0, line)),
              StatusIs(kDataLoss, HasSubstr("no token for the byte 0x")));
  EXPECT_THAT(ParseRanks(good.substr(0, line + 3)),
              StatusIs(kDataLoss, HasSubstr("expected a token in base64")));
  EXPECT_THAT(ParseRanks(""), StatusIs(kDataLoss, HasSubstr("byte 0x00")));
}

TEST(TiktokenTest, MissingRankIsNamed) {
  EXPECT_THAT(ParseRanks(TinyTiktoken({}) + "YWI= 300\n"),
              StatusIs(kDataLoss, HasSubstr("no token of rank 256")));
}

TEST(TiktokenTest, LimitsAreNamed) {
  const std::string good = TinyTiktoken({});
  EXPECT_THAT(ParseRanks(good + "YWI= 4194304\n"),
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("rank 4194304; the limit is 4194303")));
  EXPECT_THAT(ParseRanks(TinyTiktoken({std::string(1025, 'a')})),
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("a token of 1025 bytes")));
}

// A file of `size` ranks.
std::string Numbered(int size) {
  std::vector<std::string> tokens;
  for (int i = 256; i < size; ++i) tokens.push_back("t" + std::to_string(i));
  return TinyTiktoken(tokens);
}

TEST(TiktokenTest, RanksOfSpecialTokensBelongToThePattern) {
  std::vector<std::string> tokens;
  for (int i = 256; i <= 50256; ++i) tokens.push_back("t" + std::to_string(i));
  EXPECT_THAT(
      ParseRanks(TinyTiktoken(tokens), "gpt2"),
      StatusIs(kInvalid,
               HasSubstr("rank 50256 is the special token \"<|endoftext|>\"")));
  EXPECT_OK(ParseRanks(TinyTiktoken(tokens), "cl100k_base"));
}

TEST(TiktokenTest, RankOfASpecialTokenMayBeLeftOut) {
  // p50k_base goes on after the id of <|endoftext|>.
  std::vector<std::string> tokens;
  for (int i = 256; i < 50256; ++i) tokens.push_back("t" + std::to_string(i));
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseRanks(TinyTiktoken(tokens) + "ICA= 50257\n", "p50k_base"));
  EXPECT_EQ(tokenizer->IdOf("  "), 50257u);
  EXPECT_EQ(tokenizer->IdOf("<|endoftext|>"), 50256u);
}

TEST(TiktokenTest, Llama3HasMetasSpecialTokens) {
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       ParseRanks(Numbered(128000), "llama-3"));
  EXPECT_EQ(tokenizer->vocabulary_size(), 128256u);
  EXPECT_EQ(tokenizer->IdOf("<|begin_of_text|>"), 128000u);
  EXPECT_EQ(tokenizer->IdOf("<|reserved_special_token_3|>"), 128005u);
  EXPECT_EQ(tokenizer->IdOf("<|start_header_id|>"), 128006u);
  EXPECT_EQ(tokenizer->IdOf("<|reserved_special_token_4|>"), 128008u);
  EXPECT_EQ(tokenizer->IdOf("<|eot_id|>"), 128009u);
  EXPECT_EQ(tokenizer->IdOf("<|reserved_special_token_250|>"), 128255u);
}

TEST(TiktokenTest, Qwen2TakesNumbersOneByOne) {
  const std::string file = TinyTiktoken({"12", "123"});
  TiktokenRules rules = {.pattern = "qwen2"};
  rules.specials = {{"<|im_start|>", 300}};
  ASSERT_OK_AND_ASSIGN(const auto tokenizer, ParseTiktoken(file, "x", rules));
  EXPECT_THAT(Ids(*tokenizer, "123<|im_start|>"),
              ElementsAre('1', '2', '3', 300));
}

TEST(TiktokenTest, TextThatAnOwnExpressionDoesNotMatchIsLeftOut) {
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseTiktoken(
          TinyTiktoken({"ab", "a b"}), "x",
          TiktokenRules{.regex = "[a-z]+|[0-9]", .specials = {{"<e>", 258}}}));
  EXPECT_THAT(Ids(*tokenizer, "ab 12 <e>!a b"),
              ElementsAre(256, '1', '2', 258, 'a', 'b'));
  std::vector<TokenId> ids;
  std::vector<TokenOrigin> origins;
  ASSERT_OK(tokenizer->EncodeWithOrigins("! ab", {}, ids, origins));
  EXPECT_THAT(origins, ElementsAre(TokenOrigin{2, 4, 2, 4, 0}));
}

// Pieces are remembered in batches, but not where text between them is left
// out: stretches of both kinds follow each other, as long as batches and
// longer, and come again.
TEST(TiktokenTest, PiecesOfAnOwnExpressionAreThoseThatStandAlone) {
  const auto parse = [] {
    return *ParseTiktoken(TinyTiktoken({"ab", "abab", "ba"}), "x",
                          TiktokenRules{.regex = "[ab]{1,4}|c"});
  };
  const auto tokenizer = parse(), alone = parse();
  std::mt19937 random(5);
  for (int round = 0; round < testing::Cases(20); ++round) {
    std::string text;
    std::vector<TokenId> expected;
    for (int stretch = 0; stretch < 4; ++stretch) {
      const bool has_gaps = random() % 2 == 0;
      for (size_t i = random() % 700; i != 0; --i) {
        std::string piece;
        for (size_t k = 1 + random() % 3; k != 0; --k) {
          piece += random() % 2 == 0 ? 'a' : 'b';
        }
        // A "c" ends it, and is a piece.
        text += piece + "c";
        for (const std::string& one : {piece, std::string("c")}) {
          const std::vector<TokenId> ids = Ids(*alone, one);
          expected.insert(expected.end(), ids.begin(), ids.end());
        }
        if (has_gaps && random() % 5 == 0) text += "-";
      }
    }
    EXPECT_EQ(Ids(*tokenizer, text), expected) << text;
    EXPECT_EQ(Ids(*tokenizer, text), expected) << text;
    if (round % 5 == 0) tokenizer->ForgetTexts();
  }
}

TEST(TiktokenTest, APatternThatTakesTooManyStepsFailsTheText) {
  ASSERT_OK_AND_ASSIGN(
      const auto tokenizer,
      ParseTiktoken(TinyTiktoken({}), "x", TiktokenRules{.regex = "(a+)+$"}));
  std::vector<TokenId> ids;
  EXPECT_THAT(tokenizer->Encode(std::string(99, 'a') + "!", {}, ids),
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("the pattern (a+)+$ takes more than")));
  EXPECT_TRUE(ids.empty());
}

TEST(TiktokenTest, OwnRulesAreChecked) {
  const std::string file = TinyTiktoken({});
  EXPECT_THAT(
      ParseTiktoken(file, "x", TiktokenRules{.pattern = "gpt2", .regex = "a"}),
      StatusIs(kInvalid, HasSubstr("both")));
  EXPECT_THAT(ParseTiktoken(file, "x", TiktokenRules{.regex = "(?<=a+)b"}),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("(?<=a+)b")));
  EXPECT_THAT(
      ParseTiktoken(file, "x",
                    TiktokenRules{.regex = "a", .specials = {{"<e>", 1}}}),
      StatusIs(kInvalid, HasSubstr("rank 1 is the special")));
  EXPECT_THAT(
      ParseTiktoken(file, "x",
                    TiktokenRules{.regex = "a",
                                  .specials = {{"<e>", 300}, {"<e>", 301}}}),
      StatusIs(kInvalid, HasSubstr("given twice")));
}

TEST(TiktokenTest, AModelFileOfRanksLoadsWithAPattern) {
  const testing::ScratchFolder folder;
  const std::string path =
      folder.Write("tokenizer.model", TinyTiktoken({"ab"}));
  ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                       LoadTokenizer(LocalFiles(), path, {.pattern = "gpt2"}));
  EXPECT_THAT(Ids(*tokenizer, "abc"), ElementsAre(256, 'c'));
}

TEST(TiktokenTest, ATokenThatNeedsNoMergesIsNotWhatItsPartsAre) {
  // Characters, one that no two tokens make, and one that reaches from the
  // second of them into what may follow: parts with such are remembered.
  const std::string file =
      TinyTiktoken({"\xe6\x97", "日", "\xe6\x9c", "本", "本\xe8", "\xe8\xaa",
                    "語", "\xe5\xa4", "大", "日本語"});
  const TokenId kDay = 257, kOver = 260, kWord = 262, kLarge = 264, kAll = 265;
  for (const bool whole_first : {true, false}) {
    ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                         ParseTiktoken(file, "x", "gpt2"));
    const auto expect_whole = [&] {
      EXPECT_THAT(Ids(*tokenizer, "日本語"), ElementsAre(kAll));
    };
    if (whole_first) expect_whole();
    EXPECT_THAT(Ids(*tokenizer, "日本語大"),
                ElementsAre(kDay, kOver, 0xaa, 0x9e, kLarge));
    EXPECT_THAT(Ids(*tokenizer, "大日本語"),
                ElementsAre(kLarge, kDay, kOver, 0xaa, 0x9e));
    EXPECT_THAT(Ids(*tokenizer, "大語"), ElementsAre(kLarge, kWord));
    expect_whole();
  }
}

// Of sizes that are looked up, merged side by side and merged otherwise; among
// so many others that some are merged side by side.
TEST(TiktokenTest, ATokenThatNeedsNoMergesIsFoundCompiledToo) {
  const testing::ScratchFolder folder;
  const std::vector<std::string> unmade = {"xyz",
                                           std::string(16, 'p'),
                                           std::string(17, 'q'),
                                           std::string(33, 'r'),
                                           std::string(62, 's'),
                                           std::string(63, 't'),
                                           std::string(64, 'u'),
                                           std::string(200, 'v'),
                                           "日本",
                                           "a日"};
  const std::string path = folder.Write("my.tiktoken", TinyTiktoken(unmade));
  std::string text;
  std::vector<TokenId> expected;
  for (const std::string& token : unmade) {
    for (int known = 0; known < 20; ++known) {
      text += "\n!";
      expected.insert(expected.end(), {'\n', '!'});
    }
    text += token + "\n" + token + "w\n" + token + "語\n";
    expected.push_back(256 + (&token - unmade.data()));
    expected.push_back('\n');
    for (const char byte : token + "w\n" + token + "語\n") {
      expected.push_back(static_cast<unsigned char>(byte));
    }
  }
  const LoadOptions options = {
      .pattern = "gpt2", .compiled = {.use = true, .least_source_bytes = 0}};
  for (int load = 0; load < 2; ++load) {
    ASSERT_OK_AND_ASSIGN(const auto tokenizer,
                         LoadTokenizer(LocalFiles(), path, options));
    EXPECT_EQ(Ids(*tokenizer, text), expected);
    EXPECT_EQ(Ids(*tokenizer, text), expected);
  }
}

}  // namespace
}  // namespace penstock
