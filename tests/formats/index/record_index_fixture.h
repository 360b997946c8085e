// Verbs for tests that look at indexes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/index/record_index.h"

namespace penstock::testing {

// The offset of every record; the lengths are verified, too.
inline StatusOr<std::vector<uint64_t>> OffsetsOf(const RecordIndex& index) {
  std::vector<uint64_t> offsets;
  for (uint64_t i = 0; i < index.records(); ++i) {
    const auto place = index.Find(i);
    if (!place.ok()) return place.status();
    offsets.push_back(place->offset);
  }
  for (const std::string& name : index.column_names()) {
    const auto lengths = index.Lengths(name);
    if (!lengths.ok()) return lengths.status();
  }
  return offsets;
}

}  // namespace penstock::testing
