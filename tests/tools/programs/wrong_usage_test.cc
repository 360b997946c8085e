// What the programs say to command lines that make no sense, and their help.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using testing::kCaseStride;

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Every program and every command.
std::vector<std::string> AllCommands() {
  std::vector<std::string> lines = {"datagen", "datagen vocab", "infeedsim",
                                    "recordtool", "tokenize"};
  for (const char* command : {"cat", "count", "head", "index", "inspect",
                              "pack", "repair", "schema", "stats", "verify"}) {
    lines.push_back(fmt::format("recordtool {}", command));
  }
  return lines;
}

TEST(WrongUsageTest, NumbersThatMakeNoSenseAreRefused) {
  const std::string datagen = "datagen -i /nowhere -o /nowhere -n a ";
  const std::string infeedsim = "infeedsim /nowhere --by x --buckets 8 ";
  const std::string tokenize = "tokenize --tokenizer bytes /nowhere ";
  for (const auto& [line, words] :
       std::vector<std::pair<std::string, std::string>>{
           {datagen + "--shard-size 0", "--shard-size: found \"0\""},
           {datagen + "--shard-size -5", "--shard-size: found \"-5\""},
           {datagen + "--shards -1", "from 0 to 99999"},
           {datagen + "--threads 1025", "from 0 to 1024"},
           {datagen + "--split a/b", "a name without any of /,*?@"},
           {datagen + "--split a,b", "--split: found \"a,b\""},
           {datagen + "-t bytes --max-tokens -1", "of 0 or more"},
           {"datagen vocab /nowhere -o a.json --size 255", "from 256 to "},
           {"datagen vocab /nowhere -o a.json --memory 0", "a size of 1 or"},
           {"recordtool cat /nowhere --start -1", "--start: found \"-1\""},
           {"recordtool head /nowhere -n -1", "--records: found \"-1\""},
           {"recordtool inspect /nowhere --records 0", "of 1 or more"},
           {"recordtool count /nowhere --threads -1", "from 0 to 1024"},
           {infeedsim + "--batch 0", "--batch: found \"0\""},
           {infeedsim + "--cores 0", "from 1 to 65536"},
           {infeedsim + "--epochs -1", "of 0 or more"},
           {infeedsim + "--mesh data=4 --cores 4", "--mesh"},
           {infeedsim + "--step-time nan", "from 0 to 1000000000"},
           {infeedsim + "--link 0", "from 1e-06 to 1000000"},
           {"infeedsim /nowhere --by x --buckets 8,0", "found \"0\""},
           {"infeedsim /nowhere --by x --multiple-of -8", "of 1 or more"},
           {tokenize + "--special-id x=4194304", "ID from 0 to 4194303"},
           {tokenize + "--batch 0", "from 1 to 1048576"},
           {tokenize + "--nbest 513", "from 1 to 512"},
           {tokenize + "--sample -1", "of 0 or more"}}) {
    const Outcome outcome = RunProgramLine(line);
    EXPECT_EQ(outcome.exit_code, 2) << line;
    EXPECT_THAT(outcome.output, HasSubstr(words)) << line;
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 2)
        << line << "\n"
        << outcome.output;
  }
}

TEST(WrongUsageTest, EveryMistakeOfALineIsSaidAtOnce) {
  EXPECT_EQ(RunProgramLine("datagen --input a --outptu x --shards many "
                           "--end-token '<end>'")
                .output,
            "datagen: --outptu is not an option; did you mean --output?\n"
            "datagen: --end-token needs --tokenizer, which is missing\n"
            "datagen: --name NAME is missing\n"
            "datagen: --shards: found \"many\", expected a whole number from 0 "
            "to 99999\n"
            "see `datagen --help`\n");
  EXPECT_EQ(RunProgramLine("infeedsim a --by x --bucktes 8,16").output,
            "infeedsim: --bucktes is not an option; did you mean --buckets?\n"
            "see `infeedsim --help`\n");
  EXPECT_EQ(RunProgramLine("recordtool cuont a").output,
            "recordtool: \"cuont\" is not a command; did you mean count?\n"
            "see `recordtool --help`\n");
  EXPECT_EQ(RunProgramLine("datagen vocb a").output,
            "datagen: \"vocb\" is not a command; did you mean vocab?\n"
            "see `datagen --help`\n");
  EXPECT_THAT(RunProgramLine("recordtool cat").output,
              EndsWith("see `recordtool cat --help`\n"));
}

TEST(HelpTest, EveryCommandHasHelpForPeople) {
  for (const std::string& line : AllCommands()) {
    for (const size_t width : {60u, 80u, 120u}) {
      if (kCaseStride > 1 && width != 80) continue;
      const Outcome help = RunShell(fmt::format("COLUMNS={} {}/{} --help 2>&1",
                                                width, PENSTOCK_BIN_DIR, line));
      EXPECT_EQ(help.exit_code, 0) << line;
      EXPECT_THAT(
          help.output,
          AllOf(HasSubstr("Usage: " + line + " "), HasSubstr("\nHelp:\n"),
                EndsWith("\nExit codes:\n"
                         "  0      done\n"
                         "  1      failed; the message is on standard "
                         "error\n"
                         "  2      wrong usage\n"
                         "  128+N  stopped by signal N\n"),
                Not(HasSubstr("->")), Not(HasSubstr(" OR "))))
          << line;
      std::istringstream lines(
          help.output.substr(0, help.output.find("\nExamples:")));
      for (std::string one; std::getline(lines, one);) {
        EXPECT_LE(one.size(), width) << line << "\n" << one;
      }
    }
  }
}

TEST(HelpTest, EveryProgramHasAPageAndScriptsWithAllItsOptions) {
  for (const std::string program :
       {"datagen", "infeedsim", "recordtool", "tokenize"}) {
    const Outcome page =
        RunShell(fmt::format("{}/{} --help-man", PENSTOCK_BIN_DIR, program));
    EXPECT_EQ(page.exit_code, 0);
    EXPECT_THAT(page.output, HasSubstr(".SH \"EXIT STATUS\"\n"));
    const Outcome bash =
        RunShell(fmt::format("bash -c 'source <({}/{} --help-completion bash); "
                             "complete -p {}' 2>&1",
                             PENSTOCK_BIN_DIR, program, program));
    EXPECT_EQ(bash.output, fmt::format("complete -F _{0} {0}\n", program));
    for (const char* shell : {"zsh", "fish"}) {
      EXPECT_THAT(RunShell(fmt::format("{}/{} --help-completion {}",
                                       PENSTOCK_BIN_DIR, program, shell))
                      .output,
                  HasSubstr("help-completion"));
    }
  }
  EXPECT_EQ(RunProgramLine("datagen --version").output, PENSTOCK_VERSION "\n");
}

}  // namespace
}  // namespace penstock
