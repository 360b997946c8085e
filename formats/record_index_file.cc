#include "formats/record_index_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "formats/atomic_file.h"
#include "formats/crc32c.h"
#include "formats/status.h"
#include "formats/tfrecord_framing.h"

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char kMagic[8] = {'P', 'S', 'T', 'K', 'I', 'D', 'X', '1'};
constexpr uint32_t kVersion = 1;
constexpr uint32_t kMostColumns = 1024;
constexpr uint32_t kMostNameBytes = 4096;
constexpr size_t kChecksumBytes = sizeof(uint32_t);

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t columns;
  uint64_t records;
  uint64_t file_size_bytes;
  int64_t file_mtime_ns;
  uint32_t checksum;
  uint32_t zero;
};
static_assert(sizeof(Header) == 48);

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}
template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

uint32_t HeaderChecksum(const Header& header) {
  return Crc32c(BytesOf(header).substr(0, offsetof(Header, checksum)));
}

// Reads on through a file, summing up what was read.
class Cursor {
 public:
  Cursor(const ReadableFile& file, uint64_t size_bytes)
      : file_(file), size_bytes_(size_bytes) {}

  // What can still be read before the last checksum.
  uint64_t left() const {
    const uint64_t taken = position_ + kChecksumBytes;
    return size_bytes_ > taken ? size_bytes_ - taken : 0;
  }

  absl::Status Take(void* to, uint64_t size) {
    if (size > left()) return Damaged("it is cut off");
    PENSTOCK_RETURN_IF_ERROR(Read(to, size));
    checksum_ = ExtendCrc32c(
        checksum_, {static_cast<const char*>(to), static_cast<size_t>(size)});
    return absl::OkStatus();
  }

  // Takes the last checksum and compares.
  absl::Status Finish() {
    if (left() > 0 || size_bytes_ < kChecksumBytes) {
      return Damaged("its size does not fit its header");
    }
    uint32_t stored = 0;
    PENSTOCK_RETURN_IF_ERROR(Read(&stored, sizeof(stored)));
    if (stored == checksum_) return absl::OkStatus();
    return Damaged(fmt::format("checksum 0x{:08x} is stored, 0x{:08x} computed",
                               stored, checksum_));
  }

  absl::Status Damaged(std::string_view why) const {
    return absl::DataLossError(fmt::format(
        "{}: damaged record index: {}; make it anew with recordtool index",
        file_.path(), why));
  }

 private:
  absl::Status Read(void* to, uint64_t size) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const size_t got,
        file_.ReadAt(position_, {static_cast<char*>(to), size}));
    if (got < size) return Damaged("it is cut off");
    position_ += size;
    return absl::OkStatus();
  }

  const ReadableFile& file_;
  const uint64_t size_bytes_;
  uint64_t position_ = 0;
  uint32_t checksum_ = 0;
};

absl::Status ReadColumn(Cursor& cursor, uint64_t records,
                        LengthColumn& column) {
  uint32_t name_bytes = 0;
  PENSTOCK_RETURN_IF_ERROR(cursor.Take(&name_bytes, sizeof(name_bytes)));
  if (name_bytes == 0 || name_bytes > kMostNameBytes) {
    return cursor.Damaged("a column's name is empty or too long");
  }
  column.name.resize(name_bytes);
  PENSTOCK_RETURN_IF_ERROR(cursor.Take(column.name.data(), name_bytes));
  // `records` is known to be small enough: the offsets were there.
  if (records * sizeof(uint32_t) > cursor.left()) {
    return cursor.Damaged("it is cut off");
  }
  column.lengths.resize(records);
  return cursor.Take(column.lengths.data(), records * sizeof(uint32_t));
}

// A TFRecord file is records from its first byte to its last.
bool AreOffsets(std::span<const uint64_t> offsets, uint64_t file_size_bytes) {
  if (offsets.empty()) return file_size_bytes == 0;
  if (offsets.front() != 0) return false;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const uint64_t end =
        i + 1 < offsets.size() ? offsets[i + 1] : file_size_bytes;
    if (end < offsets[i] || end - offsets[i] < kTfRecordFramingBytes) {
      return false;
    }
  }
  return true;
}

