// Rows so short that they cost little but what is asked of each.
#include <cstddef>
#include <cstdint>

#include "pipeline/build/place.h"

namespace penstock {
namespace {

// Values of a row: one of more is copied as fast as memory is.
constexpr size_t kMostWidth = 64;
constexpr size_t kAtOnce = 8;

// A row of `count` values and padding, where as many can be read as there is
// room: no branch depends on how many there are, which nobody can predict.
void CopyPadded(const int32_t* __restrict from, size_t count, int32_t pad,
                size_t width, int32_t* __restrict to) {
  const auto end = static_cast<int32_t>(count);
  for (size_t begin = 0; begin < width; begin += kAtOnce) {
    for (size_t k = 0; k < kAtOnce; ++k) {
      const int32_t value = from[begin + k];
      to[begin + k] = static_cast<int32_t>(begin + k) < end ? value : pad;
    }
  }
}

}  // namespace

size_t Placer::PlaceShort(size_t t, const RowsToPlace& rows,
                          Batch& batch) const {
  const Source& source = sources_[t];
  const FeaturePlace& feature = source.feature;
  const size_t width = source.widths[batch.shape];
  const bool has_short = rows.offsets.empty() &&
                         contract_.tensors[t].type == ElementType::kInt32 &&
                         width <= kMostWidth && width % kAtOnce == 0;
  const bool is_plain = feature.arranges && !feature.pads_left &&
                        !feature.cuts_left && source.fill_in_middle == nullptr;
  if (!has_short || !is_plain) return 0;
  const bool counts = t + 1 < sources_.size() && sources_[t + 1].counted;
  const auto pad = static_cast<int32_t>(source.pad_bits);
  auto* to = reinterpret_cast<int32_t*>(batch.tensors[t].bytes.data()) +
             rows.first * width;
  for (size_t i = 0; i < rows.pieces.size(); ++i, to += width) {
    const auto& [piece, row] = rows.pieces[i];
    const Column& column = row.ColumnOf(feature.column);
    if (!column.narrow || piece.place != 0) return i;
    const size_t from = column.row_offsets[row.row] + piece.begin - row.begin;
    if (column.narrow_ints.size() - from < width) return i;
    CopyPadded(column.narrow_ints.data() + from, piece.length, pad, width, to);
    if (counts) PutCount(t + 1, piece.length, rows.first + i, batch);
  }
  return rows.pieces.size();
}

}  // namespace penstock
