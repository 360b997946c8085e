#include "pipeline/compile/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

using nlohmann::json;

// Values may be any bytes.
std::string Pack(const std::vector<Claim>& claims) {
  json text = json::array();
  for (const Claim& claim : claims) {
    text.push_back({claim.name, claim.value, claim.told});
  }
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string Differs(const json& theirs, const json& ours, size_t host) {
  for (size_t i = 0; i < std::max(theirs.size(), ours.size()); ++i) {
    if (i >= theirs.size() || i >= ours.size() ||
        theirs[i].at(0) != ours[i].at(0)) {
      return fmt::format("hosts 0 and {} run different programs", host);
    }
    if (theirs[i].at(1) == ours[i].at(1)) continue;
    const std::string name = theirs[i].at(0);
    const std::string told = theirs[i].at(2);
    const std::string first = ours[i].at(2);
    return fmt::format(
        "hosts 0 and {} differ in {}{}", host, name,
        told.empty() && first.empty()
            ? std::string()
            : fmt::format(": host 0 has {}, host {} {}", first, host, told));
  }
  return "";
}

}  // namespace

std::vector<Claim> ClaimsOf(const Job& job, const Choice& choice) {
  const std::string how = choice.planned ? "planned" : "streamed";
  const std::string hosts = std::to_string(job.topology.hosts);
  const std::string shards = std::to_string(job.topology.shards);
  const std::string epochs = std::to_string(job.stages.epochs);
  std::string stages;
  for (const StatePart& part : job.graph) stages += part.name + " ";
  std::vector<Claim> claims = {
      {"how they read", how, fmt::format("{} ({})", how, choice.why)},
      {"the number of hosts", hosts, hosts},
      {"the number of shards", shards, shards},
      {"epochs", epochs, epochs},
      {"their stages", stages, stages}};
  for (const StatePart& part : job.graph) {
    claims.push_back({part.name, std::to_string(part.fingerprint), ""});
  }
  const std::string sequence(Describe(choice.sequence.how));
  claims.push_back({"who reads files in sequence", sequence, sequence});
  // Whether a record is too large decides where the run ends, for all.
  const std::string bytes =
      choice.sequence.shared() ? std::to_string(job.max_record_bytes) : "";
  claims.push_back({"max_record_bytes", bytes, bytes});
  return claims;
}

Status CheckGroup(const Topology& topology, const Group& group) {
  if (group.hosts() == topology.hosts && group.host() == topology.host) {
    return OkStatus();
  }
  return InvalidArgumentError(
      fmt::format("the topology is that of host {} of {}, but the group that "
                  "of host {} of {}",
                  topology.host, topology.hosts, group.host(), group.hosts()));
}

Status CompareClaims(const std::vector<Claim>& claims, Group& group) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> told,
                            group.AllGather(Pack(claims)));
  const json first = json::parse(told.front(), nullptr, false);
  for (size_t host = 1; host < told.size(); ++host) {
    if (told[host] == told.front()) continue;
    const json other = json::parse(told[host], nullptr, false);
    if (!first.is_array() || !other.is_array()) {
      return InternalError("hosts exchange what is no text");
    }
    const std::string differs = Differs(other, first, host);
    if (!differs.empty()) return FailedPreconditionError(differs);
  }
  return OkStatus();
}

}  // namespace penstock
