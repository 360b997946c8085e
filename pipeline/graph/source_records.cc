#include "pipeline/graph/source_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace penstock {

SourceRecords::SourceRecords(std::shared_ptr<const RecordFiles> files,
                             std::vector<RecordSource> sources)
    : files_(std::move(files)),
      sources_(std::move(sources)),
      size_bytes_(files_ == nullptr ? 0 : files_->size_bytes()) {
  uint64_t in_files = 0;
  for (const RecordSource& source : sources_) {
    first_.push_back(first_.back() + source.records);
    first_in_files_.push_back(in_files);
    if (source.columns == nullptr) {
      in_files += source.records;
    } else {
      only_files_ = false;
      size_bytes_ += source.columns->size_bytes();
    }
  }
}

size_t SourceRecords::SourceOf(uint64_t id) const {
  return static_cast<size_t>(std::ranges::upper_bound(first_, id) -
                             first_.begin()) -
         1;
}

StatusOr<GatherBound> SourceRecords::CountWithin(std::span<const uint64_t> ids,
                                                 uint64_t limit_bytes) const {
  if (only_files_) return files_->CountWithin(ids, limit_bytes);
  GatherBound bound;
  for (const uint64_t id : ids) {
    if (id >= records()) {
      return OutOfRangeError(fmt::format(
          "record {} is past the end: there are {}", id, records()));
    }
    const size_t source = SourceOf(id);
    uint64_t bytes = 0;
    if (const ColumnTable* columns = sources_[source].columns.get()) {
      bytes = columns->RowBytes(id - first_[source]);
    } else {
      const uint64_t in_files = InFiles(source, id);
      PENSTOCK_ASSIGN_OR_RETURN(
          const GatherBound one,
          files_->CountWithin(std::span(&in_files, 1), limit_bytes));
      bytes = one.bytes;
    }
    if (bound.records > 0 && bound.bytes + bytes > limit_bytes) break;
    ++bound.records;
    bound.bytes += bytes;
  }
  return bound;
}

Status SourceRecords::Gather(std::span<const uint64_t> ids,
                             GatheredRecords& out) const {
  if (only_files_) return files_->Gather(ids, out);
  std::vector<uint64_t> in_files;
  std::vector<size_t> slots;
  for (size_t i = 0; i < ids.size(); ++i) {
    const size_t source = SourceOf(ids[i]);
    if (sources_[source].columns != nullptr) continue;
    in_files.push_back(InFiles(source, ids[i]));
    slots.push_back(i);
  }
  out.records.clear();
  if (!in_files.empty()) {
    PENSTOCK_RETURN_IF_ERROR(files_->Gather(in_files, out));
  }
  // To their places, the last one first.
  out.records.resize(ids.size());
  for (size_t i = slots.size(); i > 0; --i) {
    std::swap(out.records[i - 1], out.records[slots[i - 1]]);
  }
  return OkStatus();
}

bool SourceRecords::HasLengths(std::string_view name) const {
  if (files_ != nullptr && !files_->HasLengths(name)) return false;
  return std::ranges::all_of(sources_, [&](const RecordSource& source) {
    return source.columns == nullptr || source.columns->Find(name) != SIZE_MAX;
  });
}

StatusOr<std::vector<std::span<const uint32_t>>> SourceRecords::Lengths(
    std::string_view name) const {
  if (only_files_) return files_->Lengths(name);
  std::vector<std::span<const uint32_t>> of_files;
  if (files_ != nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(of_files, files_->Lengths(name));
  }
  std::vector<std::span<const uint32_t>> lengths;
  size_t file = 0;
  for (const RecordSource& source : sources_) {
    if (source.columns != nullptr) {
      const size_t column = source.columns->Find(name);
      if (column == SIZE_MAX) {
        return NotFoundError(fmt::format("{}: there is no column \"{}\"",
                                         source.columns->name(), name));
      }
      lengths.push_back(source.columns->Lengths(column));
      continue;
    }
    for (uint64_t left = source.records; left > 0; ++file) {
      left -= of_files[file].size();
      lengths.push_back(of_files[file]);
    }
  }
  return lengths;
}

std::string SourceRecords::Locate(uint64_t id) const {
  if (only_files_) return files_->Locate(id);
  const size_t source = SourceOf(id);
  if (sources_[source].columns == nullptr) {
    return files_->Locate(InFiles(source, id));
  }
  return fmt::format("{}: row {}", sources_[source].columns->name(),
                     id - first_[source]);
}

}  // namespace penstock
