#include "infeed/training/checkpoint_text.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/files/crc32c.h"

namespace penstock {
namespace {

using CheckpointJson = nlohmann::ordered_json;

constexpr uint64_t kCheckpointVersion = 1;
constexpr std::string_view kStepPrefix = "step-";

// The text, then a line with its checksum.
std::string Seal(CheckpointJson json) {
  const std::string text = json.dump() + "\n";
  return fmt::format("{}{:08x}\n", text, Crc32c(text));
}

StatusOr<CheckpointJson> Unseal(std::string_view sealed) {
  const size_t end = sealed.find('\n') + 1;  // npos + 1 == 0
  const std::string_view text = sealed.substr(0, end);
  if (end == 0 || sealed.substr(end) != fmt::format("{:08x}\n", Crc32c(text))) {
    return DataLossError("is damaged: its checksum does not match");
  }
  CheckpointJson json = CheckpointJson::parse(text, nullptr, false);
  const auto version =
      json.is_object() ? json.find("penstock_checkpoint") : json.end();
  if (version == json.end() || !version->is_number_unsigned()) {
    return DataLossError("is no part of a checkpoint");
  }
  if (*version != kCheckpointVersion) {
    return UnimplementedError(fmt::format(
        "a checkpoint of version {}; this program knows version {}: resume "
        "with the program that wrote it",
        version->dump(), kCheckpointVersion));
  }
  return json;
}

// What is sealed was written by FormatPart() or FormatCommit().
template <typename Read>
auto ReadSealed(std::string_view text, Read read)
    -> StatusOr<decltype(read(std::declval<const CheckpointJson&>()))> {
  PENSTOCK_ASSIGN_OR_RETURN(const CheckpointJson json, Unseal(text));
  try {
    return read(json);
  } catch (const CheckpointJson::exception& error) {
    return DataLossError("is damaged: a member is missing");
  }
}

}  // namespace

std::string FormatPart(const CheckpointPart& part) {
  CheckpointJson json = {{"penstock_checkpoint", kCheckpointVersion},
                         {"step", part.step},
                         {"host", part.host},
                         {"hosts", part.hosts},
                         {"state", FormatState(part.state)}};
  if (part.before) json["before"] = FormatState(*part.before);
  return Seal(std::move(json));
}

StatusOr<CheckpointPart> ParsePart(std::string_view text) {
  struct Texts {
    CheckpointPart part;
    std::string state;
    std::string before;
  };
  PENSTOCK_ASSIGN_OR_RETURN(
      Texts read, ReadSealed(text, [](const CheckpointJson& json) {
        return Texts{.part = {.step = json.at("step"),
                              .host = json.at("host"),
                              .hosts = json.at("hosts"),
                              .state = {}},
                     .state = json.at("state"),
                     .before = json.value("before", std::string())};
      }));
  PENSTOCK_ASSIGN_OR_RETURN(read.part.state, ParseState(read.state));
  if (!read.before.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(read.part.before, ParseState(read.before));
  }
  return std::move(read.part);
}

std::string FormatCommit(const CheckpointCommit& commit) {
  CheckpointJson json = {{"penstock_checkpoint", kCheckpointVersion},
                         {"step", commit.step},
                         {"records", commit.records},
                         {"parts", CheckpointJson::array()}};
  for (const WrittenFile& part : commit.parts) {
    json["parts"].push_back({{"file", part.name},
                             {"size_bytes", part.size_bytes},
                             {"crc32c", part.crc32c}});
  }
  return Seal(std::move(json));
}

StatusOr<CheckpointCommit> ParseCommit(std::string_view text) {
  return ReadSealed(text, [](const CheckpointJson& json) {
    CheckpointCommit commit = {.step = json.at("step"),
                               .records = json.at("records")};
    for (const CheckpointJson& part : json.at("parts")) {
      commit.parts.push_back({.name = part.at("file"),
                              .size_bytes = part.at("size_bytes"),
                              .crc32c = part.at("crc32c")});
    }
    return commit;
  });
}

std::string StepFolderName(uint64_t step) {
  return fmt::format("{}{:012}", kStepPrefix, step);
}

std::optional<uint64_t> StepOfFolder(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  const auto step = HearNumbers(name.substr(kStepPrefix.size()), 1);
  if (!step.ok() || StepFolderName((*step)[0]) != name) return std::nullopt;
  return (*step)[0];
}

std::string PartName(uint32_t host, uint32_t hosts) {
  return fmt::format("host-{:05}-of-{:05}.json", host, hosts);
}

std::string TellNumbers(const std::vector<uint64_t>& numbers) {
  std::string told;
  for (const uint64_t number : numbers) told += fmt::format("{} ", number);
  return told;
}

StatusOr<std::vector<uint64_t>> HearNumbers(std::string_view told,
                                            size_t at_least) {
  std::vector<uint64_t> numbers;
  const char* at = told.data();
  const char* const end = at + told.size();
  while (at != end) {
    uint64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    at = next != end && *next == ' ' ? next + 1 : next;
  }
  if (at == end && numbers.size() >= at_least) return numbers;
  return InternalError("a host speaks of checkpoints in other words");
}

}  // namespace penstock
