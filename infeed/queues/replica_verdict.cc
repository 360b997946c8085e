#include "infeed/queues/replica_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "pipeline/batch.h"

namespace penstock {
namespace {

// What each host that has it says of one row and feature.
using SaidOfRow = std::map<uint32_t, RowDigest>;

bool AllSay(const SaidOfRow& said) {
  return std::ranges::all_of(said, [&](const auto& host) {
    return host.second.value == said.begin()->second.value;
  });
}

// "host 3", "hosts 0, 1 and 2"
std::string NameHosts(const std::vector<uint32_t>& hosts) {
  std::string text = hosts.size() == 1 ? "host " : "hosts ";
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (i > 0) text += i + 1 == hosts.size() ? " and " : ", ";
    text += fmt::format("{}", hosts[i]);
  }
  return text;
}

std::string NameRecord(const RowDigest& row) {
  return row.record == kNoRecord ? std::string("padding")
                                 : fmt::format("record {}", row.record);
}

// Those that say what most do, the lower of two camps as large, and the others.
struct Camps {
  std::vector<uint32_t> most;
  std::vector<uint32_t> others;
};

Camps CampsOf(const SaidOfRow& said) {
  std::map<uint64_t, std::vector<uint32_t>> by_value;
  for (const auto& [host, row] : said) by_value[row.value].push_back(host);
  Camps camps;
  for (const auto& [value, hosts] : by_value) {
    if (hosts.size() > camps.most.size() ||
        (hosts.size() == camps.most.size() && hosts[0] < camps.most[0])) {
      camps.most = hosts;
    }
  }
  for (const auto& [host, row] : said) {
    if (!std::ranges::binary_search(camps.most, host))
      camps.others.push_back(host);
  }
  return camps;
}

std::string Describe(const SaidOfRow& said, const std::string& feature) {
  const Camps camps = CampsOf(said);
  const RowDigest& theirs = said.at(camps.most[0]);
  const RowDigest& other = said.at(camps.others[0]);
  const std::string records =
      theirs.record == other.record
          ? NameRecord(theirs)
          : fmt::format("{} on host {}, {} on host {}", NameRecord(theirs),
                        camps.most[0], NameRecord(other), camps.others[0]);
  if (2 * camps.most.size() > said.size()) {
    return fmt::format("{} {} other {} than {} ({})", NameHosts(camps.others),
                       camps.others.size() == 1 ? "feeds" : "feed", feature,
                       NameHosts(camps.most), records);
  }
  std::vector<uint32_t> all;
  for (const auto& [host, row] : said) all.push_back(host);
  return fmt::format("{} feed different {} ({})", NameHosts(all), feature,
                     records);
}

Status RowsDoNotFit() {
  return InternalError("hosts tell of different numbers of rows");
}

}  // namespace

Status CheckSteps(const std::vector<ReplicaPart>& hosts) {
  for (size_t host = 1; host < hosts.size(); ++host) {
    const ReplicaPart& first = hosts[0];
    const ReplicaPart& other = hosts[host];
    if (first.at_end != other.at_end) {
      return InternalError(fmt::format(
          "host {} has no more data, but host {} has a batch for step {}; all "
          "hosts must take the same number of steps",
          first.at_end ? 0 : host, first.at_end ? host : 0,
          first.at_end ? other.step : first.step));
    }
    if (first.step != other.step || first.shape != other.shape) {
      return InternalError(fmt::format(
          "host 0 brings step {} of shape {}, but host {} brings step {} of "
          "shape {}",
          first.step, first.shape, host, other.step, other.shape));
    }
  }
  return OkStatus();
}

std::vector<SharedPart> FindDifferent(const std::vector<ReplicaPart>& hosts,
                                      const SharedShards& shared) {
  std::vector<SharedPart> different;
  for (const uint32_t shard : shared.all) {
    const std::vector<uint64_t>* first = nullptr;
    std::vector<bool> differs;
    for (size_t host = 0; host < hosts.size(); ++host) {
      const std::optional<size_t> place = shared.PlaceOf(host, shard);
      if (!place) continue;
      const std::vector<uint64_t>& theirs = hosts[host].digests[*place];
      if (first == nullptr) first = &theirs;
      differs.resize(theirs.size());
      for (size_t f = 0; f < theirs.size(); ++f) {
        differs[f] = differs[f] || theirs[f] != (*first)[f];
      }
    }
    for (size_t f = 0; f < differs.size(); ++f) {
      if (differs[f]) different.push_back({shard, f});
    }
  }
  return different;
}

Status TellDifferent(
    const std::vector<std::vector<std::vector<RowDigest>>>& rows,
    const std::vector<SharedPart>& parts, const SharedShards& shared,
    const Contract& contract, uint64_t step) {
  std::vector<size_t> next(rows.size());  // of each host's parts
  std::optional<uint64_t> first_row;
  std::string first;
  for (const SharedPart& part : parts) {
    std::vector<std::pair<uint32_t, const std::vector<RowDigest>*>> holders;
    for (uint32_t host = 0; host < rows.size(); ++host) {
      if (!shared.PlaceOf(host, part.shard)) continue;
      if (next[host] == rows[host].size()) return RowsDoNotFit();
      holders.emplace_back(host, &rows[host][next[host]++]);
    }
    const size_t count = holders[0].second->size();
    for (const auto& [host, theirs] : holders) {
      if (theirs->size() != count) return RowsDoNotFit();
    }
    for (size_t r = 0; r < count; ++r) {
      SaidOfRow said;
      for (const auto& [host, theirs] : holders) said[host] = (*theirs)[r];
      if (AllSay(said)) continue;
      const uint64_t row = uint64_t{part.shard} * count + r;
      if (first_row && *first_row <= row) break;
      first_row = row;
      first = Describe(said, part.feature == 0
                                 ? std::string("records")
                                 : contract.tensors[part.feature - 1].name);
      break;
    }
  }
  if (!first_row) return RowsDoNotFit();
  return DataLossError(fmt::format(
      "in step {}, first in row {}, {}; hosts that feed the same rows need the "
      "same files, program and options: compare them, files with recordtool "
      "verify",
      step, *first_row, first));
}

}  // namespace penstock
