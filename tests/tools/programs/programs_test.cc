// What all programs do alike: words, exit codes, outputs.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/ended_process.h"
#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ProgramsTest : public SmallDatasetTest {};

TEST_F(ProgramsTest, HelpHasExamplesAndExitsWith0) {
  for (const std::string program :
       {"datagen", "recordtool", "tokenize", "infeedsim"}) {
    const Outcome help = RunProgramLine(program + " --help");
    EXPECT_EQ(help.exit_code, 0) << program;
    EXPECT_THAT(help.output, HasSubstr("Examples:")) << program;
  }
}

TEST_F(ProgramsTest, WrongUsageExitsWith2) {
  for (const std::string wrong :
       {"datagen --no-such-option", "recordtool", "recordtool count",
        "tokenize --special=perhaps", "infeedsim"}) {
    EXPECT_EQ(RunProgramLine(wrong).exit_code, 2) << wrong;
  }
}

TEST_F(ProgramsTest, AFailureExitsWith1AndNamesTheFile) {
  const Outcome outcome =
      RunProgramLine("recordtool count /nowhere/a.tfrecord");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("recordtool: "), HasSubstr("/nowhere/a.tfrecord"),
                    HasSubstr("No such file")));
}

TEST_F(ProgramsTest, OutputsThatAreDevicesOrPipesStayWhatTheyAre) {
  const std::string dataset = MakeDataset();
  const std::string lines = folder_ / "lines.jsonl";
  RunProgramLine(
      fmt::format("recordtool cat --limit 3 {} > {}", dataset, lines));
  const std::string link = folder_ / "null";
  std::filesystem::create_symlink("/dev/null", link);
  for (const std::string& output : {std::string("/dev/null"), link}) {
    const Outcome packed =
        RunProgramLine(fmt::format("recordtool pack {} {}", lines, output));
    EXPECT_EQ(packed.exit_code, 0) << packed.output;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const std::string shard =
      folder_ / "data/small-train.tfrecord-00000-of-00004";
  EXPECT_EQ(
      RunProgramLine("recordtool repair -q " + shard + " " + link).exit_code,
      0);
  // The report goes into the pipe, behind what else is printed there.
  const Outcome both =
      RunShell(fmt::format("{}/{} --json /dev/stdout 2>/dev/null | cat",
                           PENSTOCK_BIN_DIR, SimulationOf(dataset)));
  EXPECT_THAT(both.output, HasSubstr("\"steps\""));
}

TEST_F(ProgramsTest, LeftoversOfKilledRunsAreClearedAndTold) {
  MakeDataset();
  const std::string left =
      folder_.Write(fmt::format("data/.small.index.{}-00000001.tmp",
                                OwnerText(testing::EndedProcess())),
                    "half");
  const Outcome outcome =
      RunProgramLine("recordtool index " +
                     (folder_ / "data/small-train.tfrecord-00000-of-00004"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("removed 1 files of runs"));
  EXPECT_FALSE(std::filesystem::exists(left));
}

}  // namespace
}  // namespace penstock
