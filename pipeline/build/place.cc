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
void Put(T value, size_t row, Tensor& tensor) {
  reinterpret_cast<T*>(tensor.bytes.data())[row] = value;
}

// Values of a row of tensor `t` in each shape.
std::vector<size_t> WidthsOf(const Contract& contract, size_t t) {
  std::vector<size_t> widths(contract.shapes(), 1);
  for (size_t s = 0; s < widths.size(); ++s) {
    for (size_t d = 0; d < contract.tensors[t].row_shape.size(); ++d) {
      widths[s] *= static_cast<size_t>(contract.RowDimension(t, d, s));
    }
  }
  return widths;
}

// As many values as the feature has in a batch of each shape.
std::vector<size_t> LengthsOf(const Stages& stages, const std::string& name) {
  const std::vector<int64_t>& lengths = stages.LengthsOf(name);
  return {lengths.begin(), lengths.end()};
}

Status Unaligned(const Run& run, const FeaturePlace& feature,
                 const std::string& name, const Locate& locate) {
  const Column& by = run.from->from.ColumnOf(feature.by);
  return InvalidArgumentError(fmt::format(
      "{}: feature \"{}\" has {} values, and \"{}\" {}: in packed rows "
      "they go together, value by value",
      locate(run.record()), name, run.has, by.name,
      by.values_in(run.from->from.row)));
}

Status TooManyValues(const Run& run, const std::string& name,
                     const Locate& locate) {
  return InvalidArgumentError(fmt::format(
      "{}: feature \"{}\" has more than the {} values of its batch's length: "
      "use longer buckets or TooLong::kTruncate",
      locate(run.record()), name, run.count));
}

}  // namespace

Placer::Placer(const Stages& stages, Contract contract, uint64_t dataset)
    : contract_(std::move(contract)),
      truncate_(stages.too_long() == TooLong::kTruncate),
      derivers_(MakeDerivers(stages, dataset)) {
  const auto* const fill = stages.objective
                               ? std::get_if<FillInMiddle>(&*stages.objective)
                               : nullptr;
  const std::vector<BatchTensor> tensors = TensorsOf(stages);
  for (size_t t = 0; t < tensors.size(); ++t) {
    const BatchTensor& tensor = tensors[t];
    Source& source = sources_.emplace_back();
    source.role = tensor.spec.role;
    if (!tensor.feature) continue;
    source.feature = PlaceOf(stages, *tensor.feature);
    source.pad_bits = ValueBits(tensor.spec.type, tensor.spec.pad_value);
    if (source.role == Role::kLengths || source.role == Role::kPresence) {
      source.counted = t > 0 && sources_[t - 1].role == Role::kData &&
                       tensors[t - 1].feature == tensor.feature;
      if (source.role == Role::kLengths) {
        source.widths = LengthsOf(stages, stages.batched[*tensor.feature].name);
      } else {
        source.widths.assign(contract_.shapes(), 1);
      }
    }
    if (source.role != Role::kData) continue;
    source.widths = WidthsOf(contract_, t);
    const uint64_t row_bytes = source.widths[0] * SizeBytes(tensor.spec.type);
    if (stages.batched[*tensor.feature].type == FeatureType::kBytes &&
        row_bytes >= kLongValueBytes) {
      long_features_.push_back({.tensor = t,
                                .column = *tensor.feature,
                                .name = tensor.spec.name,
                                .row_bytes = row_bytes});
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
  size_t values = 0;  // that the row has of the feature that was placed last
  for (size_t t = 0; t < sources_.size(); ++t) {
    const Source& source = sources_[t];
    Tensor& tensor = batch.tensors[t];
    switch (source.role) {
      case Role::kData:
        PENSTOCK_RETURN_IF_ERROR(
            PlaceData(t, pieces, row, locate, batch, values, cut_rows));
        break;
      case Role::kLengths:
      case Role::kPresence: {
        const size_t width = source.widths[batch.shape];
        if (!source.counted) values = CountValues(source, pieces, width);
        if (source.role == Role::kLengths) {
          Put(static_cast<int32_t>(std::min(values, width)), row, tensor);
        } else {
          Put(values > 0 ? 1.0f : 0.0f, row, tensor);
        }
        break;
      }
      case Role::kWeights:
        Put(pieces.empty() ? 0.0f : 1.0f, row, tensor);
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
                         size_t& values, uint64_t& cut_rows) const {
  const TensorSpec& spec = contract_.tensors[t];
  const Source& source = sources_[t];
  Tensor& tensor = batch.tensors[t];
  const size_t width = source.widths[batch.shape];
  const size_t first = row * width;
  size_t filled = 0;  // values of the row that are written
  values = 0;
  const RowRuns runs(pieces, source.feature, width);
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run run = runs[i];
    if (run.unaligned) {
      return Unaligned(run, source.feature, spec.name, locate);
    }
    if (run.cut) {
      if (!truncate_) return TooManyValues(run, spec.name, locate);
      ++cut_rows;
    }
    const ValueRange range = {.column = run.column,
                              .row = run.from->from.row,
                              .begin = run.begin,
                              // One value of bytes has all of a row.
                              .count = run.column->type == FeatureType::kBytes
                                           ? run.count * width
                                           : run.count};
    FillValues(source.pad_bits, spec.type, first + filled, first + run.place,
               tensor);
    filled = run.place + range.count;
    values += run.count;
    const std::vector<bool>* const in_place = run.from->from.in_place;
    if (in_place != nullptr && (*in_place)[source.feature.column]) continue;
    PENSTOCK_RETURN_IF_ERROR(
        source.fill_in_middle ? source.fill_in_middle->Write(
                                    range, spec, first + run.place, batch.epoch,
                                    tensor, locate, run.record())
                              : CopyValues(range, spec, first + run.place,
                                           tensor, locate, run.record()));
  }
  FillValues(source.pad_bits, spec.type, first + filled, first + width, tensor);
  return OkStatus();
}

// Where the feature has no tensor of its own.
size_t Placer::CountValues(const Source& source,
                           std::span<const PlacedPiece> pieces, size_t width) {
  const RowRuns runs(pieces, source.feature, width);
  size_t count = 0;
  for (size_t i = 0; i < runs.size(); ++i) count += runs[i].count;
  return count;
}

}  // namespace penstock
