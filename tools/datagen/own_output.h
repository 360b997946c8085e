// Inputs that are what datagen has written.
#pragma once

#include <string>

#include "formats/files/file.h"
#include "formats/files/status.h"
#include "tools/programs/input_files.h"

namespace penstock {

// Refuses paths that a folder or a glob has found (InputFiles::named), if they
// lie in the folder `output` or are shards of a dataset with a manifest: the
// second run of one line would read what the first one wrote. What an input
// names itself is meant.
//
// Cost:    a few system calls for each folder and each dataset.
// Errors:  kInvalidArgument naming the first such path.
Status RefuseOwnOutput(FileSystem& files, const InputFiles& input,
                       const std::string& output);

}  // namespace penstock
