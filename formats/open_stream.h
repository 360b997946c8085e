// Opens the bytes of a file, unwrapped. The one file that knows every stream.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "formats/byte_stream.h"
#include "formats/file.h"
#include "formats/record_reader.h"

namespace penstock {

// Errors:  those of FileSystem::OpenForRead. Whether the file is wrapped as
//          `compression` says shows at the first Read.
absl::StatusOr<std::unique_ptr<ByteStream>> OpenStream(FileSystem& files,
                                                       const std::string& path,
                                                       Compression compression);

}  // namespace penstock
