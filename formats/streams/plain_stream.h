// The bytes of a file as they are.
#pragma once

#include <memory>
#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

// Reads as many bytes as the file has now; at the end it must still have that
// size. A rewrite that keeps the size shows only through the checksums of what
// the bytes are.
StatusOr<std::unique_ptr<ByteStream>> OpenPlainStream(FileSystem& files,
                                                      const std::string& path);

}  // namespace penstock
