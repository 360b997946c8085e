#include "pipeline/row_function.h"

namespace penstock {
namespace {

template <typename Values, typename To>
void CopyAll(const Values& values, To& to) {
  to.insert(to.end(), values.begin(), values.end());
}

void CopyInts(const Column& from, size_t row, Column& to) {
  if (to.narrow != from.narrow) {
    if (to.narrow) to.Widen();
    if (to.values() == 0) to.narrow = from.narrow;
  }
  if (to.narrow) return CopyAll(from.narrow_ints_of(row), to.narrow_ints);
  from.narrow ? CopyAll(from.narrow_ints_of(row), to.ints)
              : CopyAll(from.ints_of(row), to.ints);
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
