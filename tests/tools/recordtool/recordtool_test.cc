// recordtool as a user runs it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RecordtoolTest : public SmallDatasetTest {};

TEST_F(RecordtoolTest, VerifyNamesEachBadFileAndExitsWith1) {
  const std::string dataset = MakeDataset();
  EXPECT_EQ(RunProgramLine("recordtool verify -q " + dataset).exit_code, 0);
  const std::string name = "data/small-train.tfrecord-00002-of-00004";
  std::string bytes = folder_.Read(name);
  bytes[20] ^= 1;
  folder_.Write(name, bytes);
  const Outcome outcome = RunProgramLine("recordtool verify -q " + dataset);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("BAD"), HasSubstr("00002-of-00004"),
                    HasSubstr("corrupted data checksum at offset 0"),
                    HasSubstr("1 of 4 files are bad")));
}

TEST_F(RecordtoolTest, CatAndCountAgree) {
  const std::string dataset = MakeDataset();
  const auto count = RunForJson("recordtool count --json " + dataset);
  EXPECT_EQ(count["records"], 400);
  const auto record =
      RunForJson("recordtool cat --start 3 --limit 1 " + dataset);
  EXPECT_EQ(record["id"], 3);
  // Record 3 is document 12: 1 + 12 * 37 % 200 = 45 times 'm'.
  EXPECT_EQ(record["features"]["tokens"],
            nlohmann::json(std::vector<int>(45, 'm')));
}

TEST_F(RecordtoolTest, IndexMakesTheColumnThatDatagenMakes) {
  const std::string dataset = MakeDataset();
  const std::string name = "data/.small-train.tfrecord-00001-of-00004.index";
  const std::string made_by_datagen = folder_.Read(name);
  ASSERT_FALSE(made_by_datagen.empty());
  const Outcome outcome =
      RunProgramLine("recordtool index --length-of tokens " + dataset);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(folder_.Read(name), made_by_datagen);
}

TEST_F(RecordtoolTest, TheTextIndexMakesTheSameIndexOrNamesItsLine) {
  MakeDataset();
  const std::string name = "data/small-train.tfrecord-00001-of-00004";
  const std::string index_name =
      "data/.small-train.tfrecord-00001-of-00004.index";
  const std::string index = "recordtool index --length-of tokens ";
  const std::string made_by_datagen = folder_.Read(index_name);
  Outcome outcome = RunProgramLine(index + "--form=dali " + (folder_ / name));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  const std::string text = folder_.Read(name + ".idx");
  EXPECT_THAT(text, StartsWith("0 "));

  const std::string from =
      index + "--from-dali " + (folder_ / (name + ".idx ")) + (folder_ / name);
  outcome = RunProgramLine(from);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(folder_.Read(index_name), made_by_datagen);

  folder_.Write(name + ".idx", "1" + text);
  outcome = RunProgramLine(from);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr(".idx:1: offset 10"));
}

TEST_F(RecordtoolTest, InspectTellsTheFeatures) {
  const std::string dataset = MakeDataset();
  const auto json = RunForJson("recordtool inspect --json " + dataset);
  EXPECT_EQ(json["features"]["tokens"]["type"], "int64");
  EXPECT_EQ(json["features"]["tokens"]["rows"], 400);
  EXPECT_EQ(json["features"]["tokens"]["min_values"], 1);
}

TEST_F(RecordtoolTest, ASchemaIsInferredAndChecked) {
  const std::string dataset = MakeDataset();
  const Outcome schema = RunProgramLine("recordtool schema -q " + dataset);
  EXPECT_EQ(schema.exit_code, 0);
  EXPECT_THAT(schema.output, AllOf(HasSubstr("penstock-schema 1\n"),
                                   HasSubstr("feature \"tokens\" int64")));
  folder_.Write("a.schema", schema.output);
  const std::string check = fmt::format("recordtool schema -q --check {} {}",
                                        folder_ / "a.schema", dataset);
  EXPECT_EQ(RunProgramLine(check).exit_code, 0);
  folder_.Write("a.schema",
                "penstock-schema 1\nrows 1\nfeature \"tokens\" float values "
                "1 rows 1\n");
  const Outcome bad = RunProgramLine(check);
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.output, AllOf(HasSubstr("record 0"),
                                HasSubstr("expected float[1], found int64"),
                                HasSubstr("a.schema:3")));
}

TEST_F(RecordtoolTest, StatsAndCountAgree) {
  const std::string dataset = MakeDataset();
  const auto stats = nlohmann::json::parse(
      RunProgramLine("recordtool stats -q --json " + dataset).output);
  const auto count = nlohmann::json::parse(
      RunProgramLine("recordtool count -q --json " + dataset).output);
  EXPECT_EQ(stats["records"], count["records"]);
  EXPECT_EQ(stats["record_bytes"]["sum"], count["bytes"]);
  uint64_t rows = 0;
  for (const auto& bucket :
       stats["features"]["tokens"]["length"]["histogram"]) {
    rows += bucket["records"].get<uint64_t>();
  }
  EXPECT_EQ(rows, count["records"]);
  EXPECT_THAT(RunProgramLine("recordtool stats -q " + dataset).output,
              HasSubstr("length of tokens"));
}

