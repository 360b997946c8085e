// The files of all sources of a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "pipeline/graph/source.h"
#include "pipeline/graph/source_records.h"
#include "pipeline/graph/stages.h"
#include "pipeline/state.h"

namespace penstock {

// Records of the sources are numbered through.
struct Sources {
  std::vector<Source> each;
  // Of all; null where records are read in sequence, of one source.
  std::shared_ptr<const SourceRecords> indexed;
  // Of each source, then how many there are in all. Where indexed.
  std::vector<uint64_t> first_ids = {0};

  // Which source a record is of. Cost: a search.
  size_t SourceOf(uint64_t record_id) const;
  uint64_t RecordsOf(size_t source) const {
    return first_ids[source + 1] - first_ids[source];
  }
  // Values of feature `by` in a record of a source.
  // Errors:  kInvalidArgument where its indexes have no such lengths.
  StatusOr<double> MeanLength(size_t source, const std::string& by) const;

  // The id of the first record of each file of a source that is indexed. Of a
  // zip of its datasets of files, where these are as long, file by file; none
  // where they are not, and of rows in memory.
  std::vector<uint64_t> FirstOfFiles(size_t source) const;

  // What rows are drawn by: the data of all of them.
  uint64_t Key() const;
  // Sources, but of a zip its sides.
  std::vector<const Source*> readers() const;
};

// Errors:  those of OpenSource; kFailedPrecondition for files that are read in
//          sequence where the graph needs their records by number;
//          kInvalidArgument for a Zip of datasets with other numbers of
//          records.
StatusOr<Sources> OpenSources(FileSystem& files, const Stages& stages);

// A part of a state's graph whose name begins so is what the files of a source
// are.
inline constexpr char kDataPart[] = "the data";

// That of one dataset of a zip: such a part stands before that of the zip.
inline constexpr char kSidePart[] = "dataset ";

// Of each source.
std::vector<StatePart> DataParts(const Stages& stages, const Sources& sources);

}  // namespace penstock
