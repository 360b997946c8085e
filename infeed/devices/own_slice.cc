#include "infeed/devices/own_slice.h"

#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace penstock {
namespace {

constexpr std::align_val_t kOwnAlignment{kTensorAlignment};

struct FreeOwned {
  void operator()(std::byte* memory) const {
    ::operator delete[](memory, kOwnAlignment);
  }
};

size_t AlignUp(size_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

Batch OwnRows(const CoreSlice& of) {
  const Batch& whole = of.batch();
  const auto offsets = of.row_offsets();
  const auto ids = of.record_ids();
  const auto begins = of.record_begins();
  Batch batch = {.step = whole.step,
                 .epoch = whole.epoch,
                 .shape = whole.shape,
                 .record_ids = {ids.begin(), ids.end()},
                 .record_begins = {begins.begin(), begins.end()},
                 .state_after = whole.state_after};
  for (const uint32_t offset : offsets) {
    batch.row_offsets.push_back(offset - offsets.front());
  }
  return batch;
}

}  // namespace

std::shared_ptr<const Batch> WithoutBytes(const Batch& batch) {
  auto bare = std::make_shared<Batch>(batch);
  for (Tensor& tensor : bare->tensors) tensor.bytes = {};
  bare->memory = nullptr;
  return bare;
}

StatusOr<CoreSlice> OwnSlice(
    const CoreSlice& of,
    FunctionRef<Status(size_t t, std::span<std::byte> out)> fill) {
  if (!of.is_cut_by_rows()) {
    return UnimplementedError(
        "only slices of whole rows are brought back from a device: leave out "
        "the shardings of other dimensions");
  }
  const Contract& contract = of.contract();
  Batch batch = OwnRows(of);
  std::vector<size_t> sizes;
  size_t end = 0;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    Tensor& tensor = batch.tensors.emplace_back();
    tensor.shape = contract.ShapeOf(t, of.shape(), of.rows());
    size_t bytes = SizeBytes(contract.tensors[t].type);
    for (const int64_t size : tensor.shape) bytes *= static_cast<size_t>(size);
    sizes.push_back(bytes);
    end += AlignUp(bytes);
  }
  try {
    std::unique_ptr<std::byte[], FreeOwned> memory(
        static_cast<std::byte*>(::operator new[](end + 1, kOwnAlignment)));
    batch.memory = std::move(memory);
  } catch (const std::bad_alloc&) {
    return ResourceExhaustedError("not enough memory for a device's slice");
  }
  std::byte* at = batch.memory.get();
  for (size_t t = 0; t < sizes.size(); ++t) {
    batch.tensors[t].bytes = {at, sizes[t]};
    at += AlignUp(sizes[t]);
    PENSTOCK_RETURN_IF_ERROR(fill(t, batch.tensors[t].bytes));
  }
  return of.AllOf(std::make_shared<const Batch>(std::move(batch)));
}

}  // namespace penstock
