#include "pipeline/state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "formats/files/atomic_file.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr uint64_t kVersion = 1;
constexpr uint64_t kMaxStateBytes = 1ull << 30;

uint64_t Checksum(const State& state) {
  Fingerprinter hash;
  hash.Add(kVersion)
      .Add(state.fingerprint)
      .Add(state.epoch)
      .Add(state.step)
      .Add(state.step_in_epoch)
      .Add(state.positions_read)
      .Add(state.pending.size());
  for (const uint64_t position : state.pending) hash.Add(position);
  return hash.Finish();
}

// False where the member is missing or no whole number.
bool Read(const json& from, const char* name, uint64_t& out) {
  const auto member = from.find(name);
  if (member == from.end() || !member->is_number_unsigned()) return false;
  out = member->get<uint64_t>();
  return true;
}

}  // namespace

std::string FormatState(const State& state) {
  nlohmann::ordered_json text;
  text["penstock_state"] = kVersion;
  text["fingerprint"] = state.fingerprint;
  text["epoch"] = state.epoch;
  text["step"] = state.step;
  text["step_in_epoch"] = state.step_in_epoch;
  text["positions_read"] = state.positions_read;
  text["pending"] = state.pending;
  text["checksum"] = Checksum(state);
  return text.dump() + "\n";
}

StatusOr<State> ParseState(std::string_view text) {
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  uint64_t version = 0;
  if (!parsed.is_object() || !Read(parsed, "penstock_state", version)) {
    return DataLossError(
        "no state: a JSON object with \"penstock_state\" was expected");
  }
  if (version != kVersion) {
    return UnimplementedError(
        fmt::format("a state of version {}; this program knows version {}: "
                    "resume with the program that wrote it",
                    version, kVersion));
  }
  State state;
  uint64_t checksum = 0;
  const auto pending = parsed.find("pending");
  if (!Read(parsed, "fingerprint", state.fingerprint) ||
      !Read(parsed, "epoch", state.epoch) ||
      !Read(parsed, "step", state.step) ||
      !Read(parsed, "step_in_epoch", state.step_in_epoch) ||
      !Read(parsed, "positions_read", state.positions_read) ||
      !Read(parsed, "checksum", checksum) || pending == parsed.end() ||
      !pending->is_array()) {
    return DataLossError("a damaged state: a member is missing");
  }
  for (const json& position : *pending) {
    if (!position.is_number_unsigned()) {
      return DataLossError(
          "a damaged state: \"pending\" holds what is no position");
    }
    state.pending.push_back(position.get<uint64_t>());
  }
  if (checksum != Checksum(state)) {
    return DataLossError("a damaged state: its checksum does not match");
  }
  return state;
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
