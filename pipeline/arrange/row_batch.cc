#include "pipeline/arrange/row_batch.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace penstock {

void AssignWholeRows(size_t shape, uint64_t batch_rows, Assignment& out) {
  out.shape = shape;
  out.real_rows = out.pieces.size();
  out.row_offsets.resize(batch_rows + 1);
  const auto real_end =
      out.row_offsets.begin() + static_cast<std::ptrdiff_t>(out.real_rows);
  std::iota(out.row_offsets.begin(), real_end, 0);
  std::fill(real_end, out.row_offsets.end(),
            static_cast<uint32_t>(out.real_rows));
}

}  // namespace penstock
