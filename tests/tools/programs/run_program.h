// Verbs for tests that run the programs as a user does.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace penstock {

struct Outcome {
  int exit_code = -1;
  std::string output;  // stdout, then what stderr added where both are asked
};

inline Outcome RunShell(const std::string& command) {
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

inline Outcome RunProgramLine(const std::string& arguments) {
  return RunShell(fmt::format("{}/{} 2>&1", PENSTOCK_BIN_DIR, arguments));
}

inline nlohmann::json RunForJson(const std::string& arguments) {
  const Outcome outcome =
      RunShell(fmt::format("{}/{} 2>/dev/null", PENSTOCK_BIN_DIR, arguments));
  EXPECT_EQ(outcome.exit_code, 0) << arguments;
  return nlohmann::json::parse(outcome.output, nullptr,
                               /*allow_exceptions=*/false);
}

}  // namespace penstock
