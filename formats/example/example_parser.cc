#include "formats/example/example_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/example/example_defect.h"
#include "formats/example/example_walk.h"
#include "formats/example/feature_names.h"
#include "formats/example/ragged_rows.h"
#include "formats/files/function_ref.h"
#include "formats/files/memory_guard.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr size_t kNamesInMessage = 8;

Status MissingFeature(const std::string& name, std::string_view record) {
  const std::vector<std::string_view> names =
      NamesInExample(record, kNamesInMessage + 1);
  std::string list = names.empty() ? "no features" : "";
  for (size_t i = 0; i < names.size() && i < kNamesInMessage; ++i) {
    list += (i == 0 ? "" : ", ") + Quoted(names[i]);
  }
  if (names.size() > kNamesInMessage) list += " and more";
  return InvalidArgumentError(fmt::format(
      "feature {} is missing; the record has {}", Quoted(name), list));
}

bool Follows(const Examples& examples, const std::vector<FeatureSpec>& specs) {
  return std::ranges::equal(
      examples.columns, specs, [](const Column& column, const FeatureSpec& s) {
        return column.name == s.name && column.type == s.type &&
               column.is_ragged() == s.ragged;
      });
}

// Grows by doubling, so that many calls with few rows stay cheap.
void ReserveRows(size_t rows, Column& column) {
  std::vector<uint64_t>& offsets = column.row_offsets;
  const size_t needed = offsets.size() + rows;
  if (needed > offsets.capacity()) {
    offsets.reserve(std::max(needed, 2 * offsets.capacity()));
  }
}

// What is left where memory ended: whole rows, or no columns.
void CutToRows(Examples& examples) {
  if (examples.rows == 0) examples.columns.clear();
  for (Column& column : examples.columns) {
    column.row_offsets.resize(examples.rows + 1);
    if (column.is_ragged()) column.row_steps.resize(examples.rows + 1);
    CutToWholeRows(column);
  }
}

// Asks for a record that is copied soon, so that its bytes come from memory
// while the one before it is walked. What lies further on the processor
// foresees.
void Prefetch(std::string_view record) {
  constexpr size_t kMostBytes = 4096;
  constexpr size_t kLineBytes = 64;
  const size_t size = std::min(record.size(), kMostBytes);
  for (size_t at = 0; at < size; at += kLineBytes) {
    __builtin_prefetch(record.data() + at);
  }
}

}  // namespace

ExampleParser::ExampleParser(std::vector<FeatureSpec> specs,
                             ExampleOptions options)
    : specs_(std::move(specs)), options_(options) {
  std::vector<std::string> names;
  for (const FeatureSpec& spec : specs_) {
    names.push_back(spec.ragged ? RaggedValuesName(spec.name) : spec.name);
  }
  for (const FeatureSpec& spec : specs_) {
    if (spec.ragged) names.push_back(RaggedLengthsName(spec.name));
  }
  names_ = std::make_shared<const FeatureNames>(std::move(names));
  no_memory_ = NoMemory("tf.train.Example", "put it into columns");
}

StatusOr<ExampleParser> ExampleParser::Create(std::vector<FeatureSpec> specs,
                                              ExampleOptions options) {
  PENSTOCK_RETURN_IF_ERROR(CheckSpecs(specs));
  return ExampleParser(std::move(specs), options);
}

Status ExampleParser::Parse(std::span<const std::string_view> records,
                            FunctionRef<std::string(size_t)> locate,
                            Examples& out) const {
  const size_t rows_before = out.rows;
  bool done = false;
  const Status status = GuardMemory(no_memory_, [&] {
    Status parsed = ParseRows(records, locate, out);
    done = true;
    return parsed;
  });
  if (done) return status;
  CutToRows(out);
  const size_t at = out.rows - rows_before;
  if (at >= records.size()) return status;
  return GuardMemory(status, [&] { return Annotate(status, locate(at)); });
}

Status ExampleParser::ParseRows(std::span<const std::string_view> records,
                                FunctionRef<std::string(size_t)> locate,
                                Examples& out) const {
  if (!Follows(out, specs_)) {
    if (out.rows > 0) {
      return InvalidArgumentError(
          "the rows there already are of other features");
    }
    out.columns.clear();
    for (const FeatureSpec& spec : specs_) {
      Column& column = out.columns.emplace_back();
      column.name = spec.name;
      column.type = spec.type;
      if (spec.ragged) column.MakeRagged();
      column.narrow = spec.narrow;
    }
  }
  RaggedRows ragged(specs_, out.columns);
  std::vector<FeatureSlot> slots;
  for (size_t i = 0; i < specs_.size(); ++i) {
    const int number_bytes = NumberBytes(specs_[i].encoding);
    if (!specs_[i].narrow && out.columns[i].narrow) out.columns[i].Widen();
    slots.push_back(
        {.column = &out.columns[i],
         .type = number_bytes == 0 ? specs_[i].type : FeatureType::kBytes,
         .number_bytes = number_bytes,
         .wanted_values = specs_[i].values()});
    ReserveRows(records.size(), out.columns[i]);
  }
  ragged.AddSlots(slots);
  ExampleWalk walk(*names_, slots, options_.mode);
  const size_t features = specs_.size();
  const bool copies_bytes = std::ranges::any_of(
      specs_,
      [](const FeatureSpec& spec) { return spec.type == FeatureType::kBytes; });
  const auto parse_row = [&](std::string_view record) -> Status {
    PENSTOCK_RETURN_IF_ERROR(CheckRecordSize(record));
    if (!walk.Walk(record)) {
      return DefectStatus(walk.defect(), walk.defect_feature(), record,
                          "tf.train.Example");
    }
    for (size_t i = 0; i < features; ++i) {
      if (walk.found()[i].IsAsWanted() || specs_[i].ragged) continue;
      const Status status = CheckFeature(specs_[i], walk.found()[i]);
      if (status.ok()) continue;
      return IsNotFound(status) ? MissingFeature(specs_[i].name, record)
                                : status;
    }
    return ragged.EndRow(walk.found());
  };
  for (size_t i = 0; i < records.size(); ++i) {
    if (copies_bytes && i + 1 < records.size()) Prefetch(records[i + 1]);
    const Status status = parse_row(records[i]);
    if (!status.ok()) {
      for (Column& column : out.columns) CutToWholeRows(column);
      return Annotate(status, locate(i));
    }
    for (Column& column : out.columns) column.EndRow();
    ++out.rows;
  }
  return OkStatus();
}

}  // namespace penstock
