#include "formats/datasets/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "formats/files/function_ref.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr std::string_view kFirstLine = "penstock-schema 1";

Status TypeConflict(std::string_view name, FeatureType type,
                    const std::string& place, const SchemaFeature& before) {
  return InvalidArgumentError(fmt::format(
      "{}: feature {} is {}, but it is {} in {}", place, Quoted(name),
      FeatureTypeName(type), FeatureTypeName(before.type), before.place));
}

std::string Count(uint64_t least, uint64_t most) {
  return least == most ? std::to_string(least)
                       : fmt::format("{}..{}", least, most);
}

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

// The words of a line; one in quotation marks is a JSON string. Empty for a
// line that is not so.
std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    size_t end = line.find(' ');
    if (line[0] == '"') {
      end = 1;
      while (end < line.size() && line[end] != '"') {
        end += line[end] == '\\' ? 2 : 1;
      }
      if (++end > line.size()) return {};
      const auto name = nlohmann::json::parse(line.substr(0, end), nullptr,
                                              /*allow_exceptions=*/false);
      if (!name.is_string()) return {};
      words.push_back(name.get<std::string>());
    } else {
      words.emplace_back(line.substr(0, end));
    }
    if (end >= line.size()) break;
    if (line[end] != ' ') return {};
    line.remove_prefix(end + 1);
  }
  return words;
}

// "feature NAME TYPE [utf8] values N[..M] rows N".
std::optional<std::pair<std::string, SchemaFeature>> FeatureOf(
    std::vector<std::string> words) {
  if (words.size() < 3 || words[0] != "feature") return std::nullopt;
  SchemaFeature feature{.is_utf8 = false};
  bool known = false;
  for (const FeatureType type :
       {FeatureType::kBytes, FeatureType::kFloat, FeatureType::kInt64}) {
    if (words[2] != FeatureTypeName(type)) continue;
    feature.type = type;
    known = true;
  }
  if (words.size() == 8 && words[3] == "utf8" &&
      feature.type == FeatureType::kBytes) {
    feature.is_utf8 = true;
    words.erase(words.begin() + 3);
  } else {
    feature.is_utf8 = feature.type != FeatureType::kBytes;
  }
  if (!known || words.size() != 7 || words[3] != "values" ||
      words[5] != "rows") {
    return std::nullopt;
  }
  const size_t dots = words[4].find("..");
  const auto least = Number(std::string_view(words[4]).substr(0, dots));
  const auto most = dots == std::string::npos
                        ? least
                        : Number(std::string_view(words[4]).substr(dots + 2));
  const auto rows = Number(words[6]);
  if (!least || !most || *least > *most || !rows) return std::nullopt;
  feature.min_values = *least;
  feature.max_values = *most;
  feature.rows = *rows;
  return std::pair(words[1], feature);
}

}  // namespace

Status Schema::Add(std::span<const RowFeature> row,
                   FunctionRef<std::string()> locate) {
  for (const RowFeature& one : row) {
    const auto found = features.find(one.name);
    if (found != features.end() && found->second.type != one.type) {
      return TypeConflict(one.name, one.type, locate(), found->second);
    }
  }
  ++rows;
  for (const RowFeature& one : row) {
    auto found = features.find(one.name);
    if (found == features.end()) {
      found = features
                  .emplace(std::string(one.name),
                           SchemaFeature{.type = one.type,
                                         .min_values = one.values,
                                         .max_values = one.values,
                                         .place = locate()})
                  .first;
    }
    SchemaFeature& feature = found->second;
    ++feature.rows;
    feature.min_values = std::min(feature.min_values, one.values);
    feature.max_values = std::max(feature.max_values, one.values);
    feature.is_utf8 = feature.is_utf8 && one.is_utf8;
  }
  return OkStatus();
}

