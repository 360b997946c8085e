#include "formats/archives/zip_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "formats/archives/zip_end.h"
#include "formats/archives/zip_layout.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

using zip::Load;

// Held in memory, here and in libarchive.
constexpr uint64_t kMaxDirectoryBytes = 1ull << 30;

struct Range {
  uint64_t begin;
  uint64_t end;
};

class Checker {
 public:
  Checker(const ReadableFile& file, const ArchiveLimits& limits)
      : file_(file), limits_(limits) {}

  StatusOr<uint64_t> Check() {
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file_.Stat());
    size_bytes_ = info.size_bytes;
    PENSTOCK_ASSIGN_OR_RETURN(const ZipDirectoryPlace place,
                              FindZipDirectory(file_, size_bytes_));
    if (place.entries > limits_.max_members) {
      return ResourceExhaustedError(fmt::format(
          "{}: the zip lists {} entries, more than {}; raise max_members",
          file_.path(), place.entries, limits_.max_members));
    }
    if (place.size_bytes > kMaxDirectoryBytes) {
      return ResourceExhaustedError(
          fmt::format("{}: the zip directory has {} bytes, more than {}; pack "
                      "the members into several archives",
                      file_.path(), place.size_bytes, kMaxDirectoryBytes));
    }
    if (place.entries > place.size_bytes / zip::kEntryBytes) {
      return WrongCount(place);
    }
    PENSTOCK_RETURN_IF_ERROR(ReadEntries(place));
    PENSTOCK_RETURN_IF_ERROR(CheckOverlaps(place.begin));
    return place.entries;
  }

 private:
  Status Damaged(std::string_view what) const {
    return DataLossError(fmt::format("{}: {}", file_.path(), what));
  }

  StatusOr<std::string> ReadAt(uint64_t offset, uint64_t size) const {
    return ReadZipBytes(file_, size_bytes_, offset, size);
  }

  Status WrongCount(const ZipDirectoryPlace& place) const {
    return Damaged(fmt::format(
        "the zip's end record says {} entries, its directory of {} bytes holds "
        "another number",
        place.entries, place.size_bytes));
  }

  Status ReadEntries(const ZipDirectoryPlace& place) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadAt(place.begin, place.size_bytes));
    std::string_view left = bytes;
    ranges_.reserve(place.entries);
    for (uint64_t i = 0; i < place.entries; ++i) {
      if (left.size() < zip::kEntryBytes) return WrongCount(place);
      if (!left.starts_with(zip::kEntryMagic)) return WrongCount(place);
      const size_t name_bytes = Load<uint16_t>(left, 28);
      const size_t extra_bytes = Load<uint16_t>(left, 30);
      const size_t size_bytes = zip::kEntryBytes + name_bytes + extra_bytes +
                                Load<uint16_t>(left, 32);
      if (left.size() < size_bytes) return WrongCount(place);
      PENSTOCK_RETURN_IF_ERROR(
          CheckEntry(left, left.substr(zip::kEntryBytes, name_bytes),
                     left.substr(zip::kEntryBytes + name_bytes, extra_bytes)));
      left.remove_prefix(size_bytes);
    }
    return left.empty() ? OkStatus() : WrongCount(place);
  }

  Status CheckEntry(std::string_view entry, std::string_view name,
                    std::string_view extra) {
    const auto flags = Load<uint16_t>(entry, 8);
    const auto method = Load<uint16_t>(entry, 10);
    if (name.find('\0') != std::string_view::npos) {
      return InvalidArgumentError(fmt::format("{}: member name {} holds a NUL",
                                              file_.path(), Quoted(name)));
    }
    if ((flags & zip::kEncryptedFlags) != 0) {
      return UnimplementedError(
          fmt::format("{}: member {} is encrypted, and no key can be given",
                      file_.path(), Quoted(name)));
    }
    if (method != zip::kStored && method != zip::kDeflated) {
      return UnimplementedError(fmt::format(
          "{}: member {} is compressed by method {}; only stored (0) and "
          "deflated (8) ones are read",
          file_.path(), Quoted(name), method));
    }
    uint64_t size = Load<uint32_t>(entry, 24);
    uint64_t packed = Load<uint32_t>(entry, 20);
    uint64_t offset = Load<uint32_t>(entry, 42);
    Use64(extra, {&size, &packed, &offset});
    const uint64_t data = offset + zip::kLocalBytes + name.size();
    if (offset > size_bytes_ || data > size_bytes_ ||
        packed > size_bytes_ - data ||
        (method == zip::kStored && packed != size)) {
      return Damaged(
          fmt::format("zip member {} has sizes that cannot be", Quoted(name)));
    }
    return CheckLocal(entry, name, offset, packed);
  }

  // Puts what the zip64 extra field says in place of the fields that do not
  // hold their number.
  static void Use64(std::string_view extra,
                    std::initializer_list<uint64_t*> fields) {
    while (extra.size() >= 4) {
      const auto id = Load<uint16_t>(extra, 0);
      const size_t size =
          std::min<size_t>(Load<uint16_t>(extra, 2), extra.size() - 4);
      std::string_view value = extra.substr(4, size);
      extra.remove_prefix(4 + size);
      if (id != 1) continue;
      for (uint64_t* field : fields) {
        if (*field != zip::kIn64 || value.size() < 8) continue;
        *field = Load<uint64_t>(value, 0);
        value.remove_prefix(8);
      }
      return;
    }
  }

  Status CheckLocal(std::string_view entry, std::string_view name,
                    uint64_t offset, uint64_t packed) {
    const auto header = ReadAt(offset, zip::kLocalBytes + name.size());
    PENSTOCK_RETURN_IF_ERROR(header.status());
    const std::string_view local = *header;
    const bool sizes_follow =
        (Load<uint16_t>(local, 6) & zip::kSizesFollowFlag) != 0;
    if (!local.starts_with(zip::kLocalMagic) ||
        Load<uint16_t>(local, 6) != Load<uint16_t>(entry, 8) ||
        Load<uint16_t>(local, 8) != Load<uint16_t>(entry, 10) ||
        Load<uint16_t>(local, 26) != name.size() ||
        std::string_view(local).substr(zip::kLocalBytes) != name ||
        (!sizes_follow &&
         Load<uint32_t>(local, 14) != Load<uint32_t>(entry, 16))) {
      return Damaged(fmt::format(
          "the header at offset {} differs from the zip directory's entry {}",
          offset, Quoted(name)));
    }
    ranges_.push_back(
        {offset, offset + local.size() + Load<uint16_t>(local, 28) + packed});
    return OkStatus();
  }

  Status CheckOverlaps(uint64_t directory_begin) {
    std::ranges::sort(ranges_, {}, &Range::begin);
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const uint64_t next =
          i + 1 < ranges_.size() ? ranges_[i + 1].begin : directory_begin;
      if (ranges_[i].end > next) {
        return Damaged(fmt::format(
            "zip entries overlap at offset {}: the file is damaged or made to "
            "unpack to more than it holds",
            next));
      }
    }
    return OkStatus();
  }

  const ReadableFile& file_;
  const ArchiveLimits limits_;
  uint64_t size_bytes_ = 0;
  std::vector<Range> ranges_;
};

}  // namespace

StatusOr<uint64_t> CheckZipDirectory(const ReadableFile& file,
                                     const ArchiveLimits& limits) {
  return Checker(file, limits).Check();
}

}  // namespace penstock
