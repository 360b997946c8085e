#include "formats/example/feature_walk.h"

#include "formats/example/feature_tags.h"

namespace penstock {
namespace {

using feature_tags::kBytesList;
using feature_tags::kFloatList;
using feature_tags::kInt64List;
using feature_tags::kStep;

std::optional<FeatureType> KindOf(uint32_t tag) {
  switch (tag) {
    case kBytesList:
      return FeatureType::kBytes;
    case kFloatList:
      return FeatureType::kFloat;
    case kInt64List:
      return FeatureType::kInt64;
    default:
      return std::nullopt;
  }
}

void CutToValues(Column& column, uint64_t values) {
  switch (column.type) {
    case FeatureType::kBytes:
      column.byte_offsets.resize(values + 1);
      column.bytes.resize(column.byte_offsets.back());
      return;
    case FeatureType::kFloat:
      column.floats.resize(values);
      return;
    case FeatureType::kInt64:
      column.narrow ? column.narrow_ints.resize(values)
                    : column.ints.resize(values);
      return;
  }
}

void EndStep(uint64_t step, FoundFeature& found) {
  const FeatureSlot& slot = found.slot;
  if (slot.column == nullptr) return;
  slot.column->step_offsets.push_back(slot.column->values());
  const bool right_type = !found.type || *found.type == slot.type;
  const bool right_number =
      slot.wanted_values < 0 ||
      found.values == static_cast<uint64_t>(slot.wanted_values);
  if ((right_type && right_number) || found.odd_step) return;
  found.odd_step = {step, found.type, found.values};
}

}  // namespace

void CutToWholeRows(Column& column) {
  CutToValues(column, column.row_offsets.back());
  if (column.is_ragged())
    column.step_offsets.resize(column.row_steps.back() + 1);
}

void CutToWholeSteps(Column& column) {
  CutToValues(column, column.step_offsets.back());
}

bool FeatureWalk::Walk(std::string_view message, FoundFeature& found,
                       int group_limit, bool is_step) const {
  std::optional<FeatureType> first;
  WireReader in(message, rules_.defect);
  for (uint32_t tag; in.NextTag(tag);) {
    const std::optional<FeatureType> type = KindOf(tag);
    if (!type) {
      if (!rules_.SkipUnknown(in, tag, group_limit,
                              "an unknown field in a feature")) {
        return false;
      }
      continue;
    }
    if (first && rules_.strict()) {
      return rules_.defect.Refuse(
          first == type ? "a second list of values" : "a second kind of values",
          in.at());
    }
    first = type;
    std::string_view list;
    if (!in.ReadChunk(list) ||
        !WalkList(*type, list, found, group_limit - 1, is_step)) {
      return false;
    }
  }
  if (rules_.strict() && !first && rules_.defect.what == nullptr) {
    return rules_.defect.Refuse("a feature without a kind", message.data());
  }
  return rules_.defect.what == nullptr;
}

// A list of the type that is there already goes on with it; one of another type
// takes its place.
bool FeatureWalk::WalkList(FeatureType type, std::string_view message,
                           FoundFeature& found, int group_limit,
                           bool is_step) const {
  const FeatureSlot& slot = found.slot;
  if (found.type != type) {
    if (found.type && slot.column != nullptr) {
      is_step ? CutToWholeSteps(*slot.column) : CutToWholeRows(*slot.column);
    }
    found.type = type;
    found.values = 0;
  }
  Column* const column = slot.type == type ? slot.column : nullptr;
  switch (type) {
    case FeatureType::kBytes:
      return TakeBytes(message, column, slot.number_bytes, found.values,
                       found.odd_size, group_limit, rules_);
    case FeatureType::kFloat:
      return TakeFloats(message, column, found.values, group_limit, rules_);
    case FeatureType::kInt64:
      return TakeInts(message, column, found.values, group_limit, rules_);
  }
  return false;
}

bool FeatureWalk::WalkFeatureList(std::string_view message,
                                  FoundFeature& found) const {
  WireReader in(message, rules_.defect);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag != kStep) {
      if (!rules_.SkipUnknown(in, tag, group_limit_,
                              "an unknown field in a feature list")) {
        return false;
      }
      continue;
    }
    std::string_view step;
    found.type.reset();
    found.values = 0;
    if (!in.ReadChunk(step) || !Walk(step, found, group_limit_ - 1, true)) {
      return false;
    }
    EndStep(found.steps++, found);
  }
  return rules_.defect.what == nullptr;
}

}  // namespace penstock
