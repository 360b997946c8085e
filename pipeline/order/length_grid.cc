#include "pipeline/order/length_grid.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "pipeline/tasks/parallel_for.h"

namespace penstock {

LengthGrid::LengthGrid(std::vector<std::vector<int64_t>> lengths,
                       TooLong too_long)
    : lengths_(std::move(lengths)), truncate_(too_long == TooLong::kTruncate) {
  for (const auto& of_feature : lengths_) cells_ *= of_feature.size();
}

std::vector<int64_t> LengthGrid::LengthsOf(size_t feature) const {
  size_t run = 1;  // cells of one bucket that follow each other
  for (size_t f = feature + 1; f < lengths_.size(); ++f) {
    run *= lengths_[f].size();
  }
  std::vector<int64_t> of_cells(cells_);
  for (size_t cell = 0; cell < cells_; ++cell) {
    of_cells[cell] = lengths_[feature][cell / run % lengths_[feature].size()];
  }
  return of_cells;
}

uint32_t LengthGrid::MeasureOf(std::span<const uint32_t> lengths) const {
  size_t cell = 0;
  for (size_t f = 0; f < lengths_.size(); ++f) {
    const std::vector<int64_t>& buckets = lengths_[f];
    const auto found = std::ranges::lower_bound(buckets, int64_t{lengths[f]});
    auto bucket = static_cast<size_t>(found - buckets.begin());
    if (bucket == buckets.size()) {
      if (!truncate_) return static_cast<uint32_t>(cells_ + 1);
      --bucket;
    }
    cell = cell * buckets.size() + bucket;
  }
  return static_cast<uint32_t>(cell + 1);
}

Measured MeasureRecords(const LengthGrid& grid,
                        std::span<const LengthTable> lengths, uint64_t records,
                        TaskQueue& tasks) {
  constexpr uint64_t kPart = 1 << 16;
  std::vector<std::vector<int64_t>> most;
  for (size_t f = 0; f < grid.features(); ++f) {
    most.push_back(grid.LengthsOf(f));
  }
  Measured measured;
  measured.measures.resize(records);
  std::mutex mutex;
  std::vector<uint64_t> rows(grid.cells());
  std::vector<uint64_t> values(grid.cells());
  ParallelFor(tasks, (records + kPart - 1) / kPart, {}, [&](uint64_t part) {
    const uint64_t first = part * kPart;
    std::vector<uint64_t> ids(std::min(kPart, records - first));
    std::iota(ids.begin(), ids.end(), first);
    std::vector<std::vector<uint32_t>> found(lengths.size());
    for (size_t f = 0; f < lengths.size(); ++f) {
      found[f].resize(ids.size());
      lengths[f].Look(ids, found[f]);
    }
    std::vector<uint64_t> part_rows(grid.cells());
    std::vector<uint64_t> part_values(grid.cells());
    std::vector<uint32_t> of_record(lengths.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      for (size_t f = 0; f < lengths.size(); ++f) of_record[f] = found[f][i];
      const uint32_t measure = grid.MeasureOf(of_record);
      measured.measures[first + i] = measure;
      if (measure > grid.cells()) continue;
      ++part_rows[measure - 1];
      for (size_t f = 0; f < lengths.size(); ++f) {
        part_values[measure - 1] += std::min<uint64_t>(
            of_record[f], static_cast<uint64_t>(most[f][measure - 1]));
      }
    }
    const std::lock_guard lock(mutex);
    for (size_t cell = 0; cell < rows.size(); ++cell) {
      rows[cell] += part_rows[cell];
      values[cell] += part_values[cell];
    }
  }).IgnoreError();  // nobody stops it
  for (size_t cell = 0; cell < rows.size(); ++cell) {
    measured.mean_values.push_back(
        static_cast<double>(values[cell]) /
        static_cast<double>(std::max<uint64_t>(1, rows[cell])));
  }
  return measured;
}

}  // namespace penstock
