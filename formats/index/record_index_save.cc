// The checksums of the pages stand before them, so that what is written is gone
// through twice.
#include "formats/index/record_index_save.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/files/atomic_file.h"
#include "formats/files/crc32c.h"
#include "formats/files/file_sample.h"
#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index_layout.h"
#include "formats/streams/gzip_member.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}
template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

constexpr const char* kNoPlaces =
    "{}: the offsets are not those of a TFRecord file of {} bytes";

// A TFRecord file is records from its first byte to its last.
class OffsetCheck {
 public:
  void Take(std::span<const uint64_t> offsets) {
    for (const uint64_t offset : offsets) {
      right_ =
          right_ && (seen_ == 0 ? offset == 0
                                : offset >= last_ &&
                                      offset - last_ >= kTfRecordFramingBytes);
      last_ = offset;
      ++seen_;
    }
  }
  bool IsRight(uint64_t records, uint64_t file_size_bytes) const {
    return right_ && seen_ == records + 1 && last_ == file_size_bytes;
  }

 private:
  bool right_ = true;
  uint64_t seen_ = 0;
  uint64_t last_ = 0;
};

bool AreMembers(const StreamedIndex& index) {
  const auto& members = index.members;
  if (members.size() < 2) return false;
  const GzipMemberPlace& first = members.front();
  if (first.offset != 0 || first.framed_offset != 0 ||
      first.first_record != 0 ||
      members.back().offset != index.file.size_bytes) {
    return false;
  }
  for (size_t i = 0; i + 1 < members.size(); ++i) {
    const GzipMemberPlace& a = members[i];
    const GzipMemberPlace& b = members[i + 1];
    if (b.offset < a.offset || b.offset - a.offset < kGzipMemberHeaderBytes ||
        b.first_record < a.first_record || b.framed_offset < a.framed_offset ||
        (b.framed_offset - a.framed_offset) / kTfRecordFramingBytes <
            b.first_record - a.first_record) {
      return false;
    }
  }
  return true;
}

// Checksums of pages that are filled one after the other.
class PageChecksums {
 public:
  void Add(std::string_view bytes) {
    while (!bytes.empty()) {
      if (left_ == 0) {
        checksums_.push_back(0);
        left_ = kIndexPageBytes;
      }
      const size_t size = std::min<uint64_t>(bytes.size(), left_);
      checksums_.back() =
          ExtendCrc32c(checksums_.back(), bytes.substr(0, size));
      left_ -= size;
      bytes.remove_prefix(size);
    }
  }
  std::span<const uint32_t> checksums() const { return checksums_; }

 private:
  std::vector<uint32_t> checksums_;
  uint64_t left_ = 0;  // of the last page
};

// The pieces of all data, in the order of the file.
class IndexData {
 public:
  explicit IndexData(const StreamedIndex& index) : index_(index) {}

  bool plain() const { return index_.members.empty(); }

  Status Each(FunctionRef<Status(std::string_view)> take) const {
    if (plain()) {
      PENSTOCK_RETURN_IF_ERROR(EachOffset(
          [&](std::span<const uint64_t> some) { return take(BytesOf(some)); }));
    } else {
      PENSTOCK_RETURN_IF_ERROR(
          take(BytesOf(std::span<const GzipMemberPlace>(index_.members))));
    }
    for (const StreamedLengths& column : index_.columns) {
      PENSTOCK_RETURN_IF_ERROR(column.lengths(
          [&](std::span<const uint32_t> some) { return take(BytesOf(some)); }));
    }
    return OkStatus();
  }

  // With the end of the file, which is the last.
  Status EachOffset(FunctionRef<Status(std::span<const uint64_t>)> take) const {
    PENSTOCK_RETURN_IF_ERROR(index_.offsets(take));
    return take({&index_.file.size_bytes, 1});
  }

 private:
  const StreamedIndex& index_;
};

Status CheckPlaces(const std::string& index_path, const StreamedIndex& index) {
  const IndexData data(index);
  bool right = false;
  if (data.plain()) {
    OffsetCheck check;
    PENSTOCK_RETURN_IF_ERROR(
        data.EachOffset([&](std::span<const uint64_t> some) {
          check.Take(some);
          return OkStatus();
        }));
    right = check.IsRight(index.records, index.file.size_bytes);
  } else {
    right = AreMembers(index);
  }
  if (right) return OkStatus();
  return InvalidArgumentError(
      fmt::format(kNoPlaces, index_path, index.file.size_bytes));
}

