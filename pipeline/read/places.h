// Where the records of a sequence lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/state.h"

namespace penstock {

// Threads: any number at a time.
class Places {
 public:
  virtual ~Places() = default;

  // "b.jsonl: record 17", for a record that was read.
  virtual std::string Locate(uint64_t record_id) const = 0;
  // State::units of these records, which were read or come next: rising, each
  // once.
  virtual std::vector<UnitPlace> Of(
      const std::vector<uint64_t>& record_ids) const = 0;
  // Of those that a state lists: where records from `first` to `end` lie, of
  // which `end` comes next. From the last of them on no file is left out.
  virtual std::vector<UnitPlace> Needed(const std::vector<UnitPlace>& listed,
                                        uint64_t first, uint64_t end) const = 0;
};

}  // namespace penstock
