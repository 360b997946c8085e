#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "formats/files/status_or.h"
#include "pipeline/build/derivers.h"

namespace penstock {
namespace {

class SegmentIdsDeriver final : public Deriver {
 public:
  SegmentIdsDeriver(const TokensTensor& of, size_t tensor)
      : of_(of), tensor_(tensor) {}

  Status Derive(const RowToDerive& row, Batch& batch) const override {
    const auto ids = RowOf<int32_t>(batch.tensors[tensor_], row.row);
    const RowRuns runs(row.pieces, of_.feature, ids.size());
    FillRuns(runs, ids.size(), int32_t{0}, ids.data(),
             [](const Run& run, size_t i, int32_t* to) {
               FillWith(static_cast<int32_t>(i + 1), run.count, to);
             });
    return OkStatus();
  }

 private:
  const TokensTensor of_;
  const size_t tensor_;
};

class SegmentLengthsDeriver final : public Deriver {
 public:
  SegmentLengthsDeriver(const TokensTensor& of, const Derived& derived,
                        size_t tensor)
      : of_(of), name_(derived.name), tensor_(tensor) {}

  Status Derive(const RowToDerive& row, Batch& batch) const override {
    const auto lengths = RowOf<int32_t>(batch.tensors[tensor_], row.row);
    const auto width = static_cast<size_t>(batch.tensors[of_.tensor].shape[1]);
    const RowRuns runs(row.pieces, of_.feature, width);
    if (runs.size() > lengths.size()) {
      return InvalidArgumentError(fmt::format(
          "{}: it is piece {} of its row, but \"{}\" has room for {}: give "
          "SegmentLengths more, or rows fewer pieces",
          row.locate(runs[lengths.size()].record()), lengths.size() + 1, name_,
          lengths.size()));
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      lengths[i] = static_cast<int32_t>(runs[i].count);
    }
    std::fill(lengths.begin() + static_cast<std::ptrdiff_t>(runs.size()),
              lengths.end(), 0);
    return OkStatus();
  }

 private:
  const TokensTensor of_;
  const std::string name_;
  const size_t tensor_;
};

class PositionsDeriver final : public Deriver {
 public:
  PositionsDeriver(const TokensTensor& of, PositionsIn in, size_t tensor)
      : of_(of), in_(in), tensor_(tensor) {}

  Status Derive(const RowToDerive& row, Batch& batch) const override {
    const auto positions = RowOf<int32_t>(batch.tensors[tensor_], row.row);
    const RowRuns runs(row.pieces, of_.feature, positions.size());
    FillRuns(runs, positions.size(), int32_t{0}, positions.data(),
             [&](const Run& run, size_t, int32_t* to) {
               const auto first = static_cast<int32_t>(
                   in_ == PositionsIn::kRecord ? run.begin : 0);
               std::iota(to, to + run.count, first);
             });
    return OkStatus();
  }

 private:
  const TokensTensor of_;
  const PositionsIn in_;
  const size_t tensor_;
};

}  // namespace

std::shared_ptr<const Deriver> DeriveSegmentIds(const TokensTensor& of,
                                                size_t tensor) {
  return std::make_shared<SegmentIdsDeriver>(of, tensor);
}

std::shared_ptr<const Deriver> DeriveSegmentLengths(const TokensTensor& of,
                                                    const Derived& derived,
                                                    size_t tensor) {
  return std::make_shared<SegmentLengthsDeriver>(of, derived, tensor);
}

std::shared_ptr<const Deriver> DerivePositions(const TokensTensor& of,
                                               PositionsIn in, size_t tensor) {
  return std::make_shared<PositionsDeriver>(of, in, tensor);
}

}  // namespace penstock
