// The page, the trace and the event file against the report they come from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "formats/tfrecord/tfrecord_reader.h"
#include "formats/wire/wire_format.h"
#include "infeed/reports/html_charts.h"
#include "infeed/reports/report_events.h"
#include "infeed/reports/reports.h"
#include "infeed/training/training_run.h"
#include "tests/infeed/made_batches.h"
#include "tests/support/scratch_folder.h"

namespace penstock {
namespace {

using ::penstock::testing::MadeForHosts;
using ::penstock::testing::TokenContract;
using ::testing::HasSubstr;
using ::testing::Not;

RunReport RunOf(uint32_t hosts, size_t traced_steps, uint64_t steps = 9,
                size_t depth = 2) {
  TrainingOptions options = {.depth = depth,
                             .device = {.step_ns = 1000, .compile_ns = 2000},
                             .traced_steps = traced_steps};
  return *RunTraining(MadeForHosts(4, hosts,
                                   {.contract = TokenContract(8, {4, 8}),
                                    .steps = steps,
                                    .records = steps * 8 - 3,
                                    .shapes = {0, 1}}),
                      *Mesh::Create({{"data", 4}}), options);
}

TEST(ReportTraceTest, WhatACoreDidSumsToItsLedgerAndNeverOverlaps) {
  const RunReport report = RunOf(2, 100);
  const auto json = nlohmann::json::parse(ReportTrace(report));
  std::map<int, double> last_end;
  std::map<std::pair<int, std::string>, double> us;
  std::map<int, int> host_of;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const int core = event["tid"];
    EXPECT_GE(event["ts"].get<double>(), last_end[core] - 2e-3);
    last_end[core] = event["ts"].get<double>() + event["dur"].get<double>();
    us[{core, event["name"]}] += event["dur"].get<double>();
    host_of[core] = event["pid"];
  }
  ASSERT_EQ(last_end.size(), 4u);
  for (const CoreReport& core : report.cores) {
    const int device = static_cast<int>(core.device);
    EXPECT_EQ(host_of[device], static_cast<int>(core.host));
    const auto expect = [&](const char* name, int64_t ns) {
      EXPECT_NEAR((us[{device, name}]), static_cast<double>(ns) * 1e-3, 0.02)
          << name;
    };
    expect("compile", core.ledger.ns(Bucket::kCompile));
    expect("compute", core.ledger.ns(Bucket::kCompute) +
                          core.ledger.ns(Bucket::kPadCompute));
    expect("peer wait", core.ledger.ns(Bucket::kPeerWait));
    expect("transfer wait", core.ledger.ns(Bucket::kTransferWait));
  }
}

// What a core waits for behind its steps, besides what it did before.
TEST(ReportTraceTest, WaitsForOutfeedAndCheckpointsAreDrawn) {
  const CoreReport core = {.spans = {{.begin_ns = 1000,
                                      .compute_ns = 1000,
                                      .end_ns = 3000,
                                      .sent_ns = 7000,
                                      .saved_ns = 8000}}};
  const auto json =
      nlohmann::json::parse(ReportTrace(RunReport{.cores = {core}}));
  std::map<std::string, double> us;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "X") us[event["name"]] += event["dur"].get<double>();
  }
  EXPECT_DOUBLE_EQ(us["compute"], 2);
  EXPECT_DOUBLE_EQ(us["outfeed wait"], 4);
  EXPECT_DOUBLE_EQ(us["checkpoint"], 1);
}

TEST(ReportTraceTest, NoMoreStepsAreToldThanWereAskedFor) {
  const RunReport report = RunOf(1, 3);
  for (const CoreReport& core : report.cores) {
    EXPECT_EQ(core.spans.size(), 3u);
  }
  const auto json = nlohmann::json::parse(ReportTrace(report));
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "X") {
      EXPECT_LT(event["args"]["step"], 3);
    }
  }
}

