#include "pipeline/row_function.h"

namespace penstock {

void CopyRow(const Column& from, size_t row, Column& to) {
  if (from.type == FeatureType::kBytes) {
    for (uint64_t v = from.row_offsets[row]; v < from.row_offsets[row + 1];
         ++v) {
      to.bytes.append(from.bytes_at(v));
      to.byte_offsets.push_back(to.bytes.size());
    }
  } else if (from.type == FeatureType::kInt64) {
    const auto values = from.ints_of(row);
    to.ints.insert(to.ints.end(), values.begin(), values.end());
  } else {
    const auto values = from.floats_of(row);
    to.floats.insert(to.floats.end(), values.begin(), values.end());
  }
  to.EndRow();
}

}  // namespace penstock
