// What a real run measures, and what virtual time makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "infeed/virtual/virtual_simulation.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

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
                                        Field(&StageCost::name, "tokenize"),
                                        Field(&StageCost::name, "exchange"),
                                        Field(&StageCost::name, "build")));
  EXPECT_GT(found.stages[1].ns_per_byte, 0);
  EXPECT_EQ(found.stages[2].ns_per_byte, 0);  // they are tokens
  EXPECT_FALSE(found.streamed);
  EXPECT_EQ(found.hosts, 1u);
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
          .threads = 2,
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

Calibration MadeStreamed() {
  Calibration costs = Made();
  costs.streamed = true;
  costs.hosts = 2;
  costs.stages = {{"read", false, 1.5},
                  {"decode", false, 1.5},
                  {"tokenize", false, 3},
                  {"exchange", true, 0.25},
                  {"build", false, 2}};
  return costs;
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
  EXPECT_EQ(planned.times.p50_ns, 16'000'000 + 3 * 2 * row_bytes * 0.5);
  EXPECT_EQ(planned.bound_by(), "plan");
}

// The same by hand, streamed: read, decoded, tokenized and exchanged are 16
// rows by two hosts; one thread plans and exchanges; what a host feeds is
// built.
TEST_F(CalibrationTest, StreamedRowsAreDealtOutAndOneThreadDrives) {
  SimulationOptions options;
  options.force_streamed = true;
  ASSERT_OK_AND_ASSIGN(const Topology topology, TopologyOf(options, 0));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(Data({64}), topology));
  const auto row = static_cast<double>(pipeline.contract().RowBytes(0));
  const auto step_ns = [&](const Calibration& costs) {
    const auto report =
        SimulateVirtually(Data({64}), options, {.calibration = costs});
    EXPECT_OK(report.status());
    return static_cast<double>(report->times.p50_ns);
  };
  Calibration costs = MadeStreamed();
  for (const uint32_t hosts : {2u, 3u, 4u}) {
    options.hosts = hosts;
    const double dealt = 16 * row / hosts;
    const double fed = 2 * row * (hosts == 3 ? 3 : 8 / hosts);
    EXPECT_NEAR(step_ns(costs),
                dealt * (1.5 + 1.5 + 3) / 2 + fed * (2.0 / 2 + 0.5), 2);
  }
  // The driver plans all rows and exchanges its own.
  costs.stages[3].ns_per_byte = 100;
  const double handed_over = 2 * row * 2 * 0.5;
  EXPECT_NEAR(step_ns(costs), 16 + 100 * 16 * row / 4 + handed_over, 1);
  EXPECT_EQ(SimulateVirtually(Data({64}), options, {.calibration = costs})
                ->bound_by(),
            "exchange");
  // Read by one thread, that thread drives, too.
  costs.stages[0].one_thread = true;
  EXPECT_NEAR(step_ns(costs), 16 + (100 + 1.5) * 16 * row / 4 + handed_over, 1);
  // And where every host reads every file, there is no share of it.
  options.sequence = SequenceReading::kAllRead;
  EXPECT_NEAR(step_ns(costs), 16 + (100 / 4.0 + 1.5) * 16 * row + handed_over,
              1);
  costs.hand_over_ns_per_byte = 1000;
  EXPECT_EQ(SimulateVirtually(Data({64}), options, {.calibration = costs})
                ->bound_by(),
            "hand-over");
}

TEST_F(CalibrationTest, AReportNamesTokenizingApartFromDecoding) {
  SimulationOptions options;
  options.force_streamed = true;
  Calibration costs = MadeStreamed();
  ASSERT_OK_AND_ASSIGN(
      const VirtualReport report,
      SimulateVirtually(Data({64}), options, {.calibration = costs}));
  EXPECT_EQ(report.bound_by(), "tokenize");
  EXPECT_THAT(VirtualReportText(report), HasSubstr("most of it tokenize"));
  EXPECT_THAT(VirtualReportJson(report),
              HasSubstr("\"bound_by\": \"tokenize\""));
}

TEST_F(CalibrationTest, WhatOtherCostsDoNotTellIsSaid) {
  SimulationOptions options;
  options.hosts = 4;
  const auto said = [&](Calibration costs) {
    const auto report = SimulateVirtually(Data({64}), options,
                                          {.calibration = std::move(costs)});
    EXPECT_OK(report.status());
    return VirtualReportText(*report) + VirtualReportJson(*report);
  };
  EXPECT_THAT(said(Made()), ::testing::Not(HasSubstr("the costs are of")));
  Calibration costs = MadeStreamed();
  EXPECT_THAT(said(costs), HasSubstr("of a streamed run, but this one is "
                                     "planned: calibrate with one that is"));
  options.force_streamed = true;
  EXPECT_THAT(said(Made()), HasSubstr("of a planned run"));
  EXPECT_THAT(said(costs), HasSubstr("the costs are of 2 hosts: that 4 take"));
  costs.hosts = 1;
  EXPECT_THAT(said(costs), HasSubstr("of one host: what 4 take to exchange"));
  costs.hosts = 4;
  EXPECT_THAT(said(costs), ::testing::Not(HasSubstr("the costs are of")));
}

// Of text, by hosts that exchange rows; whose costs make the run again.
TEST_F(CalibrationTest, AStreamedRunTellsOfTokenizingAndExchange) {
  const Dataset text =
      Dataset::TfRecords(pattern_)
          .Parse({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
          .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
          .Bucket({.by = "tokens", .lengths = {64}})
          .Batch({.size = 16});
  SimulationOptions options;
  options.hosts = 2;
  options.device.step_ns = options.device.compile_ns = 0;
  ASSERT_OK_AND_ASSIGN(const RunReport report, Simulate(text, options));
  ASSERT_OK_AND_ASSIGN(const Calibration found, CalibrationOf(report));
  EXPECT_TRUE(found.streamed);
  EXPECT_EQ(found.hosts, 2u);
  for (const StageCost& stage : found.stages) {
    EXPECT_GT(stage.ns_per_byte, 0) << stage.name;
  }
  ASSERT_OK_AND_ASSIGN(
      const Calibration read,
      ReadCalibration(LocalFiles(), Write(CalibrationJson(found))));
  EXPECT_EQ(CalibrationJson(read), CalibrationJson(found));
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
      {with("calibration\": 2", "calibration\": 1"),
       "of version 1, but this program reads version 2: write it again with "
       "`infeedsim --write-calibration`"},
      {with("\"hosts\": 1", "\"hosts\": 0"), "hosts is 0, no whole number"},
      {with("\"hosts\": 1", "\"hosts\": 1.5"), "hosts is 1.5, no whole number"},
      {with("\"hosts\": 1", "\"hosts\": 1e11"),
       "hosts is 100000000000.0, no whole number"},
      {with("\"streamed\": false", "\"streamed\": 0"),
       "streamed is not true or false"},
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