Status Schema::Merge(const Schema& other) {
  for (const auto& [name, theirs] : other.features) {
    const auto found = features.find(name);
    if (found != features.end() && found->second.type != theirs.type) {
      return TypeConflict(name, theirs.type, theirs.place, found->second);
    }
  }
  rows += other.rows;
  for (const auto& [name, theirs] : other.features) {
    const auto [at, is_new] = features.emplace(name, theirs);
    if (is_new) continue;
    SchemaFeature& ours = at->second;
    ours.rows += theirs.rows;
    ours.min_values = std::min(ours.min_values, theirs.min_values);
    ours.max_values = std::max(ours.max_values, theirs.max_values);
    ours.is_utf8 = ours.is_utf8 && theirs.is_utf8;
  }
  return OkStatus();
}

Status Schema::Check(std::span<const RowFeature> row) const {
  const auto wrong = [](std::string_view name, const std::string& what,
                        const SchemaFeature& feature) {
    return InvalidArgumentError(
        fmt::format("feature {}: {} ({})", Quoted(name), what, feature.place));
  };
  for (const RowFeature& one : row) {
    const auto found = features.find(one.name);
    if (found == features.end()) {
      return InvalidArgumentError(
          fmt::format("feature {} is not in the schema", Quoted(one.name)));
    }
    const SchemaFeature& wanted = found->second;
    if (one.type != wanted.type || one.values < wanted.min_values ||
        one.values > wanted.max_values) {
      return wrong(one.name,
                   fmt::format("expected {}[{}], found {}[{}]",
                               FeatureTypeName(wanted.type),
                               Count(wanted.min_values, wanted.max_values),
                               FeatureTypeName(one.type), one.values),
                   wanted);
    }
    if (wanted.is_utf8 && !one.is_utf8) {
      return wrong(one.name, "expected UTF-8", wanted);
    }
  }
  for (const auto& [name, wanted] : features) {
    if (wanted.rows < rows ||
        std::ranges::count(row, name, &RowFeature::name)) {
      continue;
    }
    return wrong(name, "is missing", wanted);
  }
  return OkStatus();
}

std::string Schema::ToText() const {
  std::string text = fmt::format("{}\nrows {}\n", kFirstLine, rows);
  for (const auto& [name, feature] : features) {
    const bool utf8 = feature.type == FeatureType::kBytes && feature.is_utf8;
    text += fmt::format(
        "feature {} {}{} values {} rows {}\n", nlohmann::json(name).dump(),
        FeatureTypeName(feature.type), utf8 ? " utf8" : "",
        Count(feature.min_values, feature.max_values), feature.rows);
  }
  return text;
}

StatusOr<Schema> Schema::FromText(std::string_view text,
                                  std::string_view file) {
  Schema schema;
  bool has_rows = false;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string place = fmt::format("{}:{}", file, number);
    const auto wrong = [&](std::string_view what) {
      return DataLossError(fmt::format("{}: {}", place, what));
    };
    if (number == 1) {
      if (line == kFirstLine) continue;
      if (line.starts_with("penstock-schema ")) {
        return UnimplementedError(fmt::format(
            "{}: this version reads \"{}\" alone", place, kFirstLine));
      }
      return wrong(fmt::format("expected \"{}\"", kFirstLine));
    }
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("rows ")) {
      const auto rows = Number(line.substr(5));
      if (!rows || has_rows) return wrong("expected \"rows N\", once");
      schema.rows = *rows;
      has_rows = true;
      continue;
    }
    auto feature = FeatureOf(Words(line));
    if (!feature) {
      return wrong(
          "expected: feature \"NAME\" bytes|float|int64 [utf8] values N[..M] "
          "rows N");
    }
    feature->second.place = place;
    if (!schema.features.insert(*std::move(feature)).second) {
      return wrong("this feature comes twice");
    }
  }
  if (!has_rows) {
    return DataLossError(fmt::format("{}: \"rows N\" is missing", file));
  }
  return schema;
}

}  // namespace penstock
