#include "formats/open_stream.h"

#include <utility>

#include "formats/gzip_stream.h"
#include "formats/plain_stream.h"
#include "formats/status.h"
#include "formats/zlib_stream.h"

namespace penstock {

absl::StatusOr<std::unique_ptr<ByteStream>> OpenStream(
    FileSystem& files, const std::string& path, Compression compression) {
  PENSTOCK_ASSIGN_OR_RETURN(auto plain, OpenPlainStream(files, path));
  switch (compression) {
    case Compression::kNone:
      break;
    case Compression::kGzip:
      return MakeGzipStream(std::move(plain));
    case Compression::kZlib:
      return MakeZlibStream(std::move(plain));
  }
  return plain;
}

}  // namespace penstock
