// infeedsim as a user runs it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(InfeedsimTest, ARunOfNoStepsLeavesAStateThatIsTheWholeRun) {
  const std::string run = SimulationOf(MakeDataset()) + " --json ";
  const auto digest = [&](const std::string& name) {
    const auto json = nlohmann::json::parse(folder_.Read(name));
    return std::pair(json.at("steps").dump(),
                     json["batch_digest"].get<std::string>());
  };
  ASSERT_EQ(RunProgramLine(run + (folder_ / "whole.json")).exit_code, 0);
  const std::string state = folder_ / "run.state";
  const Outcome none = RunProgramLine(run + (folder_ / "none.json") +
                                      " --max-steps 0 --state-out " + state);
  ASSERT_EQ(none.exit_code, 0) << none.output;
  EXPECT_EQ(digest("none.json").first, "0");
  const Outcome rest =
      RunProgramLine(run + (folder_ / "rest.json") + " --state-in " + state);
  ASSERT_EQ(rest.exit_code, 0) << rest.output;
  EXPECT_EQ(digest("rest.json"), digest("whole.json"));
}

TEST_F(InfeedsimTest, ARunGoesOnWithLargerBatchesWhereThatIsDeclared) {
  const std::string dataset = MakeDataset();
  const auto run = [&](const std::string& batch, const std::string& more) {
    std::string line = SimulationOf(dataset);
    line.replace(line.find("--batch 16"), 10, "--batch " + batch);
    return RunProgramLine(line + " --json " + (folder_ / "report.json") + more);
  };
  const auto records = [&] {
    return nlohmann::json::parse(
               folder_.Read("report.json"))["record_digest"]["count"]
        .get<uint64_t>();
  };
  ASSERT_EQ(run("16", "").exit_code, 0);
  const uint64_t all = records();
  const std::string from = " --checkpoint " + (folder_ / "saved");
  ASSERT_EQ(run("16", " --max-steps 3" + from).exit_code, 0);
  const uint64_t before = records();
  const Outcome refused = run("32", from);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.output,
              HasSubstr("Batch differs; if it is meant to, name batches in "
                        "--changed"));
  const Outcome rest = run("32", " --hosts 3 --changed batches" + from);
  ASSERT_EQ(rest.exit_code, 0) << rest.output;
  EXPECT_EQ(before + records(), all);
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

TEST_F(InfeedsimTest, VirtualTimeWalksThePlanAndRepeats) {
  const std::string run = SimulationOf(MakeDataset()) +
                          " --clock virtual --hosts 4 "
                          "--build-time 12 --step-jitter 1 --json ";
  const Outcome one = RunProgramLine(run + (folder_ / "one.json"));
  ASSERT_EQ(one.exit_code, 0) << one.output;
  EXPECT_THAT(one.output, AllOf(HasSubstr("virtual time, a prediction"),
                                HasSubstr("bound by the build")));
  ASSERT_EQ(RunProgramLine(run + (folder_ / "two.json")).exit_code, 0);
  EXPECT_EQ(folder_.Read("one.json"), folder_.Read("two.json"));
  const std::string real =
      SimulationOf(folder_ / "data/small-train.tfrecord@4") + " --json " +
      (folder_ / "real.json");
  ASSERT_EQ(RunProgramLine(real).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(folder_.Read("one.json"))["steps"],
            nlohmann::json::parse(folder_.Read("real.json"))["steps"]);
}