absl::Status CheckColumns(const std::string& index_path, uint64_t records,
                          std::span<const LengthColumn> columns) {
  for (const LengthColumn& column : columns) {
    const auto same_name = [&](const LengthColumn& other) {
      return other.name == column.name;
    };
    const char* why = nullptr;
    if (column.name.empty() || column.name.size() > kMostNameBytes) {
      why = "has no name, or one above 4096 bytes";
    } else if (column.lengths.size() != records) {
      why = "has not one length for each record";
    } else if (std::count_if(columns.begin(), columns.end(), same_name) > 1) {
      why = "is there twice";
    }
    if (why != nullptr) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: length column \"{}\" {}", index_path, column.name, why));
    }
  }
  if (columns.size() <= kMostColumns) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: {} length columns, at most {} fit", index_path,
                  columns.size(), kMostColumns));
}

}  // namespace

absl::Status ReadRecordIndexFile(const ReadableFile& file,
                                 RecordIndexParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file.Stat());
  Cursor cursor(file, info.size_bytes);
  Header header = {};
  PENSTOCK_RETURN_IF_ERROR(cursor.Take(&header, sizeof(header)));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    return cursor.Damaged("it does not begin with PSTKIDX1");
  }
  if (header.checksum != HeaderChecksum(header) || header.zero != 0) {
    return cursor.Damaged("its header fails its checksum");
  }
  if (header.version != kVersion) {
    return absl::UnimplementedError(fmt::format(
        "{}: record index of version {}, this program reads {}; make it anew "
        "with recordtool index",
        file.path(), header.version, kVersion));
  }
  if (header.records > cursor.left() / sizeof(uint64_t) ||
      header.columns > kMostColumns) {
    return cursor.Damaged("its header says more than the file holds");
  }
  parts.file = {.size_bytes = header.file_size_bytes,
                .mtime_ns = header.file_mtime_ns};
  parts.offsets.resize(header.records);
  PENSTOCK_RETURN_IF_ERROR(
      cursor.Take(parts.offsets.data(), header.records * sizeof(uint64_t)));
  parts.columns.resize(header.columns);
  for (LengthColumn& column : parts.columns) {
    PENSTOCK_RETURN_IF_ERROR(ReadColumn(cursor, header.records, column));
  }
  PENSTOCK_RETURN_IF_ERROR(cursor.Finish());
  if (!AreOffsets(parts.offsets, header.file_size_bytes)) {
    return cursor.Damaged("its offsets are not those of a TFRecord file");
  }
  return absl::OkStatus();
}

absl::Status WriteRecordIndexFile(FileSystem& files,
                                  const std::string& index_path,
                                  const FileInfo& file,
                                  std::span<const uint64_t> offsets,
                                  std::span<const LengthColumn> columns) {
  PENSTOCK_RETURN_IF_ERROR(CheckColumns(index_path, offsets.size(), columns));
  if (!AreOffsets(offsets, file.size_bytes)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: the offsets are not those of a TFRecord file of {} "
                    "bytes",
                    index_path, file.size_bytes));
  }
  Header header = {.magic = {},
                   .version = kVersion,
                   .columns = static_cast<uint32_t>(columns.size()),
                   .records = offsets.size(),
                   .file_size_bytes = file.size_bytes,
                   .file_mtime_ns = file.mtime_ns,
                   .checksum = 0,
                   .zero = 0};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.checksum = HeaderChecksum(header);

  PENSTOCK_ASSIGN_OR_RETURN(const auto out,
                            AtomicFile::Create(files, index_path));
  uint32_t checksum = 0;
  const auto append = [&](std::string_view bytes) {
    checksum = ExtendCrc32c(checksum, bytes);
    return out->Append(bytes);
  };
  PENSTOCK_RETURN_IF_ERROR(append(BytesOf(header)));
  PENSTOCK_RETURN_IF_ERROR(append(BytesOf(offsets)));
  for (const LengthColumn& column : columns) {
    const auto name_bytes = static_cast<uint32_t>(column.name.size());
    PENSTOCK_RETURN_IF_ERROR(append(BytesOf(name_bytes)));
    PENSTOCK_RETURN_IF_ERROR(append(column.name));
    PENSTOCK_RETURN_IF_ERROR(
        append(BytesOf(std::span<const uint32_t>(column.lengths))));
  }
  const uint32_t whole = checksum;
  PENSTOCK_RETURN_IF_ERROR(out->Append(BytesOf(whole)));
  return out->Commit();
}

}  // namespace penstock
