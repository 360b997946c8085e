// Programs say where they could not print what they had to.

#include "tools/programs/output.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;

class OutputTest : public ::testing::Test {
 protected:
  OutputTest() {
    std::string text;
    for (int i = 0; i < 2000; ++i) text += "a line of words\n\n";
    folder_.Write("corpus.txt", text);
    Make("raw", "");
    Make("tokens", "--tokenizer bytes");
    folder_.Write("a.jsonl", "{\"features\":{\"x\":[1]}}\n");
  }

  void Make(const std::string& name, const std::string& more) {
    const Outcome made = RunProgramLine(
        fmt::format("datagen -q -i {} -o {} -n {} --shards 1 {}",
                    folder_ / "corpus.txt", folder_ / "data", name, more));
    EXPECT_EQ(made.exit_code, 0) << made.output;
  }

  // Each with all that it needs to work.
  std::vector<std::string> AllCommands() const {
    const std::string shard =
        folder_ / "data/tokens-train.tfrecord-00000-of-00001";
    const std::string corpus = folder_ / "corpus.txt";
    const std::string json = folder_ / "v.json";
    std::vector<std::string> lines;
    for (const char* command :
         {"cat", "cat --raw", "count -q", "count -q --json", "head",
          "head -n 1000", "index", "inspect", "inspect --json", "schema -q",
          "stats -q", "stats -q --json", "verify -q"}) {
      lines.push_back(fmt::format("recordtool {} {}", command, shard));
    }
    for (const char* program : {"datagen", "datagen vocab", "infeedsim",
                                "recordtool", "recordtool cat", "tokenize"}) {
      lines.push_back(fmt::format("{} --help", program));
    }
    for (const char* program :
         {"datagen", "infeedsim", "recordtool", "tokenize"}) {
      for (const char* page :
           {"--version", "--help-man", "--help-completion bash"}) {
        lines.push_back(fmt::format("{} {}", program, page));
      }
    }
    lines.push_back(fmt::format("recordtool repair -q --force {} {}", shard,
                                folder_ / "r.tfrecord"));
    lines.push_back(fmt::format("recordtool pack --force {} {}",
                                folder_ / "a.jsonl", folder_ / "p.tfrecord"));
    lines.push_back(
        fmt::format("infeedsim {} --by tokens --buckets 32 --batch 8 "
                    "--step-time 0 --compile-time 0 --max-steps 2",
                    shard));
    lines.push_back(fmt::format("tokenize --tokenizer bytes {}", corpus));
    lines.push_back(
        fmt::format("tokenize --tokenizer bytes --json {}", corpus));
    lines.push_back(
        fmt::format("tokenize --tokenizer bytes --count-tokens {}", corpus));
    lines.push_back(fmt::format(
        "tokenize --tokenizer {} --train --size 257 --overwrite {} 2>/dev/null",
        json, corpus));
    lines.push_back(fmt::format(
        "datagen vocab -q --size 257 --overwrite -o {} {}", json, corpus));
    lines.push_back(fmt::format("datagen -q --overwrite -i {} -o {} -n raw",
                                corpus, folder_ / "data"));
    return lines;
  }

  const testing::ScratchFolder folder_;
};

TEST_F(OutputTest, EveryCommandFailsOnAFullDisk) {
  const std::vector<std::string> lines = AllCommands();
  for (size_t i = 0; i < lines.size(); i += testing::kCaseStride) {
    const std::string& line = lines[i];
    const Outcome works =
        RunShell(fmt::format("{}/{} 2>&1 >/dev/null", PENSTOCK_BIN_DIR, line));
    EXPECT_EQ(works.exit_code, 0) << line << "\n" << works.output;
    const Outcome full =
        RunShell(fmt::format("{}/{} 2>&1 >/dev/full", PENSTOCK_BIN_DIR, line));
    EXPECT_EQ(full.exit_code, 1) << line;
    const std::string program = line.substr(0, line.find(' '));
    if (line.ends_with("2>/dev/null")) continue;
    EXPECT_EQ(full.output, program +
                               ": cannot write standard output: No space left "
                               "on device\n")
        << line;
  }
}

// As `recordtool cat x | head` ends: with the code of SIGPIPE and no words.
TEST_F(OutputTest, APipeThatNobodyReadsEndsQuietly) {
  const std::string shard =
      folder_ / "data/tokens-train.tfrecord-00000-of-00001";
  const Outcome closed = RunShell(fmt::format(
      "bash -c '{{ {}/recordtool cat {} 2>{}; echo $? >{}; }} | true'",
      PENSTOCK_BIN_DIR, shard, folder_ / "words", folder_ / "code"));
  EXPECT_EQ(closed.exit_code, 0);
  EXPECT_EQ(folder_.Read("code"), "141\n");
  EXPECT_EQ(folder_.Read("words"), "");
}

TEST_F(OutputTest, AClosedOutputIsAnErrorAndHarmsNoFile) {
  const std::string index =
      folder_.Read("data/.tokens-train.tfrecord-00000-of-00001.index");
  const Outcome outcome = RunShell(fmt::format(
      "{}/recordtool index --length-of tokens {} 2>&1 >&-", PENSTOCK_BIN_DIR,
      folder_ / "data/tokens-train.tfrecord-00000-of-00001"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("cannot write standard output"));
  EXPECT_EQ(folder_.Read("data/.tokens-train.tfrecord-00000-of-00001.index"),
            index);
}

TEST_F(OutputTest, WhatWasDoneIsKeptWhereItCannotBeReported) {
  const Outcome outcome = RunShell(fmt::format(
      "{}/infeedsim {} --by tokens --buckets 32 --batch 8 --step-time 0 "
      "--compile-time 0 --max-steps 2 --state-out {} 2>&1 >/dev/full",
      PENSTOCK_BIN_DIR, folder_ / "data/tokens-train.tfrecord@1",
      folder_ / "run.state"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(LocalFiles().Stat(folder_ / "run.state").ok());
}

}  // namespace
}  // namespace penstock
