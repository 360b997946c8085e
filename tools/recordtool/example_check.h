// Finds the records that are no tf.train.Example.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "tools/programs/progress.h"

namespace penstock {

// Why some records of a file are no Example, naming the record and the byte.
struct BadExamples {
  std::vector<std::string> reasons;
  Status status;  // why not all of the file was read
};

// Of each of `paths`. Damage is passed over: a scan tells of it.
//
// Cost:    reads all files once, side by side; about a microsecond a record.
// Memory:  a few hundred bytes for each bad record.
StatusOr<std::vector<BadExamples>> FindBadExamples(
    FileSystem& files, const std::vector<std::string>& paths,
    std::optional<Compression> compression, int threads, Progress& progress);

}  // namespace penstock
