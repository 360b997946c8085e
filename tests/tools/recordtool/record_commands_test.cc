// The commands of recordtool on what datagen and others write.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/support/scratch_folder.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScratchFolder;

class RecordCommandsTest : public ::testing::Test {
 protected:
  std::string Make(const std::string& more = "") {
    std::string text;
    for (int i = 0; i < 200; ++i) text += fmt::format("document {}\n", i);
    folder_.Write("corpus.txt", text);
    const Outcome made = RunProgramLine(fmt::format(
        "datagen --input {} --output {} --name a --unit line --tokenizer bytes "
        "--shards 2 --quiet --overwrite {}",
        folder_ / "corpus.txt", folder_ / "data", more));
    EXPECT_EQ(made.exit_code, 0) << made.output;
    return folder_ / "data/a-train.tfrecord@2";
  }
  // Records as they are, in one file.
  std::string Write(const std::string& name,
                    const std::vector<std::string>& records) {
    std::string bytes;
    for (const std::string& record : records) AppendTfRecord(record, bytes);
    return folder_.Write(name, bytes);
  }

  ScratchFolder folder_;
};

TEST_F(RecordCommandsTest, WrappedShardsNeedNoWordAboutIt) {
  for (const std::string compression : {"gzip", "zlib"}) {
    const std::string dataset = Make("--compression " + compression);
    EXPECT_EQ(RunForJson("recordtool count --json " + dataset)["records"], 200);
    EXPECT_EQ(RunForJson("recordtool stats --json -q " + dataset)["records"],
              200);
    for (const std::string command : {"verify -q", "cat", "head", "inspect"}) {
      const Outcome outcome =
          RunProgramLine(fmt::format("recordtool {} {}", command, dataset));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    }
    const Outcome indexed = RunProgramLine("recordtool index " + dataset);
    EXPECT_EQ(indexed.exit_code, compression == "gzip" ? 0 : 1);
    EXPECT_THAT(indexed.output,
                HasSubstr(compression == "gzip" ? "100 records"
                                                : "zlib files have no index"));
  }
}

TEST_F(RecordCommandsTest, FilesWhoseNamesAreNotUtf8AreToldOfInJson) {
  const std::string path = Write("a\xff.tfrecord", {""});
  for (const std::string command :
       {"cat", "count --json", "stats --json -q", "verify --json -q"}) {
    const auto json =
        RunForJson(fmt::format("recordtool {} {}", command, path));
    EXPECT_THAT(json.dump(), HasSubstr("a\xef\xbf\xbd.tfrecord")) << command;
  }
}

// 35,615 is 0x8b1f: its header begins with the two bytes of gzip.
TEST_F(RecordCommandsTest, ARecordWhoseLengthLooksLikeGzipIsARecord) {
  const std::string path = Write("a.tfrecord", {std::string(35615, 'x'), "y"});
  EXPECT_EQ(RunForJson("recordtool count --json " + path)["records"], 2);
}

TEST_F(RecordCommandsTest, TwoGenerationsAreReadTogetherOnlyIfAskedFor) {
  for (const char* name :
       {"a.tfrecord-00000-of-00001", "a.tfrecord-00000-of-00002",
        "a.tfrecord-00001-of-00002"}) {
    Write(name, {"x"});
  }
  const std::string glob = "'" + folder_ / "a.tfrecord-*'";
  const Outcome refused = RunProgramLine("recordtool count " + glob);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("2 generations of"),
                                    HasSubstr("1 of 00001, 2 of 00002")));
  EXPECT_EQ(RunForJson("recordtool count --json --generations any " +
                       glob)["records"],
            3);
}

TEST_F(RecordCommandsTest, CatAndStatsNameTheSameByteOfABadExample) {
  // Features that are said to be longer than the record.
  const std::string path =
      Write("a.tfrecord", {std::string("\x0a\x00", 2), "\x0a\x05xx"});
  const Outcome stats = RunProgramLine("recordtool stats -q " + path);
  const Outcome cat = RunProgramLine("recordtool cat " + path);
  EXPECT_EQ(stats.exit_code, 1);
  EXPECT_EQ(cat.exit_code, 1);
  EXPECT_THAT(stats.output,
              AllOf(HasSubstr("record 1 at"), HasSubstr("at byte"),
                    HasSubstr("is no tf.train.Example")));
  EXPECT_THAT(cat.output, HasSubstr(stats.output));
}

TEST_F(RecordCommandsTest, VerifyNamesEveryBadExampleIfAskedFor) {
  const std::string path =
      Write("a.tfrecord",
            {std::string("\x0a\x00", 2), "\x0a\x05xx", "", "\x0a\x07yy"});
  EXPECT_EQ(RunProgramLine("recordtool verify -q " + path).exit_code, 0);
  const Outcome outcome =
      RunProgramLine("recordtool verify -q --examples " + path);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("record 1 at"), HasSubstr("record 3 at"),
                    HasSubstr("at byte"), HasSubstr("2 bad places")));
  const std::string dataset = Make();
  EXPECT_EQ(
      RunProgramLine("recordtool verify -q --examples " + dataset).exit_code,
      0);
}

