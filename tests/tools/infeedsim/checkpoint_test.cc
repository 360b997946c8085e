// infeedsim that goes on: from a state, from checkpoints, behind a signal.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "formats/files/file.h"
#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CheckpointTest : public SmallDatasetTest {};

TEST_F(CheckpointTest, ARunOfNoStepsLeavesAStateThatIsTheWholeRun) {
  const std::string run = SimulationOf(MakeDataset()) + " --json ";
  const auto digest = [&](const std::string& name) {
    const auto json = nlohmann::json::parse(folder_.Read(name));
    return std::pair(json.at("steps").dump(),
                     json["batch_digest"].get<std::string>());
  };
  ASSERT_EQ(RunProgramLine(run + (folder_ / "whole.json")).exit_code, 0);
  const std::string state = folder_ / "run.state";
  const Outcome none = RunProgramLine(run + (folder_ / "none.json") +
                                      " --max-steps 0 --state-out " + state);
  ASSERT_EQ(none.exit_code, 0) << none.output;
  EXPECT_EQ(digest("none.json").first, "0");
  const Outcome rest =
      RunProgramLine(run + (folder_ / "rest.json") + " --state-in " + state);
  ASSERT_EQ(rest.exit_code, 0) << rest.output;
  EXPECT_EQ(digest("rest.json"), digest("whole.json"));
}

TEST_F(CheckpointTest, ARunGoesOnWithLargerBatchesWhereThatIsDeclared) {
  const std::string dataset = MakeDataset();
  const auto run = [&](const std::string& batch, const std::string& more) {
    std::string line = SimulationOf(dataset);
    line.replace(line.find("--batch 16"), 10, "--batch " + batch);
    return RunProgramLine(line + " --json " + (folder_ / "report.json") + more);
  };
  const auto records = [&] {
    return nlohmann::json::parse(
               folder_.Read("report.json"))["record_digest"]["count"]
        .get<uint64_t>();
  };
  ASSERT_EQ(run("16", "").exit_code, 0);
  const uint64_t all = records();
  const std::string from = " --checkpoint " + (folder_ / "saved");
  ASSERT_EQ(run("16", " --max-steps 3" + from).exit_code, 0);
  const uint64_t before = records();
  const Outcome refused = run("32", from);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.output,
              HasSubstr("Batch differs; if it is meant to, name batches in "
                        "--changed"));
  const Outcome rest = run("32", " --hosts 3 --changed batches" + from);
  ASSERT_EQ(rest.exit_code, 0) << rest.output;
  EXPECT_EQ(before + records(), all);
}

TEST_F(CheckpointTest, ARunGoesOnFromItsLastCheckpointByItself) {
  const std::string run = SimulationOf(MakeDataset()) + " --epochs 2 --json " +
                          (folder_ / "run.json");
  const auto digest = [&](const std::string& more) {
    const Outcome outcome = RunProgramLine(run + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    const auto json = nlohmann::json::parse(folder_.Read("run.json"));
    return std::pair(
        std::stoull(json["batch_digest"].get<std::string>(), nullptr, 16),
        outcome.output);
  };
  const auto [whole, fresh] = digest(" --hosts 4");
  EXPECT_THAT(fresh, Not(HasSubstr("goes on")));
  const std::string saved = folder_ / "run.checkpoints";
  const std::string save =
      " --keep 2 --checkpoint-every 5 --checkpoint " + saved;
  const auto [first, begun] = digest(save + " --hosts 4 --max-steps 12");
  EXPECT_THAT(begun, Not(HasSubstr("goes on")));
  const auto names = LocalFiles().List(saved);
  ASSERT_TRUE(names.ok());
  EXPECT_THAT(*names,
              ::testing::ElementsAre("step-000000000010", "step-000000000012"));
  const auto [rest, resumed] = digest(save + " --hosts 3");
  EXPECT_THAT(resumed,
              AllOf(HasSubstr("infeedsim: goes on behind step 12, from "),
                    HasSubstr("step-000000000012, which 4 hosts wrote")));
  EXPECT_EQ(first + rest, whole);
  EXPECT_THAT(digest(save).second, HasSubstr("goes on behind step"));
  EXPECT_EQ(nlohmann::json::parse(folder_.Read("run.json"))["steps"], 0);
  const Outcome both = RunProgramLine(run + save + " --after-step 3");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.output, HasSubstr("there is a checkpoint to go on from"));
  const Outcome alone = RunProgramLine(run + " --checkpoint-every 5");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.output, HasSubstr("--checkpoint-every needs --checkpoint"));
}

TEST_F(CheckpointTest, AKilledRunGoesOnFromTheLastCommittedCheckpoint) {
  const std::string run = SimulationOf(MakeDataset()) + " --epochs 0";
  const std::string saved = folder_ / "run.checkpoints";
  const std::string save =
      " --checkpoint-every 5 --keep 1000000 --checkpoint " + saved;
  RunShell(fmt::format(
      "{}/{}{} --hosts 2 & pid=$!; until [ -e {}/step-000000000025/COMMIT ]; "
      "do kill -0 $pid || break; done; kill -9 $pid; wait 2>&1",
      PENSTOCK_BIN_DIR, run, save, saved));
  const std::string json = " --max-steps 7 --json ";
  const Outcome rest = RunProgramLine(run + save + json + (folder_ / "a.json"));
  ASSERT_EQ(rest.exit_code, 0) << rest.output;
  const std::string words = "goes on behind step ";
  const size_t at = rest.output.find(words);
  ASSERT_NE(at, std::string::npos) << rest.output;
  const int step = std::stoi(rest.output.substr(at + words.size()));
  EXPECT_GE(step, 25);
  EXPECT_EQ(step % 5, 0);
  ASSERT_EQ(RunProgramLine(run + json + (folder_ / "b.json") +
                           " --after-step " + std::to_string(step))
                .exit_code,
            0);
  EXPECT_EQ(nlohmann::json::parse(folder_.Read("a.json"))["batch_digest"],
            nlohmann::json::parse(folder_.Read("b.json"))["batch_digest"]);
}

TEST_F(CheckpointTest, ASignalStopsInfeedsimWhichReportsAndSavesItsState) {
  const std::string dataset = MakeDataset();
  const Outcome stopped = RunShell(fmt::format(
      "env --block-signal=TERM sh -c 'kill -TERM $$; exec {}/{} --epochs 0 "
      "--state-out {}' 2>&1",
      PENSTOCK_BIN_DIR, SimulationOf(dataset), folder_ / "run.state"));
  EXPECT_EQ(stopped.exit_code, 128 + 15);
  EXPECT_THAT(stopped.output,
              AllOf(HasSubstr("infeedsim: stopped by a signal after step"),
                    HasSubstr("go on with --state-in")));
  EXPECT_TRUE(LocalFiles().Stat(folder_ / "run.state").ok());
  const Outcome saved = RunShell(fmt::format(
      "env --block-signal=TERM sh -c 'kill -TERM $$; exec {}/{} --epochs 0 "
      "--checkpoint {}' 2>&1",
      PENSTOCK_BIN_DIR, SimulationOf(dataset), folder_ / "saved"));
  EXPECT_THAT(saved.output, HasSubstr("the same command goes on"));
  const Outcome on = RunProgramLine(SimulationOf(dataset) +
                                    " --epochs 0 --max-steps 1 --checkpoint " +
                                    (folder_ / "saved"));
  EXPECT_THAT(on.output, HasSubstr("goes on behind step"));
}

}  // namespace
}  // namespace penstock
