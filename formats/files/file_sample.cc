#include "formats/files/file_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "formats/files/crc32c.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr uint64_t kPieces = 16;
constexpr uint64_t kPieceBytes = 4 << 10;
constexpr uint64_t kBlockBytes = 1 << 20;

Status Shorter(const ReadableFile& file, uint64_t size_bytes, uint64_t now) {
  return FailedPreconditionError(
      fmt::format("{}: file changed while reading (size {} -> {})", file.path(),
                  size_bytes, now));
}

}  // namespace

StatusOr<uint32_t> SampleFile(const ReadableFile& file, uint64_t size_bytes) {
  const bool whole = size_bytes <= kPieces * kPieceBytes;
  std::vector<char> bytes(whole ? size_bytes : kPieceBytes);
  uint32_t checksum = 0;
  for (uint64_t i = 0; i < (whole ? 1 : kPieces); ++i) {
    // Multiplied last: a size has at most 63 bits.
    const uint64_t room = size_bytes - bytes.size();
    const uint64_t offset =
        room / (kPieces - 1) * i + room % (kPieces - 1) * i / (kPieces - 1);
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got, file.ReadAt(offset, bytes));
    if (got < bytes.size()) {
      return Shorter(file, size_bytes, offset + got);
    }
    checksum = ExtendCrc32c(checksum, {bytes.data(), bytes.size()});
  }
  return checksum;
}

StatusOr<uint32_t> ChecksumOfFile(const ReadableFile& file,
                                  uint64_t size_bytes) {
  std::vector<char> block(std::min(size_bytes, kBlockBytes));
  uint32_t checksum = 0;
  for (uint64_t offset = 0; offset < size_bytes;) {
    const size_t want = std::min<uint64_t>(block.size(), size_bytes - offset);
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                              file.ReadAt(offset, {block.data(), want}));
    if (got < want) return Shorter(file, size_bytes, offset + got);
    checksum = ExtendCrc32c(checksum, {block.data(), got});
    offset += got;
  }
  return checksum;
}

}  // namespace penstock
