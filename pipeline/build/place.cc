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

// Of rows that are placed tensor by tensor, to stay in the nearest caches.
constexpr uint64_t kBlockBytes = 16 << 10;

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

// How many values of a row it fills: one value of bytes has all of it.
size_t ValuesOf(const Run& run, size_t width) {
  return run.column->type == FeatureType::kBytes ? run.count * width
                                                 : run.count;
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

Status Placer::Place(const RowsToPlace& rows, const Locate& locate,
                     Batch& batch, uint64_t& cut_rows) const {
  const size_t block = std::max<size_t>(
      1, kBlockBytes / std::max<uint64_t>(1, contract_.RowBytes(batch.shape)));
  for (size_t begin = 0; begin < rows.size(); begin += block) {
    const size_t count = std::min(block, rows.size() - begin);
    Status placed =
        PlaceTensors(rows.Some(begin, count), locate, batch, cut_rows);
    if (placed.ok()) continue;
    // Another row before that one may have an error, in a later tensor.
    for (size_t i = 0; i < count; ++i) {
      PENSTOCK_RETURN_IF_ERROR(
          PlaceTensors(rows.Some(begin + i, 1), locate, batch, cut_rows));
    }
    return placed;
  }
  return OkStatus();
}

// Tensor by tensor: what is the same for all rows is looked at once.
Status Placer::PlaceTensors(const RowsToPlace& rows, const Locate& locate,
                            Batch& batch, uint64_t& cut_rows) const {
  for (size_t t = 0; t < sources_.size(); ++t) {
    const Source& source = sources_[t];
    switch (source.role) {
      case Role::kData:
        PENSTOCK_RETURN_IF_ERROR(PlaceData(t, rows, locate, batch, cut_rows));
        break;
      case Role::kLengths:
      case Role::kPresence:
        if (!source.counted) PlaceCounts(t, rows, batch);
        break;
      case Role::kWeights:
        for (size_t i = 0; i < rows.size(); ++i) {
          Put(rows.PiecesOf(i).empty() ? 0.0f : 1.0f, rows.first + i,
              batch.tensors[t]);
        }
        break;
      case Role::kDerived:
      case Role::kObjective:
        break;
    }
  }
  for (size_t i = 0; i < rows.size() && !derivers_.empty(); ++i) {
    for (const auto& deriver : derivers_) {
      PENSTOCK_RETURN_IF_ERROR(
          deriver->Derive({rows.PiecesOf(i), rows.first + i, locate}, batch));
    }
  }
  return OkStatus();
}

Status Placer::PlaceData(size_t t, const RowsToPlace& rows,
                         const Locate& locate, Batch& batch,
                         uint64_t& cut_rows) const {
  const TensorSpec& spec = contract_.tensors[t];
  const Source& source = sources_[t];
  Tensor& tensor = batch.tensors[t];
  const size_t width = source.widths[batch.shape];
  const bool counts = t + 1 < sources_.size() && sources_[t + 1].counted;
  for (size_t i = PlaceShort(t, rows, batch); i < rows.size(); ++i) {
    const size_t first = (rows.first + i) * width;
    size_t filled = 0;  // values of the row that are written
    size_t values = 0;  // that it has
    const RowRuns runs(rows.PiecesOf(i), source.feature, width);
    for (size_t r = 0; r < runs.size(); ++r) {
      const Run run = runs[r];
      if (run.unaligned) {
        return Unaligned(run, source.feature, spec.name, locate);
      }
      if (run.cut) {
        if (!truncate_) return TooManyValues(run, spec.name, locate);
        ++cut_rows;
      }
      FillValues(source.pad_bits, spec.type, first + filled, first + run.place,
                 tensor);
      PENSTOCK_RETURN_IF_ERROR(
          PlaceRun(t, run, first + run.place, locate, batch));
      filled = run.place + ValuesOf(run, width);
      values += run.count;
    }
    FillValues(source.pad_bits, spec.type, first + filled, first + width,
               tensor);
    if (counts) PutCount(t + 1, values, rows.first + i, batch);
  }
  return OkStatus();
}

Status Placer::PlaceRun(size_t t, const Run& run, size_t to,
                        const Locate& locate, Batch& batch) const {
  const TensorSpec& spec = contract_.tensors[t];
  const Source& source = sources_[t];
  const std::vector<bool>* const in_place = run.from->from.in_place;
  if (in_place != nullptr && (*in_place)[source.feature.column]) {
    return OkStatus();
  }
  const ValueRange range = {.column = run.column,
                            .row = run.from->from.row,
                            .begin = run.begin,
                            .count = ValuesOf(run, source.widths[batch.shape])};
  return source.fill_in_middle ? source.fill_in_middle->Write(
                                     range, spec, to, batch.epoch,
                                     batch.tensors[t], locate, run.record())
                               : CopyValues(range, spec, to, batch.tensors[t],
                                            locate, run.record());
}

// Where the feature has no tensor of its own.
void Placer::PlaceCounts(size_t t, const RowsToPlace& rows,
                         Batch& batch) const {
  const Source& source = sources_[t];
  const size_t width = source.widths[batch.shape];
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowRuns runs(rows.PiecesOf(i), source.feature, width);
    size_t values = 0;
    for (size_t r = 0; r < runs.size(); ++r) values += runs[r].count;
    PutCount(t, values, rows.first + i, batch);
  }
}

void Placer::PutCount(size_t t, size_t values, size_t row, Batch& batch) const {
  const Source& source = sources_[t];
  if (source.role == Role::kLengths) {
    const size_t most = source.widths[batch.shape];
    Put(static_cast<int32_t>(std::min(values, most)), row, batch.tensors[t]);
  } else {
    Put(values > 0 ? 1.0f : 0.0f, row, batch.tensors[t]);
  }
}

}  // namespace penstock
