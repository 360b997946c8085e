#include "tests/support/fixtures.h"

#include <cstdlib>
#include <filesystem>

namespace penstock::testing {
namespace {

std::string FixturesFolder() {
  if (const char* folder = std::getenv("PENSTOCK_FIXTURES")) return folder;
  return PENSTOCK_SOURCE_DIR "/../shared/fixtures";
}

}  // namespace

std::string FindFixture(std::string_view name) {
  std::string path = FixturesFolder() + "/" + std::string(name);
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : "";
}

std::string FindPjrtPlugin() {
  const char* const given = std::getenv("PENSTOCK_PJRT_PLUGIN");
  std::string path = given != nullptr ? given
                                      : PENSTOCK_SOURCE_DIR
                         "/build/pjrt/xla_cpu_pjrt.so";
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : "";
}

std::string MissingFixture(std::string_view name) {
  return "no " + FixturesFolder() + "/" + std::string(name) +
         "; set PENSTOCK_FIXTURES to the folder that has it";
}

}  // namespace penstock::testing