TEST_F(RecordtoolTest, HeadShowsAndCatGivesRecords) {
  const std::string dataset = MakeDataset();
  EXPECT_THAT(
      RunProgramLine("recordtool head -n 9 --values 2 " + dataset).output,
      AllOf(HasSubstr("record 0 at offset 0"), HasSubstr("\"tokens\" int64["),
            HasSubstr(" ...")));
  const std::string raw =
      RunProgramLine("recordtool cat --raw --limit 1 " + dataset).output;
  EXPECT_THAT(raw, HasSubstr("tokens"));
  EXPECT_EQ(raw[0], '\x0a');  // the field of an Example
  EXPECT_EQ(RunProgramLine("recordtool cat --json --limit 1 " + dataset).output,
            RunProgramLine("recordtool cat --limit 1 " + dataset).output);
}

TEST_F(RecordtoolTest, PackIsTheWayBackFromCat) {
  const std::string shard =
      (MakeDataset(), folder_ / "data/small-train.tfrecord-00001-of-00004");
  const std::string again = folder_ / "again.tfrecord";
  const Outcome packed = RunShell(
      fmt::format("{0}/recordtool cat {1} | {0}/recordtool pack - {2} 2>&1",
                  PENSTOCK_BIN_DIR, shard, again));
  EXPECT_EQ(packed.exit_code, 0) << packed.output;
  EXPECT_EQ(folder_.Read("again.tfrecord"),
            folder_.Read("data/small-train.tfrecord-00001-of-00004"));
  EXPECT_EQ(
      RunProgramLine("recordtool pack - " + again + " </dev/null").exit_code,
      1);

  const std::string lines =
      "{\"context\":{\"id\":[-5],\"w\":[0.5,2.0]},\"feature_lists\":"
      "{\"b\":[[{\"base64\":\"/w==\"}],[\"x\"]],\"none\":[],"
      "\"words\":[[1,300],[]]}}";
  folder_.Write("s.jsonl", "{\"features\":" + lines + "}\n");
  const std::string sequences = folder_ / "s.tfrecord";
  EXPECT_EQ(RunProgramLine("recordtool pack --sequence " +
                           (folder_ / "s.jsonl ") + sequences)
                .exit_code,
            0);
  EXPECT_THAT(RunProgramLine("recordtool cat --sequence " + sequences).output,
              HasSubstr("\"features\":" + lines + "}"));
}

TEST_F(RecordtoolTest, PackNamesTheLineAndTheFeatureThatAreWrong) {
  const std::string to = folder_ / "x.tfrecord";
  for (const auto& [line, words] :
       {std::pair("{", "\"features\""), std::pair("[]", "\"features\""),
        std::pair("{\"features\": {\"a\": 1}}", "\"a\": expected a list"),
        std::pair("{\"features\": {\"a\": [null]}}", "\"a\": found no number"),
        std::pair("{\"features\": {\"a\": [\"x\", 1]}}", "bytes and numbers"),
        std::pair("{\"features\": {\"a\": [{\"float\": \"nan\"}]}}",
                  "no number among numbers"),
        std::pair("{\"features\": {\"a\": [1e39]}}", "above those of float"),
        std::pair("{\"features\": {\"a\": [9223372036854775808]}}", "int64"),
        std::pair("{\"features\": {\"a\": [{\"base64\": \"!\"}]}}",
                  "base64")}) {
    folder_.Write("bad.jsonl", std::string("{\"features\":{}}\n") + line);
    const Outcome bad =
        RunProgramLine("recordtool pack " + (folder_ / "bad.jsonl ") + to);
    EXPECT_EQ(bad.exit_code, 1) << line;
    EXPECT_THAT(bad.output, AllOf(HasSubstr("bad.jsonl:2"), HasSubstr(words)));
    EXPECT_FALSE(LocalFiles().Stat(to).ok());
  }
}

TEST_F(RecordtoolTest, PackTakesNoWholeNumberForAFloatHoweverLarge) {
  const std::string to = folder_ / "x.tfrecord";
  for (const auto& [values, column] :
       {std::pair("18446744073709551616", 21),
        std::pair("-9223372036854775809", 21),
        std::pair("7, 36893488147419103232", 24)}) {
    folder_.Write("big.jsonl",
                  fmt::format("{{\"features\": {{\"a\": [{}]}}}}", values));
    const Outcome big =
        RunProgramLine("recordtool pack " + (folder_ / "big.jsonl ") + to);
    EXPECT_EQ(big.exit_code, 1) << values;
    EXPECT_THAT(big.output,
                HasSubstr(fmt::format("big.jsonl:1: column {}: a number "
                                      "outside 64 bits",
                                      column)));
  }
  folder_.Write("big.jsonl",
                "{\"features\": {\"a\": [1.8446744073709552e19]}}");
  EXPECT_EQ(RunProgramLine("recordtool pack " + (folder_ / "big.jsonl ") + to)
                .exit_code,
            0);
}

}  // namespace
}  // namespace penstock
