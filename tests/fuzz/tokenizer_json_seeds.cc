#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fuzz/seeds.h"

namespace penstock::testing {

// Every tenth of the reference's vectors: all would take minutes.
std::vector<std::string> FuzzSeeds() {
  std::ifstream file(PENSTOCK_HF_VECTORS);
  const auto vectors = nlohmann::json::parse(file, nullptr, false);
  std::vector<std::string> seeds;
  const auto& cases = vectors["cases"];
  for (size_t i = 0; i < cases.size(); i += 10) {
    const auto& each = cases[i];
    const auto& rows = each["rows"];
    seeds.push_back(
        each["document"].dump() + std::string(1, '\0') +
        rows[seeds.size() % rows.size()]["text"].get<std::string>());
  }
  return seeds;
}

}  // namespace penstock::testing
