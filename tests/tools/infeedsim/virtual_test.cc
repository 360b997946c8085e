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

}  // namespace
}  // namespace penstock