TEST_F(RecordCommandsTest, VerifyTellsTheSameAsJson) {
  const std::string dataset = Make();
  const auto good = RunForJson("recordtool verify -q --json " + dataset);
  EXPECT_EQ(good["ok"], true);
  EXPECT_EQ(good["records"], 200);
  EXPECT_EQ(good["files"].size(), 2u);
  EXPECT_EQ(good["files"][1]["in_manifest"], true);
  const std::string name = "data/a-train.tfrecord-00001-of-00002";
  std::string bytes = folder_.Read(name);
  bytes[20] ^= 1;
  folder_.Write(name, bytes);
  const Outcome outcome =
      RunShell(fmt::format("{}/recordtool verify -q --json {} 2>/dev/null",
                           PENSTOCK_BIN_DIR, dataset));
  EXPECT_EQ(outcome.exit_code, 1);
  const auto bad = nlohmann::json::parse(outcome.output, nullptr, false);
  EXPECT_EQ(bad["ok"], false);
  EXPECT_EQ(bad["bad_places"], 1);
  EXPECT_EQ(bad["files"][1]["problems"][0]["begin"], 0);
  EXPECT_THAT(
      bad["files"][1]["problems"][0]["reason"].template get<std::string>(),
      HasSubstr("corrupted data checksum at offset 0"));
}

TEST_F(RecordCommandsTest, ADamagedManifestIsToldAndCanBePassedOver) {
  const std::string dataset = Make();
  folder_.Write("data/a-train.manifest.json", "{}");
  for (const std::string command :
       {"count", "cat", "stats", "schema", "verify -q"}) {
    const std::string line = fmt::format("recordtool {} {}", command, dataset);
    const Outcome refused = RunProgramLine(line);
    EXPECT_EQ(refused.exit_code, 1) << command;
    EXPECT_THAT(refused.output, HasSubstr("a-train.manifest.json"));
    EXPECT_EQ(RunProgramLine(line + " --ignore-manifest").exit_code, 0)
        << command;
  }
}

TEST_F(RecordCommandsTest, DatagenTellsWhatItDidAsJson) {
  Make("--json " + folder_ / "report.json");
  const auto report =
      nlohmann::json::parse(folder_.Read("report.json"), nullptr, false);
  EXPECT_EQ(report["documents"], 200);
  EXPECT_EQ(report["records"], 200);
  EXPECT_EQ(report["dataset"], folder_ / "data/a-train.tfrecord@2");
  EXPECT_EQ(report["manifest"], folder_ / "data/a-train.manifest.json");
  EXPECT_EQ(report["dataset_info"], folder_ / "data/dataset_info.json");
  EXPECT_EQ(report["left_out"]["places"], 0);
  // Ten of one digit, ninety of two, a hundred of three, behind nine letters.
  EXPECT_EQ(report["tokens"], 10 * 10 + 90 * 11 + 100 * 12);
}

TEST_F(RecordCommandsTest, RecordsOfATextIndexAreVerifiedWhereAskedFor) {
  std::string bytes;
  AppendTfRecord("alpha", bytes);
  bytes[kTfRecordHeaderBytes] ^= 1;
  const std::string path = folder_.Write("a.tfrecord", bytes);
  const std::string index = fmt::format("recordtool index {} --from-dali {}",
                                        path, folder_.Write("a.idx", "0 21\n"));
  EXPECT_EQ(RunProgramLine(index).exit_code, 0);
  const Outcome verified = RunProgramLine(index + " --verify");
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.output, HasSubstr("corrupted data checksum"));
}

TEST_F(RecordCommandsTest, TokensAsArraysAreIndexedWithoutAManifest) {
  const std::string dataset = Make("--token-encoding uint16");
  const std::string shard = folder_ / "data/a-train.tfrecord-00000-of-00002";
  const std::string made = IndexPath(shard).substr((folder_ / "").size());
  const std::string by_datagen = folder_.Read(made);
  std::filesystem::remove(folder_ / "data/a-train.manifest.json");
  const std::string simulation = fmt::format(
      "infeedsim {} --by tokens --buckets 64 --batch 8 --step-time 0 "
      "--compile-time 0 --token-encoding uint16",
      dataset);
  // Without a word their bytes are counted.
  EXPECT_EQ(RunProgramLine("recordtool index --length-of tokens " + dataset)
                .exit_code,
            0);
  const Outcome refused = RunProgramLine(simulation);
  EXPECT_EQ(refused.exit_code, 1);
  const std::string advice =
      "recordtool index --length-of tokens --token-encoding uint16";
  EXPECT_THAT(refused.output, HasSubstr(advice));
  EXPECT_EQ(RunProgramLine(advice + " " + dataset).exit_code, 0);
  EXPECT_EQ(folder_.Read(made), by_datagen);
  EXPECT_EQ(RunProgramLine(simulation).exit_code, 0);
}

}  // namespace
}  // namespace penstock
