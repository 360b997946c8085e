// Opens the bytes of a file, unwrapped. The one file that knows every stream.
#pragma once

#include <memory>
#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

// Errors:  those of FileSystem::OpenForRead. Whether the file is wrapped as
//          `compression` says shows at the first Read.
StatusOr<std::unique_ptr<ByteStream>> OpenStream(FileSystem& files,
                                                 const std::string& path,
                                                 Compression compression);

// The bytes inside `wrapped`.
std::unique_ptr<ByteStream> Unwrap(std::unique_ptr<ByteStream> wrapped,
                                   Compression compression);

}  // namespace penstock
