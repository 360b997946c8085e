// The options by which every program names a tokenizer.
#include "tools/programs/tokenizer_options.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;

class TokenizerOptionsTest : public ::testing::Test {
 protected:
  // A rank file of the 256 bytes alone.
  std::string WriteRanks(const std::string& name) {
    std::string ranks;
    for (int byte = 0; byte < 256; ++byte) {
      ranks += fmt::format(
          "{} {}\n",
          absl::Base64Escape(std::string(1, static_cast<char>(byte))), byte);
    }
    return folder_.Write(name, ranks);
  }

  testing::ScratchFolder folder_;
};

TEST_F(TokenizerOptionsTest, TheKindOfAFileIsToldWhereItsNameDoesNot) {
  const std::string ranks = WriteRanks("ranks.bin");
  const std::string text = folder_.Write("a.txt", "ab");
  EXPECT_EQ(
      RunProgramLine(fmt::format("tokenize {} -t {}", text, ranks)).exit_code,
      1);
  for (const char* pattern : {"gpt2", "llama-4", "kimi-k2"}) {
    const Outcome done = RunProgramLine(
        fmt::format("tokenize {} -t {} --tokenizer-kind tiktoken --pattern {}",
                    text, ranks, pattern));
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_EQ(done.output, "97 98\n");
  }
  const Outcome wrong = RunProgramLine(
      fmt::format("tokenize {} -t {} --tokenizer-kind tokens", text, ranks));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.output, HasSubstr("sentencepiece"));
}

TEST_F(TokenizerOptionsTest, TheCompiledFormIsKeptWhereAsked) {
  WriteRanks("gpt2.tiktoken");
  // Lines that mean nothing make it worth the while.
  const std::string ranks =
      folder_.Write("gpt2.tiktoken",
                    folder_.Read("gpt2.tiktoken") + std::string(300'000, '\n'));
  const std::string text = folder_.Write("a.txt", "ab");
  const auto kept = [](const std::string& folder) {
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files += entry.path().extension() == ".compiled";
    }
    return files;
  };
  const auto run = [&](const std::string& more) {
    const Outcome done =
        RunProgramLine(fmt::format("tokenize {} -t {} {}", text, ranks, more));
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_EQ(done.output, "97 98\n");
  };
  run("--compiled-tokenizer off");
  EXPECT_EQ(kept(folder_.path()), 0u);
  for (int start = 0; start < 2; ++start) {
    run(fmt::format("--compiled-tokenizer {}", folder_ / "kept"));
    EXPECT_EQ(kept(folder_ / "kept"), 1u);
  }
}

TEST_F(TokenizerOptionsTest, CuttingAndPaddingOfAFileCanBeTurnedOff) {
  const std::string text = folder_.Write("a.txt", "one two three four five");
  const std::string path = folder_ / "t.json";
  ASSERT_EQ(RunProgramLine(fmt::format("tokenize {} --train -t {} --size 256 "
                                       "--min-frequency 0",
                                       text, path))
                .exit_code,
            0);
  nlohmann::json file = nlohmann::json::parse(folder_.Read("t.json"));
  file["truncation"] = {{"direction", "Right"},
                        {"max_length", 3},
                        {"strategy", "LongestFirst"},
                        {"stride", 0}};
  folder_.Write("t.json", file.dump());
  const auto ids = [&](const std::string& more) {
    const Outcome done = RunProgramLine(
        fmt::format("tokenize {} --json -t {} {}", text, path, more));
    EXPECT_EQ(done.exit_code, 0) << done.output;
    return nlohmann::json::parse(done.output)["ids"].size();
  };
  EXPECT_EQ(ids(""), 3u);
  EXPECT_EQ(ids("--no-truncation --no-padding"), 23u);
}

}  // namespace
}  // namespace penstock
