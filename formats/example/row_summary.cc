#include "formats/example/row_summary.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "formats/example/example_defect.h"
#include "formats/example/example_walk.h"
#include "formats/example/feature_names.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr size_t kMostNamesOfRow = 10000;

std::vector<FeatureSlot> SlotsFor(std::vector<Column>& columns) {
  std::vector<FeatureSlot> slots;
  for (Column& column : columns) {
    slots.push_back({.column = &column, .type = FeatureType::kBytes});
  }
  return slots;
}

}  // namespace

// Bytes are kept to be looked at; other values are only counted.
struct RowSummarizer::Walker {
  explicit Walker(const std::vector<std::string>& known)
      : names(known),
        columns(known.size()),
        walk(names, SlotsFor(columns), ExampleMode::kLax) {}

  FeatureNames names;
  std::vector<Column> columns;
  ExampleWalk walk;
};

RowSummarizer::RowSummarizer() : walker_(std::make_unique<Walker>(names_)) {}
RowSummarizer::~RowSummarizer() = default;

Status RowSummarizer::Learn(std::string_view record) {
  const size_t before = names_.size();
  for (const std::string_view name :
       NamesInExample(record, kMostNamesOfRow + 1)) {
    if (!walker_->names.Find(name)) names_.emplace_back(name);
  }
  if (names_.size() > kMostNamesOfRow) {
    return ResourceExhaustedError(fmt::format(
        "the records have more than {} names of features", kMostNamesOfRow));
  }
  if (names_.size() > before) walker_ = std::make_unique<Walker>(names_);
  return OkStatus();
}

StatusOr<std::span<const RowFeature>> RowSummarizer::Summarize(
    std::string_view record) {
  PENSTOCK_RETURN_IF_ERROR(CheckRecordSize(record));
  PENSTOCK_RETURN_IF_ERROR(Learn(record));
  ExampleWalk& walk = walker_->walk;
  if (!walk.Walk(record)) {
    for (Column& column : walker_->columns) CutToWholeRows(column);
    return DefectStatus(walk.defect(), walk.defect_feature(), record,
                        "tf.train.Example");
  }
  features_.clear();
  for (size_t i = 0; i < names_.size(); ++i) {
    const FoundFeature& found = walk.found()[i];
    Column& column = walker_->columns[i];
    if (found.present && found.type) {
      RowFeature feature{
          .name = names_[i], .type = *found.type, .values = found.values};
      if (feature.type == FeatureType::kBytes) {
        feature.bytes = column.bytes.size();
        for (uint64_t v = 0; v < column.values() && feature.is_utf8; ++v) {
          const std::string_view value = column.bytes_at(v);
          feature.is_utf8 = simdjson::validate_utf8(value.data(), value.size());
        }
      }
      features_.push_back(feature);
    }
    CutToWholeRows(column);  // which are none
  }
  return std::span<const RowFeature>(features_);
}

}  // namespace penstock
