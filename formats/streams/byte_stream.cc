#include "formats/streams/byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "formats/files/status_or.h"

namespace penstock {

Status ByteStream::Skip(uint64_t size) {
  constexpr uint64_t kPieceBytes = 64 << 10;
  const auto piece = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  while (size > 0) {
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                              Read({piece.get(), std::min(size, kPieceBytes)}));
    if (got == 0) {
      return OutOfRangeError(
          fmt::format("{}: ends {} bytes early", path(), size));
    }
    size -= got;
  }
  return OkStatus();
}

}  // namespace penstock
