// Prints what Penstock computes of shardings, for compare_sharding.py.
//
// A line of input is a case: mesh, devices, spec, shape and an HLO text, with
// tabs between; a line of output is its facts as JSON.

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/hlo_text.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/sharding.h"
#include "infeed/sharding/sharding_text.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

struct Case {
  std::string mesh;
  std::string devices;
  std::string spec;
  std::string shape;
  std::string hlo;
};

Case SplitAtTabs(const std::string& line) {
  std::vector<std::string> parts = {""};
  for (const char c : line) {
    if (c == '\t') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  parts.resize(5);
  return {parts[0], parts[1], parts[2], parts[3], parts[4]};
}

StatusOr<Json> FactsOf(const Case& given) {
  PENSTOCK_ASSIGN_OR_RETURN(auto axes, ParseMeshAxes(given.mesh));
  std::vector<uint32_t> devices;
  if (!given.devices.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(devices, ParseNumbers(given.devices));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const Mesh mesh,
                            Mesh::Create(std::move(axes), std::move(devices)));
  PENSTOCK_ASSIGN_OR_RETURN(const PartitionSpec spec,
                            ParsePartitionSpec(given.spec));
  std::vector<int64_t> shape;
  if (!given.shape.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto sizes, ParseNumbers(given.shape));
    shape.assign(sizes.begin(), sizes.end());
  }
  PENSTOCK_ASSIGN_OR_RETURN(const Sharding sharding,
                            Sharding::Create(mesh, spec));
  PENSTOCK_ASSIGN_OR_RETURN(const Sharding in_program,
                            Sharding::Create(mesh.Places(), spec));
  Json facts = {{"hlo", HloIotaText(in_program)},
                {"listed", HloText(in_program)},
                {"even", sharding.SplitsEvenly(shape)},
                {"shard", sharding.ShardShape(shape)},
                {"padded", sharding.PaddedShape(shape)}};
  for (uint32_t device = 0; device < mesh.size(); ++device) {
    Json ranges = Json::array();
    for (const IndexRange& range : sharding.RangesOf(device, shape)) {
      ranges.push_back({range.begin, range.end});
    }
    facts["ranges"].push_back(std::move(ranges));
    facts["replicas"].push_back(sharding.ReplicaOf(device));
  }
  if (!given.hlo.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(const Sharding parsed,
                              ParseHloSharding(given.hlo, mesh.size()));
    facts["parsed"] = HloIotaText(parsed);
    facts["parsed_listed"] = HloText(parsed);
    PENSTOCK_ASSIGN_OR_RETURN(const Sharding again,
                              ParseHloSharding(HloText(parsed), mesh.size()));
    facts["parsed_again"] = HloIotaText(again);
  }
  return facts;
}

int Run() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto facts = FactsOf(SplitAtTabs(line));
    const Json json =
        facts.ok() ? *facts : Json{{"error", facts.status().message()}};
    std::cout << json.dump() << '\n';
  }
  return 0;
}

}  // namespace
}  // namespace penstock

int main() { return penstock::Run(); }
