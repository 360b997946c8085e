// tokenize as a user runs it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TokenizeTest : public SmallDatasetTest {};

TEST_F(TokenizeTest, TokenizeReadsNulSeparatedDocuments) {
  const Outcome outcome = RunShell(fmt::format(
      "printf 'ab\\0c\\0' | {}/tokenize --tokenizer bytes --null-separated",
      PENSTOCK_BIN_DIR));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, "97 98\n99\n");
}

TEST_F(TokenizeTest, TokenizeCountsTokens) {
  const auto counts = [](std::string_view options) {
    return RunShell(fmt::format(
        "printf 'ab\"a\\0\\n' | {}/tokenize --tokenizer bytes --null-separated "
        "--count-tokens {}",
        PENSTOCK_BIN_DIR, options));
  };
  EXPECT_EQ(
      counts("").output,
      "97\t\"a\"\t2\n10\t\"\\u000a\"\t1\n34\t\"\\\"\"\t1\n98\t\"b\"\t1\n");
  EXPECT_THAT(
      counts("--json").output,
      ::testing::StartsWith("{\"id\":97,\"token\":\"a\",\"count\":2}\n"));
  EXPECT_EQ(counts("--offsets").exit_code, 2);
}

TEST_F(TokenizeTest, TokenizeSamplesWithASeed) {
  folder_.Write("corpus.txt", "the cat the cat the cat");
  const std::string json = folder_ / "tokenizer.json";
  const std::string input = folder_ / "corpus.txt";
  ASSERT_EQ(
      RunProgramLine("datagen vocab -q --size 270 -o " + json + " " + input)
          .exit_code,
      0);
  const std::string line = "tokenize --tokenizer " + json + " " + input;
  // 23 bytes, of which no two merge.
  const Outcome bytes = RunProgramLine(line + " --sample 1 --alpha 1");
  EXPECT_EQ(std::count(bytes.output.begin(), bytes.output.end(), ' '), 22);
  const Outcome once = RunProgramLine(line + " --sample 1 --alpha 0.5");
  EXPECT_EQ(once.output,
            RunProgramLine(line + " --sample 1 --alpha 0.5").output);
  EXPECT_NE(once.output,
            RunProgramLine(line + " --sample 2 --alpha 0.5").output);
  const Outcome best = RunProgramLine(line + " --nbest 2");
  EXPECT_EQ(best.exit_code, 1);
  EXPECT_THAT(best.output, HasSubstr("no n best ways"));
  EXPECT_EQ(RunProgramLine(line + " --alpha 1").exit_code, 2);
}

}  // namespace
}  // namespace penstock
