#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "infeed/reports/reports.h"
#include "infeed/training/training_run.h"
#include "tests/infeed/made_batches.h"

namespace penstock {
namespace {

using ::penstock::testing::MadeForHosts;
using ::penstock::testing::TokenContract;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    TrainingOptions options = {.device = {.step_ns = 1000, .compile_ns = 2000}};
    options.records_per_epoch = 40;
    report_ = new RunReport(
        *RunTraining(MadeForHosts(4, 2,
                                  {.contract = TokenContract(8, {4, 8}),
                                   .steps = 5,
                                   .records = 37,
                                   .shapes = {0, 1}}),
                     *Mesh::Create({{"data", 4}}), options));
  }
  static void TearDownTestSuite() { delete report_; }

  static RunReport* report_;
};
RunReport* ReportTest::report_ = nullptr;

TEST_F(ReportTest, JsonLedgersSumToWallTimeAsIntegers) {
  const auto json = nlohmann::json::parse(ReportJson(*report_));
  ASSERT_EQ(json["cores"].size(), 4u);
  for (const auto& core : json["cores"]) {
    int64_t sum_ns = 0;
    for (const auto& bucket : core["ledger"]) {
      ASSERT_TRUE(bucket.is_number_integer());
      sum_ns += bucket.get<int64_t>();
    }
    EXPECT_EQ(core["ledger"].size(), kBuckets);
    EXPECT_EQ(sum_ns, json["wall_ns"].get<int64_t>());
    EXPECT_EQ(sum_ns, core["wall_ns"].get<int64_t>());
  }
  EXPECT_EQ(json["steps"], 5);
  EXPECT_EQ(json["hosts"], 2);
  EXPECT_EQ(json["compiles"].size(), json["shapes"].size());
  EXPECT_EQ(json["rows"]["examples"], 37);
  EXPECT_EQ(json["rows"]["pad_rows"], 3);
  EXPECT_EQ(json["epochs"][0]["missing"], 3);
  EXPECT_EQ(json["record_digest"]["count"], 37);
  EXPECT_EQ(json["batch_digest"].get<std::string>().size(), 16u);
}

TEST_F(ReportTest, TextNamesEveryBucketShapeAndCause) {
  const std::string text = ReportText(*report_);
  for (size_t b = 0; b < kBuckets; ++b) {
    EXPECT_THAT(text,
                HasSubstr(std::string(BucketName(static_cast<Bucket>(b)))));
  }
  EXPECT_THAT(text, HasSubstr("5 steps"));
  EXPECT_THAT(text, HasSubstr("2 declared, 2 compiled"));
  EXPECT_THAT(text, HasSubstr("tokens dim 1: 4 -> 8"));
  EXPECT_THAT(text, HasSubstr("input bound"));
  EXPECT_THAT(text, HasSubstr("37 records seen, 0 twice, 3 missing"));
}

RunReport ReportOf(double infeed_percent, int64_t infeed_ns,
                   int64_t transfer_ns) {
  std::array<int64_t, kBuckets> ns = {};
  ns[static_cast<size_t>(Bucket::kInfeedWait)] = infeed_ns;
  ns[static_cast<size_t>(Bucket::kTransferWait)] = transfer_ns;
  RunReport report;
  report.times.infeed_percent = infeed_percent;
  report.cores = {{.ledger = Ledger::Of(0, ns)}};
  report.pipeline = {.threads = 1,
                     .wall_ns = 1000,
                     .starved_ns = 50,
                     .stages = {{.name = "decode", .busy_ns = 300},
                                {.name = "tokenize", .busy_ns = 400}}};
  return report;
}

// By XProf's limit of 5 per cent.
TEST(BoundByTest, WhatStepsWaitForIsNamed) {
  EXPECT_EQ(ReportOf(4.9, 10, 0).bound_by(), "device");
  EXPECT_EQ(ReportOf(5, 10, 9).bound_by(), "tokenize");
  EXPECT_EQ(ReportOf(5, 10, 11).bound_by(), "transfer");
  RunReport report = ReportOf(5, 10, 0);
  report.pipeline->starved_ns = 49;
  EXPECT_EQ(report.bound_by(), "hand-over");
  report.pipeline.reset();
  EXPECT_EQ(report.bound_by(), "hand-over");
  report.times.outfeed_percent = 6;
  EXPECT_EQ(report.bound_by(), "outfeed");
  report.times.outfeed_percent = 5;
  EXPECT_EQ(report.bound_by(), "hand-over");
  EXPECT_EQ(ReportOf(4.9, 10, 0).bound_by(), "device");
}

// Waits for the outfeed are drawn where there are any.
TEST(BoundByTest, ThePageShowsWhatBoundsARun) {
  RunReport report = ReportOf(1, 10, 0);
  report.depth = 2;
  report.wall_ns = 100;
  report.steps = {
      {.end_ns = 40},
      {.outfeed_ns = 20, .free_ns = 60, .begin_ns = 60, .end_ns = 90}};
  EXPECT_THAT(
      ReportHtml(report, "a run"),
      AllOf(HasSubstr("<b>device</b>"), Not(HasSubstr("wait for outfeed"))));
  report.times.outfeed_percent = 22;
  const std::string html = ReportHtml(report, "a run");
  EXPECT_THAT(
      html,
      AllOf(HasSubstr("<b>outfeed</b>"), HasSubstr("wait for outfeed"),
            HasSubstr("HIGHLY outfeed bound"), HasSubstr("outfeed 100.0 %")));
  EXPECT_THAT(ReportText(report), HasSubstr("bound by outfeed"));
  EXPECT_THAT(ReportJson(report), HasSubstr("\"bound_by\": \"outfeed\""));
}

TEST_F(ReportTest, PaddingIsOfTokens) {
  // 37 real rows of length - 1 tokens: steps 0, 2, 4 of 4, steps 1, 3 of 8.
  const double real = (8 + 8 + 5) * 3 + 16 * 7;
  EXPECT_NEAR(report_->padding_percent(), 100 - 100 * real / (3 * 32 + 2 * 64),
              1e-9);
}

}  // namespace
}  // namespace penstock
