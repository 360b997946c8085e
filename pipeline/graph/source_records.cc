#include "pipeline/graph/source_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace penstock {
namespace {

uint64_t SizeOfSide(std::string_view record, size_t side) {
  uint64_t size = 0;
  std::memcpy(&size, record.data() + side * kZipBytesOfSide, sizeof(size));
  return size;
}

}  // namespace

void JoinSides(std::span<const std::string_view> sides, std::string& out) {
  for (const std::string_view side : sides) {
    const uint64_t size = side.size();
    out.append(reinterpret_cast<const char*>(&size), kZipBytesOfSide);
  }
  for (const std::string_view side : sides) out.append(side);
}

std::string_view SideOfRecord(std::string_view record, size_t side,
                              size_t sides) {
  size_t begin = sides * kZipBytesOfSide;
  for (size_t before = 0; before < side; ++before) {
    begin += SizeOfSide(record, before);
  }
  return record.substr(begin, SizeOfSide(record, side));
}

SourceRecords::SourceRecords(std::shared_ptr<const RecordFiles> files,
                             std::vector<RecordSource> sources)
    : files_(std::move(files)),
      sources_(std::move(sources)),
      size_bytes_(files_ == nullptr ? 0 : files_->size_bytes()) {
  for (const RecordSource& source : sources_) {
    first_.push_back(first_.back() + source.records);
    only_files_ &= source.sides.size() == 1;
    for (const RecordSide& side : source.sides) {
      only_files_ &= side.in_files();
      in_memory_ &= side.columns != nullptr;
      if (side.columns != nullptr) size_bytes_ += side.columns->size_bytes();
      if (side.megatron != nullptr) size_bytes_ += side.megatron->size_bytes();
    }
  }
}

size_t SourceRecords::SourceOf(uint64_t id) const {
  return static_cast<size_t>(std::ranges::upper_bound(first_, id) -
                             first_.begin()) -
         1;
}

StatusOr<GatherBound> SourceRecords::FindWithin(
    std::span<const uint64_t> ids, uint64_t limit_bytes,
    std::vector<FoundRecord>& found) const {
  if (only_files_) return files_->FindWithin(ids, limit_bytes, found);
  found.clear();
  std::vector<FoundRecord> of_side;
  GatherBound bound;
  for (const uint64_t id : ids) {
    if (id >= records()) {
      return OutOfRangeError(fmt::format(
          "record {} is past the end: there are {}", id, records()));
    }
    const size_t source = SourceOf(id);
    uint64_t bytes = 0;
    for (const RecordSide& side : sources_[source].sides) {
      PENSTOCK_ASSIGN_OR_RETURN(const uint64_t side_bytes,
                                BytesOf(side, side.first + id - first_[source],
                                        limit_bytes, of_side));
      bytes += side_bytes;
    }
    if (bound.records > 0 && bound.bytes + bytes > limit_bytes) break;
    found.push_back({.id = id});
    ++bound.records;
    bound.bytes += bytes;
  }
  return bound;
}

StatusOr<uint64_t> SourceRecords::BytesOf(
    const RecordSide& side, uint64_t number, uint64_t limit_bytes,
    std::vector<FoundRecord>& found) const {
  if (side.columns != nullptr) return side.columns->RowBytes(number);
  if (side.megatron != nullptr) return side.megatron->SizeOf(number);
  PENSTOCK_ASSIGN_OR_RETURN(
      const GatherBound one,
      files_->FindWithin(std::span(&number, 1), limit_bytes, found));
  return one.bytes;
}

Status SourceRecords::GatherFound(std::span<const FoundRecord> found,
                                  GatheredRecords& out) const {
  if (only_files_) return files_->GatherFound(found, out);
  std::vector<uint64_t> ids;
  for (const FoundRecord& record : found) ids.push_back(record.id);
  return Gather(ids, out);
}

