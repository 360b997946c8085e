// What processes that were killed have left beside their outputs.
#pragma once

#include <cstdint>
#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// Removes the temporary files in `folder` whose processes are known to be dead
// (OwnerOfTemporary(), StateOf()); returns how many there were. Those of other
// hosts stay, as does everything of another name.
//
// Threads: any number at a time, of any number of processes.
StatusOr<uint64_t> RemoveLeftovers(FileSystem& files,
                                   const std::string& folder);

// Removes `folder` with the files in it, whosever they are; returns how many
// there were. OK where it is not there.
// Errors:  kInvalidArgument where it holds a folder.
StatusOr<uint64_t> RemoveFolderOfFiles(FileSystem& files,
                                       const std::string& folder);

}  // namespace penstock
