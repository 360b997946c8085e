#include "pipeline/build/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "formats/example/example_parser.h"
#include "formats/files/status_or.h"
#include "pipeline/build/copy_values.h"
#include "pipeline/graph/tensors.h"

namespace penstock {
namespace {

template <typename T>
T& ValueOf(Tensor& tensor, size_t row) {
  return reinterpret_cast<T*>(tensor.bytes.data())[row];
}

// Of a row of values of fixed size.
uint64_t RowBytes(const TensorSpec& spec) {
  uint64_t bytes = SizeBytes(spec.type);
  for (const int64_t size : spec.row_shape) {
    bytes *= static_cast<uint64_t>(size);
  }
  return bytes;
}

}  // namespace

Placer::Placer(const Stages& stages, Contract contract, uint64_t dataset)
    : contract_(std::move(contract)),
      truncate_(stages.too_long() == TooLong::kTruncate),
      derivers_(MakeDerivers(stages, dataset)) {
  const auto* const fill = stages.objective
                               ? std::get_if<FillInMiddle>(&*stages.objective)
                               : nullptr;
  for (const BatchTensor& tensor : TensorsOf(stages)) {
    Source& source = sources_.emplace_back();
    if (!tensor.feature) continue;
    source.lengths = stages.LengthsOf(stages.batched[*tensor.feature].name);
    source.feature = PlaceOf(stages, *tensor.feature);
    source.pad_bits = ValueBits(tensor.spec.type, tensor.spec.pad_value);
    if (tensor.spec.role == Role::kData &&
        stages.batched[*tensor.feature].type == FeatureType::kBytes &&
        RowBytes(tensor.spec) >= kLongValueBytes) {
      long_features_.push_back({.tensor = sources_.size() - 1,
                                .column = *tensor.feature,
                                .name = tensor.spec.name,
                                .row_bytes = RowBytes(tensor.spec)});
    }
    if (fill != nullptr && tensor.spec.name == fill->of) {
      source.fill_in_middle =
          std::make_shared<const FillInMiddleWriter>(*fill, dataset);
    }
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
        ValueOf<int32_t>(tensor, row) = static_cast<int32_t>(CountValues(
            t, pieces, static_cast<size_t>(sources_[t].lengths[batch.shape])));
        break;
      case Role::kPresence:
        ValueOf<float>(tensor, row) =
            CountValues(t, pieces, 1) > 0 ? 1.0f : 0.0f;
        break;
      case Role::kWeights:
        ValueOf<float>(tensor, row) = pieces.empty() ? 0.0f : 1.0f;
        break;
      case Role::kDerived:
      case Role::kObjective:
        break;
    }
  }
  for (const auto& deriver : derivers_) {
    PENSTOCK_RETURN_IF_ERROR(deriver->Derive({pieces, row, locate}, batch));
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
  const RowRuns runs(pieces, source.feature, width);
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run run = runs[i];
    if (run.unaligned) {
      const Column& by = run.from->from.ColumnOf(source.feature.by);
      return InvalidArgumentError(fmt::format(
          "{}: feature \"{}\" has {} values, and \"{}\" {}: in packed rows "
          "they go together, value by value",
          locate(run.record()), spec.name, run.has, by.name,
          by.values_in(run.from->from.row)));
    }
    if (run.cut) {
      if (!truncate_) {
        return InvalidArgumentError(fmt::format(
            "{}: feature \"{}\" has more than the {} values of its batch's "
            "length: use longer buckets or TooLong::kTruncate",
            locate(run.record()), spec.name, run.count));
      }
      ++cut_rows;
    }
    const ValueRange values = {.column = run.column,
                               .row = run.from->from.row,
                               .begin = run.begin,
                               // One value of bytes has all of a row.
                               .count = run.column->type == FeatureType::kBytes
                                            ? run.count * width
                                            : run.count};
    FillValues(source.pad_bits, spec.type, first + filled, first + run.place,
               tensor);
    filled = run.place + values.count;
    const std::vector<bool>* const in_place = run.from->from.in_place;
    if (in_place != nullptr && (*in_place)[source.feature.column]) continue;
    PENSTOCK_RETURN_IF_ERROR(
        source.fill_in_middle ? source.fill_in_middle->Write(
                                    values, spec, first + run.place,
                                    batch.epoch, tensor, locate, run.record())
                              : CopyValues(values, spec, first + run.place,
                                           tensor, locate, run.record()));
  }
  FillValues(source.pad_bits, spec.type, first + filled, first + width, tensor);
  return OkStatus();
}

// The feature's own tensor comes first and has refused what is too long.
size_t Placer::CountValues(size_t t, std::span<const PlacedPiece> pieces,
                           size_t width) const {
  const RowRuns runs(pieces, sources_[t].feature, width);
  size_t count = 0;
  for (size_t i = 0; i < runs.size(); ++i) count += runs[i].count;
  return std::min(count, width);
}

}  // namespace penstock
