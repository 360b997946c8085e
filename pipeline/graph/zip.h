// Datasets whose rows are put together, feature beside feature.
#pragma once

#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/graph/node.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// What it reads, without folders.
std::string NameOfRead(const SourceStages& source);

// Which records of its one source a dataset inside Zip gives.
// Errors:  kInvalidArgument for a stage that may not stand there, naming it.
StatusOr<SliceOptions> PartInZip(const Node& node);

// A source of such sides.
// Errors:  kInvalidArgument for fewer than two.
StatusOr<SourceStages> ZipOf(std::vector<SourceStages> sides);

// Sets `batched` and `origins` of a zip to those of its sides, which are known.
// Errors:  kInvalidArgument for a name that two of them have.
Status JoinFeatures(SourceStages& zip);

// Of a dataset that is read in sequence.
// Errors:  kInvalidArgument where damage is left out: all records behind it
//          would stand beside others.
Status CheckZipped(const std::string& name, const OpenOptions& options);

// kInvalidArgument for datasets inside Zip that give other numbers of records.
Status OtherNumbers(const std::string& one, uint64_t records,
                    const std::string& other, uint64_t other_records);
// The same for one that gives none.
Status NoRecordsToZip(const std::string& name);

// Of the first record that a part of `records` has, and behind the last.
SliceOptions PartOf(const SliceOptions& part, uint64_t records);

}  // namespace penstock
