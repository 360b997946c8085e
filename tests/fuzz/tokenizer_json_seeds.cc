#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fuzz/seeds.h"

namespace penstock::testing {

// The files of the reference's vectors, each with one of their texts.
std::vector<std::string> FuzzSeeds() {
  std::ifstream file(PENSTOCK_HF_VECTORS);
  const auto vectors = nlohmann::json::parse(file, nullptr, false);
  std::vector<std::string> seeds;
  for (const auto& each : vectors["cases"]) {
    const auto& rows = each["rows"];
    seeds.push_back(
        each["document"].dump() + std::string(1, '\0') +
        rows[seeds.size() % rows.size()]["text"].get<std::string>());
  }
  return seeds;
}

}  // namespace penstock::testing
