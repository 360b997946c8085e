// infeedsim with the devices of a plugin.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/fixtures.h"
#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DeviceArgumentsTest : public SmallDatasetTest {
 protected:
  std::string On(const std::string& dataset, const std::string& more) {
    return fmt::format(
        "infeedsim {} --by tokens --buckets 64,128,256 --batch 16 {}", dataset,
        more);
  }
  // Empty where this build has no PJRT, or there is no plugin.
  std::string Plugin() {
    const Outcome asked =
        RunProgramLine(On(MakeDataset(), "--device pjrt:/no/such/plugin.so"));
    EXPECT_EQ(asked.exit_code, 1) << asked.output;
    if (asked.output.find("built without PJRT") != std::string::npos) {
      EXPECT_THAT(asked.output,
                  AllOf(HasSubstr("tools/setup --pjrt"),
                        HasSubstr("configure with -DPENSTOCK_PJRT=ON")));
      return "";
    }
    EXPECT_THAT(asked.output, HasSubstr("/no/such/plugin.so: no PJRT plugin"));
    return testing::FindPjrtPlugin();
  }
  nlohmann::json Report(const std::string& dataset, const std::string& more) {
    const Outcome run = RunProgramLine(
        On(dataset, more + " --json " + (folder_ / "report.json")));
    EXPECT_EQ(run.exit_code, 0) << run.output;
    return nlohmann::json::parse(folder_.Read("report.json"), nullptr, false);
  }
};

TEST_F(DeviceArgumentsTest, ADeviceThatIsNoPluginIsWrongUsage) {
  EXPECT_EQ(RunProgramLine(On("x", "--device gpu")).exit_code, 2);
  EXPECT_EQ(RunProgramLine(On("x", "--host-memory call")).exit_code, 2);
  EXPECT_EQ(RunProgramLine(On("x", "--device pjrt:a.so --link 3")).exit_code,
            2);
}

TEST_F(DeviceArgumentsTest, WhatAPluginReadsBackIsWhatSimulatedDevicesGet) {
  const std::string plugin = Plugin();
  if (plugin.empty()) {
    GTEST_SKIP() << "skipped: no plugin (tools/setup --pjrt, "
                    "-DPENSTOCK_PJRT=ON)";
  }
  const std::string dataset = folder_ / "data/small-train.tfrecord@4";
  const auto simulated =
      Report(dataset, "--cores 4 --step-time 0 --compile-time 0");
  for (const std::string memory : {"call", "transfer", "zero-copy"}) {
    const auto real = Report(
        dataset, fmt::format("--cores 4 --device pjrt:{} --host-memory {}",
                             plugin, memory));
    EXPECT_EQ(real["batch_digest"], simulated["batch_digest"]) << memory;
    EXPECT_EQ(real["record_digest"], simulated["record_digest"]) << memory;
    EXPECT_EQ(real["steps"], simulated["steps"]) << memory;
    EXPECT_EQ(real["devices"], "PJRT cpu");
  }
  const Outcome many = RunProgramLine(
      On(dataset, fmt::format("--device pjrt:{} --cores 8", plugin)));
  EXPECT_EQ(many.exit_code, 1);
  EXPECT_THAT(many.output, HasSubstr("8 devices in data=8, but only 4"));
  EXPECT_EQ(RunProgramLine(On(dataset, fmt::format("--device pjrt:{} --cores 8 "
                                                   "--device-option "
                                                   "cpu_device_count=8",
                                                   plugin)))
                .exit_code,
            0);
}

}  // namespace
}  // namespace penstock