TEST_F(InfeedsimTest, VirtualTimeReadsAStreamedRunForItsSteps) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += std::string(1 + i * 37 % 150, 'a') + "\n\n";
  }
  folder_.Write("books.txt", text);
  const std::string run = fmt::format(
      "infeedsim --corpus {} --tokenizer bytes --by tokens --buckets 32,128 "
      "--too-long truncate --batch 8 --no-shuffle --step-time 0 "
      "--compile-time 0 ",
      folder_ / "books.txt");
  const Outcome real = RunProgramLine(run + "--hosts 2 --write-calibration " +
                                      (folder_ / "costs.json") + " --json " +
                                      (folder_ / "real.json"));
  ASSERT_EQ(real.exit_code, 0) << real.output;
  EXPECT_THAT(real.output, HasSubstr("bound by "));
  const std::string walk =
      run + "--clock virtual --calibration " + (folder_ / "costs.json");
  const Outcome one =
      RunProgramLine(walk + " --hosts 2 --json " + (folder_ / "one.json"));
  ASSERT_EQ(one.exit_code, 0) << one.output;
  EXPECT_THAT(one.output,
              AllOf(HasSubstr("infeedsim: read the data for the lengths"),
                    HasSubstr("streamed: the data was read")));
  ASSERT_EQ(RunProgramLine(walk + " --hosts 2 --json " + (folder_ / "two.json"))
                .exit_code,
            0);
  EXPECT_EQ(folder_.Read("one.json"), folder_.Read("two.json"));
  EXPECT_EQ(nlohmann::json::parse(folder_.Read("one.json"))["steps"],
            nlohmann::json::parse(folder_.Read("real.json"))["steps"]);
  EXPECT_THAT(RunProgramLine(walk + " --hosts 4").output,
              HasSubstr("the costs are of 2 hosts"));
}

