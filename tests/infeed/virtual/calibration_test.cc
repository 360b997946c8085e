// What a real run measures, and what virtual time makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "infeed/virtual/virtual_simulation.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::RandomLengths;
using ::penstock::testing::StatusIs;
using ::penstock::testing::WriteDataset;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

class CalibrationTest : public ::testing::Test {
 protected:
  Dataset Data(std::vector<int64_t> lengths) const {
    return Dataset::TfRecords(pattern_)
        .Parse({{.name = "tokens"}})
        .Shuffle({.seed = 17})
        .Bucket({.by = "tokens", .lengths = std::move(lengths)})
        .Batch({.size = 16});
  }
  std::string Write(const std::string& text) const {
    folder_.Write("costs.json", text);
    return folder_ / "costs.json";
  }

  const testing::ScratchFolder folder_;
  const std::string pattern_ = WriteDataset(folder_, RandomLengths(523, 64, 5));
};

// Simulated devices are a line of which all is known.
TEST_F(CalibrationTest, ARealRunMeasuresWhatItsDevicesWereToldToTake) {
  SimulationOptions options;
  options.device = {.step_ns = 200'000,
                    .step_ns_per_token = 100,
                    .compile_ns = 3'000'000,
                    .transfer_ns = 50'000,
                    .bytes_per_second = 1e8};
  options.traced_steps = 1000;
  ASSERT_OK_AND_ASSIGN(const RunReport report,
                       Simulate(Data({16, 64}), options));
  ASSERT_OK_AND_ASSIGN(const Calibration found, CalibrationOf(report));
  EXPECT_NEAR(found.step.fixed_ns, 200'000, 1);
  EXPECT_NEAR(found.step.ns_each, 100, 0.01);
  EXPECT_NEAR(found.transfer.fixed_ns, 50'000, 5);
  EXPECT_NEAR(found.transfer.ns_each, 10, 0.05);
  EXPECT_EQ(found.compile_ns, 3'000'000);
  EXPECT_THAT(found.stages, ElementsAre(Field(&StageCost::name, "read"),
                                        Field(&StageCost::name, "decode"),
                                        Field(&StageCost::name, "exchange"),
                                        Field(&StageCost::name, "build")));
  EXPECT_GT(found.stages[1].ns_per_byte, 0);
  EXPECT_GT(found.plan_ns_per_row, 0);
  EXPECT_GT(found.parallel, 0);
  EXPECT_THAT(found.of, HasSubstr("of 1 host"));
}

TEST_F(CalibrationTest, ARunOfOneStepMeasuresNothing) {
  SimulationOptions options;
  options.device.step_ns = options.device.compile_ns = 0;
  options.max_steps = 1;
  ASSERT_OK_AND_ASSIGN(const RunReport report, Simulate(Data({64}), options));
  EXPECT_THAT(CalibrationOf(report),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("1 steps")));
}

Calibration Made() {
  return {.of = "a test",
          .parallel = 2,
          .plan_ns_per_row = 1,
          .stages = {{"read", false, 1.5},
                     {"decode", false, 4.5},
                     {"exchange", true, 2},
                     {"build", false, 2}},
          .hand_over_ns_per_byte = 0.5,
          .transfer = {.fixed_ns = 3, .ns_each = 0.25},
          .step = {.fixed_ns = 5, .ns_each = 0.5},
          .compile_ns = 1000};
}

// Hosts make 4 parts each, of two rows; what shares threads takes 8 ns a byte
// on two of them, and half a ns goes on top.
TEST_F(CalibrationTest, TheSlowestStageOfTheHostWithMostRowsSetsThePace) {
  SimulationOptions options;
  options.hosts = 2;
  ASSERT_OK_AND_ASSIGN(const Topology topology, TopologyOf(options, 0));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(Data({64}), topology));
  const auto row_bytes = static_cast<int64_t>(pipeline.contract().RowBytes(0));
  Calibration costs = Made();
  ASSERT_OK_AND_ASSIGN(
      const VirtualReport even,
      SimulateVirtually(Data({64}), options, {.calibration = costs}));
  EXPECT_EQ(even.times.p50_ns, 4 * 2 * row_bytes * (4 + 0.5));
  EXPECT_EQ(even.bound(), VirtualStage::kBuild);
  EXPECT_THAT(VirtualReportText(even),
              HasSubstr("bound by the build, most of it decode"));
  // Three parts, three and two.
  options.hosts = 3;
  ASSERT_OK_AND_ASSIGN(
      const VirtualReport uneven,
      SimulateVirtually(Data({64}), options, {.calibration = costs}));
  EXPECT_EQ(uneven.times.p50_ns, 3 * 2 * row_bytes * (4 + 0.5));
  // A thread alone has all of the batch to plan, and nothing to share.
  costs.plan_ns_per_row = 1e6;
  ASSERT_OK_AND_ASSIGN(
      const VirtualReport planned,
      SimulateVirtually(Data({64}), options, {.calibration = costs}));
  EXPECT_EQ(planned.times.p50_ns, 16'000'000);
}

TEST_F(CalibrationTest, AFileGivesTheSameReportByteForByte) {
  const std::string text = CalibrationJson(Made());
  const std::string path = Write(text);
  SimulationOptions options;
  options.hosts = 3;
  std::vector<std::string> reports;
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK_AND_ASSIGN(Calibration costs,
                         ReadCalibration(LocalFiles(), path));
    EXPECT_EQ(CalibrationJson(costs), text);
    ASSERT_OK_AND_ASSIGN(
        const VirtualReport report,
        SimulateVirtually(Data({16, 64}), options,
                          {.calibration = std::move(costs),
                           .step_extra = {.exponential_mean_ns = 100}}));
    reports.push_back(VirtualReportText(report) + VirtualReportJson(report));
  }
  EXPECT_EQ(reports[0], reports[1]);
}

TEST_F(CalibrationTest, AWrongFileIsOneClearLine) {
  const std::string right = CalibrationJson(Made());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = right;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "no calibration"},
      {"[1]", "no calibration"},
      {"{\"a\": 1}", "no calibration"},
      {with("calibration\": 1", "calibration\": 7"),
       "of version 7, but this program reads version 1"},
      {with("\"compile_ns\"", "\"other\""), "compile_ns is missing"},
      {with("\"fixed_ns\": 5.0", "\"fixed_ns\": -5.0"),
       "step.fixed_ns is negative, -5.0"},
      {with("\"fixed_ns\": 5.0", "\"fixed_ns\": 5e300"),
       "step.fixed_ns is 5e+300, more than 1000000000000"},
      {with("\"ns_per_byte\": 4.5", "\"ns_per_byte\": \"x\""),
       "stages[1].ns_per_byte is no number"},
      {with("\"one_thread\": true", "\"one_thread\": 1"),
       "stages[2].one_thread is not true or false"},
      {with("\"name\": \"build\"", "\"nome\": \"build\""),
       "stages[3].name is missing"},
      {with("\"parallel\": 2.0", "\"parallel\": 0"), "parallel is 0"},
      {with("\"transfer\": {", "\"transfer\": 1, \"x\": {"),
       "transfer.fixed_ns is missing"}};
  for (const auto& [text, want] : cases) {
    EXPECT_THAT(
        ReadCalibration(LocalFiles(), Write(text)),
        StatusIs(kInvalid, AllOf(HasSubstr("costs.json: "), HasSubstr(want))));
  }
}

}  // namespace
}  // namespace penstock
