// Indexes with length columns: what `recordtool index` makes.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "formats/file.h"
#include "formats/record_index.h"

namespace penstock {

// Reads the whole file. For each feature a column says how many values a record
// holds of it, or for bytes how many bytes its values have together.
// Errors:  those of reading; kInvalidArgument for a record without the feature.
absl::StatusOr<RecordIndex> BuildIndex(
    FileSystem& files, const std::string& path,
    const std::vector<std::string>& features);

}  // namespace penstock
