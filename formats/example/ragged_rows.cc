#include "formats/example/ragged_rows.h"

#include <fmt/format.h>

#include "formats/files/quoted.h"
#include "formats/files/status.h"

namespace penstock {
namespace {

Status CheckPart(const FeatureSpec& spec, std::string name, FeatureType type,
                 const FoundFeature& found) {
  const FeatureSpec part = {
      .name = std::move(name), .type = type, .optional = spec.optional};
  const Status status = CheckFeature(part, found);
  if (!IsNotFound(status)) return status;
  return InvalidArgumentError(
      fmt::format("feature {} is missing, a part of the ragged feature {}",
                  Quoted(part.name), Quoted(spec.name)));
}

Status BadSteps(const FeatureSpec& spec, const std::string& why) {
  return InvalidArgumentError(
      fmt::format("feature {}: {}", Quoted(RaggedLengthsName(spec.name)), why));
}

Status AddSteps(const FeatureSpec& spec, std::span<const int64_t> lengths,
                Column& column) {
  const uint64_t end = column.values();
  uint64_t at = column.row_offsets.back();
  for (const int64_t length : lengths) {
    if (length < 0) {
      return BadSteps(spec, fmt::format("a step of {} values", length));
    }
    if (static_cast<uint64_t>(length) > end - at) {
      return BadSteps(spec, fmt::format("the steps have more than the {} "
                                        "values that there are",
                                        end - column.row_offsets.back()));
    }
    at += static_cast<uint64_t>(length);
    column.step_offsets.push_back(at);
  }
  if (at == end) return OkStatus();
  return BadSteps(spec, fmt::format("the steps have {} values of {}",
                                    at - column.row_offsets.back(),
                                    end - column.row_offsets.back()));
}

}  // namespace

RaggedRows::RaggedRows(std::span<const FeatureSpec> specs,
                       std::span<Column> columns)
    : specs_(specs), columns_(columns) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].ragged) ragged_.push_back({.spec = i});
  }
}

void RaggedRows::AddSlots(std::vector<FeatureSlot>& slots) {
  for (Ragged& ragged : ragged_) {
    ragged.lengths.type = FeatureType::kInt64;
    ragged.lengths_slot = slots.size();
    slots.push_back({.column = &ragged.lengths, .type = FeatureType::kInt64});
  }
}

Status RaggedRows::EndRaggedRow(const std::vector<FoundFeature>& found) {
  for (Ragged& ragged : ragged_) {
    const FeatureSpec& spec = specs_[ragged.spec];
    PENSTOCK_RETURN_IF_ERROR(CheckPart(spec, RaggedValuesName(spec.name),
                                       spec.type, found[ragged.spec]));
    PENSTOCK_RETURN_IF_ERROR(CheckPart(spec, RaggedLengthsName(spec.name),
                                       FeatureType::kInt64,
                                       found[ragged.lengths_slot]));
    PENSTOCK_RETURN_IF_ERROR(
        AddSteps(spec, ragged.lengths.ints, columns_[ragged.spec]));
    ragged.lengths.ints.clear();  // a row of its own each time
  }
  return OkStatus();
}

}  // namespace penstock
