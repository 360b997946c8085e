#include "pipeline/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/files/atomic_file.h"
#include "formats/files/file.h"
#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "pipeline/state/checksum.h"
#include "pipeline/state/packed_numbers.h"

namespace penstock {
namespace {

// Keeps the order of members, which the graph's parts have.
using json = nlohmann::ordered_json;

constexpr uint64_t kMaxStateBytes = 1ull << 30;

template <typename Of, typename Number>
std::string Pack(const std::vector<Of>& all, Number Of::*number) {
  std::vector<uint64_t> numbers;
  numbers.reserve(all.size());
  for (const Of& one : all) numbers.push_back(one.*number);
  return PackNumbers(numbers);
}

json TextOf(const std::vector<StatePart>& graph) {
  json text = json::object();
  for (const StatePart& part : graph) text[part.name] = part.fingerprint;
  return text;
}

json TextOf(const std::vector<HeldPiece>& held) {
  return {{"count", held.size()},
          {"records", Pack(held, &HeldPiece::record)},
          {"begins", Pack(held, &HeldPiece::begin)},
          {"bins", Pack(held, &HeldPiece::bin)}};
}

json TextOf(const std::vector<MixTaken>& taken) {
  return {{"count", taken.size()},
          {"before", Pack(taken, &MixTaken::before)},
          {"rows", Pack(taken, &MixTaken::rows)}};
}

json TextOf(const PipelineCounts& counts) {
  return {{"records", counts.records},     {"rows", counts.rows},
          {"pad_rows", counts.pad_rows},   {"dropped", counts.dropped},
          {"truncated", counts.truncated}, {"forced", counts.forced}};
}

json TextOf(const PlanBegin& plan) {
  return {{"graph", TextOf(plan.graph)},   {"step", plan.step},
          {"epoch", plan.epoch},           {"position", plan.position},
          {"counts", TextOf(plan.counts)}, {"taken", TextOf(plan.taken)}};
}

// Reads members; remembers whether one was missing or of another kind.
class Members {
 public:
  explicit Members(const json& from) : from_(from) {}

  bool ok() const { return ok_; }

  void Read(const char* name, uint64_t& out) {
    const auto member = from_.find(name);
    if (member == from_.end() || !member->is_number_unsigned()) {
      ok_ = false;
    } else {
      out = member->get<uint64_t>();
    }
  }
  // A list or an object; an empty one where it is missing.
  json Of(const char* name) {
    const auto member = from_.find(name);
    if (member != from_.end() && member->is_structured()) return *member;
    ok_ = false;
    return json::object();
  }
  // Nothing after a member that was wrong, whose numbers prove this one's.
  std::vector<uint64_t> Packed(const char* name, uint64_t count,
                               uint64_t most_free_zeros = kMostFreeZeros) {
    const auto member = from_.find(name);
    if (ok_ && member != from_.end() && member->is_string()) {
      auto numbers = UnpackNumbers(member->get_ref<const std::string&>(), count,
                                   most_free_zeros);
      if (numbers) return *std::move(numbers);
    }
    ok_ = false;
    return {};
  }

