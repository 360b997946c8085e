#include "tools/recordtool/file_compression.h"

#include <string_view>

#include "formats/files/status_or.h"
#include "formats/streams/file_kind.h"
#include "formats/streams/file_signature.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

constexpr size_t kLookedAtBytes = 64;

}  // namespace

Compression FindCompression(FileSystem& files, const std::string& path,
                            std::optional<Compression> said) {
  if (said) return *said;
  const Compression named = CompressionOfFile(path);
  if (named != Compression::kNone) return named;
  const auto file = files.OpenForRead(path);
  if (!file.ok()) return named;
  char bytes[kLookedAtBytes];
  const StatusOr<size_t> got = (*file)->ReadAt(0, bytes);
  if (!got.ok() || *got < kTfRecordHeaderBytes) return named;
  // A record of 35,615 bytes begins as gzip does.
  if (LoadTfRecordHeader(bytes).valid()) return named;
  const std::string_view kind = LooksLike({bytes, *got});
  if (kind.starts_with("gzip")) return Compression::kGzip;
  if (kind.starts_with("zlib")) return Compression::kZlib;
  return named;
}

}  // namespace penstock
