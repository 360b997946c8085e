// infeedsim in virtual time, and as devices of chips.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class VirtualTest : public SmallDatasetTest {
 protected:
  static std::string Line(const std::string& dataset,
                          const std::string& buckets = "64,128,256") {
    return fmt::format("infeedsim {} --by tokens --buckets {} --batch 16",
                       dataset, buckets);
  }
};

TEST_F(VirtualTest, WhatARealRunWritesVirtualTimeReads) {
  const std::string line = Line(MakeDataset());
  const std::string costs = folder_ / "costs.json";
  const Outcome real =
      RunProgramLine(line +
                     " --step-time 0.5 --step-ns-per-token 20 --compile-time 0 "
                     "--write-calibration " +
                     costs);
  ASSERT_EQ(real.exit_code, 0) << real.output;
  const auto written = nlohmann::json::parse(folder_.Read("costs.json"));
  EXPECT_NEAR(written.at("step").at("fixed_ns").get<double>(), 5e5, 10);
  EXPECT_NEAR(written.at("step").at("ns_per_token").get<double>(), 20, 0.1);
  const std::string virtually =
      line + " --clock virtual --hosts 64 --cores 64 --calibration " + costs;
  const Outcome first = RunProgramLine(virtually);
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("64 hosts"));
  EXPECT_EQ(RunProgramLine(virtually).output, first.output);
  // What is told counts instead.
  const Outcome slow = RunProgramLine(virtually + " --step-time 50");
  EXPECT_THAT(slow.output, HasSubstr("step time p50 50.000 ms"));
  folder_.Write("costs.json", "{}");
  const Outcome wrong = RunProgramLine(virtually);
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.output, HasSubstr("costs.json: no calibration"));
}

TEST_F(VirtualTest, AChipHasItsLinkItsPeakItsMemoryAndItsTiles) {
  const std::string line =
      Line(MakeDataset(), "256") + " --clock virtual --cores 8 --chip ";
  // 2 rows of 256 tokens: 512 x 197e9 flops at half of 197e12 take 1.024 s.
  const Outcome run = RunProgramLine(
      line + "v5e --flops-per-token 197e9 --efficiency 0.5 --explain");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("cloud.google.com/tpu/docs/v5e"),
                                HasSubstr("a core's memory: 3 batches of"),
                                HasSubstr("step time p50 1024.000 ms")));
  const Outcome no_link = RunProgramLine(line + "7x");
  EXPECT_EQ(no_link.exit_code, 1);
  EXPECT_THAT(no_link.output,
              HasSubstr("chip 7x: no source says its host_bytes_per_second: "
                        "say how fast the link is with --link"));
  EXPECT_EQ(RunProgramLine(line + "7x --link 16").exit_code, 0);
  EXPECT_THAT(RunProgramLine(line + "v5e --model-bytes 16GiB").output,
              HasSubstr("a core has 16000000000 bytes of memory"));
  EXPECT_THAT(RunProgramLine(line + "v9").output,
              HasSubstr("no chip v9; there are v2"));
}

TEST_F(VirtualTest, AHostThatIsSlowToTakeWhatCoresSendBoundsBothClocks) {
  const std::string line =
      Line(MakeDataset()) +
      " --cores 4 --step-time 1 --compile-time 0 --outfeed-every 1 "
      "--drain-time 1 --max-steps 40";
  for (const std::string clock : {"", " --clock virtual"}) {
    const Outcome run = RunProgramLine(line + clock);
    EXPECT_EQ(run.exit_code, 0) << run.output;
    EXPECT_THAT(run.output, AllOf(HasSubstr("HIGHLY outfeed bound"),
                                  HasSubstr("outfeed wait")));
  }
}

TEST_F(VirtualTest, VirtualTimeWalksThePlanAndRepeats) {
  const std::string run = SimulationOf(MakeDataset()) +
                          " --clock virtual --hosts 4 "
                          "--build-time 12 --step-jitter 1 --json ";
  const Outcome one = RunProgramLine(run + (folder_ / "one.json"));
  ASSERT_EQ(one.exit_code, 0) << one.output;
  EXPECT_THAT(one.output, AllOf(HasSubstr("virtual time, a prediction"),
                                HasSubstr("bound by the build")));
  ASSERT_EQ(RunProgramLine(run + (folder_ / "two.json")).exit_code, 0);
  EXPECT_EQ(folder_.Read("one.json"), folder_.Read("two.json"));
  const std::string real =
      SimulationOf(folder_ / "data/small-train.tfrecord@4") + " --json " +
      (folder_ / "real.json");
  ASSERT_EQ(RunProgramLine(real).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(folder_.Read("one.json"))["steps"],
            nlohmann::json::parse(folder_.Read("real.json"))["steps"]);
}

