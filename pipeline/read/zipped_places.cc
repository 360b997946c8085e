#include <fmt/format.h>

#include <algorithm>

#include "pipeline/read/zipped_sequence.h"

namespace penstock {

std::string ZippedPlaces::Locate(uint64_t record_id) const {
  std::string where;
  for (const ZipSide& side : sides_) {
    const uint64_t id = record_id + side.dataset().part.begin;
    where +=
        (where.empty() ? "" : ", zipped with ") +
        (side.sequence() == nullptr ? side.dataset().numbered->Locate(id)
                                    : side.sequence()->places().Locate(id));
  }
  return where;
}

std::vector<UnitPlace> ZippedPlaces::Of(
    const std::vector<uint64_t>& record_ids) const {
  std::vector<UnitPlace> all;
  std::vector<uint64_t> ids;
  uint64_t first_unit = 0;
  for (const ZipSide& side : sides_) {
    if (side.sequence() == nullptr) continue;
    ids = record_ids;
    // Behind a part nothing is read, but what is known of it differs.
    const auto [begin, end] = side.dataset().part;
    for (uint64_t& id : ids) id = std::min(id + begin, end - 1);
    for (UnitPlace place : side.sequence()->places().Of(ids)) {
      place.unit += first_unit;
      all.push_back(place);
    }
    first_unit += side.dataset().units;
  }
  return all;
}

StatusOr<std::vector<std::vector<UnitPlace>>> ZippedPlaces::Split(
    const std::vector<UnitPlace>& units) const {
  std::vector<std::vector<UnitPlace>> split;
  uint64_t first_unit = 0;
  size_t listed = 0;
  for (const ZipSide& side : sides_) {
    split.emplace_back();
    for (UnitPlace place : units) {
      if (place.unit < first_unit) continue;
      place.unit -= first_unit;
      if (place.unit >= side.dataset().units) continue;
      split.back().push_back(place);
      ++listed;
    }
    first_unit += side.dataset().units;
  }
  if (listed == units.size()) return split;
  return FailedPreconditionError(
      fmt::format("the state reads files that are not among the {} of the zip",
                  first_unit));
}

std::vector<UnitPlace> ZippedPlaces::Needed(
    const std::vector<UnitPlace>& listed, uint64_t first, uint64_t end) const {
  const auto split = Split(listed);
  if (!split.ok()) return listed;  // StartAt() says so
  std::vector<UnitPlace> all;
  uint64_t first_unit = 0;
  for (size_t s = 0; s < sides_.size(); ++s) {
    const ZipDataset& dataset = sides_[s].dataset();
    if (dataset.sequence == nullptr) continue;
    const uint64_t begin = dataset.part.begin;
    for (UnitPlace place : dataset.sequence->places().Needed(
             (*split)[s], first + begin, end + begin)) {
      place.unit += first_unit;
      all.push_back(place);
    }
    first_unit += dataset.units;
  }
  return all;
}

}  // namespace penstock
