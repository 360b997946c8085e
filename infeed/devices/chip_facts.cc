#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "formats/files/status_or.h"
#include "infeed/devices/chip_table.h"
#include "infeed/devices/simulated_device.h"

namespace penstock {
namespace {

using ChipJson = nlohmann::ordered_json;

constexpr uint64_t kMostChipBytes = 1u << 20;

struct ChipField {
  const char* name;
  std::optional<ChipFact> ChipFacts::*fact;
};

constexpr std::array<ChipField, 7> kChipFields = {
    {{"generation", &ChipFacts::generation},
     {"devices", &ChipFacts::devices},
     {"flops_per_second", &ChipFacts::flops_per_second},
     {"hbm_bytes", &ChipFacts::hbm_bytes},
     {"hbm_bytes_per_second", &ChipFacts::hbm_bytes_per_second},
     {"host_bytes_per_second", &ChipFacts::host_bytes_per_second},
     {"chips_per_host", &ChipFacts::chips_per_host}}};

const char* NameOf(std::optional<ChipFact> ChipFacts::*fact) {
  for (const ChipField& field : kChipFields) {
    if (field.fact == fact) return field.name;
  }
  return "";
}

bool IsWhole(std::optional<ChipFact> ChipFacts::*fact) {
  return fact == &ChipFacts::generation || fact == &ChipFacts::devices ||
         fact == &ChipFacts::chips_per_host;
}

Status ReadFact(const ChipJson& json, const ChipField& field,
                std::string_view where, ChipFacts& chip) {
  if (!json.contains(field.name)) return OkStatus();
  const ChipJson& fact = json.at(field.name);
  const bool is_fact = fact.is_object() && fact.contains("value") &&
                       fact.at("value").is_number() &&
                       fact.contains("source") && fact.at("source").is_string();
  if (!is_fact || fact.at("value").get<double>() <= 0 ||
      fact.at("source").get<std::string>().empty()) {
    return InvalidArgumentError(fmt::format(
        "{}: {} is not {{\"value\": a number above 0, \"source\": who says "
        "so}}",
        where, field.name));
  }
  const auto value = fact.at("value").get<double>();
  if (IsWhole(field.fact) && (value != std::floor(value) || value > 1e6)) {
    return InvalidArgumentError(fmt::format("{}: {} is {}, not a whole number",
                                            where, field.name, value));
  }
  chip.*field.fact =
      ChipFact{.value = value, .source = fact.at("source").get<std::string>()};
  return OkStatus();
}

StatusOr<ChipFacts> ChipIn(std::string_view text, std::string_view from,
                           std::string_view name) {
  const ChipJson json = ChipJson::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("chips") ||
      !json.at("chips").is_object()) {
    return InvalidArgumentError(fmt::format(
        "{}: not a table of chips, {{\"chips\": {{name: ...}}}}", from));
  }
  std::string known;
  for (const auto& [chip_name, facts] : json.at("chips").items()) {
    known += (known.empty() ? "" : ", ") + chip_name;
    if (chip_name != name) continue;
    ChipFacts chip = {.name = chip_name};
    const std::string where = fmt::format("{}: chip {}", from, chip_name);
    if (!facts.is_object()) {
      return InvalidArgumentError(where + " has no facts");
    }
    for (const auto& [field_name, fact] : facts.items()) {
      bool is_known = false;
      for (const ChipField& field : kChipFields) {
        is_known = is_known || field_name == field.name;
      }
      if (!is_known) {
        return InvalidArgumentError(
            fmt::format("{}: nothing is known as {}", where, field_name));
      }
    }
    for (const ChipField& field : kChipFields) {
      PENSTOCK_RETURN_IF_ERROR(ReadFact(facts, field, where, chip));
    }
    return chip;
  }
  return NotFoundError(
      fmt::format("{}: no chip {}; there are {}", from, name, known));
}

}  // namespace

StatusOr<ChipFacts> FindChip(std::string_view name) {
  return ChipIn(ChipTable(), "the table of chips", name);
}

StatusOr<ChipFacts> ReadChip(FileSystem& files, const std::string& path,
                             std::string_view name) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                            ReadWholeFile(files, path, kMostChipBytes));
  return ChipIn(text, path, name);
}

std::string DescribeChip(const ChipFacts& chip) {
  std::string text = fmt::format("chip {}:\n", chip.name);
  for (const ChipField& field : kChipFields) {
    const std::optional<ChipFact>& fact = chip.*field.fact;
    text += fact ? fmt::format("  {:<22} {:>12.6g}  {}\n", field.name,
                               fact->value, fact->source)
                 : fmt::format("  {:<22} {:>12}\n", field.name, "not known");
  }
  return text;
}

StatusOr<double> OfDevice(const ChipFacts& chip,
                          std::optional<ChipFact> ChipFacts::*fact,
                          std::string_view instead) {
  for (const auto needed : {fact, &ChipFacts::devices}) {
    if (chip.*needed) continue;
    return InvalidArgumentError(
        fmt::format("chip {}: no source says its {}: {}", chip.name,
                    NameOf(needed), instead));
  }
  return (chip.*fact)->value / chip.devices->value;
}

}  // namespace penstock
