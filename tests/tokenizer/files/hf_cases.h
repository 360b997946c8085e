// Small tokenizer.json files and what Hugging Face tokenizers made of them, as
// generate_hf_*.py wrote them down.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/files/compiled_sources.h"
#include "tokenizer/load.h"

namespace penstock::testing {

// "cases" of a file of this folder.
inline nlohmann::json ReadHfCases(const std::string& file) {
  return nlohmann::json::parse(std::ifstream("tests/tokenizer/files/" + file),
                               nullptr, false)["cases"];
}

// Which case, and whether of the file or of the form that its first load left.
struct HfCase {
  size_t number;
  bool compiled;

  friend void PrintTo(const HfCase& which, std::ostream* out) {
    *out << which.number << (which.compiled ? ", compiled" : "");
  }
};

// Every case both ways, and their names.
inline std::vector<HfCase> BothWays(const nlohmann::json& cases) {
  std::vector<HfCase> both;
  for (size_t i = 0; i < cases.size(); ++i) {
    both.insert(both.end(), {{i, false}, {i, true}});
  }
  return both;
}
inline std::string NameOfCase(const nlohmann::json& cases, HfCase which) {
  return cases[which.number]["name"].get<std::string>() +
         (which.compiled ? "Compiled" : "");
}

// A test of each case; `cases` live as long as the program.
class HfCaseTest : public ::testing::TestWithParam<HfCase> {
 protected:
  explicit HfCaseTest(const nlohmann::json& cases)
      : case_(cases[GetParam().number]) {}

  void SetUp() override {
    const ScratchFolder folder(ScratchFolder::kMemory);
    const std::string path =
        folder.Write("vectors.json", case_["document"].dump());
    MakeOld(path);
    const CompiledOptions compiled = {.use = GetParam().compiled,
                                      .folder = folder / "compiled",
                                      .least_source_bytes = 0};
    ASSERT_OK_AND_ASSIGN(
        tokenizer_, LoadTokenizer(LocalFiles(), path, {.compiled = compiled}));
    if (!compiled.use) return;
    WatchedFiles files;
    ASSERT_OK_AND_ASSIGN(tokenizer_,
                         LoadTokenizer(files, path, {.compiled = compiled}));
    EXPECT_FALSE(files.HasRead("vectors.json"));
  }

  const nlohmann::json& case_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

}  // namespace penstock::testing
