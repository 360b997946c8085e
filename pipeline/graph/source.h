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
#include "formats/tokens/megatron_tokens.h"
#include "pipeline/graph/node.h"
#include "pipeline/tables/column_table.h"

namespace penstock {

struct Source {
  std::vector<std::string> paths;
  OpenOptions options;
  // Null where records are read in sequence only.
  std::shared_ptr<const RecordFiles> indexed;
  std::shared_ptr<const ColumnTable> columns;      // instead of files
  std::shared_ptr<const MegatronTokens> megatron;  // the same
  // Then, why: "a.tfrecord.gz is compressed".
  std::string why_sequential;
  uint64_t size_bytes = 0;  // of the files
  // Of names (without folders), sizes and samples of the files, and how they
  // are cut into records.
  uint64_t fingerprint = 0;
  // Of a zip, which has no files of its own; then of each side which of its
  // records go into it.
  std::vector<Source> sides = {};
  SliceOptions part = {};
  // Number of the first of `paths` among those of all sources.
  size_t first_file = 0;
};

// Errors:  those of ExpandPattern and RecordFiles, except for a missing index;
//          kFailedPrecondition for no records at all.
StatusOr<Source> OpenSource(FileSystem& files, const ReadStage& read);

}  // namespace penstock
