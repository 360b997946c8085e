#include "pipeline/mask_view.h"

#include <cstring>

namespace penstock {
namespace {

constexpr int64_t kValueBytes = sizeof(int32_t);

MaskView ViewOf(const Tensor& ids, int64_t queries, int64_t query_stride,
                int64_t key_stride) {
  const int64_t rows = ids.shape[0];
  const int64_t length = ids.shape[1];
  return {.shape = {rows, 1, queries, length},
          .strides_bytes = {length * kValueBytes, 0, query_stride, key_stride},
          .values = ids.bytes.data()};
}

}  // namespace

int32_t MaskView::At(const std::vector<int64_t>& index) const {
  const std::byte* at = values;
  for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides_bytes[d];
  int32_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

MaskView KeySegments(const Tensor& segment_ids) {
  return ViewOf(segment_ids, 1, 0, kValueBytes);
}

MaskView KeySegmentsOfQueries(const Tensor& segment_ids) {
  return ViewOf(segment_ids, segment_ids.shape[1], 0, kValueBytes);
}

MaskView QuerySegmentsOfKeys(const Tensor& segment_ids) {
  return ViewOf(segment_ids, segment_ids.shape[1], kValueBytes, 0);
}

uint64_t KeyMaskBytes(int64_t rows, int64_t length) {
  return static_cast<uint64_t>(rows) * static_cast<uint64_t>(length);
}

uint64_t PairMaskBytes(int64_t rows, int64_t length) {
  return KeyMaskBytes(rows, length) * static_cast<uint64_t>(length);
}

}  // namespace penstock
