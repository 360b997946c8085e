// infeedsim over mixes, parts of a split and records of each host.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SourcesTest : public SmallDatasetTest {};

TEST_F(SourcesTest, AMixIsReadInItsRatioAndNamesEachSource) {
  const std::string dataset = MakeDataset();
  const std::string one = dataset.substr(dataset.rfind('/') + 1);
  const auto mix = [&](const std::string& options) {
    std::string line = SimulationOf("");
    return RunProgramLine(fmt::format("{} --mix '{}=2' '{}=1' {}", line,
                                      dataset, dataset, options));
  };
  const Outcome outcome =
      mix("--mix-stop last --explain --json " + (folder_ / "mix.json"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("read      source 0 (" + one),
                    HasSubstr("read      source 1 (" + one),
                    HasSubstr("mix       2 datasets by rows, those that end "
                              "leave it")));
  const auto json = nlohmann::json::parse(folder_.Read("mix.json"));
  const auto count = RunForJson("recordtool count --json " + dataset);
  EXPECT_EQ(json["record_digest"]["count"],
            2 * count["records"].get<uint64_t>());
  EXPECT_EQ(json["epochs"][0]["missing"], 0);
  const Outcome tokens = mix("--mix-tokens --explain");
  EXPECT_THAT(tokens.output, HasSubstr("2 datasets by tokens"));
}

TEST_F(SourcesTest, AMixThatIsWrittenWrongIsWrongUsage) {
  const std::string rest = " --by tokens --buckets 8 --batch 8 ";
  const auto wrong = [&](const std::string& words, const std::string& told) {
    const Outcome outcome = RunProgramLine("infeedsim " + words + rest);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(told));
  };
  wrong("--mix a.tfrecord", "a pattern, = and a positive weight");
  wrong("--mix a.tfrecord=-1", "a pattern, = and a positive weight");
  wrong("--mix =1", "a pattern, = and a positive weight");
  wrong("", "DATASET or --mix is missing");
  wrong("a.tfrecord --mix-tokens", "--mix-tokens needs --mix");
  wrong("a.tfrecord --mix b.tfrecord=1", "exclude each other");
}

TEST_F(SourcesTest, TwoPartsOfASplitAreAllRecords) {
  const std::string dataset = MakeDataset();
  const auto count = [&](const std::string& part) {
    const std::string json = folder_ / "split.json";
    const Outcome outcome = RunProgramLine(
        fmt::format("{} --split-seed 3 --split {} --explain --json {}",
                    SimulationOf(dataset), part, json));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("by seed 3: "));
    return nlohmann::json::parse(
               folder_.Read("split.json"))["record_digest"]["count"]
        .get<uint64_t>();
  };
  const uint64_t all =
      RunForJson("recordtool count --json " + dataset)["records"];
  const uint64_t part = count("0.5:1");
  EXPECT_GT(part, 0u);
  EXPECT_LT(part, all);
  EXPECT_EQ(part + count("0:0.5"), all);
  for (const char* wrong : {"0.5", "1:0", "0:1.5", "0.5:0.5", "a:b"}) {
    const Outcome outcome = RunProgramLine(
        fmt::format("{} --split {}", SimulationOf(dataset), wrong));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("a part of 0 to 1"));
  }
}

TEST_F(SourcesTest, HostsMayHaveRecordsOfTheirOwn) {
  const std::string dataset = MakeDataset();
  const uint64_t all =
      RunForJson("recordtool count --json " + dataset)["records"];
  for (const char* by : {"record", "range", "auto"}) {
    const Outcome outcome = RunProgramLine(
        fmt::format("{} --hosts 2 --shard-by {} --explain --json {}",
                    SimulationOf(dataset), by, folder_ / "shares.json"));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("over 2 hosts"));
    EXPECT_EQ(nlohmann::json::parse(
                  folder_.Read("shares.json"))["record_digest"]["count"],
              all);
  }
}

TEST_F(SourcesTest, ATraceIsOfTheSharesOfHosts) {
  const std::string run = SimulationOf(MakeDataset()) + " --hosts 2 ";
  const auto records = [&](const std::string& more, size_t host) {
    const Outcome trace = RunProgramLine(run + more + " --trace 0");
    EXPECT_EQ(trace.exit_code, 0) << trace.output;
    std::set<uint64_t> ids;
    const std::string of_host = fmt::format(" of host {} at ", host);
    for (size_t at = trace.output.find(of_host); at != std::string::npos;
         at = trace.output.find(of_host, at + 1)) {
      const size_t record = trace.output.find("of record ", at) + 10;
      ids.insert(std::stoull(trace.output.substr(record)));
    }
    return ids;
  };
  for (uint64_t host = 0; host < 2; ++host) {
    const std::set<uint64_t> ids = records("--shard-by record", host);
    EXPECT_FALSE(ids.empty());
    for (const uint64_t id : ids) EXPECT_EQ(id % 2, host);
  }
  EXPECT_TRUE(records("--shard-by plan", 0).empty());
}

}  // namespace
}  // namespace penstock
