#include "formats/streams/open_stream.h"

#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/bzip2_stream.h"
#include "formats/streams/gzip_stream.h"
#include "formats/streams/plain_stream.h"
#include "formats/streams/xz_stream.h"
#include "formats/streams/zlib_stream.h"
#include "formats/streams/zstd_stream.h"

namespace penstock {

StatusOr<std::unique_ptr<ByteStream>> OpenStream(FileSystem& files,
                                                 const std::string& path,
                                                 Compression compression) {
  PENSTOCK_ASSIGN_OR_RETURN(auto plain, OpenPlainStream(files, path));
  return Unwrap(std::move(plain), compression);
}

std::unique_ptr<ByteStream> Unwrap(std::unique_ptr<ByteStream> wrapped,
                                   Compression compression) {
  switch (compression) {
    case Compression::kNone:
      break;
    case Compression::kGzip:
      return MakeGzipStream(std::move(wrapped));
    case Compression::kZlib:
      return MakeZlibStream(std::move(wrapped));
    case Compression::kZstd:
      return MakeZstdStream(std::move(wrapped));
    case Compression::kXz:
      return MakeXzStream(std::move(wrapped));
    case Compression::kBzip2:
      return MakeBzip2Stream(std::move(wrapped));
  }
  return wrapped;
}

}  // namespace penstock
