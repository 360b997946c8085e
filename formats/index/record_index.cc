#include "formats/index/record_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "formats/files/file_sample.h"
#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index_file.h"
#include "formats/index/record_index_layout.h"
#include "formats/index/record_index_pages.h"
#include "formats/index/record_index_save.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

Status Stale(const std::string& path, const std::string& index_path,
             std::string_view difference) {
  return FailedPreconditionError(
      fmt::format("{}: the index {} is stale: it {}; run: recordtool index {}",
                  path, index_path, difference, path));
}

// A file of another time may still be the same, copied.
Status CheckFresh(FileSystem& files, const std::string& path,
                  const std::string& index_path,
                  const RecordIndexHeader& header, const FileInfo& now) {
  if (now.size_bytes != header.file_size_bytes) {
    return Stale(path, index_path,
                 fmt::format("was made for {} bytes, the file has {}",
                             header.file_size_bytes, now.size_bytes));
  }
  if (now.mtime_ns == header.file_mtime_ns) return OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForRead(path));
  PENSTOCK_ASSIGN_OR_RETURN(const uint32_t sample,
                            SampleFile(*file, now.size_bytes));
  if (sample == header.file_sample) return OkStatus();
  return Stale(path, index_path,
               "was made for another modification time and other bytes, so the "
               "file was rewritten");
}

}  // namespace

RecordIndex::RecordIndex() = default;
RecordIndex::RecordIndex(RecordIndex&& other) noexcept = default;
RecordIndex& RecordIndex::operator=(RecordIndex&& other) noexcept = default;
RecordIndex::~RecordIndex() = default;

RecordIndex::RecordIndex(std::vector<uint64_t> offsets,
                         std::vector<LengthColumn> columns, FileInfo file)
    : records_(offsets.size()),
      framed_bytes_(file.size_bytes),
      file_(file),
      made_offsets_(std::move(offsets)),
      made_columns_(std::move(columns)) {
  made_offsets_.push_back(file.size_bytes);
  offsets_ = made_offsets_;
  for (const LengthColumn& column : made_columns_) {
    names_.push_back(column.name);
    lengths_.emplace_back(column.lengths);
  }
}

RecordIndex::RecordIndex(std::vector<GzipMemberPlace> members,
                         std::vector<LengthColumn> columns, FileInfo file)
    : records_(members.back().first_record),
      framed_bytes_(members.back().framed_offset),
      file_(file),
      made_members_(std::move(members)),
      made_columns_(std::move(columns)) {
  members_ = made_members_;
  for (const LengthColumn& column : made_columns_) {
    names_.push_back(column.name);
    lengths_.emplace_back(column.lengths);
  }
}

StatusOr<RecordIndex> RecordIndex::Load(FileSystem& files,
                                        const std::string& path) {
  return GuardMemory(
      NoMemory(path, "load its index"), [&]() -> StatusOr<RecordIndex> {
        PENSTOCK_ASSIGN_OR_RETURN(const FileInfo now, files.Stat(path));
        PENSTOCK_ASSIGN_OR_RETURN(const std::optional<std::string> found,
                                  FindIndex(files, path));
        const std::string index_path = found.value_or(IndexPath(path));
        auto file = files.OpenForRead(index_path);
        if (IsNotFound(file.status())) {
          return NotFoundError(
              fmt::format("{}: has no index {}; run: recordtool index {}", path,
                          index_path, path));
        }
        PENSTOCK_RETURN_IF_ERROR(file.status());
        PENSTOCK_ASSIGN_OR_RETURN(RecordIndexParts parts,
                                  OpenRecordIndexFile(**file));
        PENSTOCK_RETURN_IF_ERROR(
            CheckFresh(files, path, index_path, parts.header, now));
        RecordIndex index;
        index.records_ = parts.header.records;
        index.framed_bytes_ = parts.header.framed_bytes;
        index.file_ = now;
        index.file_sample_ = parts.header.file_sample;
        index.names_ = std::move(parts.names);
        index.offsets_ = parts.offsets;
        index.members_ = parts.members;
        index.lengths_ = std::move(parts.lengths);
        index.pages_ = std::move(parts.pages);
        return index;
      });
}

Status RecordIndex::Save(FileSystem& files, const std::string& path) const {
  return GuardMemory(NoMemory(path, "write its index"), [&]() -> Status {
    StreamedIndex index = {
        .records = records_,
        .offsets =
            [this](FunctionRef<Status(std::span<const uint64_t>)> take) {
              return take(offsets_.first(records_));  // the end comes by itself
            },
        .members = {members_.begin(), members_.end()},
        .columns = {},
        .file = file_};
    for (size_t c = 0; c < names_.size(); ++c) {
      index.columns.push_back(
          {.name = names_[c],
           .lengths = [lengths = lengths_[c]](
                          FunctionRef<Status(std::span<const uint32_t>)> take) {
             return take(lengths);
           }});
    }
    return SaveRecordIndex(files, path, index);
  });
}

