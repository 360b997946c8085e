// Looks at the rows of some TFRecord files, the files side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/row_summary.h"
#include "formats/files/file.h"
#include "formats/files/function_ref.h"
#include "formats/files/status.h"
#include "formats/records/record_reader.h"
#include "tools/programs/progress.h"

namespace penstock {

// `locate` names the record for messages.
using RowVisit = std::function<Status(size_t file, std::string_view record,
                                      std::span<const RowFeature> row,
                                      FunctionRef<std::string()> locate)>;

// Calls `visit` for each record; the records of one file in order and on one
// thread. Returns the first defect of the first file that has one.
// Errors:  those of reading; kDataLoss for a record that is no Example; those
//          of `visit`.
Status ScanRows(FileSystem& files, const std::vector<std::string>& paths,
                std::optional<Compression> compression, int threads,
                Progress& progress, const RowVisit& visit);

}  // namespace penstock
