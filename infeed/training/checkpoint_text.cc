#include "infeed/training/checkpoint_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "formats/files/crc32c.h"

namespace penstock {
namespace {

constexpr std::string_view kFirstLine = "penstock checkpoint ";
constexpr uint64_t kCheckpointVersion = 1;
constexpr std::string_view kStepPrefix = "step-";
constexpr std::string_view kModelPrefix = "model ";

// Behind the lines one with their checksum.
std::string Seal(std::string_view lines) {
  std::string text =
      fmt::format("{}{}\n{}", kFirstLine, kCheckpointVersion, lines);
  text += fmt::format("crc32c {:08x}\n", Crc32c(text));
  return text;
}

// The number of a line like "step 100", where that is what it is.
std::optional<uint64_t> NumberOf(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  const auto numbers = HearNumbers(line.substr(key.size()), 1);
  if (!numbers.ok() || numbers->size() != 1) return std::nullopt;
  return numbers->front();
}

// The lines that were sealed.
StatusOr<std::vector<std::string_view>> Unseal(std::string_view text) {
  constexpr size_t kSealBytes = 16;
  const std::string_view sealed =
      text.substr(0, text.size() - std::min(text.size(), kSealBytes));
  if (text.substr(sealed.size()) !=
      fmt::format("crc32c {:08x}\n", Crc32c(sealed))) {
    return DataLossError("is damaged: its checksum does not match");
  }
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < sealed.size();) {
    const size_t end = std::min(sealed.find('\n', begin), sealed.size());
    lines.push_back(sealed.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::optional<uint64_t> version =
      lines.empty() ? std::nullopt : NumberOf(lines[0], kFirstLine);
  if (!version) return DataLossError("is no part of a checkpoint");
  if (*version != kCheckpointVersion) {
    return UnimplementedError(fmt::format(
        "a checkpoint of version {}; this program knows version {}: resume "
        "with the program that wrote it",
        *version, kCheckpointVersion));
  }
  lines.erase(lines.begin());
  return lines;
}

// Of a line "model 4096 layers/3.weights".
std::optional<ModelFile> ModelFileOf(std::string_view line) {
  line.remove_prefix(kModelPrefix.size());
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto size = HearNumbers(line.substr(0, space), 1);
  if (!size.ok()) return std::nullopt;
  return ModelFile{.name = std::string(line.substr(space + 1)),
                   .size_bytes = size->front()};
}

Status NoSuchLines() { return DataLossError("is damaged: a line is missing"); }

}  // namespace

std::string FormatPart(const CheckpointPart& part) {
  return Seal(fmt::format("step {}\nhost {}\nhosts {}\n{}{}", part.step,
                          part.host, part.hosts, FormatState(part.state),
                          part.before ? FormatState(*part.before) : ""));
}

StatusOr<CheckpointPart> ParsePart(std::string_view text) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto lines, Unseal(text));
  if (lines.size() < 4) return NoSuchLines();
  const auto step = NumberOf(lines[0], "step ");
  const auto host = NumberOf(lines[1], "host ");
  const auto hosts = NumberOf(lines[2], "hosts ");
  if (!step || !host || !hosts) return NoSuchLines();
  CheckpointPart part = {.step = *step,
                         .host = static_cast<uint32_t>(*host),
                         .hosts = static_cast<uint32_t>(*hosts),
                         .state = {}};
  PENSTOCK_ASSIGN_OR_RETURN(part.state, ParseState(lines[3]));
  if (lines.size() > 4) {
    PENSTOCK_ASSIGN_OR_RETURN(part.before, ParseState(lines[4]));
  }
  return part;
}

std::string FormatCommit(const CheckpointCommit& commit) {
  std::string lines =
      fmt::format("step {}\nrecords {}\n", commit.step, commit.records);
  for (const WrittenFile& part : commit.parts) {
    lines += fmt::format("{} {} {}\n", part.name, part.size_bytes, part.crc32c);
  }
  for (const ModelFile& file : commit.model) {
    lines += fmt::format("{}{} {}\n", kModelPrefix, file.size_bytes, file.name);
  }
  return Seal(lines);
}

StatusOr<CheckpointCommit> ParseCommit(std::string_view text) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto lines, Unseal(text));
  if (lines.size() < 3) return NoSuchLines();
  const auto step = NumberOf(lines[0], "step ");
  const auto records = NumberOf(lines[1], "records ");
  if (!step || !records) return NoSuchLines();
  CheckpointCommit commit = {.step = *step, .records = *records};
  for (size_t i = 2; i < lines.size(); ++i) {
    if (lines[i].starts_with(kModelPrefix)) {
      auto file = ModelFileOf(lines[i]);
      if (!file) return NoSuchLines();
      commit.model.push_back(*std::move(file));
      continue;
    }
    const size_t name = std::min(lines[i].find(' '), lines[i].size());
    const auto numbers =
        HearNumbers(lines[i].substr(std::min(name + 1, lines[i].size())), 2);
    if (!numbers.ok()) return NoSuchLines();
    commit.parts.push_back({.name = std::string(lines[i].substr(0, name)),
                            .size_bytes = (*numbers)[0],
                            .crc32c = static_cast<uint32_t>((*numbers)[1])});
  }
  return commit;
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
  return fmt::format("host-{:05}-of-{:05}.state", host, hosts);
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
