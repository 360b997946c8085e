// Open POSIX files: reading at a place, appending.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>

#include "formats/files/file.h"
#include "formats/files/posix_calls.h"

namespace penstock {

// Both take over `fd`. `calls` must outlive the file. What is written comes
// behind the `size_bytes` that are there.
std::unique_ptr<ReadableFile> MakePosixReadableFile(PosixCalls& calls, int fd,
                                                    std::string path);
std::unique_ptr<WritableFile> MakePosixWritableFile(PosixCalls& calls, int fd,
                                                    std::string path,
                                                    uint64_t size_bytes = 0);

FileInfo ToFileInfo(const struct stat& info);

}  // namespace penstock