TEST_F(InfeedsimTest, FailuresInVirtualTimeRepeatAndSaveAsOftenAsIsBest) {
  const std::string run = fmt::format(
      "infeedsim {} --by tokens --buckets 256 --batch 16 --clock "
      "virtual --step-time 500 --host-mtbf 10800 --save-time 30 "
      "--epochs 0 --max-steps 100000 --json ",
      MakeDataset());
  const Outcome one = RunProgramLine(run + (folder_ / "one.json"));
  ASSERT_EQ(one.exit_code, 0) << one.output;
  EXPECT_THAT(one.output, AllOf(HasSubstr("the best that was found"),
                                HasSubstr("goodput")));
  const Outcome two = RunProgramLine(run + (folder_ / "two.json"));
  EXPECT_EQ(one.output, two.output);
  EXPECT_EQ(folder_.Read("one.json"), folder_.Read("two.json"));
  const auto failures =
      nlohmann::json::parse(folder_.Read("one.json"))["failures"];
  EXPECT_NEAR(failures["save_interval_ns"].get<double>() * 1e-9, 805, 80.5);
  EXPECT_GT(failures["failures"], 0);
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

TEST_F(InfeedsimTest, AMixIsReadInItsRatioAndNamesEachSource) {
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

TEST_F(InfeedsimTest, AMixThatIsWrittenWrongIsWrongUsage) {
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

TEST_F(InfeedsimTest, TwoPartsOfASplitAreAllRecords) {
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

TEST_F(InfeedsimTest, HostsMayHaveRecordsOfTheirOwn) {
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

TEST_F(InfeedsimTest, ATraceIsOfTheSharesOfHosts) {
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

TEST_F(InfeedsimTest, BucketsMayHaveRowsOfTheirOwn) {
  const std::string run =
      "infeedsim " + MakeDataset() +
      " --by tokens --buckets 64,128,256 --cores 2 --step-time 0 "
      "--compile-time 0 --bucket-rows ";
  const Outcome outcome = RunProgramLine(run + "32,16,8 --explain --json " +
                                         (folder_ / "rows.json"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("batch     of each length 32, 16, 8 rows"),
                    HasSubstr("tokens: int32 [32 | 16 | 8, 64 | 128 | 256]")));
  const auto json = nlohmann::json::parse(folder_.Read("rows.json"));
  EXPECT_EQ(json["epochs"][0]["missing"], 0);
  const Outcome few = RunProgramLine(run + "32,16");
  EXPECT_EQ(few.exit_code, 1) << few.output;
  EXPECT_THAT(few.output, HasSubstr("3 lengths and the rows of 2 batches"));
  const Outcome both = RunProgramLine(run + "32,16,8 --batch 8");
  EXPECT_EQ(both.exit_code, 2) << both.output;
}

// Records of two features, of 1 to 8 and of 1 to 4 values.
std::string WritePairs(const testing::ScratchFolder& folder) {
  const std::string path = folder / "pairs.tfrecord";
  const auto writer = CreateTfRecord(LocalFiles(), path, {});
  EXPECT_TRUE(writer.ok());
  for (uint64_t i = 0; i < 64; ++i) {
    ExampleWriter example;
    example.SetInts("tokens", std::vector<int64_t>(1 + i % 8, 7));
    example.SetInts("targets", std::vector<int64_t>(1 + i % 4, 9));
    std::string bytes;
    example.Finish(bytes);
    EXPECT_TRUE((*writer)->Append(bytes).ok());
  }
  EXPECT_TRUE((*writer)->Finish().ok());
  return path;
}

TEST_F(InfeedsimTest, SeveralFeaturesMayHaveBuckets) {
  const std::string pairs = WritePairs(folder_);
  ASSERT_EQ(RunProgramLine("recordtool index --length-of tokens --length-of "
                           "targets " +
                           pairs)
                .exit_code,
            0);
  const std::string run = "infeedsim " + pairs +
                          " --by tokens --buckets 4,8 --step-time 0 "
                          "--compile-time 0 --cores 2 --json " +
                          (folder_ / "pairs.json");
  const auto digest = [&](const std::string& more) {
    const Outcome outcome = RunProgramLine(run + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    const auto json = nlohmann::json::parse(folder_.Read("pairs.json"));
    EXPECT_EQ(json["epochs"][0]["missing"], 0);
    return std::pair(json["batch_digest"].get<std::string>(), outcome.output);
  };
  const auto [planned, text] =
      digest(" --buckets-with targets=2,4 --batch 8 --explain");
  EXPECT_THAT(text, AllOf(HasSubstr("planned: every file has an index with the "
                                    "lengths of \"tokens\" and \"targets\""),
                          HasSubstr("4 x 2")));
  EXPECT_EQ(digest(" --buckets-with targets=2,4 --batch 8 --streamed").first,
            planned);
  // In any way, and with the rows of each pair.
  digest(" --buckets-with=targets=2,4 --bucket-rows 16,8,8,4");
  for (const char* wrong : {"targets", "=2", "targets=", "targets=2,", "t=2,x",
                            "targets=0,4", "t=99999999999999999999"}) {
    const Outcome outcome =
        RunProgramLine(run + " --batch 8 --buckets-with " + wrong);
    EXPECT_EQ(outcome.exit_code, 2) << wrong;
    EXPECT_THAT(outcome.output,
                HasSubstr("a feature, = and lengths with commas between them"));
  }
  const Outcome alone = RunProgramLine(
      "infeedsim " + pairs + " --by tokens --buckets-with targets=2,4");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.output, HasSubstr("needs --buckets"));
  const Outcome falling =
      RunProgramLine(run + " --batch 8 --buckets-with targets=4,2");
  EXPECT_EQ(falling.exit_code, 1);
  EXPECT_THAT(falling.output, HasSubstr("rise; 4, 2 do not"));
}

TEST_F(InfeedsimTest, ARunGoesOnFromItsLastCheckpointByItself) {
  const std::string run = SimulationOf(MakeDataset()) + " --epochs 2 --json " +
                          (folder_ / "run.json");
  const auto digest = [&](const std::string& more) {
    const Outcome outcome = RunProgramLine(run + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    const auto json = nlohmann::json::parse(folder_.Read("run.json"));
    return std::pair(
        std::stoull(json["batch_digest"].get<std::string>(), nullptr, 16),
        outcome.output);
  };
  const auto [whole, fresh] = digest(" --hosts 4");
  EXPECT_THAT(fresh, Not(HasSubstr("goes on")));
  const std::string saved = folder_ / "run.checkpoints";
  const std::string save =
      " --keep 2 --checkpoint-every 5 --checkpoint " + saved;
  const auto [first, begun] = digest(save + " --hosts 4 --max-steps 12");
  EXPECT_THAT(begun, Not(HasSubstr("goes on")));
  const auto names = LocalFiles().List(saved);
  ASSERT_TRUE(names.ok());
  EXPECT_THAT(*names,
              ::testing::ElementsAre("step-000000000010", "step-000000000012"));
  const auto [rest, resumed] = digest(save + " --hosts 3");
  EXPECT_THAT(resumed,
              AllOf(HasSubstr("infeedsim: goes on behind step 12, from "),
                    HasSubstr("step-000000000012, which 4 hosts wrote")));
  EXPECT_EQ(first + rest, whole);
  EXPECT_THAT(digest(save).second, HasSubstr("goes on behind step"));
  EXPECT_EQ(nlohmann::json::parse(folder_.Read("run.json"))["steps"], 0);
  const Outcome both = RunProgramLine(run + save + " --after-step 3");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.output, HasSubstr("there is a checkpoint to go on from"));
  const Outcome alone = RunProgramLine(run + " --checkpoint-every 5");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.output, HasSubstr("--checkpoint-every needs --checkpoint"));
}

TEST_F(InfeedsimTest, AKilledRunGoesOnFromTheLastCommittedCheckpoint) {
  const std::string run = SimulationOf(MakeDataset()) + " --epochs 0";
  const std::string saved = folder_ / "run.checkpoints";
  const std::string save =
      " --checkpoint-every 5 --keep 1000000 --checkpoint " + saved;
  RunShell(fmt::format(
      "{}/{}{} --hosts 2 & pid=$!; until [ -e {}/step-000000000025/COMMIT ]; "
      "do kill -0 $pid || break; done; kill -9 $pid; wait 2>&1",
      PENSTOCK_BIN_DIR, run, save, saved));
  const std::string json = " --max-steps 7 --json ";
  const Outcome rest = RunProgramLine(run + save + json + (folder_ / "a.json"));
  ASSERT_EQ(rest.exit_code, 0) << rest.output;
  const std::string words = "goes on behind step ";
  const size_t at = rest.output.find(words);
  ASSERT_NE(at, std::string::npos) << rest.output;
  const int step = std::stoi(rest.output.substr(at + words.size()));
  EXPECT_GE(step, 25);
  EXPECT_EQ(step % 5, 0);
  ASSERT_EQ(RunProgramLine(run + json + (folder_ / "b.json") +
                           " --after-step " + std::to_string(step))
                .exit_code,
            0);
  EXPECT_EQ(nlohmann::json::parse(folder_.Read("a.json"))["batch_digest"],
            nlohmann::json::parse(folder_.Read("b.json"))["batch_digest"]);
}

TEST_F(InfeedsimTest, ASignalStopsInfeedsimWhichReportsAndSavesItsState) {
  const std::string dataset = MakeDataset();
  const Outcome stopped = RunShell(fmt::format(
      "env --block-signal=TERM sh -c 'kill -TERM $$; exec {}/{} --epochs 0 "
      "--state-out {}' 2>&1",
      PENSTOCK_BIN_DIR, SimulationOf(dataset), folder_ / "run.state"));
  EXPECT_EQ(stopped.exit_code, 128 + 15);
  EXPECT_THAT(stopped.output,
              AllOf(HasSubstr("infeedsim: stopped by a signal after step"),
                    HasSubstr("go on with --state-in")));
  EXPECT_TRUE(LocalFiles().Stat(folder_ / "run.state").ok());
  const Outcome saved = RunShell(fmt::format(
      "env --block-signal=TERM sh -c 'kill -TERM $$; exec {}/{} --epochs 0 "
      "--checkpoint {}' 2>&1",
      PENSTOCK_BIN_DIR, SimulationOf(dataset), folder_ / "saved"));
  EXPECT_THAT(saved.output, HasSubstr("the same command goes on"));
  const Outcome on = RunProgramLine(SimulationOf(dataset) +
                                    " --epochs 0 --max-steps 1 --checkpoint " +
                                    (folder_ / "saved"));
  EXPECT_THAT(on.output, HasSubstr("goes on behind step"));
}

}  // namespace
}  // namespace penstock
