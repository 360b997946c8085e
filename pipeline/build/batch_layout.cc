#include "pipeline/build/batch_layout.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 63;

uint64_t Times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost
                                                : std::min(product, kMost);
}

uint64_t TensorBytes(const Contract& contract, size_t t, size_t shape,
                     int64_t rows) {
  const TensorSpec& tensor = contract.tensors[t];
  uint64_t bytes = Times(SizeBytes(tensor.type), static_cast<uint64_t>(rows));
  for (size_t d = 0; d < tensor.row_shape.size(); ++d) {
    bytes =
        Times(bytes, static_cast<uint64_t>(contract.RowDimension(t, d, shape)));
  }
  return std::min(kMost, (bytes + kTensorAlignment - 1) / kTensorAlignment *
                             kTensorAlignment);
}

}  // namespace

uint64_t BatchBytes(const Contract& contract, size_t shape, int64_t rows) {
  uint64_t bytes = 0;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    bytes = std::min(kMost, bytes + TensorBytes(contract, t, shape, rows));
  }
  return bytes;
}

Status GiveMemory(const Contract& contract, int64_t rows, BufferPool& pool,
                  Batch& batch) {
  PENSTOCK_ASSIGN_OR_RETURN(batch.memory,
                            pool.Get(BatchBytes(contract, batch.shape, rows)));
  batch.tensors.resize(contract.tensors.size());
  size_t offset = 0;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    Tensor& tensor = batch.tensors[t];
    tensor.shape = contract.ShapeOf(t, batch.shape, rows);
    size_t bytes = SizeBytes(contract.tensors[t].type);
    for (const int64_t size : tensor.shape) bytes *= static_cast<size_t>(size);
    tensor.bytes = {batch.memory.get() + offset, bytes};
    offset += TensorBytes(contract, t, batch.shape, rows);
  }
  return OkStatus();
}

}  // namespace penstock
