// infeedsim as a user runs it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class InfeedsimTest : public SmallDatasetTest {};

TEST_F(InfeedsimTest, TheSimulationSeesExactlyTheRecordsThatCountSees) {
  const std::string dataset = MakeDataset();
  const auto count = RunForJson("recordtool count --json " + dataset);
  const std::string report = folder_ / "report.json";
  const Outcome outcome =
      RunProgramLine(SimulationOf(dataset) + " --hosts 3 --json " + report);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const auto json = nlohmann::json::parse(folder_.Read("report.json"));
  EXPECT_EQ(json["record_digest"]["count"], count["records"]);
  EXPECT_EQ(json["record_digest"]["value"], count["record_id_digest"]);
  EXPECT_EQ(json["epochs"][0]["missing"], 0);
  EXPECT_EQ(json["epochs"][0]["duplicated"], 0);
}

TEST_F(InfeedsimTest, ObjectivesAreLearnedTheSameByAnyHosts) {
  const std::string dataset = MakeDataset();
  const auto digest = [&](const std::string& more) {
    const Outcome outcome = RunProgramLine(SimulationOf(dataset) + " --json " +
                                           (folder_ / "run.json") + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return nlohmann::json::parse(folder_.Read("run.json"))["batch_digest"]
        .get<std::string>();
  };
  std::set<std::string> digests = {digest("")};
  const std::vector<std::string> objectives = {
      " --segment-ids --positions",
      " --objective causal",
      " --objective prefix",
      " --objective fill-in-middle --fill-ids 256,257,258",
      " --objective masked --mask-id 256 --vocabulary 256",
      " --objective span-corruption --sentinel 300 --eos-id 256"};
  for (const std::string& objective : objectives) {
    const std::string one = digest(objective);
    EXPECT_EQ(digest(objective + " --hosts 3 --streamed"), one) << objective;
    digests.insert(one);
  }
  EXPECT_EQ(digests.size(), 1 + objectives.size());
  const Outcome explained = RunProgramLine(
      SimulationOf(dataset) + " --explain --objective causal --segment-ids");
  EXPECT_THAT(explained.output, AllOf(HasSubstr("tokens_labels: int32"),
                                      HasSubstr("tokens_segment_ids: int32")));
  const Outcome wrong =
      RunProgramLine(SimulationOf(dataset) + " --objective masked");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.output, HasSubstr("mask_id is -1"));
}

TEST_F(InfeedsimTest, TokensAsBytesGiveTheBatchesOfInt64) {
  std::set<std::string> digests;
  for (const std::string encoding : {"int64", "uint16", "uint32"}) {
    folder_.Write("lines.txt", "one\ntwo and three\n\nfour\n");
    const std::string out = folder_ / encoding;
    EXPECT_EQ(
        RunProgramLine(
            fmt::format("datagen -q -i {} -o {} -n a --unit line -t bytes "
                        "--token-encoding {}",
                        folder_ / "lines.txt", out, encoding))
            .exit_code,
        0);
    const std::string report = folder_ / (encoding + ".json");
    const Outcome run = RunProgramLine(
        fmt::format("{} --no-shuffle --json {}",
                    SimulationOf(out + "/a-train.tfrecord@1"), report));
    EXPECT_EQ(run.exit_code, 0) << run.output;
    digests.insert(nlohmann::json::parse(folder_.Read(encoding + ".json"))
                       .at("batch_digest")
                       .get<std::string>());
  }
  EXPECT_EQ(digests.size(), 1);
}

// On any hosts, from the start and from the middle.
TEST_F(InfeedsimTest, PackedRunsSeeEveryRecordOnce) {
  const std::string dataset = MakeDataset();
  for (const std::string kind : {"first-fit", "best-fit", "chunk"}) {
    const std::string run = fmt::format(
        "infeedsim {} --by tokens --pack 256 --pack-kind {} --max-segments 9 "
        "--batch 8 --step-time 0 --compile-time 0 --explain --json ",
        dataset, kind);
    const auto report = [&](const std::string& arguments) {
      const Outcome outcome =
          RunProgramLine(run + (folder_ / "report.json") + arguments);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      EXPECT_THAT(outcome.output, AllOf(HasSubstr("pack      by tokens"),
                                        HasSubstr("at most 9 records a row")));
      return nlohmann::json::parse(folder_.Read("report.json"));
    };
    const auto whole = report("");
    EXPECT_EQ(whole["record_digest"]["count"], 400) << kind;
    EXPECT_EQ(whole["epochs"][0]["missing"], 0);
    EXPECT_EQ(whole["epochs"][0]["duplicated"], 0);
    const std::string state = folder_ / "packed.state";
    report(" --max-steps 7 --state-out " + state);
    const auto rest = report(" --hosts 3 --state-in " + state);
    const auto found = report(" --hosts 2 --after-step 7");
    EXPECT_EQ(found["batch_digest"], rest["batch_digest"]);
    const auto again = report(" --streamed --hosts 4 --state-in " + state);
    EXPECT_EQ(again["batch_digest"], rest["batch_digest"]);
  }
}

