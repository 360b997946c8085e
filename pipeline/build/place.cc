#include "pipeline/build/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/build/narrow.h"

namespace penstock {
namespace {

template <typename T>
T* Values(Tensor& tensor, size_t begin) {
  return reinterpret_cast<T*>(tensor.bytes.data()) + begin;
}

void FillPad(Tensor& tensor, const TensorSpec& spec, size_t begin, size_t end) {
  const size_t count = end - begin;
  switch (spec.type) {
    case ElementType::kInt32:
      std::fill_n(Values<int32_t>(tensor, begin), count,
                  static_cast<int32_t>(spec.pad_value));
      return;
    case ElementType::kInt64:
      std::fill_n(Values<int64_t>(tensor, begin), count,
                  static_cast<int64_t>(spec.pad_value));
      return;
    case ElementType::kFloat32:
      std::fill_n(Values<float>(tensor, begin), count,
                  static_cast<float>(spec.pad_value));
      return;
  }
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

// Values [begin, begin + count) of a row go to `to` and behind it.
Status CopyValues(const Column& column, size_t row, size_t begin, size_t count,
                  const TensorSpec& spec, size_t to, Tensor& tensor,
                  const Locate& locate, uint64_t record) {
  if (count == 0) return OkStatus();
  if (column.type == FeatureType::kFloat) {
    std::memcpy(Values<float>(tensor, to), column.floats_of(row).data() + begin,
                count * sizeof(float));
    return OkStatus();
  }
  const auto values = column.ints_of(row).subspan(begin, count);
  if (spec.type == ElementType::kInt64) {
    std::memcpy(Values<int64_t>(tensor, to), values.data(),
                count * sizeof(int64_t));
    return OkStatus();
  }
  if (Narrow(values, Values<int32_t>(tensor, to))) return OkStatus();
  return Outside(values, locate(record), spec.name);
}

}  // namespace

Placer::Placer(const Stages& stages, Contract contract)
    : contract_(std::move(contract)),
      truncate_(stages.too_long() == TooLong::kTruncate),
      packed_(stages.pack.has_value()) {
  for (size_t c = 0; c < stages.batched.size(); ++c) {
    const Feature& feature = stages.batched[c];
    const Source source = {.column = c,
                           .arranges = feature.name == stages.by(),
                           .varying = feature.length == Feature::kVarying,
                           .optional = feature.optional};
    if (source.arranges) by_column_ = c;
    sources_.push_back(source);
    // Its lengths, or whether it is there.
    if (source.varying || feature.optional) sources_.push_back(source);
  }
}

Status Placer::Place(std::span<const PlacedPiece> pieces, size_t row,
                     const Locate& locate, Batch& batch,
                     uint64_t& cut_rows) const {
  for (size_t t = 0; t < contract_.tensors.size(); ++t) {
    Tensor& tensor = batch.tensors[t];
    switch (contract_.tensors[t].role) {
      case Role::kData:
        PENSTOCK_RETURN_IF_ERROR(
            PlaceData(t, pieces, row, locate, batch, cut_rows));
        break;
      case Role::kLengths:
        *Values<int32_t>(tensor, row) = static_cast<int32_t>(
            CountValues(t, pieces, contract_.lengths[batch.shape]));
        break;
      case Role::kPresence:
        *Values<float>(tensor, row) =
            CountValues(t, pieces, 1) > 0 ? 1.0f : 0.0f;
        break;
      case Role::kWeights:
        *Values<float>(tensor, row) = pieces.empty() ? 0.0f : 1.0f;
        break;
    }
  }
  return OkStatus();
}

Status Placer::PlaceData(size_t t, std::span<const PlacedPiece> pieces,
                         size_t row, const Locate& locate, Batch& batch,
                         uint64_t& cut_rows) const {
  const TensorSpec& spec = contract_.tensors[t];
  const Source& source = sources_[t];
  Tensor& tensor = batch.tensors[t];
  size_t width = 1;  // values of a row
  for (size_t d = 1; d < tensor.shape.size(); ++d) {
    width *= static_cast<size_t>(tensor.shape[d]);
  }
  const size_t first = row * width;
  size_t filled = 0;  // values of the row that are written
  for (const PlacedPiece& placed : pieces) {
    const Column& column = placed.from.examples->columns[source.column];
    const size_t has = column.values_in(placed.from.row);
    const size_t place = source.varying ? placed.piece.place : 0;
    size_t begin = 0;
    size_t count = has;
    if (source.arranges) {
      begin = placed.piece.begin - placed.from.begin;
      count = placed.piece.length;
    } else if (packed_) {
      PENSTOCK_RETURN_IF_ERROR(
          CheckGoesWith(placed, source, spec.name, locate));
      if (has > 0) {
        begin = placed.piece.begin - placed.from.begin;
        count = placed.piece.length;
      }
    } else if (count > width - place) {
      if (!truncate_) {
        return InvalidArgumentError(fmt::format(
            "{}: feature \"{}\" has more than the {} values of its batch's "
            "length: use longer buckets or TooLong::kTruncate",
            locate(placed.piece.record), spec.name, width - place));
      }
      ++cut_rows;
      count = width - place;
    }
    FillPad(tensor, spec, first + filled, first + place);
    PENSTOCK_RETURN_IF_ERROR(CopyValues(column, placed.from.row, begin, count,
                                        spec, first + place, tensor, locate,
                                        placed.piece.record));
    filled = place + count;
  }
  FillPad(tensor, spec, first + filled, first + width);
  return OkStatus();
}

Status Placer::CheckGoesWith(const PlacedPiece& placed, const Source& source,
                             const std::string& name,
                             const Locate& locate) const {
  const std::vector<Column>& columns = placed.from.examples->columns;
  const size_t has = columns[source.column].values_in(placed.from.row);
  const size_t by = columns[by_column_].values_in(placed.from.row);
  if (has == by || (has == 0 && source.optional)) return OkStatus();
  return InvalidArgumentError(fmt::format(
      "{}: feature \"{}\" has {} values, and \"{}\" {}: in packed rows they go "
      "together, value by value",
      locate(placed.piece.record), name, has, columns[by_column_].name, by));
}

// The feature's own tensor comes first and has refused what is too long.
int64_t Placer::CountValues(size_t t, std::span<const PlacedPiece> pieces,
                            int64_t width) const {
  const Source& source = sources_[t];
  int64_t count = 0;
  for (const PlacedPiece& placed : pieces) {
    count += source.arranges || packed_
                 ? int64_t{placed.piece.length}
                 : static_cast<int64_t>(
                       placed.from.examples->columns[source.column].values_in(
                           placed.from.row));
  }
  return std::min(count, width);
}

}  // namespace penstock
