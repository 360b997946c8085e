// Where files that are read in sequence begin among the records of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/status.h"
#include "pipeline/read/places.h"
#include "pipeline/state.h"

namespace penstock {

// Units are files; they are known once they were opened, and the same in every
// epoch.
class UnitPlaces final : public Places {
 public:
  // So many a state lists, at most. What lies in others is found by reading on
  // from the last of them.
  static constexpr size_t kMostListed = 16;

  explicit UnitPlaces(std::vector<std::string> paths)
      : paths_(std::move(paths)) {}

  const std::vector<std::string>& paths() const { return paths_; }

  // kFailedPrecondition for a place of a state in a file that is not there.
  Status Check(UnitPlace place) const;

  void Remember(UnitPlace place);

  std::string Locate(uint64_t record_id) const override;
  // The first kMostListed.
  std::vector<UnitPlace> Of(
      const std::vector<uint64_t>& record_ids) const override;
  std::vector<UnitPlace> Needed(const std::vector<UnitPlace>& listed,
                                uint64_t first, uint64_t end) const override;

 private:
  UnitPlace PlaceOf(uint64_t record_id) const;  // locked

  const std::vector<std::string> paths_;
  mutable std::mutex mutex_;
  std::vector<UnitPlace> places_;  // rising
};

}  // namespace penstock
