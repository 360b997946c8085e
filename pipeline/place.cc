#include "pipeline/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "formats/status.h"

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

absl::Status Outside(std::span<const int64_t> values, const std::string& where,
                     const std::string& feature) {
  const auto bad = std::find_if(values.begin(), values.end(), [](int64_t v) {
    return v != static_cast<int32_t>(v);
  });
  return absl::InvalidArgumentError(fmt::format(
      "{}: value {} of feature \"{}\" is {}, which does not fit int32: take "
      "the feature as ElementType::kInt64",
      where, bad - values.begin(), feature, *bad));
}

// Values [0, count) of a row go to [begin, begin + count).
absl::Status CopyRow(const Column& column, const RowRef& row, size_t count,
                     const TensorSpec& spec, size_t begin, Tensor& tensor,
                     const Locate& locate) {
  if (count == 0) return absl::OkStatus();
  std::byte* const to = tensor.bytes.data() + begin * SizeBytes(spec.type);
  if (column.type == FeatureType::kFloat) {
    std::memcpy(to, column.floats_of(row.row).data(), count * sizeof(float));
    return absl::OkStatus();
  }
  const auto values = column.ints_of(row.row).first(count);
  if (spec.type == ElementType::kInt64) {
    std::memcpy(to, values.data(), count * sizeof(int64_t));
    return absl::OkStatus();
  }
  if (Narrow(values, reinterpret_cast<int32_t*>(to))) return absl::OkStatus();
  return Outside(values, locate(row.record_id), spec.name);
}

}  // namespace

Placer::Placer(const Stages& stages, Contract contract)
    : contract_(std::move(contract)),
      truncate_(stages.too_long() == TooLong::kTruncate) {
  for (size_t c = 0; c < stages.batched.size(); ++c) {
    const Feature& feature = stages.batched[c];
    const Origin origin = {c, feature.type, feature.name};
    origins_.push_back(origin);
    if (feature.length == Feature::kVarying) origins_.push_back(origin);
  }
  origins_.push_back({});  // the row mask
}

absl::StatusOr<Batch> Placer::Place(size_t shape, std::span<const RowRef> rows,
                                    const Locate& locate) const {
  Batch batch;
  batch.shape = shape;
  batch.record_ids.reserve(rows.size());
  for (const RowRef& row : rows) batch.record_ids.push_back(row.record_id);
  batch.tensors.resize(contract_.tensors.size());
  for (size_t t = 0; t < contract_.tensors.size(); ++t) {
    const TensorSpec& spec = contract_.tensors[t];
    Tensor& tensor = batch.tensors[t];
    tensor.shape =
        contract_.ShapeOf(t, shape, static_cast<int64_t>(rows.size()));
    size_t width = 1;  // values of a row
    for (size_t d = 1; d < tensor.shape.size(); ++d) {
      width *= static_cast<size_t>(tensor.shape[d]);
    }
    tensor.bytes.resize(rows.size() * width * SizeBytes(spec.type));
    const bool varying = !spec.row_shape.empty() &&
                         spec.row_shape[0] == TensorSpec::kBucketLength;
    for (size_t r = 0; r < rows.size(); ++r) {
      const RowRef& row = rows[r];
      if (spec.role == Role::kWeights) {
        Fill(tensor, r, r + 1, row.examples == nullptr ? 0.0f : 1.0f);
        continue;
      }
      if (row.examples == nullptr) {
        FillPad(tensor, spec, r * width, (r + 1) * width);
        continue;
      }
      const Column& column = row.examples->columns[origins_[t].column];
      const size_t has = column.values_in(row.row);
      if (spec.role == Role::kLengths) {
        // The feature's own tensor, one before, has checked the length.
        const auto limit = static_cast<size_t>(contract_.lengths[shape]);
        Fill(tensor, r, r + 1, static_cast<int32_t>(std::min(has, limit)));
        continue;
      }
      if (has > width && !truncate_) {
        return absl::InvalidArgumentError(fmt::format(
            "{}: feature \"{}\" has {} values, but its batch has length {}: "
            "use longer buckets or TooLong::kTruncate",
            locate(row.record_id), origins_[t].feature, has, width));
      }
      const size_t count = std::min(has, width);
      PENSTOCK_RETURN_IF_ERROR(
          CopyRow(column, row, count, spec, r * width, tensor, locate));
      if (varying || count < width) {
        FillPad(tensor, spec, r * width + count, (r + 1) * width);
      }
    }
  }
  return batch;
}

}  // namespace penstock