TEST_F(InfeedsimTest, AStepIsTracedAndItsRowsBalanced) {
  const std::string run = fmt::format(
      "infeedsim {} --by tokens --batch 16 --step-time 0 --compile-time 0 ",
      MakeDataset());
  const Outcome trace = RunProgramLine(run + "--pack 256 --trace 3");
  EXPECT_EQ(trace.exit_code, 0) << trace.output;
  EXPECT_THAT(
      trace.output,
      AllOf(HasSubstr("step 3, epoch 0: 16 rows of length 256"),
            HasSubstr("row 15 at 0: values 0 to"),
            HasSubstr("small-train.tfrecord-0000"), HasSubstr("at offset")));
  const Outcome balanced = RunProgramLine(
      run + "--pack 256 --balance --micro-batches 2 --explain --max-steps 2");
  EXPECT_EQ(balanced.exit_code, 0) << balanced.output;
  EXPECT_THAT(balanced.output, AllOf(HasSubstr("balance   16 parts"),
                                     HasSubstr("the dearest part costs")));
  const Outcome chosen =
      RunProgramLine(run + "--shapes 3 --explain --max-steps 2");
  EXPECT_EQ(chosen.exit_code, 0) << chosen.output;
  EXPECT_THAT(chosen.output, HasSubstr("shapes: 3, so as many compiles"));
}

// Devices along "model" take the same rows.
TEST_F(InfeedsimTest, RowsAreBalancedOverTheDevicesThatCutThem) {
  const std::string run = fmt::format(
      "infeedsim {} --by tokens --pack 256 --batch 16 --step-time 0 "
      "--compile-time 0 --balance --explain --max-steps 2 ",
      MakeDataset());
  EXPECT_THAT(RunProgramLine(run + "--mesh data=16").output,
              HasSubstr("balance   16 parts"));
  EXPECT_THAT(
      RunProgramLine(run + "--mesh data=2,model=4 --micro-batches 2").output,
      HasSubstr("balance   4 parts"));
  EXPECT_THAT(RunProgramLine(run + "--mesh data=2,fsdp=2,model=4 "
                                   "--rows data,fsdp")
                  .output,
              HasSubstr("balance   4 parts"));
}

TEST_F(InfeedsimTest, AMeshMayHaveManyAxesAndAnyOwners) {
  const std::string dataset = MakeDataset();
  const std::string cores = SimulationOf(dataset);
  const std::string mesh = fmt::format(
      "infeedsim {} --by tokens --buckets 64,128,256 --batch 16 --step-time 0 "
      "--compile-time 0 --hosts 2 ",
      dataset);
  ASSERT_EQ(
      RunProgramLine(cores + " --json " + (folder_ / "cores.json")).exit_code,
      0);
  const Outcome outcome = RunProgramLine(
      mesh +
      "--mesh data=8,model=2 --mesh-devices 15-0 --device-hosts "
      "0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1 --sharding tokens=data,model "
      "--explain --json " +
      (folder_ / "mesh.json"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("tokens [16, 256] as data,model"),
                    HasSubstr("host 1 loads [0,16) x [0,256)"),
                    HasSubstr("strided view of 2 runs of 512 bytes")));
  const auto one = nlohmann::json::parse(folder_.Read("cores.json"));
  const auto other = nlohmann::json::parse(folder_.Read("mesh.json"));
  EXPECT_EQ(one["batch_digest"], other["batch_digest"]);
  EXPECT_EQ(other["sharding"]["tensors"][0]["spec"], "data,model");
}

TEST_F(InfeedsimTest, MeshesThatAreNoneAreNamed) {
  const std::string run =
      "infeedsim /nowhere --by tokens --buckets 64 --batch 16 ";
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::string, std::string>>{
           {"--mesh data", "--mesh: \"data\" is no axis of a mesh"},
           {"--mesh data=70000", "at most 65536 devices together"},
           {"--mesh-devices 0-", "--mesh-devices: \"0-\" is neither"},
           {"--device-hosts a", "--device-hosts: \"a\" is neither"},
           {"--sharding data,None", "names no tensor"},
           {"--sharding tokens=data,",
            "--sharding: sharding \"data,\", at "
            "character 5"}}) {
    const Outcome outcome = RunProgramLine(run + arguments);
    EXPECT_NE(outcome.exit_code, 0) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr(message));
  }
}

}  // namespace
}  // namespace penstock
