// Small tokenizer.json files and what Hugging Face tokenizers made of them, as
// generate_hf_*.py wrote them down.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/status_matchers.h"
#include "tokenizer/files/tokenizer_json.h"

namespace penstock::testing {

// "cases" of a file of this folder.
inline nlohmann::json ReadHfCases(const std::string& file) {
  return nlohmann::json::parse(std::ifstream("tests/tokenizer/files/" + file),
                               nullptr, false)["cases"];
}

// A test of each case; `cases` live as long as the program.
class HfCaseTest : public ::testing::TestWithParam<size_t> {
 protected:
  explicit HfCaseTest(const nlohmann::json& cases) : case_(cases[GetParam()]) {}

  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(
        tokenizer_,
        ParseTokenizerJson(case_["document"].dump(), "vectors.json"));
  }

  const nlohmann::json& case_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

}  // namespace penstock::testing
