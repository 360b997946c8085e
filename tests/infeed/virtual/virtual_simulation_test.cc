#include "infeed/virtual/virtual_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infeed/virtual/virtual_run.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::RandomLengths;
using ::penstock::testing::StatusIs;
using ::penstock::testing::WriteDataset;
using ::testing::HasSubstr;

class VirtualSimulationTest : public ::testing::Test {
 protected:
  Dataset Data(uint64_t epochs = 1) const {
    return Dataset::TfRecords(pattern_)
        .Parse({{.name = "tokens"}})
        .Shuffle({.seed = 17})
        .Repeat({.epochs = epochs})
        .Bucket({.by = "tokens", .lengths = {16, 64}})
        .Batch({.size = 16});
  }
  static SimulationOptions Options(uint32_t hosts) {
    SimulationOptions options;
    options.hosts = hosts;
    options.device = {.step_ns = 1000,
                      .step_ns_per_token = 10,
                      .compile_ns = 50'000,
                      .transfer_ns = 100,
                      .bytes_per_second = 1e9};
    return options;
  }

  const testing::ScratchFolder folder_;
  const std::string pattern_ = WriteDataset(folder_, RandomLengths(523, 64, 5));
};

// 2 rows a core: of 16 or of 64 tokens.
TEST_F(VirtualSimulationTest, StepsAndCompilesAreThoseOfTheRealRun) {
  SimulationOptions options = Options(3);
  ASSERT_OK_AND_ASSIGN(const RunReport real, Simulate(Data(2), options));
  ASSERT_OK_AND_ASSIGN(const VirtualReport report,
                       SimulateVirtually(Data(2), options));
  EXPECT_EQ(report.times.steps, real.times.steps);
  EXPECT_EQ(report.MeanNs(Bucket::kCompile), 2 * 50'000);
  int64_t compute_ns = 0;
  for (const ShapeReport& shape : real.shapes) {
    compute_ns +=
        static_cast<int64_t>(shape.steps) * (1000 + 10 * 2 * shape.length);
  }
  EXPECT_EQ(
      report.MeanNs(Bucket::kCompute) + report.MeanNs(Bucket::kPadCompute),
      compute_ns);
  EXPECT_GT(report.MeanNs(Bucket::kPadCompute), 0);
}

TEST_F(VirtualSimulationTest, ShardingsDecideWhatIsTransferred) {
  SimulationOptions options = Options(1);
  options.device.bytes_per_second = 1e3;  // transfers are all that counts
  options.device.transfer_ns = 0;
  options.mesh = {{"data", 2}, {"model", 4}};
  ASSERT_OK_AND_ASSIGN(const VirtualReport copies,
                       SimulateVirtually(Data(), options));
  options.shardings = {{"tokens", {{"data"}, {"model"}}}};
  ASSERT_OK_AND_ASSIGN(const VirtualReport cut,
                       SimulateVirtually(Data(), options));
  // Tokens are most of a row; lengths and weights go to all.
  EXPECT_LT(cut.wall_ns, copies.wall_ns / 3);
  EXPECT_EQ(cut.bound(), VirtualStage::kTransfer);
}

TEST_F(VirtualSimulationTest, EndlessRunsNeedANumberOfSteps) {
  SimulationOptions options = Options(1);
  options.max_steps = 1000;
  ASSERT_OK_AND_ASSIGN(const VirtualReport report,
                       SimulateVirtually(Data(0), options));
  EXPECT_EQ(report.times.steps, 1000u);
}

TEST_F(VirtualSimulationTest, AStreamedPipelineHasNoPlanToWalk) {
  SimulationOptions options = Options(1);
  options.force_streamed = true;
  EXPECT_THAT(SimulateVirtually(Data(), options),
              StatusIs(StatusCode::kUnimplemented,
                       HasSubstr("known only after reading")));
}

}  // namespace
}  // namespace penstock
