// The description that TensorFlow Datasets wants beside the shards of a
// dataset.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "formats/datasets/manifest.h"
#include "formats/files/file.h"

namespace penstock {

// Adds the split to the folder's dataset_info.json, or replaces it there.
// Returns why not, where the folder describes something else; empty when done.
absl::StatusOr<std::string> AddTfdsSplit(FileSystem& files,
                                         const std::string& folder,
                                         const std::string& name,
                                         const std::string& split,
                                         const Manifest& manifest);

// Takes the split out of the description before its shards go.
absl::Status RemoveTfdsSplit(FileSystem& files, const std::string& folder,
                             const std::string& name, const std::string& split);

}  // namespace penstock
