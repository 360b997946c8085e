// The description that TensorFlow Datasets wants beside the shards of a
// dataset.
#pragma once

#include <string>

#include "formats/datasets/manifest.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// Adds the split to the folder's dataset_info.json, or replaces it there.
// Returns why not, where the folder describes something else; empty when done.
StatusOr<std::string> AddTfdsSplit(FileSystem& files, const std::string& folder,
                                   const std::string& name,
                                   const std::string& split,
                                   const Manifest& manifest);

// Takes the split out of the description before its shards go; OK where it is
// not in there.
Status RemoveTfdsSplit(FileSystem& files, const std::string& folder,
                       const std::string& name, const std::string& split);

// Whether the folder's dataset_info.json can be read, where there is one.
// Errors:  those of TfdsInfo::Load().
Status CheckTfds(FileSystem& files, const std::string& folder);

}  // namespace penstock