TEST(ReportTraceTest, ARunWithoutStepsIsStillJson) {
  TrainingOptions options = {.max_steps = 0};
  const RunReport report =
      *RunTraining(MadeForHosts(2, 1, {.contract = TokenContract(8, {4})}),
                   *Mesh::Create({{"data", 2}}), options);
  EXPECT_TRUE(nlohmann::json::accept(ReportTrace(report)));
  EXPECT_THAT(ReportHtml(report, "none"), HasSubstr("</html>"));
}

// What one event says, read by tags alone.
struct SeenEvent {
  double seconds = 0;
  uint64_t step = 0;
  std::string version;
  std::map<std::string, float> scalars;
};

double AsDouble(const char* at) {
  double value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

SeenEvent Parse(std::string_view record) {
  SeenEvent seen;
  WireDefect defect;
  // wall_time comes first: a tag and eight bytes.
  EXPECT_EQ(record[0], 1 << 3 | 1);
  seen.seconds = AsDouble(record.data() + 1);
  WireReader event(record.substr(9), defect);
  for (uint32_t tag = 0; event.NextTag(tag);) {
    std::string_view chunk;
    if (tag == (2 << 3)) {
      EXPECT_TRUE(event.ReadVarint(seen.step));
    } else if (tag == (3 << 3 | 2)) {
      EXPECT_TRUE(event.ReadChunk(chunk));
      seen.version = chunk;
    } else {
      EXPECT_EQ(tag, 5u << 3 | 2);
      EXPECT_TRUE(event.ReadChunk(chunk));
      WireReader summary(chunk, defect);
      for (uint32_t of = 0; summary.NextTag(of);) {
        std::string_view value, name, bits;
        EXPECT_TRUE(summary.ReadChunk(value));
        WireReader scalar(value, defect);
        EXPECT_TRUE(scalar.NextTag(of) && scalar.ReadChunk(name));
        EXPECT_TRUE(scalar.NextTag(of) && scalar.ReadFixed32(bits));
        float number = 0;
        std::memcpy(&number, bits.data(), sizeof number);
        seen.scalars[std::string(name)] = number;
      }
    }
  }
  EXPECT_EQ(defect.what, nullptr) << defect.what;
  return seen;
}

TEST(ReportEventsTest, EveryStepIsTheReportsOwn) {
  const RunReport report = RunOf(1, 0);
  const testing::ScratchFolder folder;
  const auto path =
      WriteEvents(LocalFiles(), folder.path(), report, 1'700'000'000.25);
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_THAT(*path, HasSubstr("events.out.tfevents.1700000000."));
  const auto records = ReportEvents(report, 1'700'000'000.25);
  ASSERT_EQ(records.size(), 9u + 2);
  auto reader = OpenTfRecord(LocalFiles(), *path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<std::string> read;
  for (;;) {
    const auto block = (*reader)->NextBlock();
    ASSERT_TRUE(block.ok()) << block.status();
    if (!*block) break;
    read.insert(read.end(), (*block)->records.begin(), (*block)->records.end());
  }
  EXPECT_EQ(read, records);
  EXPECT_EQ(Parse(records[0]).version, "brain.Event:2");
  for (size_t s = 0; s < 9; ++s) {
    SeenEvent seen = Parse(records[s + 1]);
    const StepSpan& step = report.steps[s];
    EXPECT_EQ(seen.step, s + 1);
    EXPECT_FLOAT_EQ(seen.scalars["infeed/step_ms"],
                    static_cast<double>(step.end_ns - step.free_ns) * 1e-6);
    EXPECT_EQ(seen.scalars["infeed/length"], s % 2 == 0 ? 4 : 8);
    EXPECT_GT(seen.seconds, 1'700'000'000.25);
  }
  SeenEvent last = Parse(records.back());
  EXPECT_FLOAT_EQ(last.scalars["infeed/padding_percent"],
                  report.padding_percent());
}

// As StepSummary counts them.
TEST(ReportEventsTest, AStepTakesItsWaitForTheOutfeedToo) {
  const RunReport report = {.steps = {{.outfeed_ns = 8'000'000,
                                       .free_ns = 20'000'000,
                                       .begin_ns = 21'000'000,
                                       .end_ns = 24'000'000}},
                            .shapes = {{.length = 4, .steps = 1}},
                            .state = {.step = 1}};
  SeenEvent step = Parse(ReportEvents(report, 0)[1]);
  EXPECT_FLOAT_EQ(step.scalars["infeed/step_ms"], 12);
  EXPECT_FLOAT_EQ(step.scalars["infeed/wait_ms"], 1);
  EXPECT_FLOAT_EQ(step.scalars["infeed/outfeed_ms"], 8);
}

TEST(ReportEventsTest, ALongRunTellsAtMostTenThousandSteps) {
  RunReport report = RunOf(1, 0, 2);
  report.steps.resize(35'000, report.steps[0]);
  report.state.step = 35'000;
  const auto records = ReportEvents(report, 0);
  EXPECT_LE(records.size(), 10'002u);
  EXPECT_GE(records.size(), 8'000u);
  EXPECT_EQ(Parse(records.back()).step, 35'000u);
}

TEST(ReportHtmlTest, ThePageNeedsNothingElseAndNamesEverything) {
  RunReport report = RunOf(2, 0);
  report.explain = "a < b & c";
  const std::string html = ReportHtml(report, "run <1>");
  for (const char* outside :
       {"http:", "https:", "<script", "<link", "@import", "src=", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
  for (size_t b = 0; b < kBuckets; ++b) {
    EXPECT_THAT(html,
                HasSubstr(std::string(BucketName(static_cast<Bucket>(b)))));
  }
  EXPECT_THAT(html, HasSubstr("run &lt;1&gt;"));
  EXPECT_THAT(html, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(html, HasSubstr("host 1"));
  EXPECT_THAT(html, HasSubstr("length 8"));
  EXPECT_THAT(html, HasSubstr("tokens dim 1: 4 -&gt; 8"));
}

TEST(ReportHtmlTest, AQueueOfNoBatchesHoldsOne) {
  const RunReport report = RunOf(1, 0, 9, /*depth=*/0);
  EXPECT_EQ(report.depth, 1u);
  EXPECT_THAT(ReportHtml(report, "run"), HasSubstr("full: 1"));
}

TEST(ReportHtmlTest, EachBarIsAsLongAsItsParts) {
  const RunReport report = RunOf(1, 0);
  const std::string html = ReportHtml(report, "run");
  const std::regex bar("<div class=\"bar\">(.*?)</div>");
  const std::regex width("width:([0-9.]+)%");
  int bars = 0;
  for (std::sregex_iterator b(html.begin(), html.end(), bar), end; b != end;
       ++b, ++bars) {
    const std::string inside = (*b)[1];
    double sum = 0;
    for (std::sregex_iterator w(inside.begin(), inside.end(), width); w != end;
         ++w) {
      sum += std::stod((*w)[1]);
    }
    EXPECT_NEAR(sum, 100, 0.05) << inside;
  }
  // Four cores' ledgers and queues, two shapes.
  EXPECT_EQ(bars, 10);
}

TEST(ReportHtmlTest, APodsPageShowsTheFirstHostsAndSaysSo) {
  RunReport report = RunOf(1, 0);
  report.hosts = 2000;
  const CoreReport core = report.cores[0];
  report.cores.clear();
  for (uint32_t host = 0; host < 2000; ++host) {
    report.cores.push_back(core);
    report.cores.back().host = host;
  }
  const std::string html = ReportHtml(report, "pod");
  EXPECT_THAT(html, HasSubstr("The first 64 of 2000 are shown."));
  EXPECT_LT(html.size(), 200u << 10);
}

}  // namespace
}  // namespace penstock
