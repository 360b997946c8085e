#include "infeed/sharding/core_slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/sharding/slice_cuts.h"
#include "infeed/sharding/slice_layout.h"

namespace penstock {
namespace {

Status CheckTensor(const Contract& contract, size_t t, const Batch& batch) {
  const TensorSpec& spec = contract.tensors[t];
  const Tensor& tensor = batch.tensors[t];
  const auto rows = static_cast<int64_t>(batch.rows());
  bool as_declared = tensor.shape.size() == 1 + spec.row_shape.size() &&
                     tensor.shape[0] == rows;
  for (size_t d = 0; as_declared && d < spec.row_shape.size(); ++d) {
    as_declared =
        tensor.shape[d + 1] == contract.RowDimension(t, d, batch.shape);
  }
  if (!as_declared) {
    return InternalError(fmt::format(
        "tensor {} of step {} has shape [{}], but the contract declares [{}]",
        spec.name, batch.step, fmt::join(tensor.shape, ", "),
        fmt::join(contract.ShapeOf(t, batch.shape, rows), ", ")));
  }
  uint64_t bytes = SizeBytes(spec.type);
  for (const int64_t size : tensor.shape) bytes *= static_cast<uint64_t>(size);
  if (tensor.bytes.size() != bytes) {
    return InternalError(fmt::format(
        "tensor {} of step {} holds {} bytes, but {} [{}] has {}", spec.name,
        batch.step, tensor.bytes.size(), ElementTypeName(spec.type),
        fmt::join(tensor.shape, ", "), bytes));
  }
  return OkStatus();
}

}  // namespace

uint64_t TensorView::packed_bytes() const {
  uint64_t bytes = SizeBytes(spec->type);
  for (const int64_t size : padded_shape.empty() ? shape : padded_shape) {
    bytes *= static_cast<uint64_t>(size);
  }
  return bytes;
}

void TensorView::PackTo(std::span<std::byte> out) const {
  if (dense()) {
    std::ranges::copy(bytes, out.begin());
    return;
  }
  const std::vector<std::byte> zero(SizeBytes(spec->type));
  PackBlock(
      bytes, shape,
      strides_bytes.empty() ? DenseStrides(shape, zero.size()) : strides_bytes,
      padded_shape.empty() ? shape : padded_shape, zero, out);
}

StatusOr<CoreSlice> CoreSlice::Create(std::shared_ptr<const Batch> batch,
                                      std::shared_ptr<const Contract> contract,
                                      SlicePlace place) {
  if (batch->shape >= contract->shapes()) {
    return InternalError(
        fmt::format("step {} has shape number {}, but the contract declares {} "
                    "shapes",
                    batch->step, batch->shape, contract->shapes()));
  }
  if (batch->tensors.size() != contract->tensors.size()) {
    return InternalError(fmt::format(
        "step {} has {} tensors, but the contract declares {}", batch->step,
        batch->tensors.size(), contract->tensors.size()));
  }
  if (batch->row_offsets.empty() ||
      batch->row_offsets.back() != batch->record_ids.size()) {
    return InternalError(
        fmt::format("step {} has no records for each row", batch->step));
  }
  if (!batch->record_begins.empty() &&
      batch->record_begins.size() != batch->record_ids.size()) {
    return InternalError(
        fmt::format("step {} has no beginning for each record", batch->step));
  }
  if (place.of_shape != nullptr) {
    place.row_begin = (*place.of_shape)[batch->shape].begin;
    place.rows = (*place.of_shape)[batch->shape].count;
  }
  if (place.row_begin < 0 || place.rows < 0 ||
      place.row_begin + place.rows > static_cast<int64_t>(batch->rows())) {
    return InternalError(fmt::format(
        "device {} takes rows [{}, {}) of step {}, but this host's batch has "
        "{} rows",
        place.device, place.row_begin, place.row_begin + place.rows,
        batch->step, batch->rows()));
  }
  for (size_t t = 0; t < contract->tensors.size(); ++t) {
    PENSTOCK_RETURN_IF_ERROR(CheckTensor(*contract, t, *batch));
  }
  return CoreSlice(std::move(batch), std::move(contract), std::move(place));
}

CoreSlice::CoreSlice(std::shared_ptr<const Batch> batch,
                     std::shared_ptr<const Contract> contract, SlicePlace place)
    : batch_(std::move(batch)),
      contract_(std::move(contract)),
      place_(std::move(place)),
      size_bytes_(place_.cuts != nullptr
                      ? place_.cuts->size_bytes[batch_->shape]
                      : contract_->RowBytes(batch_->shape) *
                            static_cast<uint64_t>(place_.rows)) {}

CoreSlice CoreSlice::Of(std::shared_ptr<const Batch> same) const {
  CoreSlice slice = *this;
  slice.batch_ = std::move(same);
  return slice;
}

CoreSlice CoreSlice::AllOf(std::shared_ptr<const Batch> rows) const {
  CoreSlice slice = Of(std::move(rows));
  slice.place_.row_begin = 0;
  return slice;
}

std::span<const uint64_t> CoreSlice::record_ids() const {
  const auto offsets = row_offsets();
  return std::span(batch_->record_ids)
      .subspan(offsets.front(), offsets.back() - offsets.front());
}

std::span<const uint32_t> CoreSlice::record_begins() const {
  if (batch_->record_begins.empty()) return {};
  const auto offsets = row_offsets();
  return std::span(batch_->record_begins)
      .subspan(offsets.front(), offsets.back() - offsets.front());
}

std::span<const uint32_t> CoreSlice::row_offsets() const {
  return std::span(batch_->row_offsets)
      .subspan(static_cast<size_t>(place_.row_begin),
               static_cast<size_t>(place_.rows) + 1);
}

uint64_t CoreSlice::pad_rows() const {
  const auto offsets = row_offsets();
  uint64_t pads = 0;
  for (size_t row = 0; row + 1 < offsets.size(); ++row) {
    pads += offsets[row] == offsets[row + 1] ? 1 : 0;
  }
  return pads;
}

TensorView CoreSlice::WholeRows(size_t t) const {
  const Tensor& whole = batch_->tensors[t];
  const size_t rows = batch_->rows();
  const size_t row_bytes = rows == 0 ? 0 : whole.bytes.size() / rows;
  TensorView view{.spec = &contract_->tensors[t], .shape = whole.shape};
  view.shape[0] = place_.rows;
  view.bytes = std::span(whole.bytes)
                   .subspan(static_cast<size_t>(place_.row_begin) * row_bytes,
                            static_cast<size_t>(place_.rows) * row_bytes);
  return view;
}

TensorView CoreSlice::tensor(size_t t) const {
  if (place_.cuts == nullptr) return WholeRows(t);
  const TensorCut& cut = place_.cuts->of_shape[batch_->shape][t];
  const Tensor& whole = batch_->tensors[t];
  const TensorSpec& spec = contract_->tensors[t];
  SliceLayout layout = LayoutOf(whole.shape, cut.block, SizeBytes(spec.type));
  TensorView view{.spec = &spec};
  if (!whole.bytes.empty()) {
    view.bytes =
        std::span(whole.bytes).subspan(layout.offset_bytes, layout.span_bytes);
  }
  for (const IndexRange& range : cut.block) view.shape.push_back(range.size());
  if (!layout.dense()) view.strides_bytes = std::move(layout.strides_bytes);
  if (view.shape != cut.shard) view.padded_shape = cut.shard;
  return view;
}

std::optional<TensorView> CoreSlice::Find(std::string_view name) const {
  for (size_t t = 0; t < contract_->tensors.size(); ++t) {
    if (contract_->tensors[t].name == name) return tensor(t);
  }
  return std::nullopt;
}

}  // namespace penstock
