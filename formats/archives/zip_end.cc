#include "formats/archives/zip_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "formats/archives/zip_layout.h"
#include "formats/files/status_or.h"
#include "formats/streams/file_signature.h"

namespace penstock {
namespace {

using zip::Load;

constexpr uint64_t kMaxCommentBytes = 65535;

class EndFinder {
 public:
  EndFinder(const ReadableFile& file, uint64_t file_bytes)
      : file_(file), file_bytes_(file_bytes) {}

  StatusOr<ZipDirectoryPlace> Find() {
    const uint64_t tail_bytes = std::min(
        file_bytes_, kMaxCommentBytes + zip::kEndBytes + zip::kLocator64Bytes);
    const uint64_t tail_begin = file_bytes_ - tail_bytes;
    PENSTOCK_ASSIGN_OR_RETURN(const std::string tail,
                              ReadAt(tail_begin, tail_bytes));
    size_t at = tail.rfind(zip::kEndMagic);
    while (at != std::string::npos && (tail.size() - at < zip::kEndBytes ||
                                       Load<uint16_t>(tail, at + 20) !=
                                           tail.size() - at - zip::kEndBytes)) {
      at = at == 0 ? std::string::npos : tail.rfind(zip::kEndMagic, at - 1);
    }
    if (at == std::string::npos) return NoDirectory();
    const std::string_view end = std::string_view(tail).substr(at);
    const ZipDirectoryPlace place{.begin = Load<uint32_t>(end, 16),
                                  .size_bytes = Load<uint32_t>(end, 12),
                                  .entries = Load<uint16_t>(end, 10)};
    // Some writers put zip64 records there although the numbers are small, and
    // 65535 entries may be so many.
    const uint64_t end_offset = tail_begin + at;
    const bool has_gap = place.begin + place.size_bytes != end_offset;
    if (place.size_bytes == zip::kIn64 || place.begin == zip::kIn64 ||
        HasLocator64(tail, at, has_gap || place.entries == zip::kIn64Short)) {
      return FindDirectory64(end_offset);
    }
    if (Load<uint32_t>(end, 4) != 0 ||
        Load<uint16_t>(end, 8) != place.entries) {
      return SeveralDisks();
    }
    return CheckPlace(place, end_offset);
  }

 private:
  static bool HasLocator64(std::string_view tail, size_t end, bool has_gap) {
    return has_gap && end >= zip::kLocator64Bytes &&
           tail.substr(end - zip::kLocator64Bytes)
               .starts_with(zip::kLocator64Magic);
  }

  StatusOr<ZipDirectoryPlace> FindDirectory64(uint64_t end_offset) {
    if (end_offset < zip::kLocator64Bytes) return NoDirectory();
    PENSTOCK_ASSIGN_OR_RETURN(
        const std::string locator,
        ReadAt(end_offset - zip::kLocator64Bytes, zip::kLocator64Bytes));
    if (!locator.starts_with(zip::kLocator64Magic)) return NoDirectory();
    if (Load<uint32_t>(locator, 16) > 1) return SeveralDisks();
    const auto offset = Load<uint64_t>(locator, 8);
    PENSTOCK_ASSIGN_OR_RETURN(const std::string end,
                              ReadAt(offset, zip::kEnd64Bytes));
    if (!end.starts_with(zip::kEnd64Magic)) return NoDirectory();
    return CheckPlace({.begin = Load<uint64_t>(end, 48),
                       .size_bytes = Load<uint64_t>(end, 40),
                       .entries = Load<uint64_t>(end, 32)},
                      offset);
  }

  StatusOr<ZipDirectoryPlace> CheckPlace(const ZipDirectoryPlace& place,
                                         uint64_t end) {
    if (place.begin > end || end - place.begin != place.size_bytes) {
      return Damaged(fmt::format(
          "the zip directory of {} bytes at offset {} does not end where its "
          "end record stands, at {}; the file is damaged or has bytes put "
          "before it",
          place.size_bytes, place.begin, end));
    }
    return place;
  }

  Status NoDirectory() {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string first,
                              ReadAt(0, std::min<uint64_t>(file_bytes_, 64)));
    if (first.starts_with("PK")) {
      return Damaged("the zip has no directory at its end; it is cut off");
    }
    const std::string_view type = LooksLike(first);
    return InvalidArgumentError(
        fmt::format("{}: {}{}{}", file_.path(),
                    first.empty() ? "is empty, which no zip archive is"
                                  : "is not a zip archive (starts with " +
                                        FirstBytesText(first) + ")",
                    type.empty() ? "" : "; looks like ", type));
  }

  Status SeveralDisks() const {
    return UnimplementedError(fmt::format(
        "{}: a zip split over several files is not read", file_.path()));
  }

  StatusOr<std::string> ReadAt(uint64_t offset, uint64_t size) const {
    return ReadZipBytes(file_, file_bytes_, offset, size);
  }

  Status Damaged(std::string_view what) const {
    return DataLossError(fmt::format("{}: {}", file_.path(), what));
  }

  const ReadableFile& file_;
  const uint64_t file_bytes_;
};

}  // namespace

StatusOr<ZipDirectoryPlace> FindZipDirectory(const ReadableFile& file,
                                             uint64_t file_bytes) {
  return EndFinder(file, file_bytes).Find();
}

StatusOr<std::string> ReadZipBytes(const ReadableFile& file,
                                   uint64_t file_bytes, uint64_t offset,
                                   uint64_t size) {
  if (offset > file_bytes || size > file_bytes - offset) {
    return DataLossError(fmt::format(
        "{}: the zip points to {} bytes at offset {}, the file has {}; it is "
        "cut off or damaged",
        file.path(), size, offset, file_bytes));
  }
  std::string bytes(size, '\0');
  PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                            file.ReadAt(offset, {bytes.data(), size}));
  if (got == size) return bytes;
  return FailedPreconditionError(
      fmt::format("{}: file changed while reading (size {} -> {})", file.path(),
                  file_bytes, offset + got));
}

}  // namespace penstock
