// Which files a program was asked to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/streams/file_kind.h"

namespace penstock {

struct InputFiles {
  std::vector<std::string> paths;  // in the order their records are numbered
  uint64_t size_bytes = 0;         // of all of them, as stored
  // Files of a folder whose name says no kind, so they are not read.
  std::vector<std::string> skipped;
};

// Expands files, patterns (formats/datasets/shard_names.h) and folders, which
// are walked whole and in bytewise order of their paths. Errors:  kNotFound,
// kInvalidArgument where nothing is left to read or a file
//          named outright has a name that says no kind and `kind` is not given.
StatusOr<InputFiles> FindInputFiles(FileSystem& files,
                                    const std::vector<std::string>& inputs,
                                    std::optional<FileKind> kind);

}  // namespace penstock
