#include "formats/example/sequence_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/example/example_defect.h"
#include "formats/example/feature_map_walk.h"
#include "formats/example/feature_names.h"
#include "formats/example/feature_tags.h"
#include "formats/files/function_ref.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

using feature_tags::kContext;
using feature_tags::kFeatureLists;

std::vector<FeatureSlot> Prepare(const std::vector<FeatureSpec>& specs,
                                 bool ragged, Examples& out) {
  if (out.columns.empty()) {
    for (const FeatureSpec& spec : specs) {
      Column& column = out.columns.emplace_back();
      column.name = spec.name;
      column.type = spec.type;
      if (ragged) column.MakeRagged();
    }
  }
  std::vector<FeatureSlot> slots;
  for (size_t i = 0; i < specs.size(); ++i) {
    const int number_bytes = NumberBytes(specs[i].encoding);
    slots.push_back(
        {.column = &out.columns[i],
         .type = number_bytes == 0 ? specs[i].type : FeatureType::kBytes,
         .number_bytes = number_bytes,
         .wanted_values = specs[i].values()});
  }
  return slots;
}

bool IsEmptyOrFollows(const Examples& out,
                      const std::vector<FeatureSpec>& specs) {
  return (out.columns.empty() && out.rows == 0) ||
         std::ranges::equal(
             out.columns, specs, [](const Column& column, const auto& spec) {
               return column.name == spec.name && column.type == spec.type;
             });
}

std::shared_ptr<const FeatureNames> NamesOf(
    const std::vector<FeatureSpec>& specs) {
  std::vector<std::string> names;
  for (const FeatureSpec& spec : specs) names.push_back(spec.name);
  return std::make_shared<const FeatureNames>(std::move(names));
}

Status Missing(const char* what, const FeatureSpec& spec) {
  return InvalidArgumentError(
      fmt::format("{} {} is missing", what, Quoted(spec.name)));
}

// Both parts of a record, walked side by side.
class SequenceWalk {
 public:
  SequenceWalk(const FeatureNames& context_names,
               std::span<const FeatureSlot> context,
               const FeatureNames& list_names,
               std::span<const FeatureSlot> lists, ExampleMode mode)
      : mode_(mode),
        context_(context_names, context, FeatureMapWalk::Of::kFeature, mode,
                 defect_),
        lists_(list_names, lists, FeatureMapWalk::Of::kFeatureList, mode,
               defect_) {}

  bool Walk(std::string_view record) {
    defect_ = {};
    context_.BeginRow(record.data() + record.size());
    lists_.BeginRow(record.data() + record.size());
    WireReader in(record, defect_);
    for (uint32_t tag; in.NextTag(tag);) {
      std::string_view part;
      if (tag == kContext || tag == kFeatureLists) {
        FeatureMapWalk& walk = tag == kContext ? context_ : lists_;
        if (!in.ReadChunk(part) || !walk.Walk(part)) return false;
      } else if (mode_ == ExampleMode::kStrict && IsGroup(tag)) {
        return defect_.Refuse("an unknown group", in.at());
      } else if (!in.Skip(tag, kWireDepthLimit)) {
        return false;
      }
    }
    return defect_.what == nullptr && context_.EndRow() && lists_.EndRow();
  }

  const std::vector<FoundFeature>& context() const { return context_.found(); }
  const std::vector<FoundFeature>& lists() const { return lists_.found(); }
  Status Defect(std::string_view record) const {
    return DefectStatus(defect_,
                        context_.name() ? context_.name() : lists_.name(),
                        record, "tf.train.SequenceExample");
  }

 private:
  WireDefect defect_;
  const ExampleMode mode_;
  FeatureMapWalk context_;
  FeatureMapWalk lists_;
};

}  // namespace

StatusOr<SequenceParser> SequenceParser::Create(
    std::vector<FeatureSpec> context, std::vector<FeatureSpec> lists,
    ExampleOptions options) {
  if (!context.empty() || lists.empty()) {
    PENSTOCK_RETURN_IF_ERROR(CheckSpecs(context));
  }
  if (!lists.empty()) PENSTOCK_RETURN_IF_ERROR(CheckSpecs(lists));
  for (const auto* specs : {&context, &lists}) {
    for (const FeatureSpec& spec : *specs) {
      const bool encoded =
          specs == &lists && spec.encoding != FeatureEncoding::kPlain;
      if (!spec.ragged && !encoded) continue;
      return UnimplementedError(fmt::format(
          "feature {}: a SequenceExample is read without ragged features, and "
          "its lists without encodings",
          Quoted(spec.name)));
    }
  }
  SequenceParser parser;
  parser.context_names_ = NamesOf(context);
  parser.list_names_ = NamesOf(lists);
  parser.context_ = std::move(context);
  parser.lists_ = std::move(lists);
  parser.options_ = options;
  return parser;
}

Status SequenceParser::Parse(std::span<const std::string_view> records,
                             FunctionRef<std::string(size_t)> locate,
                             SequenceExamples& out) const {
  if (!IsEmptyOrFollows(out.context, context_) ||
      !IsEmptyOrFollows(out.lists, lists_)) {
    return InvalidArgumentError("the rows there already are of other features");
  }
  SequenceWalk walk(*context_names_, Prepare(context_, false, out.context),
                    *list_names_, Prepare(lists_, true, out.lists),
                    options_.mode);
  const auto parse_row = [&](std::string_view record) -> Status {
    PENSTOCK_RETURN_IF_ERROR(CheckRecordSize(record));
    if (!walk.Walk(record)) return walk.Defect(record);
    for (size_t i = 0; i < context_.size(); ++i) {
      const Status status = CheckFeature(context_[i], walk.context()[i]);
      if (IsNotFound(status)) return Missing("feature", context_[i]);
      if (!status.ok()) return status;
    }
    for (size_t i = 0; i < lists_.size(); ++i) {
      const Status status = CheckFeatureList(lists_[i], walk.lists()[i]);
      if (IsNotFound(status)) return Missing("feature list", lists_[i]);
      if (!status.ok()) return status;
    }
    return OkStatus();
  };
  for (size_t i = 0; i < records.size(); ++i) {
    const Status status = parse_row(records[i]);
    for (Examples* part : {&out.context, &out.lists}) {
      for (Column& column : part->columns) {
        status.ok() ? column.EndRow() : CutToWholeRows(column);
      }
      part->rows += status.ok();
    }
    if (!status.ok()) return Annotate(status, locate(i));
  }
  return OkStatus();
}

}  // namespace penstock
