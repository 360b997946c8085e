#include "pipeline/read/unit_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace penstock {

Status UnitPlaces::Check(UnitPlace place) const {
  if (place.unit < paths_.size()) return OkStatus();
  return FailedPreconditionError(
      fmt::format("the state reads file {}, counted from 0, of {}", place.unit,
                  paths_.size()));
}

void UnitPlaces::Remember(UnitPlace place) {
  const std::lock_guard lock(mutex_);
  const auto at = std::lower_bound(
      places_.begin(), places_.end(), place.unit,
      [](const UnitPlace& known, uint64_t unit) { return known.unit < unit; });
  if (at == places_.end() || at->unit != place.unit) places_.insert(at, place);
}

UnitPlace UnitPlaces::PlaceOf(uint64_t record_id) const {
  const auto after = std::upper_bound(places_.begin(), places_.end(), record_id,
                                      [](uint64_t id, const UnitPlace& place) {
                                        return id < place.first_record;
                                      });
  return after == places_.begin() ? UnitPlace{} : *std::prev(after);
}

std::string UnitPlaces::Locate(uint64_t record_id) const {
  const std::lock_guard lock(mutex_);
  const UnitPlace place = PlaceOf(record_id);
  if (place.unit >= paths_.size()) return fmt::format("record {}", record_id);
  return fmt::format("{}: record {}", paths_[place.unit],
                     record_id - place.first_record);
}

std::vector<UnitPlace> UnitPlaces::Of(
    const std::vector<uint64_t>& record_ids) const {
  std::vector<UnitPlace> units;
  {
    const std::lock_guard lock(mutex_);
    for (const uint64_t id : record_ids) {
      const UnitPlace place = PlaceOf(id);
      // Most lie in the unit of the one before.
      if (units.empty() || units.back() != place) units.push_back(place);
    }
  }
  std::ranges::sort(units, {}, &UnitPlace::unit);
  const auto twice = std::ranges::unique(units);
  units.erase(twice.begin(), twice.end());
  units.resize(std::min(units.size(), kMostListed));
  return units;
}

std::vector<UnitPlace> UnitPlaces::Needed(const std::vector<UnitPlace>& listed,
                                          uint64_t first, uint64_t end) const {
  std::vector<UnitPlace> needed;
  for (const UnitPlace& place : listed) {
    if (place.first_record <= first) needed.clear();
    if (place.first_record <= end) needed.push_back(place);
  }
  return needed;
}

}  // namespace penstock