Status SourceRecords::Gather(std::span<const uint64_t> ids,
                             GatheredRecords& out) const {
  if (only_files_) return files_->Gather(ids, out);
  std::vector<uint64_t> in_files;
  uint64_t joined_bytes = 0;  // so that they stay where they are
  for (const uint64_t id : ids) {
    const size_t source = SourceOf(id);
    const std::vector<RecordSide>& sides = sources_[source].sides;
    for (const RecordSide& side : sides) {
      const uint64_t number = side.first + id - first_[source];
      if (side.in_files()) in_files.push_back(number);
      if (side.megatron != nullptr) {
        // In a zip it is copied once more.
        joined_bytes += side.megatron->SizeOf(number) * sides.size();
      }
    }
    if (sides.size() > 1) joined_bytes += sides.size() * kZipBytesOfSide;
  }
  out.records.clear();
  if (!in_files.empty()) {
    PENSTOCK_RETURN_IF_ERROR(files_->Gather(in_files, out));
  }
  const std::vector<std::string_view> gathered = std::move(out.records);
  for (const std::string_view record : gathered) joined_bytes += record.size();
  out.records.clear();
  out.joined.clear();
  out.joined.reserve(joined_bytes);
  const auto added = [&](size_t begin) {
    return std::string_view(out.joined).substr(begin);
  };
  std::vector<std::string_view> sides;
  size_t next = 0;  // of `gathered`
  for (const uint64_t id : ids) {
    const size_t source = SourceOf(id);
    sides.clear();
    for (const RecordSide& side : sources_[source].sides) {
      const size_t begin = out.joined.size();
      if (side.megatron != nullptr) {
        PENSTOCK_RETURN_IF_ERROR(side.megatron->Append(
            side.first + id - first_[source], out.joined));
      }
      sides.push_back(side.in_files() ? gathered[next++] : added(begin));
    }
    const size_t begin = out.joined.size();
    if (sides.size() > 1) JoinSides(sides, out.joined);
    out.records.push_back(sides.size() > 1 ? added(begin) : sides[0]);
  }
  return OkStatus();
}

std::vector<SourceRecords::FilePart> SourceRecords::FilesOf(
    const RecordSide& side, uint64_t records) const {
  std::vector<FilePart> parts;
  auto [file, begin] = files_->Find(side.first);
  for (; records > 0; ++file, begin = 0) {
    const auto count =
        std::min<uint64_t>(records, files_->index(file).records() - begin);
    if (count > 0) parts.push_back({file, begin, count});
    records -= count;
  }
  return parts;
}

bool SourceRecords::HasLengthsOf(size_t source, size_t number,
                                 std::string_view name) const {
  const RecordSide& side = sources_[source].sides[number];
  if (side.columns != nullptr) return side.columns->Find(name) != SIZE_MAX;
  if (side.megatron != nullptr) return name == kMegatronFeature;
  return std::ranges::all_of(FilesOf(side, sources_[source].records),
                             [&](const FilePart& part) {
                               return files_->index(part.file).HasColumn(name);
                             });
}

bool SourceRecords::HasLengths(const RecordFeature& feature) const {
  for (size_t s = 0; s < sources_.size(); ++s) {
    if (!HasLengthsOf(s, feature.sides[s], feature.name)) return false;
  }
  return true;
}

StatusOr<std::vector<std::span<const uint32_t>>> SourceRecords::Lengths(
    const RecordFeature& feature) const {
  if (only_files_) return files_->Lengths(feature.name);
  std::vector<std::span<const uint32_t>> lengths;
  for (size_t s = 0; s < sources_.size(); ++s) {
    PENSTOCK_ASSIGN_OR_RETURN(auto of_source,
                              LengthsOf(s, feature.sides[s], feature.name));
    lengths.insert(lengths.end(), of_source.begin(), of_source.end());
  }
  return lengths;
}

StatusOr<std::vector<std::span<const uint32_t>>> SourceRecords::LengthsOf(
    size_t source, size_t number, std::string_view name) const {
  const RecordSide& side = sources_[source].sides[number];
  std::vector<std::span<const uint32_t>> lengths;
  if (side.columns != nullptr) {
    const size_t column = side.columns->Find(name);
    if (column == SIZE_MAX) {
      return NotFoundError(fmt::format("{}: there is no column \"{}\"",
                                       side.columns->name(), name));
    }
    lengths.push_back(side.columns->Lengths(column).subspan(
        side.first, sources_[source].records));
    return lengths;
  }
  if (side.megatron != nullptr) {
    if (name != kMegatronFeature) {
      return NotFoundError(fmt::format("{}: there is no feature \"{}\"",
                                       side.megatron->path(), name));
    }
    lengths.push_back(std::span(side.megatron->lengths())
                          .subspan(side.first, sources_[source].records));
    return lengths;
  }
  for (const FilePart& part : FilesOf(side, sources_[source].records)) {
    const auto column = files_->index(part.file).Lengths(name);
    if (!column.ok()) {
      return Annotate(column.status(), files_->paths()[part.file]);
    }
    lengths.push_back(column->subspan(part.begin, part.records));
  }
  return lengths;
}

std::string SourceRecords::LocateSide(const RecordSide& side,
                                      uint64_t number) const {
  if (side.in_files()) return files_->Locate(number);
  if (side.megatron != nullptr) return side.megatron->Locate(number);
  return fmt::format("{}: row {}", side.columns->name(), number);
}

std::string SourceRecords::Locate(uint64_t id) const {
  if (only_files_) return files_->Locate(id);
  const size_t source = SourceOf(id);
  std::string where;
  for (const RecordSide& side : sources_[source].sides) {
    where += (where.empty() ? "" : ", zipped with ") +
             LocateSide(side, side.first + id - first_[source]);
  }
  return where;
}

}  // namespace penstock