TEST_F(VirtualTest, MoreCompilesThanTheBudgetEndBothClocks) {
  const std::string run = Line(MakeDataset()) + " --compile-time 0 ";
  for (const std::string clock : {"", " --clock virtual"}) {
    const Outcome refused = RunProgramLine(run + "--compile-budget 1" + clock);
    EXPECT_EQ(refused.exit_code, 1) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("needs compile number 2, but the "
                                          "budget is 1; cause: tokens dim 1"));
    EXPECT_EQ(RunProgramLine(run + "--compile-budget 3" + clock).exit_code, 0);
  }
}

TEST_F(VirtualTest, VirtualTimeReadsAStreamedRunForItsSteps) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += std::string(1 + i * 37 % 150, 'a') + "\n\n";
  }
  folder_.Write("books.txt", text);
  const std::string run = fmt::format(
      "infeedsim --corpus {} --tokenizer bytes --by tokens --buckets 32,128 "
      "--too-long truncate --batch 8 --no-shuffle --step-time 0 "
      "--compile-time 0 ",
      folder_ / "books.txt");
  const Outcome real = RunProgramLine(run + "--hosts 2 --write-calibration " +
                                      (folder_ / "costs.json") + " --json " +
                                      (folder_ / "real.json"));
  ASSERT_EQ(real.exit_code, 0) << real.output;
  EXPECT_THAT(real.output, HasSubstr("bound by "));
  const std::string walk =
      run + "--clock virtual --calibration " + (folder_ / "costs.json");
  const Outcome one =
      RunProgramLine(walk + " --hosts 2 --json " + (folder_ / "one.json"));
  ASSERT_EQ(one.exit_code, 0) << one.output;
  EXPECT_THAT(one.output,
              AllOf(HasSubstr("infeedsim: read the data for the lengths"),
                    HasSubstr("streamed: the data was read")));
  ASSERT_EQ(RunProgramLine(walk + " --hosts 2 --json " + (folder_ / "two.json"))
                .exit_code,
            0);
  EXPECT_EQ(folder_.Read("one.json"), folder_.Read("two.json"));
  EXPECT_EQ(nlohmann::json::parse(folder_.Read("one.json"))["steps"],
            nlohmann::json::parse(folder_.Read("real.json"))["steps"]);
  EXPECT_THAT(RunProgramLine(walk + " --hosts 4").output,
              HasSubstr("the costs are of 2 hosts"));
}

TEST_F(VirtualTest, WhereARunBeginsAndWhatMakesAStepAreOfRealTime) {
  const std::string run = Line(MakeDataset()) + " --clock virtual ";
  for (const std::string option : {"--after-step 3", "--trace 3"}) {
    const Outcome refused = RunProgramLine(run + option);
    EXPECT_EQ(refused.exit_code, 1) << option;
    EXPECT_THAT(refused.output, HasSubstr("leave out")) << option;
    EXPECT_THAT(refused.output, HasSubstr(option.substr(0, option.find(' '))));
  }
}

TEST_F(VirtualTest, FailuresInVirtualTimeRepeatAndSaveAsOftenAsIsBest) {
  const std::string run = fmt::format(
      "infeedsim {} --by tokens --buckets 256 --batch 16 --clock "
      "virtual --step-time 500 --host-mtbf 10800 --save-time 30 "
      "--epochs 0 --max-steps 40000 --json ",
      MakeDataset());
  const Outcome one = RunProgramLine(run + (folder_ / "one.json"));
  ASSERT_EQ(one.exit_code, 0) << one.output;
  EXPECT_THAT(one.output, AllOf(HasSubstr("the best that was found"),
                                HasSubstr("goodput")));
  const Outcome two = RunProgramLine(run + (folder_ / "two.json"));
  EXPECT_EQ(one.output, two.output);
  EXPECT_EQ(folder_.Read("one.json"), folder_.Read("two.json"));
  const auto failures =
      nlohmann::json::parse(folder_.Read("one.json"))["failures"];
  EXPECT_NEAR(failures["save_interval_ns"].get<double>() * 1e-9, 805, 80.5);
  EXPECT_GT(failures["failures"], 0);
}

}  // namespace
}  // namespace penstock
