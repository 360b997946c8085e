#include "pipeline/graph/row_ops.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "formats/files/quoted.h"
#include "formats/files/status_or.h"
#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/feature_form.h"
#include "pipeline/graph/row_parts.h"
#include "pipeline/graph/stages.h"
#include "pipeline/graph/tensors.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

Status WrongOp(std::string message) {
  return InvalidArgumentError(std::move(message));
}

StatusOr<size_t> FindRow(const SourceStages& source, std::string_view stage,
                         const std::string& name) {
  const auto found = std::ranges::find(source.batched, name, &Feature::name);
  if (found != source.batched.end()) {
    return static_cast<size_t>(found - source.batched.begin());
  }
  return WrongOp(fmt::format("{} of \"{}\", but the features are {}", stage,
                             name, FeatureNames(source.batched)));
}

Status CheckFunction(std::string_view stage, const std::string& name,
                     bool given) {
  if (name.empty()) {
    return WrongOp(fmt::format(
        "{} without a name: give one, by which a state knows it", stage));
  }
  if (!simdjson::validate_utf8(name)) {
    return WrongOp(fmt::format(
        "{} {}: a name has to be UTF-8, as it goes into the text of states",
        stage, Quoted(name)));
  }
  if (given) return OkStatus();
  return WrongOp(fmt::format("{} \"{}\" without a function", stage, name));
}

class RowOpApplier {
 public:
  explicit RowOpApplier(SourceStages& source) : source_(source) {}

  Status operator()(const SelectStage& select) const {
    std::vector<Feature> batched;
    std::vector<Origin> origins;
    for (const std::string& name : select.names) {
      PENSTOCK_ASSIGN_OR_RETURN(const size_t i,
                                FindRow(source_, "Select", name));
      batched.push_back(source_.batched[i]);
      origins.push_back(source_.origins[i]);
    }
    if (batched.empty()) return WrongOp("Select without a feature");
    source_.batched = std::move(batched);
    source_.origins = std::move(origins);
    return OkStatus();
  }
  Status operator()(const RenameOptions& rename) const {
    PENSTOCK_ASSIGN_OR_RETURN(const size_t i,
                              FindRow(source_, "Rename", rename.from));
    if (rename.to.empty()) return WrongOp("Rename to a feature without a name");
    PENSTOCK_RETURN_IF_ERROR(CheckNew("Rename", rename.to));
    source_.batched[i].name = rename.to;
    return OkStatus();
  }
  Status operator()(const ConstantOptions& constant) const {
    if (constant.name.empty()) return WrongOp("Constant without a name");
    PENSTOCK_RETURN_IF_ERROR(CheckNew("Constant", constant.name));
    PENSTOCK_RETURN_IF_ERROR(
        CheckPadValue(constant.name, constant.as, constant.value));
    source_.batched.push_back({.name = constant.name,
                               .type = IsFloatType(constant.as)
                                           ? FeatureType::kFloat
                                           : FeatureType::kInt64,
                               .length = 1,
                               .as = constant.as});
    source_.origins.emplace_back();
    return OkStatus();
  }
  Status operator()(const MapStage& map) const {
    return CheckFunction("Map", map.options.name, bool{map.function});
  }
  Status operator()(const FilterStage& filter) const {
    return CheckFunction("Filter", filter.options.name, bool{filter.function});
  }
  Status operator()(const FlatMapStage& flat_map) const {
    const FlatMapOptions& options = flat_map.options;
    PENSTOCK_RETURN_IF_ERROR(
        CheckFunction("FlatMap", options.name, bool{flat_map.function}));
    if (options.most_rows < 1 || options.most_rows > kMostRowsOfRecord) {
      return WrongOp(fmt::format(
          "FlatMap \"{}\" with most_rows {}: say how many rows one can become, "
          "from 1 to {}",
          options.name, options.most_rows, kMostRowsOfRecord));
    }
    source_.most_rows *= options.most_rows;
    if (source_.most_rows > kMostRowsOfRecord) {
      return WrongOp(fmt::format(
          "FlatMap \"{}\" and those before it make up to {} rows of a record: "
          "the product of their most_rows is {} at most",
          options.name, source_.most_rows, kMostRowsOfRecord));
    }
    // Lengths are those of records no more.
    for (Origin& origin : source_.origins) origin = {};
    return OkStatus();
  }