Status CheckColumn(const std::string& index_path, const StreamedIndex& index,
                   const StreamedLengths& column) {
  uint64_t lengths = 0;
  PENSTOCK_RETURN_IF_ERROR(column.lengths([&](std::span<const uint32_t> some) {
    lengths += some.size();
    return OkStatus();
  }));
  const char* why = nullptr;
  if (column.name.empty() || column.name.size() > kMostColumnNameBytes) {
    why = "has no name, or one above 4096 bytes";
  } else if (lengths != index.records) {
    why = "has not one length for each record";
  } else if (std::ranges::count(index.columns, column.name,
                                &StreamedLengths::name) > 1) {
    why = "is there twice";
  }
  if (why == nullptr) return OkStatus();
  return InvalidArgumentError(
      fmt::format("{}: length column \"{}\" {}", index_path, column.name, why));
}

Status CheckColumns(const std::string& index_path, const StreamedIndex& index) {
  for (const StreamedLengths& column : index.columns) {
    PENSTOCK_RETURN_IF_ERROR(CheckColumn(index_path, index, column));
  }
  if (index.columns.size() <= kMostLengthColumns) return OkStatus();
  return InvalidArgumentError(
      fmt::format("{}: {} length columns, at most {} fit", index_path,
                  index.columns.size(), kMostLengthColumns));
}

StatusOr<std::string> MakeDirectory(const StreamedIndex& index) {
  std::string directory;
  for (const StreamedLengths& column : index.columns) {
    directory.append(BytesOf(static_cast<uint32_t>(column.name.size())))
        .append(column.name);
  }
  directory.resize((directory.size() + 3) / 4 * 4);
  PageChecksums pages;
  PENSTOCK_RETURN_IF_ERROR(IndexData(index).Each([&](std::string_view piece) {
    pages.Add(piece);
    return OkStatus();
  }));
  directory.append(BytesOf(pages.checksums()));
  directory.resize((directory.size() + 7) / 8 * 8);
  return directory;
}

RecordIndexHeader MakeHeader(const StreamedIndex& index, uint32_t file_sample,
                             std::string_view directory) {
  const auto& members = index.members;
  const bool plain = members.empty();
  RecordIndexHeader header = {
      .magic = {},
      .version = kRecordIndexVersion,
      .layout = plain ? 0u : 1u,
      .records = index.records,
      .entries = plain ? index.records : members.size() - 1,
      .framed_bytes =
          plain ? index.file.size_bytes : members.back().framed_offset,
      .file_size_bytes = index.file.size_bytes,
      .file_mtime_ns = index.file.mtime_ns,
      .file_sample = file_sample,
      .columns = static_cast<uint32_t>(index.columns.size()),
      .directory_bytes = directory.size(),
      .directory_checksum = Crc32c(directory),
      .checksum = 0};
  std::memcpy(header.magic, kRecordIndexMagic, sizeof(header.magic));
  header.checksum =
      Crc32c(BytesOf(header).substr(0, offsetof(RecordIndexHeader, checksum)));
  return header;
}

// Samples the file, which must be what the index was made for.
StatusOr<uint32_t> SampleUnchanged(FileSystem& files, const std::string& path,
                                   const FileInfo& expected) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForRead(path));
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo now, file->Stat());
  if (now.size_bytes != expected.size_bytes ||
      now.mtime_ns != expected.mtime_ns) {
    return FailedPreconditionError(fmt::format(
        "{}: file changed before its index was written (size {} -> {})", path,
        expected.size_bytes, now.size_bytes));
  }
  return SampleFile(*file, expected.size_bytes);
}

}  // namespace

Status SaveRecordIndex(FileSystem& files, const std::string& path,
                       const StreamedIndex& index) {
  return GuardMemory(NoMemory(path, "write its index"), [&]() -> Status {
    PENSTOCK_ASSIGN_OR_RETURN(const uint32_t sample,
                              SampleUnchanged(files, path, index.file));
    const std::string index_path = IndexPath(path);
    PENSTOCK_RETURN_IF_ERROR(CheckColumns(index_path, index));
    PENSTOCK_RETURN_IF_ERROR(CheckPlaces(index_path, index));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string directory,
                              MakeDirectory(index));
    const RecordIndexHeader header = MakeHeader(index, sample, directory);

    PENSTOCK_ASSIGN_OR_RETURN(const auto out,
                              AtomicFile::Create(files, index_path));
    PENSTOCK_RETURN_IF_ERROR(out->Append(BytesOf(header)));
    PENSTOCK_RETURN_IF_ERROR(out->Append(directory));
    PENSTOCK_RETURN_IF_ERROR(IndexData(index).Each(
        [&](std::string_view piece) { return out->Append(piece); }));
    PENSTOCK_RETURN_IF_ERROR(out->Commit());
    return RemoveOldIndex(files, path);
  });
}

}  // namespace penstock
