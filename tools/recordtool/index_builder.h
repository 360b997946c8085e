// Indexes with length columns: what `recordtool index` makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/example/feature_spec.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"

namespace penstock {

// Features whose lengths make columns.
struct MeasuredFeatures {
  std::vector<std::string> names;
  // How their values lie in a record; by default as a manifest beside the file
  // says, else plain.
  std::optional<FeatureEncoding> encoding = std::nullopt;
};

// For each feature a column says how many values a record holds of it, or for
// bytes how many bytes its values have together; with any the whole file is
// read, whatever `options` say.
// Errors:  those of reading; kInvalidArgument for a record without the feature.
StatusOr<RecordIndex> BuildIndex(FileSystem& files, const std::string& path,
                                 const MeasuredFeatures& features,
                                 IndexBuildOptions options);

// The same columns for places that are known already.
StatusOr<RecordIndex> AddLengths(FileSystem& files, const std::string& path,
                                 const RecordIndex& index,
                                 const MeasuredFeatures& features,
                                 Compression compression);

}  // namespace penstock
