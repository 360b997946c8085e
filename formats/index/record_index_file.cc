#include "formats/index/record_index_file.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

#include "formats/files/crc32c.h"
#include "formats/files/mapped_bytes.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

uint32_t HeaderChecksum(const RecordIndexHeader& header) {
  return Crc32c({reinterpret_cast<const char*>(&header),
                 offsetof(RecordIndexHeader, checksum)});
}

// That of version 1, of bytes [0, 40), lay behind them.
bool IsVersion1(std::string_view bytes) {
  uint32_t stored;
  std::memcpy(&stored, bytes.data() + 40, sizeof(stored));
  return stored == Crc32c(bytes.substr(0, 40));
}

Status OtherVersion(const std::string& path, uint32_t version) {
  return UnimplementedError(fmt::format(
      "{}: record index of version {}, this program reads {}; make it anew "
      "with recordtool index",
      path, version, kRecordIndexVersion));
}

// Takes an array of `count` from the front of what is left of the data.
template <typename T>
std::optional<std::span<const T>> TakeArray(std::string_view& left,
                                            uint64_t count) {
  if (count > left.size() / sizeof(T)) return std::nullopt;
  const std::span<const T> values(reinterpret_cast<const T*>(left.data()),
                                  count);
  left.remove_prefix(values.size_bytes());
  return values;
}

// Reads on through the directory, whose checksum is right.
class Directory {
 public:
  explicit Directory(std::string_view bytes) : bytes_(bytes) {}

  std::optional<uint32_t> Number() {
    uint32_t value;
    if (bytes_.size() - at_ < sizeof(value)) return std::nullopt;
    std::memcpy(&value, bytes_.data() + at_, sizeof(value));
    at_ += sizeof(value);
    return value;
  }
  std::optional<std::string> Text(size_t size) {
    if (bytes_.size() - at_ < size) return std::nullopt;
    at_ += size;
    return std::string(bytes_.substr(at_ - size, size));
  }
  // Passes zeros up to a multiple of `step`.
  bool Align(size_t step) {
    for (; at_ % step != 0; ++at_) {
      if (at_ >= bytes_.size() || bytes_[at_] != 0) return false;
    }
    return true;
  }
  bool ended() const { return at_ == bytes_.size(); }

 private:
  const std::string_view bytes_;
  size_t at_ = 0;
};

// What is wrong, or nothing.
const char* ReadDirectory(std::string_view bytes, uint32_t columns,
                          uint64_t pages, std::vector<std::string>& names,
                          std::vector<uint32_t>& checksums) {
  Directory directory(bytes);
  for (uint32_t c = 0; c < columns; ++c) {
    const auto size = directory.Number();
    if (!size || *size == 0 || *size > kMostColumnNameBytes) {
      return "a column's name is empty or too long";
    }
    auto name = directory.Text(*size);
    if (!name) return "its directory is cut off";
    names.push_back(*std::move(name));
  }
  if (!directory.Align(4)) return "its directory is not padded with zeros";
  for (uint64_t page = 0; page < pages; ++page) {
    const auto checksum = directory.Number();
    if (!checksum) return "its directory is cut off";
    checksums.push_back(*checksum);
  }
  if (!directory.Align(8) || !directory.ended()) {
    return "its directory does not end where its header says";
  }
  return nullptr;
}

// What is wrong, or nothing.
const char* TakeData(std::string_view data, RecordIndexParts& parts) {
  const RecordIndexHeader& header = parts.header;
  if (header.entries == ~0ull) return "its header says more than it holds";
  if (header.layout == 0) {
    const auto offsets = TakeArray<uint64_t>(data, header.entries + 1);
    if (!offsets) return "its header says more than it holds";
    parts.offsets = *offsets;
  } else {
    const auto members = TakeArray<GzipMemberPlace>(data, header.entries + 1);
    if (!members) return "its header says more than it holds";
    parts.members = *members;
  }
  for (uint32_t c = 0; c < header.columns; ++c) {
    const auto lengths = TakeArray<uint32_t>(data, header.records);
    if (!lengths) return "its header says more than it holds";
    parts.lengths.push_back(*lengths);
  }
  return data.empty() ? nullptr : "its size does not fit its header";
}

Status CheckHeader(const ReadableFile& file, std::string_view bytes,
                   RecordIndexHeader& header) {
  const auto damaged = [&](std::string_view why) {
    return DamagedRecordIndex(file.path(), why);
  };
  if (bytes.size() < sizeof(header)) {
    // A whole index of version 1 without records is shorter.
    if (bytes.size() >= 52 && bytes.starts_with("PSTKIDX1") &&
        IsVersion1(bytes)) {
      return OtherVersion(file.path(), 1);
    }
    return damaged("it is cut off");
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, kRecordIndexMagic, sizeof(header.magic)) != 0) {
    return damaged("it does not begin with PSTKIDX1");
  }
  if (header.version == 1 && IsVersion1(bytes)) {
    return OtherVersion(file.path(), 1);
  }
  if (header.checksum != HeaderChecksum(header)) {
    return damaged("its header fails its checksum");
  }
  if (header.version != kRecordIndexVersion) {
    return OtherVersion(file.path(), header.version);
  }
  if (header.layout > 1 || header.columns > kMostLengthColumns ||
      (header.layout == 0 && header.entries != header.records) ||
      (header.layout == 1 && header.entries == 0)) {
    return damaged("its header makes no sense");
  }
  if (header.directory_bytes % 8 != 0 ||
      header.directory_bytes > bytes.size() - sizeof(header)) {
    return damaged("its header says more than it holds");
  }
  return OkStatus();
}

}  // namespace

StatusOr<RecordIndexParts> OpenRecordIndexFile(const ReadableFile& file) {
  PENSTOCK_ASSIGN_OR_RETURN(std::unique_ptr<FileBytes> mapped, MapOrCopy(file));
  const std::string_view bytes = mapped->bytes();
  RecordIndexParts parts;
  RecordIndexHeader& header = parts.header;
  Status status = CheckHeader(file, bytes, header);
  std::vector<uint32_t> checksums;
  const char* why = nullptr;
  std::string_view data;
  if (status.ok()) {
    const std::string directory(
        bytes.substr(sizeof(header), header.directory_bytes));
    data = bytes.substr(sizeof(header) + header.directory_bytes);
    if (Crc32c(directory) != header.directory_checksum) {
      why = "its directory fails its checksum";
    } else {
      why = TakeData(data, parts);
      if (why == nullptr) {
        why = ReadDirectory(directory, header.columns, IndexPages(data.size()),
                            parts.names, checksums);
      }
    }
  }
  if (why != nullptr) status = DamagedRecordIndex(file.path(), why);
  parts.pages = std::make_unique<RecordIndexPages>(
      std::move(mapped), data, std::move(checksums), file.path());
  PENSTOCK_RETURN_IF_ERROR(parts.pages->CheckIntact());
  PENSTOCK_RETURN_IF_ERROR(status);
  return parts;
}

}  // namespace penstock
