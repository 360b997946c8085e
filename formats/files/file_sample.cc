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
      return FailedPreconditionError(
          fmt::format("{}: file changed while reading (size {} -> {})",
                      file.path(), size_bytes, offset + got));
    }
    checksum = ExtendCrc32c(checksum, {bytes.data(), bytes.size()});
  }
  return checksum;
}

}  // namespace penstock
