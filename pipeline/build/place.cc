#include "pipeline/build/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

template <typename T>
void Fill(Tensor& tensor, size_t begin, size_t end, T value) {
  T* const values = reinterpret_cast<T*>(tensor.bytes.data());
  std::fill(values + begin, values + end, value);
}

void FillPad(Tensor& tensor, const TensorSpec& spec, size_t begin, size_t end) {
  switch (spec.type) {
    case ElementType::kInt32:
      return Fill(tensor, begin, end, static_cast<int32_t>(spec.pad_value));
    case ElementType::kInt64:
      return Fill(tensor, begin, end, static_cast<int64_t>(spec.pad_value));
    case ElementType::kFloat32:
      return Fill(tensor, begin, end, static_cast<float>(spec.pad_value));
  }
}

// False where a value does not fit; the loop has no branch, so it vectorises.
bool Narrow(std::span<const int64_t> from, int32_t* to) {
  uint64_t outside = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const auto value = static_cast<uint64_t>(from[i]);
    outside |= (value + 0x80000000u) >> 32;
    to[i] = static_cast<int32_t>(value);
  }
  return outside == 0;
}

Status Outside(std::span<const int64_t> values, const std::string& where,
               const std::string& feature) {
  const auto bad = std::find_if(values.begin(), values.end(), [](int64_t v) {
    return v != static_cast<int32_t>(v);
  });
  return InvalidArgumentError(fmt::format(
      "{}: value {} of feature \"{}\" is {}, which does not fit int32: take "
      "the feature as ElementType::kInt64",
      where, bad - values.begin(), feature, *bad));
}

// Values [0, count) of a row go to [begin, begin + count).
Status CopyRow(const Column& column, const RowRef& row, size_t count,
               const TensorSpec& spec, size_t begin, Tensor& tensor,
               const Locate& locate) {
  if (count == 0) return OkStatus();
  std::byte* const to = tensor.bytes.data() + begin * SizeBytes(spec.type);
  if (column.type == FeatureType::kFloat) {
    std::memcpy(to, column.floats_of(row.row).data(), count * sizeof(float));
    return OkStatus();
  }
  const auto values = column.ints_of(row.row).first(count);
  if (spec.type == ElementType::kInt64) {
    std::memcpy(to, values.data(), count * sizeof(int64_t));
    return OkStatus();
  }
  if (Narrow(values, reinterpret_cast<int32_t*>(to))) return OkStatus();
  return Outside(values, locate(row.record_id), spec.name);
}

}  // namespace

Placer::Placer(const Stages& stages, Contract contract)
    : contract_(std::move(contract)),
      truncate_(stages.too_long() == TooLong::kTruncate) {
  for (size_t c = 0; c < stages.batched.size(); ++c) {
    columns_.push_back(c);
    if (stages.batched[c].length == Feature::kVarying) columns_.push_back(c);
  }
}

StatusOr<Batch> Placer::Place(size_t shape, std::span<const RowRef> rows,
                              const Locate& locate) const {
  Batch batch;
  batch.shape = shape;
  batch.record_ids.reserve(rows.size());
  for (const RowRef& row : rows) batch.record_ids.push_back(row.record_id);
  batch.tensors.resize(contract_.tensors.size());
  for (size_t t = 0; t < contract_.tensors.size(); ++t) {
    Tensor& tensor = batch.tensors[t];
    tensor.shape =
        contract_.ShapeOf(t, shape, static_cast<int64_t>(rows.size()));
    size_t width = 1;  // values of a row
    for (size_t d = 1; d < tensor.shape.size(); ++d) {
      width *= static_cast<size_t>(tensor.shape[d]);
    }
    tensor.bytes.resize(rows.size() * width *
                        SizeBytes(contract_.tensors[t].type));
    switch (contract_.tensors[t].role) {
      case Role::kData:
        PENSTOCK_RETURN_IF_ERROR(PlaceData(t, width, rows, locate, tensor));
        break;
      case Role::kLengths:
        PlaceLengths(t, contract_.lengths[shape], rows, tensor);
        break;
      case Role::kWeights:
        for (size_t r = 0; r < rows.size(); ++r) {
          Fill(tensor, r, r + 1, rows[r].examples == nullptr ? 0.0f : 1.0f);
        }
        break;
    }
  }
  return batch;
}

Status Placer::PlaceData(size_t t, size_t width, std::span<const RowRef> rows,
                         const Locate& locate, Tensor& tensor) const {
  const TensorSpec& spec = contract_.tensors[t];
  for (size_t r = 0; r < rows.size(); ++r) {
    const RowRef& row = rows[r];
    const size_t begin = r * width;
    size_t has = 0;
    if (row.examples != nullptr) {
      const Column& column = row.examples->columns[columns_[t]];
      has = column.values_in(row.row);
      if (has > width && !truncate_) {
        return InvalidArgumentError(fmt::format(
            "{}: feature \"{}\" has {} values, but its batch has length {}: "
            "use longer buckets or TooLong::kTruncate",
            locate(row.record_id), spec.name, has, width));
      }
      has = std::min(has, width);
      PENSTOCK_RETURN_IF_ERROR(
          CopyRow(column, row, has, spec, begin, tensor, locate));
    }
    FillPad(tensor, spec, begin + has, begin + width);
  }
  return OkStatus();
}

// The feature's own tensor comes first and has refused what is too long.
void Placer::PlaceLengths(size_t t, int64_t limit, std::span<const RowRef> rows,
                          Tensor& tensor) const {
  for (size_t r = 0; r < rows.size(); ++r) {
    const RowRef& row = rows[r];
    int64_t has = 0;
    if (row.examples != nullptr) {
      has = static_cast<int64_t>(
          row.examples->columns[columns_[t]].values_in(row.row));
    }
    Fill(tensor, r, r + 1, static_cast<int32_t>(std::min(has, limit)));
  }
}

}  // namespace penstock
