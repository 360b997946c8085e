#include "infeed/virtual/virtual_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infeed/virtual/virtual_run.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
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

// 2 rows a core of 64 tokens, their lengths and weights: {2, 64} int32 are one
// tile of 2 x 128, {2} of any type 512 bytes.
TEST_F(VirtualSimulationTest, TilesGoOverTheLinkAndTakeMemory) {
  SimulationOptions options = Options(1);
  options.device.transfer_ns = 0;
  options.device.step_ns = options.device.compile_ns = 0;
  options.device.step_ns_per_token = 0;
  options.device.tile_generation = 5;
  ASSERT_OK_AND_ASSIGN(const VirtualReport report,
                       SimulateVirtually(Data(), options));
  const int64_t batch_bytes = 1024 + 2 * 512;
  EXPECT_EQ(report.times.p50_ns, batch_bytes);  // at 1 GB/s
  EXPECT_THAT(report.memory, HasSubstr("3 batches of 2048 bytes, 3.88 of"));
  options.device.model_bytes = 1000;
  options.device.memory_bytes = 1000 + 3 * batch_bytes;
  EXPECT_OK(SimulateVirtually(Data(), options).status());
  ASSERT_OK_AND_ASSIGN(const RunReport real, Simulate(Data(), options));
  EXPECT_EQ(real.memory, SimulateVirtually(Data(), options)->memory);
  --options.device.memory_bytes;
  const auto too_small =
      StatusIs(StatusCode::kResourceExhausted,
               HasSubstr("a core has 7143 bytes of memory, but 2 batches in "
                         "its queue, that of the step and the model take "
                         "7144: 2048 for each batch"));
  EXPECT_THAT(SimulateVirtually(Data(), options), too_small);
  EXPECT_THAT(Simulate(Data(), options), too_small);
}

TEST_F(VirtualSimulationTest, EndlessRunsNeedANumberOfSteps) {
  SimulationOptions options = Options(1);
  options.max_steps = 1000;
  ASSERT_OK_AND_ASSIGN(const VirtualReport report,
                       SimulateVirtually(Data(0), options));
  EXPECT_EQ(report.times.steps, 1000u);
}

// Of text, whose lengths are known only once it is tokenized: those of the real
// run, on any hosts, and the same report with any threads.
TEST_F(VirtualSimulationTest, AStreamedRunIsReadForItsSteps) {
  const auto text = [&](uint64_t epochs) {
    return Dataset::TfRecords(pattern_)
        .Parse({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
        .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
        .Shuffle({.seed = 17})
        .Repeat({.epochs = epochs})
        .Bucket({.by = "tokens", .lengths = {16, 64}})
        .Batch({.size = 16});
  };
  for (const uint32_t hosts : {1u, 3u}) {
    SimulationOptions options = Options(hosts);
    ASSERT_OK_AND_ASSIGN(const RunReport real, Simulate(text(2), options));
    EXPECT_FALSE(real.planned);
    ASSERT_OK_AND_ASSIGN(const VirtualReport report,
                         SimulateVirtually(text(2), options));
    EXPECT_EQ(report.times.steps, real.times.steps);
    EXPECT_EQ(report.rows_read, 2 * 523u);
    int64_t compute_ns = 0;
    for (const ShapeReport& shape : real.shapes) {
      compute_ns +=
          static_cast<int64_t>(shape.steps) * (1000 + 10 * 2 * shape.length);
    }
    EXPECT_EQ(
        report.MeanNs(Bucket::kCompute) + report.MeanNs(Bucket::kPadCompute),
        compute_ns);
    const std::string said = VirtualReportText(report);
    EXPECT_THAT(said, HasSubstr("read for the lengths of 1046 rows"));
    options.threads_per_host = 3;
    ASSERT_OK_AND_ASSIGN(const VirtualReport again,
                         SimulateVirtually(text(2), options));
    EXPECT_EQ(VirtualReportText(again), said);
    EXPECT_EQ(VirtualReportJson(again), VirtualReportJson(report));
  }
  // No more is read than the steps need.
  SimulationOptions options = Options(2);
  options.max_steps = 5;
  ASSERT_OK_AND_ASSIGN(const VirtualReport few,
                       SimulateVirtually(text(0), options));
  EXPECT_EQ(few.times.steps, 5u);
  EXPECT_EQ(few.rows_read, 5 * 16u);
  options.max_steps = {};
  EXPECT_THAT(SimulateVirtually(text(0), options),
              StatusIs(kInvalid, HasSubstr("does not end")));
}

// The plan of the same run is the same, and says nothing of reading.
TEST_F(VirtualSimulationTest, StreamedAndPlannedWalkTheSameSteps) {
  SimulationOptions options = Options(1);
  ASSERT_OK_AND_ASSIGN(const VirtualReport planned,
                       SimulateVirtually(Data(2), options));
  EXPECT_EQ(planned.rows_read, std::nullopt);
  options.force_streamed = true;
  ASSERT_OK_AND_ASSIGN(VirtualReport streamed,
                       SimulateVirtually(Data(2), options));
  EXPECT_EQ(streamed.rows_read, 2 * 523u);
  streamed.rows_read = {};
  EXPECT_EQ(VirtualReportJson(streamed), VirtualReportJson(planned));
}

}  // namespace
}  // namespace penstock
