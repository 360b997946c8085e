// datagen as a user runs it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DatagenTest : public SmallDatasetTest {};

TEST_F(DatagenTest, GzipShardsOfDatagenAreReadByNumber) {
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

TEST_F(DatagenTest, AVocabularyCanBeLearnedFromStandardInput) {
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

TEST_F(DatagenTest, ASignalStopsDatagenWhichLeavesNothingAndCanRunAgain) {
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

TEST_F(DatagenTest, AFileThatMayNotGrowIsAnErrorThatLeavesNothing) {
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

TEST_F(DatagenTest, TheSameBytesAreWrittenWhateverTimeZoneAndLocale) {
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

TEST_F(DatagenTest, DatagenTakesDamagedJsonWhereAskedFor) {
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

TEST_F(DatagenTest, VocabLearnsATokenizerThatDatagenAndTokenizeTake) {
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

TEST_F(DatagenTest, VocabSaysWhatIsWrongBeforeItReads) {
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
