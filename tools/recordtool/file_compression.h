// How a TFRecord file is wrapped.
#pragma once

#include <optional>
#include <string>

#include "formats/files/file.h"
#include "formats/records/record_reader.h"

namespace penstock {

// As `said`; else as the name says; else, where the file does not begin with
// the header of a record, gzip or zlib as its first bytes say. kNone for a file
// that cannot be read: reading it will tell.
Compression FindCompression(FileSystem& files, const std::string& path,
                            std::optional<Compression> said);

}  // namespace penstock