 private:
  Status CheckNew(std::string_view stage, const std::string& name) const {
    if (!FindFeature(source_.batched, name)) return OkStatus();
    return WrongOp(fmt::format("{} makes \"{}\", which is already a feature",
                               stage, name));
  }

  SourceStages& source_;
};

class RowOpPart {
 public:
  StatePart operator()(const SelectStage& select) const {
    Fingerprinter hash;
    for (const std::string& name : select.names) hash.Add(name);
    return {"Select", hash.Finish()};
  }
  StatePart operator()(const RenameOptions& rename) const {
    return {"Rename", Fingerprinter().Add(rename.from).Add(rename.to).Finish()};
  }
  StatePart operator()(const ConstantOptions& constant) const {
    return {"Constant", Fingerprinter()
                            .Add(constant.name)
                            .Add(std::bit_cast<uint64_t>(constant.value))
                            .Add(static_cast<uint64_t>(constant.as))
                            .Finish()};
  }
  StatePart operator()(const MapStage& map) const {
    return {fmt::format("Map {}", map.options.name),
            Fingerprinter()
                .Add(map.options.version)
                .Add(map.options.seed)
                .Add(uint64_t{map.options.keeps_lengths})
                .Finish()};
  }
  StatePart operator()(const FilterStage& filter) const {
    return {fmt::format("Filter {}", filter.options.name),
            Fingerprinter()
                .Add(filter.options.version)
                .Add(filter.options.seed)
                .Finish()};
  }
  StatePart operator()(const FlatMapStage& flat_map) const {
    return {fmt::format("FlatMap {}", flat_map.options.name),
            Fingerprinter()
                .Add(flat_map.options.version)
                .Add(flat_map.options.seed)
                .Add(flat_map.options.most_rows)
                .Finish()};
  }
};

}  // namespace

Status ApplyRowOp(const RowOp& op, SourceStages& source) {
  return std::visit(RowOpApplier(source), op);
}

std::string DecidesRows(const Stages& stages) {
  for (const SourceStages* source : stages.readers()) {
    for (const RowOp& op : source->row_ops) {
      if (const auto* const filter = std::get_if<FilterStage>(&op)) {
        return fmt::format("Filter \"{}\" leaves out rows",
                           filter->options.name);
      }
      if (const auto* const flat_map = std::get_if<FlatMapStage>(&op)) {
        return fmt::format("FlatMap \"{}\" makes rows", flat_map->options.name);
      }
    }
  }
  return "";
}

std::string ChangesLengths(const Stages& stages) {
  for (const SourceStages* source : stages.readers()) {
    for (const RowOp& op : source->row_ops) {
      const auto* const map = std::get_if<MapStage>(&op);
      if (map != nullptr && !map->options.keeps_lengths) {
        return map->options.name;
      }
    }
  }
  return "";
}

namespace {

// `of` says whose rows they are.
void AddPartsOf(const SourceStages& source, const std::string& of,
                std::vector<StatePart>& parts) {
  for (size_t i = 0; i < source.row_ops.size(); ++i) {
    StatePart part = std::visit(RowOpPart(), source.row_ops[i]);
    // Where Tokenize stands among them.
    if (source.tokenize && i < source.ops_before_tokenize) {
      part.name += " before Tokenize";
    }
    part.name += of;
    AddPart(std::move(part), parts);
  }
}

}  // namespace

void AddRowOpParts(const Stages& stages, std::vector<StatePart>& parts) {
  for (size_t s = 0; s < stages.sources.size(); ++s) {
    const SourceStages& source = stages.sources[s];
    const std::string of = OfSource(s, stages.sources.size());
    for (size_t side = 0; side < source.sides.size(); ++side) {
      AddPartsOf(source.sides[side], OfSide(side) + of, parts);
    }
    AddPartsOf(source, of, parts);
  }
}

}  // namespace penstock