StatusOr<RecordPlace> RecordIndex::Find(uint64_t i) const {
  const uint64_t* const entry = offsets_.data() + i;
  if (pages_ != nullptr && !pages_->AreVerified(entry, entry + 2)) {
    PENSTOCK_RETURN_IF_ERROR(Verify(entry, entry + 2));
  }
  const uint64_t begin = entry[0];
  const uint64_t end = entry[1];
  if (pages_ != nullptr && !pages_->intact()) return pages_->CheckIntact();
  // Checked here and not for all at once, so that few pages are looked at.
  if (begin > end || end - begin < kTfRecordFramingBytes ||
      end > file_.size_bytes) {
    return Damaged(
        fmt::format("the offsets of record {} are not those of a "
                    "TFRecord file of {} bytes",
                    i, file_.size_bytes));
  }
  return RecordPlace{begin, end - begin - kTfRecordFramingBytes};
}

StatusOr<GzipMemberRange> RecordIndex::FindMember(uint64_t i) const {
  // The last member that begins at or before it.
  size_t low = 0;
  size_t high = members_.size() - 1;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    PENSTOCK_RETURN_IF_ERROR(Verify(&members_[middle], &members_[middle] + 1));
    (members_[middle].first_record <= i ? low : high) = middle;
  }
  PENSTOCK_RETURN_IF_ERROR(Verify(&members_[low], &members_[low] + 2));
  const GzipMemberRange range = {members_[low], members_[low + 1]};
  if (pages_ != nullptr) PENSTOCK_RETURN_IF_ERROR(pages_->CheckIntact());
  if (range.begin.first_record > i || range.end.first_record <= i ||
      range.begin.offset >= range.end.offset ||
      range.end.offset > file_.size_bytes ||
      range.begin.framed_offset > range.end.framed_offset ||
      range.end.framed_offset > framed_bytes_) {
    return Damaged(
        fmt::format("the members around record {} are not those of a gzip file "
                    "of {} bytes",
                    i, file_.size_bytes));
  }
  return range;
}

bool RecordIndex::HasColumn(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

StatusOr<std::span<const uint32_t>> RecordIndex::Lengths(
    std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    return NotFoundError(
        fmt::format("the index has no length column \"{}\"", name));
  }
  const std::span<const uint32_t> lengths = lengths_[found - names_.begin()];
  PENSTOCK_RETURN_IF_ERROR(
      Verify(lengths.data(), lengths.data() + lengths.size()));
  if (pages_ != nullptr) PENSTOCK_RETURN_IF_ERROR(pages_->CheckIntact());
  return lengths;
}

Status RecordIndex::VerifyAll() const {
  if (pages_ == nullptr) return OkStatus();
  const std::string_view data = pages_->data();
  PENSTOCK_RETURN_IF_ERROR(Verify(data.data(), data.data() + data.size()));
  return pages_->CheckIntact();
}

StatusOr<RecordIndex> RecordIndex::WithColumns(
    std::vector<LengthColumn> columns) const {
  PENSTOCK_RETURN_IF_ERROR(
      Verify(offsets_.data(), offsets_.data() + offsets_.size()));
  PENSTOCK_RETURN_IF_ERROR(
      Verify(members_.data(), members_.data() + members_.size()));
  std::vector<uint64_t> offsets(offsets_.begin(), offsets_.end());
  std::vector<GzipMemberPlace> members(members_.begin(), members_.end());
  if (pages_ != nullptr) PENSTOCK_RETURN_IF_ERROR(pages_->CheckIntact());
  if (in_gzip_members()) {
    return RecordIndex(std::move(members), std::move(columns), file_);
  }
  offsets.pop_back();  // the end is added again
  return RecordIndex(std::move(offsets), std::move(columns), file_);
}

Status RecordIndex::Verify(const void* begin, const void* end) const {
  if (pages_ == nullptr || begin == end) return OkStatus();
  const char* const data = pages_->data().data();
  return pages_->Verify(static_cast<const char*>(begin) - data,
                        static_cast<const char*>(end) - data);
}

Status RecordIndex::Damaged(std::string_view why) const {
  if (pages_ != nullptr) return pages_->Damaged(why);
  return InvalidArgumentError(std::string(why));
}

std::string IndexPath(const std::string& path) {
  const size_t name = path.rfind('/') + 1;  // npos + 1 == 0
  return fmt::format("{}.{}.index", path.substr(0, name), path.substr(name));
}

std::string OldIndexPath(const std::string& path) { return path + ".index"; }

StatusOr<std::optional<std::string>> FindIndex(FileSystem& files,
                                               const std::string& path) {
  for (std::string name : {IndexPath(path), OldIndexPath(path)}) {
    const StatusOr<FileInfo> info = files.Stat(name);
    if (info.ok()) return std::optional<std::string>(std::move(name));
    if (!IsNotFound(info.status())) return info.status();
  }
  return std::optional<std::string>();
}

Status RemoveOldIndex(FileSystem& files, const std::string& path) {
  const std::string old_path = OldIndexPath(path);
  const auto file = files.OpenForRead(old_path);
  if (!file.ok()) return OkStatus();
  char magic[sizeof(kRecordIndexMagic)];
  PENSTOCK_ASSIGN_OR_RETURN(const size_t got, (*file)->ReadAt(0, magic));
  if (std::string_view(magic, got) !=
      std::string_view(kRecordIndexMagic, sizeof(kRecordIndexMagic))) {
    return OkStatus();
  }
  return files.Remove(old_path);
}

}  // namespace penstock
