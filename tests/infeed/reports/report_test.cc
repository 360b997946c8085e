#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "infeed/reports/reports.h"
#include "infeed/training/training_run.h"
#include "tests/infeed/made_batches.h"

namespace penstock {
namespace {

using ::penstock::testing::MadeForHosts;
using ::penstock::testing::TokenContract;
using ::testing::HasSubstr;

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

TEST_F(ReportTest, PaddingIsOfTokens) {
  // 37 real rows of length - 1 tokens: steps 0, 2, 4 of 4, steps 1, 3 of 8.
  const double real = (8 + 8 + 5) * 3 + 16 * 7;
  EXPECT_NEAR(report_->padding_percent(), 100 - 100 * real / (3 * 32 + 2 * 64),
              1e-9);
}

}  // namespace
}  // namespace penstock
