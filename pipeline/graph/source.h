// The files of a dataset, and whether their records are reached by number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/index/record_files.h"
#include "formats/open.h"
#include "pipeline/graph/column_table.h"
#include "pipeline/graph/node.h"

namespace penstock {

struct Source {
  std::vector<std::string> paths;
  OpenOptions options;
  // Null where records are read in sequence only.
  std::shared_ptr<const RecordFiles> indexed;
  std::shared_ptr<const ColumnTable> columns;  // instead of files
  // Then, why: "a.tfrecord.gz is compressed".
  std::string why_sequential;
  uint64_t size_bytes = 0;  // of the files
  // Of names (without folders), sizes and samples of the files, and how they
  // are cut into records.
  uint64_t fingerprint = 0;
};

// Errors:  those of ExpandPattern and RecordFiles, except for a missing index;
//          kFailedPrecondition for no records at all.
StatusOr<Source> OpenSource(FileSystem& files, const ReadStage& read);

}  // namespace penstock
