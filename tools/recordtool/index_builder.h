// Indexes with length columns: what `recordtool index` makes.
#pragma once

#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"

namespace penstock {

// For each feature a column says how many values a record holds of it, or for
// bytes how many bytes its values have together; with any the whole file is
// read, whatever `options` say.
// Errors:  those of reading; kInvalidArgument for a record without the feature.
StatusOr<RecordIndex> BuildIndex(FileSystem& files, const std::string& path,
                                 const std::vector<std::string>& features,
                                 IndexBuildOptions options);

// The same columns for places that are known already.
StatusOr<RecordIndex> AddLengths(FileSystem& files, const std::string& path,
                                 const RecordIndex& index,
                                 const std::vector<std::string>& features,
                                 Compression compression);

}  // namespace penstock
