// What can still be had of a damaged compressed file.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "formats/byte_stream.h"
#include "formats/file.h"
#include "formats/record_reader.h"

namespace penstock {

struct SalvageStream {
  // Ends where the compressed bytes are cut off or cannot be decoded further. A
  // device that fails, or a file that changes, stays an error.
  std::unique_ptr<ByteStream> stream;
  // Then, why; OK before and at a proven end. Lives as long as `stream`.
  const absl::Status* damage;
};

// As OpenStream().
absl::StatusOr<SalvageStream> OpenSalvageStream(FileSystem& files,
                                                const std::string& path,
                                                Compression compression);

}  // namespace penstock
