// The programs as a user runs them: words, exit codes, results.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/ended_process.h"
#include "tests/support/scratch_folder.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScratchFolder;
using ::testing::StartsWith;

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

TEST_F(ProgramsTest, OutputsThatAreDevicesOrPipesStayWhatTheyAre) {
  const std::string dataset = MakeDataset();
  const std::string lines = folder_ / "lines.jsonl";
  RunProgramLine(
      fmt::format("recordtool cat --limit 3 {} > {}", dataset, lines));
  const std::string link = folder_ / "null";
  std::filesystem::create_symlink("/dev/null", link);
  for (const std::string& output : {std::string("/dev/null"), link}) {
    const Outcome packed =
        RunProgramLine(fmt::format("recordtool pack {} {}", lines, output));
    EXPECT_EQ(packed.exit_code, 0) << packed.output;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const std::string shard =
      folder_ / "data/small-train.tfrecord-00000-of-00004";
  EXPECT_EQ(
      RunProgramLine("recordtool repair -q " + shard + " " + link).exit_code,
      0);
  // The report goes into the pipe, behind what else is printed there.
  const Outcome both =
      RunShell(fmt::format("{}/{} --json /dev/stdout 2>/dev/null | cat",
                           PENSTOCK_BIN_DIR, SimulationOf(dataset)));
  EXPECT_THAT(both.output, HasSubstr("\"steps\""));
}

TEST_F(ProgramsTest, LeftoversOfKilledRunsAreClearedAndTold) {
  MakeDataset();
  const std::string left =
      folder_.Write(fmt::format("data/.small.index.{}-00000001.tmp",
                                OwnerText(testing::EndedProcess())),
                    "half");
  const Outcome outcome =
      RunProgramLine("recordtool index " +
                     (folder_ / "data/small-train.tfrecord-00000-of-00004"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("removed 1 files of runs"));
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(ProgramsTest, IndexMakesTheColumnThatDatagenMakes) {
  const std::string dataset = MakeDataset();
  const std::string name = "data/.small-train.tfrecord-00001-of-00004.index";
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

TEST_F(ProgramsTest, GzipShardsOfDatagenAreReadByNumber) {
  MakeDataset();
  const Outcome made = RunProgramLine(fmt::format(
      "datagen --input {} --output {} --name small --unit line --tokenizer "
      "bytes --shards 2 --compression gzip --quiet",
      folder_ / "corpus.txt", folder_ / "gzip"));
  EXPECT_EQ(made.exit_code, 0) << made.output;
  const std::string name = "gzip/.small-train.tfrecord-00001-of-00002.index";
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

TEST_F(ProgramsTest, ARunOfNoStepsLeavesAStateThatIsTheWholeRun) {
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

TEST_F(ProgramsTest, ASchemaIsInferredAndChecked) {
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

TEST_F(ProgramsTest, StatsAndCountAgree) {
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

TEST_F(ProgramsTest, HeadShowsAndCatGivesRecords) {
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

TEST_F(ProgramsTest, PackIsTheWayBackFromCat) {
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

TEST_F(ProgramsTest, PackNamesTheLineAndTheFeatureThatAreWrong) {
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

TEST_F(ProgramsTest, TokensAsBytesGiveTheBatchesOfInt64) {
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

TEST_F(ProgramsTest, TokenizeReadsNulSeparatedDocuments) {
  const Outcome outcome = RunShell(fmt::format(
      "printf 'ab\\0c\\0' | {}/tokenize --tokenizer bytes --null-separated",
      PENSTOCK_BIN_DIR));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, "97 98\n99\n");
}

TEST_F(ProgramsTest, TokenizeCountsTokens) {
  const auto counts = [](std::string_view options) {
    return RunShell(fmt::format(
        "printf 'ab\"a\\0\\n' | {}/tokenize --tokenizer bytes --null-separated "
        "--count-tokens {}",
        PENSTOCK_BIN_DIR, options));
  };
  EXPECT_EQ(
      counts("").output,
      "97\t\"a\"\t2\n10\t\"\\u000a\"\t1\n34\t\"\\\"\"\t1\n98\t\"b\"\t1\n");
  EXPECT_THAT(
      counts("--json").output,
      ::testing::StartsWith("{\"id\":97,\"token\":\"a\",\"count\":2}\n"));
  EXPECT_EQ(counts("--offsets").exit_code, 2);
}

TEST_F(ProgramsTest, AVocabularyCanBeLearnedFromStandardInput) {
  std::string corpus;
  for (int i = 0; i < 50; ++i) corpus += "the cat sat\n\n";
  folder_.Write("corpus.txt", corpus);
  const std::string size = " --size 270 >/dev/null 2>&1";
  const auto run = [&](const std::string& line) {
    const Outcome outcome =
        RunShell(fmt::format("cd {} && {}", folder_.path(), line));
    EXPECT_EQ(outcome.exit_code, 0) << line << outcome.output;
  };
  const std::string bin = PENSTOCK_BIN_DIR;
  run(bin + "/datagen vocab corpus.txt -o file.json" + size);
  run("cat corpus.txt | " + bin + "/datagen vocab - -o vocab-a.json" + size);
  run("cat corpus.txt | " + bin + "/tokenize --tokenizer b.json --train" +
      size);
  EXPECT_EQ(folder_.Read("vocab-a.json"), folder_.Read("file.json"));
  EXPECT_EQ(folder_.Read("b.json"), folder_.Read("file.json"));
  const Outcome packed = RunShell(
      fmt::format("gzip < {} | {}/tokenize --tokenizer {} --train 2>&1",
                  folder_ / "corpus.txt", bin, folder_ / "c.json"));
  EXPECT_EQ(packed.exit_code, 1);
  EXPECT_THAT(packed.output, AllOf(HasSubstr("standard input: "),
                                   HasSubstr("looks like gzip")));
}

// The signal waits, blocked, until the program asks for signals.
TEST_F(ProgramsTest, ASignalStopsDatagenWhichLeavesNothingAndCanRunAgain) {
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += "some words in a line of text\n";
  folder_.Write("large.txt", text);
  const std::string run = fmt::format(
      "{}/datagen --input {} --output {} --name large --unit line --tokenizer "
      "bytes --quiet 2>&1",
      PENSTOCK_BIN_DIR, folder_ / "large.txt", folder_ / "data");
  for (const auto& [signal, code] :
       {std::pair("TERM", 143), std::pair("INT", 130)}) {
    const Outcome stopped = RunShell(fmt::format(
        "env --block-signal={0} sh -c 'kill -{0} $$; exec {1}'", signal, run));
    EXPECT_EQ(stopped.exit_code, code);
    EXPECT_THAT(stopped.output,
                HasSubstr("datagen: stopped; nothing was written"));
    EXPECT_THAT(LocalFiles().List(folder_ / "data").value(),
                ::testing::IsEmpty());
  }
  EXPECT_EQ(RunShell(run).exit_code, 0);
}

TEST_F(ProgramsTest, ASignalStopsInfeedsimWhichReportsAndSavesItsState) {
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
}

TEST_F(ProgramsTest, AFileThatMayNotGrowIsAnErrorThatLeavesNothing) {
  folder_.Write("large.txt", std::string(200'000, 'x') + "\n");
  // In blocks of 512 or 1024 bytes: less than the shard, more than the rest.
  const Outcome outcome = RunShell(fmt::format(
      "ulimit -f 100; {}/datagen --input {} --output {} --name a --unit line "
      "--quiet 2>&1",
      PENSTOCK_BIN_DIR, folder_ / "large.txt", folder_ / "data"));
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("a-train.tfrecord-00000-of-00001"),
                    HasSubstr("File too large")));
  EXPECT_THAT(LocalFiles().List(folder_ / "data").value(),
              ::testing::IsEmpty());
}

TEST_F(ProgramsTest, TheSameBytesAreWrittenWhateverTimeZoneAndLocale) {
  folder_.Write("corpus.txt", "one\n\ntwo caf\xc3\xa9 1.5\n");
  std::set<std::string> outputs;
  for (const std::string environment :
       {"TZ=UTC LC_ALL=C", "TZ=Asia/Kathmandu LC_ALL=C.UTF-8",
        "TZ=America/New_York LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8"}) {
    std::string all;
    const Outcome made = RunShell(fmt::format(
        "{} {}/datagen --input {} --output {} --name a --tokenizer bytes "
        "--compression gzip --overwrite --quiet 2>&1",
        environment, PENSTOCK_BIN_DIR, folder_ / "corpus.txt",
        folder_ / "data"));
    EXPECT_EQ(made.exit_code, 0) << made.output;
    const std::vector<std::string> names =
        LocalFiles().List(folder_ / "data").value();
    for (const std::string& name : names) {
      if (name.ends_with(".index")) continue;  // holds its file's time
      all += name + "\n" + folder_.Read("data/" + name);
    }
    outputs.insert(all);
  }
  EXPECT_EQ(outputs.size(), 1u);
}

TEST_F(ProgramsTest, DatagenTakesDamagedJsonWhereAskedFor) {
  folder_.Write("a.jsonl",
                "{\"text\": \"x\\ud800\", \"n\": 1e999}\n"
                "{\"text\": \"y\", \"text\": \"z\"}\n");
  const std::string run =
      fmt::format("datagen --input {} --output {} --name a --quiet ",
                  folder_ / "a.jsonl", folder_ / "data");
  const Outcome failed = RunProgramLine(run + "--invalid-unicode replace");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.output, HasSubstr("a.jsonl:1: column 26: not JSON: "));
  const Outcome done =
      RunProgramLine(run + "--invalid-unicode replace --lenient-numbers");
  EXPECT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(done.output,
              AllOf(HasSubstr("in 1 lines the field comes twice"),
                    HasSubstr("a.jsonl:2"), HasSubstr("2 documents")));
  const Outcome cat = RunProgramLine(
      "recordtool cat " + (folder_ / "data/a-train.tfrecord-00000-of-00001"));
  EXPECT_THAT(cat.output,
              AllOf(HasSubstr("x\xef\xbf\xbd"), HasSubstr("\"z\"")));
}

TEST_F(ProgramsTest, VocabLearnsATokenizerThatDatagenAndTokenizeTake) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "the cat and the hat sat\n\n";
  folder_.Write("corpus.txt", text);
  const std::string json = folder_ / "tokenizer.json";
  const std::string vocab = fmt::format(
      "datagen vocab {} --size 270 --special-token '<|end|>' -q --output {}",
      folder_ / "corpus.txt", json);
  const Outcome trained = RunProgramLine(vocab);
  EXPECT_EQ(trained.exit_code, 0) << trained.output;
  EXPECT_THAT(trained.output,
              AllOf(HasSubstr("50 documents"), HasSubstr("6 different words"),
                    HasSubstr("-> 270 tokens\n")));

  // "the cat" comes out of the 13 merges as two tokens.
  const Outcome ids = RunShell(
      fmt::format("printf 'the cat<|end|>' | {}/tokenize --tokenizer {}",
                  PENSTOCK_BIN_DIR, json));
  EXPECT_EQ(std::count(ids.output.begin(), ids.output.end(), ' '), 2)
      << ids.output;
  EXPECT_THAT(ids.output, ::testing::EndsWith(" 0\n"));
  const Outcome made = RunProgramLine(fmt::format(
      "datagen --input {} --output {} --name x --tokenizer {} --end-token "
      "'<|end|>' --quiet",
      folder_ / "corpus.txt", folder_ / "data", json));
  EXPECT_EQ(made.exit_code, 0) << made.output;

  const Outcome again = RunProgramLine(vocab);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.output, AllOf(HasSubstr("tokenizer.json: this file is"),
                                  HasSubstr("--overwrite")));
  // The other way to ask for the same.
  const std::string before = folder_.Read("tokenizer.json");
  const Outcome other = RunProgramLine(fmt::format(
      "tokenize --tokenizer {} --train {} --size 270 --special-token "
      "'<|end|>' --overwrite",
      json, folder_ / "corpus.txt"));
  EXPECT_EQ(other.exit_code, 0) << other.output;
  EXPECT_EQ(folder_.Read("tokenizer.json"), before);
}

TEST_F(ProgramsTest, TokenizeSamplesWithASeed) {
  folder_.Write("corpus.txt", "the cat the cat the cat");
  const std::string json = folder_ / "tokenizer.json";
  const std::string input = folder_ / "corpus.txt";
  ASSERT_EQ(
      RunProgramLine("datagen vocab -q --size 270 -o " + json + " " + input)
          .exit_code,
      0);
  const std::string line = "tokenize --tokenizer " + json + " " + input;
  // 23 bytes, of which no two merge.
  const Outcome bytes = RunProgramLine(line + " --sample 1 --alpha 1");
  EXPECT_EQ(std::count(bytes.output.begin(), bytes.output.end(), ' '), 22);
  const Outcome once = RunProgramLine(line + " --sample 1 --alpha 0.5");
  EXPECT_EQ(once.output,
            RunProgramLine(line + " --sample 1 --alpha 0.5").output);
  EXPECT_NE(once.output,
            RunProgramLine(line + " --sample 2 --alpha 0.5").output);
  const Outcome best = RunProgramLine(line + " --nbest 2");
  EXPECT_EQ(best.exit_code, 1);
  EXPECT_THAT(best.output, HasSubstr("no n best ways"));
  EXPECT_EQ(RunProgramLine(line + " --alpha 1").exit_code, 2);
}

TEST_F(ProgramsTest, VocabSaysWhatIsWrongBeforeItReads) {
  const auto expect = [](const std::string& line, int code,
                         const std::string& words) {
    const Outcome outcome = RunProgramLine(line);
    EXPECT_EQ(outcome.exit_code, code) << line;
    EXPECT_THAT(outcome.output, HasSubstr(words)) << line;
  };
  expect("datagen vocab /nowhere -o a.json", 1, "/nowhere");
  expect("datagen vocab /nowhere -o a.txt", 1, "ends in .json");
  expect("datagen vocab /nowhere -o vocab.json", 1, "not in vocab.json");
  expect("datagen vocab /nowhere -o a.json --size 256 --special-token x", 1,
         "choose 257");
  expect("datagen vocab /nowhere -o a.json --words gpt5", 2, "gpt5");
  expect("datagen vocab -o a.json", 2, "CORPUS");
  expect("tokenize --tokenizer a.json --train - /nowhere.txt", 1, "/nowhere");
  expect("tokenize --tokenizer a.json --train - - </dev/null", 1, "twice");
  expect("tokenize --tokenizer a.json --size 300", 2, "--train");
}

}  // namespace
}  // namespace penstock
