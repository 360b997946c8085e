#include "pipeline/row_function.h"

#include <algorithm>
#include <cstddef>

namespace penstock {
namespace {

void CopyInts(const Column& from, size_t row, Column& to) {
  if (to.narrow != from.narrow) {
    if (to.narrow) to.Widen();
    if (to.values() == 0) to.narrow = from.narrow;
  }
  if (to.narrow) {
    // insert() would construct one after the other.
    const auto values = from.narrow_ints_of(row);
    const size_t before = to.narrow_ints.size();
    to.narrow_ints.resize(before + values.size());
    std::copy_n(values.data(), values.size(), to.narrow_ints.data() + before);
  } else if (from.narrow) {
    const auto values = from.narrow_ints_of(row);
    to.ints.insert(to.ints.end(), values.begin(), values.end());
  } else {
    const auto values = from.ints_of(row);
    to.ints.insert(to.ints.end(), values.begin(), values.end());
  }
}

}  // namespace

void CopyRow(const Column& from, size_t row, Column& to) {
  if (from.type == FeatureType::kBytes) {
    for (uint64_t v = from.row_offsets[row]; v < from.row_offsets[row + 1];
         ++v) {
      to.bytes.append(from.bytes_at(v));
      to.byte_offsets.push_back(to.bytes.size());
    }
  } else if (from.type == FeatureType::kInt64) {
    CopyInts(from, row, to);
  } else {
    const auto values = from.floats_of(row);
    to.floats.insert(to.floats.end(), values.begin(), values.end());
  }
  to.EndRow();
}

}  // namespace penstock