 private:
  const json& from_;
  bool ok_ = true;
};

template <typename List>
bool ReadHeld(const json& from, List& out) {
  Members members(from);
  uint64_t count = 0;
  members.Read("count", count);
  const auto records = members.Packed("records", count);
  const auto begins = members.Packed("begins", count, records.size());
  const auto bins = members.Packed("bins", count, records.size());
  if (!members.ok()) return false;
  std::vector<HeldPiece> held;
  for (uint64_t i = 0; i < count; ++i) {
    if ((begins[i] | bins[i]) >> 32 != 0) return false;
    held.push_back({.record = records[i],
                    .begin = static_cast<uint32_t>(begins[i]),
                    .bin = static_cast<uint32_t>(bins[i])});
  }
  out = std::move(held);
  return true;
}

bool ReadGraph(const json& from, SharedList<StatePart>& out) {
  std::vector<StatePart> parts;
  for (const auto& [name, fingerprint] : from.items()) {
    if (!fingerprint.is_number_unsigned()) return false;
    parts.push_back({name, fingerprint.get<uint64_t>()});
  }
  out = std::move(parts);
  return true;
}

bool ReadUnits(const json& from, std::vector<UnitPlace>& out) {
  for (const json& unit : from) {
    if (!unit.is_array() || unit.size() != 2 || !unit[0].is_number_unsigned() ||
        !unit[1].is_number_unsigned()) {
      return false;
    }
    out.push_back({unit[0].get<uint64_t>(), unit[1].get<uint64_t>()});
  }
  return true;
}

bool ReadTaken(const json& from, std::vector<MixTaken>& out) {
  Members members(from);
  uint64_t count = 0;
  members.Read("count", count);
  const auto before = members.Packed("before", count);
  const auto rows = members.Packed("rows", count);
  if (!members.ok()) return false;
  for (uint64_t i = 0; i < count; ++i) out.push_back({before[i], rows[i]});
  return true;
}

bool ReadCounts(const json& from, PipelineCounts& out) {
  Members members(from);
  members.Read("records", out.records);
  members.Read("rows", out.rows);
  members.Read("pad_rows", out.pad_rows);
  members.Read("dropped", out.dropped);
  members.Read("truncated", out.truncated);
  members.Read("forced", out.forced);
  return members.ok();
}

bool ReadLineage(const json& from, SharedList<PlanBegin>& out) {
  std::vector<PlanBegin> plans;
  for (const json& plan : from) {
    if (!plan.is_object()) return false;
    PlanBegin& begin = plans.emplace_back();
    Members members(plan);
    members.Read("step", begin.step);
    members.Read("epoch", begin.epoch);
    members.Read("position", begin.position);
    const bool whole = ReadGraph(members.Of("graph"), begin.graph) &&
                       ReadCounts(members.Of("counts"), begin.counts) &&
                       ReadTaken(members.Of("taken"), begin.taken);
    if (!whole || !members.ok()) return false;
  }
  out = std::move(plans);
  return true;
}

}  // namespace

std::string FormatState(const State& state) {
  json text;
  const uint64_t version = VersionOf(state);
  text["penstock_state"] = version;
  text["graph"] = TextOf(state.graph);
  text["epoch"] = state.epoch;
  text["step"] = state.step;
  text["step_in_epoch"] = state.step_in_epoch;
  text["position"] = state.position;
  text["held"] = TextOf(state.held);
  text["window_begin"] = state.window_begin;
  json& units = text["units"] = json::array();
  for (const UnitPlace& place : state.units) {
    units.push_back({place.unit, place.first_record});
  }
  text["counts"] = TextOf(state.counts);
  if (version != kStateVersion) {
    text["ahead"] = TextOf(state.ahead);
    text["taken"] = TextOf(state.taken);
    json& lineage = text["lineage"] = json::array();
    for (const PlanBegin& plan : state.lineage) lineage.push_back(TextOf(plan));
  }
  text["checksum"] = Checksum(state);
  return text.dump() + "\n";
}

namespace {

StatusOr<State> ParseText(std::string_view text) {
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return DataLossError(
        "no state: a JSON object with \"penstock_state\" was expected");
  }
  Members members(parsed);
  uint64_t version = 0;
  members.Read("penstock_state", version);
  if (!members.ok()) {
    return DataLossError(
        "no state: a JSON object with \"penstock_state\" was expected");
  }
  if (version != kStateVersion && version != kLineageVersion) {
    return UnimplementedError(
        fmt::format("a state of version {}; this program knows {} and {}: "
                    "resume with the program that wrote it",
                    version, kStateVersion, kLineageVersion));
  }
  State state;
  uint64_t checksum = 0;
  members.Read("epoch", state.epoch);
  members.Read("step", state.step);
  members.Read("step_in_epoch", state.step_in_epoch);
  members.Read("position", state.position);
  members.Read("window_begin", state.window_begin);
  members.Read("checksum", checksum);
  const bool whole = ReadGraph(members.Of("graph"), state.graph) &&
                     ReadHeld(members.Of("held"), state.held) &&
                     ReadUnits(members.Of("units"), state.units) &&
                     ReadCounts(members.Of("counts"), state.counts) &&
                     (version == kStateVersion ||
                      (ReadHeld(members.Of("ahead"), state.ahead) &&
                       ReadTaken(members.Of("taken"), state.taken) &&
                       ReadLineage(members.Of("lineage"), state.lineage)));
  if (!whole || !members.ok()) {
    return DataLossError("a damaged state: a member is missing");
  }
  if (checksum != Checksum(state)) {
    return DataLossError("a damaged state: its checksum does not match");
  }
  return state;
}

}  // namespace

StatusOr<State> ParseState(std::string_view text) {
  return GuardMemory(NoMemory("a state", "parse it"),
                     [&] { return ParseText(text); });
}

Status SaveState(FileSystem& files, const std::string& path,
                 const State& state) {
  return WriteFileAtomically(files, path, FormatState(state));
}

StatusOr<State> LoadState(FileSystem& files, const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                            ReadWholeFile(files, path, kMaxStateBytes));
  StatusOr<State> state = ParseState(text);
  if (!state.ok()) return Annotate(state.status(), path);
  return state;
}

}  // namespace penstock
