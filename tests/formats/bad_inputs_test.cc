// docs/formats/bad_inputs.md names a test for each promise: each is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace penstock::testing {
namespace {

std::string Contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// "(Suite, Name)" of every test, as it is written.
std::string AllTests() {
  std::string all;
  const std::regex name("\\(\\s*\\w+,\\s*\\w+\\s*\\)");
  for (const char* folder : {"tests/formats", "tests/tools"}) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (!file.path().string().ends_with("_test.cc")) continue;
      const std::string text = Contents(file.path());
      for (size_t at = 0; (at = text.find("\nTEST", at)) != text.npos; ++at) {
        std::smatch found;
        const std::string line = text.substr(at, 200);
        if (!std::regex_search(line, found, name)) continue;
        all += std::regex_replace(found.str(), std::regex("\\s+"), " ");
      }
    }
  }
  return all;
}

TEST(BadInputsTest, EveryTestThatTheListNamesIsThere) {
  const std::string tests = AllTests();
  const std::string list = Contents("docs/formats/bad_inputs.md");
  const std::regex name("`([A-Za-z0-9*]*Test)?\\.([A-Za-z0-9*]+)`");
  std::string suite;
  size_t count = 0;
  for (std::sregex_iterator at(list.begin(), list.end(), name), end; at != end;
       ++at) {
    if ((*at)[1].matched) suite = (*at)[1];
    const std::string test = (*at)[2];
    const bool any_suite = suite.starts_with("*");
    const std::string wanted = (any_suite ? suite.substr(1) : "(" + suite) +
                               ", " + (test == "*" ? "" : test + ")");
    EXPECT_NE(tests.find(wanted), std::string::npos) << at->str();
    ++count;
  }
  EXPECT_GT(count, 60);
}

}  // namespace
}  // namespace penstock::testing
