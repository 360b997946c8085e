// The programs as a user runs them: words, exit codes, results.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/scratch_folder.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScratchFolder;
using ::testing::StartsWith;

struct Outcome {
  int exit_code = -1;
  std::string output;  // stdout, then what stderr added where both are asked
};

Outcome RunShell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof(block), pipe)) > 0;) {
    outcome.output.append(block, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

Outcome RunProgramLine(const std::string& arguments) {
  return RunShell(fmt::format("{}/{} 2>&1", PENSTOCK_BIN_DIR, arguments));
}

nlohmann::json RunForJson(const std::string& arguments) {
  const Outcome outcome =
      RunShell(fmt::format("{}/{} 2>/dev/null", PENSTOCK_BIN_DIR, arguments));
  EXPECT_EQ(outcome.exit_code, 0) << arguments;
  return nlohmann::json::parse(outcome.output, nullptr,
                               /*allow_exceptions=*/false);
}

class ProgramsTest : public ::testing::Test {
 protected:
  // Four hundred documents of 1 to 200 bytes, as byte tokens in four shards.
  std::string MakeDataset() {
    std::string text;
    for (int i = 0; i < 400; ++i) {
      text += std::string(1 + i * 37 % 200, static_cast<char>('a' + i % 26));
      text += "\n";
    }
    folder_.Write("corpus.txt", text);
    const Outcome made = RunProgramLine(fmt::format(
        "datagen --input {} --output {} --name small --unit line --tokenizer "
        "bytes --shards 4 --quiet",
        folder_ / "corpus.txt", folder_ / "data"));
    EXPECT_EQ(made.exit_code, 0) << made.output;
    return folder_ / "data/small-train.tfrecord@4";
  }

  std::string SimulationOf(const std::string& dataset) {
    return fmt::format(
        "infeedsim {} --by tokens --buckets 64,128,256 --batch 16 --cores 8 "
        "--step-time 0 --compile-time 0",
        dataset);
  }

  ScratchFolder folder_;
};

TEST_F(ProgramsTest, HelpHasExamplesAndExitsWith0) {
  for (const std::string program :
       {"datagen", "recordtool", "tokenize", "infeedsim"}) {
    const Outcome help = RunProgramLine(program + " --help");
    EXPECT_EQ(help.exit_code, 0) << program;
    EXPECT_THAT(help.output, HasSubstr("Examples:")) << program;
  }
}

TEST_F(ProgramsTest, WrongUsageExitsWith2) {
  for (const std::string wrong :
       {"datagen --no-such-option", "recordtool", "recordtool count",
        "tokenize --special=perhaps", "infeedsim"}) {
    EXPECT_EQ(RunProgramLine(wrong).exit_code, 2) << wrong;
  }
}

TEST_F(ProgramsTest, AFailureExitsWith1AndNamesTheFile) {
  const Outcome outcome =
      RunProgramLine("recordtool count /nowhere/a.tfrecord");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("recordtool: "), HasSubstr("/nowhere/a.tfrecord"),
                    HasSubstr("No such file")));
}

TEST_F(ProgramsTest, VerifyNamesEachBadFileAndExitsWith1) {
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

TEST_F(ProgramsTest, CatAndCountAgree) {
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

TEST_F(ProgramsTest, IndexMakesTheColumnThatDatagenMakes) {
  const std::string dataset = MakeDataset();
  const std::string name = "data/small-train.tfrecord-00001-of-00004.index";
  const std::string made_by_datagen = folder_.Read(name);
  ASSERT_FALSE(made_by_datagen.empty());
  const Outcome outcome =
      RunProgramLine("recordtool index --length-of tokens " + dataset);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(folder_.Read(name), made_by_datagen);
}

TEST_F(ProgramsTest, TheTextIndexMakesTheSameIndexOrNamesItsLine) {
  MakeDataset();
  const std::string name = "data/small-train.tfrecord-00001-of-00004";
  const std::string index = "recordtool index --length-of tokens ";
  const std::string made_by_datagen = folder_.Read(name + ".index");
  Outcome outcome = RunProgramLine(index + "--form=dali " + (folder_ / name));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  const std::string text = folder_.Read(name + ".idx");
  EXPECT_THAT(text, StartsWith("0 "));

  const std::string from =
      index + "--from-dali " + (folder_ / (name + ".idx ")) + (folder_ / name);
  outcome = RunProgramLine(from);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(folder_.Read(name + ".index"), made_by_datagen);

  folder_.Write(name + ".idx", "1" + text);
  outcome = RunProgramLine(from);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr(".idx:1: offset 10"));
}

TEST_F(ProgramsTest, GzipShardsOfDatagenAreReadByNumber) {
  MakeDataset();
  const Outcome made = RunProgramLine(fmt::format(
      "datagen --input {} --output {} --name small --unit line --tokenizer "
      "bytes --shards 2 --compression gzip --quiet",
      folder_ / "corpus.txt", folder_ / "gzip"));
  EXPECT_EQ(made.exit_code, 0) << made.output;
  const std::string name = "gzip/small-train.tfrecord-00001-of-00002.index";
  const std::string made_by_datagen = folder_.Read(name);
  const Outcome outcome = RunProgramLine(
      "recordtool index --verify --compression gzip --length-of tokens " +
      (folder_ / "gzip/small-train.tfrecord@2"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(folder_.Read(name), made_by_datagen);
}

TEST_F(ProgramsTest, InspectTellsTheFeatures) {
  const std::string dataset = MakeDataset();
  const auto json = RunForJson("recordtool inspect --json " + dataset);
  EXPECT_EQ(json["features"]["tokens"]["type"], "int64");
  EXPECT_EQ(json["features"]["tokens"]["rows"], 400);
  EXPECT_EQ(json["features"]["tokens"]["min_values"], 1);
}

TEST_F(ProgramsTest, TheSimulationSeesExactlyTheRecordsThatCountSees) {
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

TEST_F(ProgramsTest, TokenizeReadsNulSeparatedDocuments) {
  const Outcome outcome = RunShell(fmt::format(
      "printf 'ab\\0c\\0' | {}/tokenize --tokenizer bytes --null-separated",
      PENSTOCK_BIN_DIR));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, "97 98\n99\n");
}

}  // namespace
}  // namespace penstock
