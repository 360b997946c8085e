// What the data decides: planned or streamed, lengths of buckets, and how much
// is streamed at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "pipeline/compile_options.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
#include "pipeline/tasks/task_queue.h"
#include "pipeline/topology.h"

namespace penstock {

// Who reads files in sequence.
struct SequenceChoice {
  // kAuto where nobody does, or there is one host.
  SequenceReading how = SequenceReading::kAuto;
  std::string why = {};  // for Explain(), after a comma

  // Whether each file is read by one host.
  bool shared() const {
    return how == SequenceReading::kOneDecodes ||
           how == SequenceReading::kOneReads;
  }
};

struct Choice {
  bool planned = false;
  std::string why;  // for Explain()
  SequenceChoice sequence = {};
};

// Fills in the lengths of Bucket where it leaves them to the data.
// Errors:  kInvalidArgument where not every index has lengths.
Status ChooseBuckets(const Sources& sources, TaskQueue& tasks, Stages& stages);

// For Explain() and messages: "each file by one host, ...".
std::string_view Describe(SequenceReading how);

// Errors:  kInvalidArgument for what options.sequence asks and cannot be.
StatusOr<Choice> Choose(const Stages& stages, const Sources& sources,
                        const Topology& topology,
                        const CompileOptions& options);

struct RoundSizes {
  uint64_t of_part = 64;    // records that a task decodes
  uint64_t of_host = 1024;  // of a round
};

// Enough that telling lengths and starting tasks cost little of each; the same
// on every host. `most_bytes` are those of all rows that a record becomes.
RoundSizes ChooseRounds(const Sources& sources, uint64_t most_rows,
                        uint64_t most_bytes);

}  // namespace penstock
