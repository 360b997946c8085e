// docs/formats/bad_inputs.md names a test for each promise: each is there.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace penstock::testing {
namespace {

std::string Contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// "(Suite, Name)" of every test, as it is written.
std::string AllTests() {
  std::string all;
  const RE2 name("\\nTEST\\w*\\(\\s*(\\w+),\\s*(\\w+)\\s*\\)");
  for (const char* folder : {"tests/formats", "tests/tools"}) {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(folder)) {
      if (!file.path().string().ends_with("_test.cc")) continue;
      const std::string text = Contents(file.path());
      re2::StringPiece left = text;
      std::string suite, test;
      while (RE2::FindAndConsume(&left, name, &suite, &test)) {
        all += "(" + suite + ", " + test + ")";
      }
    }
  }
  return all;
}

TEST(BadInputsTest, EveryTestThatTheListNamesIsThere) {
  const std::string tests = AllTests();
  const std::string list = Contents("docs/formats/bad_inputs.md");
  const RE2 name("`([A-Za-z0-9*]*Test)?\\.([A-Za-z0-9*]+)`");
  re2::StringPiece left = list;
  std::string suite, given, test;
  size_t count = 0;
  for (; RE2::FindAndConsume(&left, name, &given, &test); ++count) {
    if (!given.empty()) suite = given;
    const bool any_suite = suite.starts_with("*");
    const std::string wanted = (any_suite ? suite.substr(1) : "(" + suite) +
                               ", " + (test == "*" ? "" : test + ")");
    EXPECT_NE(tests.find(wanted), std::string::npos) << wanted;
  }
  EXPECT_GT(count, 60);
}

}  // namespace
}  // namespace penstock::testing
