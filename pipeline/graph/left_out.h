// Records that a graph leaves out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
#include "pipeline/order/order.h"

namespace penstock {

// Of one source, whose records are counted from its first.
struct LeftOut {
  std::vector<uint64_t> excluded;  // rising
  std::vector<SplitOptions> splits;

  // Of the files and the parts of them: the keys of shuffles depend on it.
  uint64_t Identity(uint64_t of_files) const;
};

// Of each source.
// Errors:  kInvalidArgument for records that are not there, and for Exclude and
//          Split over a part of an order, whose records may be any.
StatusOr<std::vector<LeftOut>> RecordsLeftOut(const Stages& stages,
                                              const Sources& sources);

// FileOrder(records, first_id) without them. Adds a line about it to `views`,
// for Explain(), where there are any.
std::unique_ptr<const Order> OrderWithout(LeftOut left_out, uint64_t records,
                                          uint64_t first_id,
                                          std::vector<std::string>& views);

// The records of a source in the order of its files, without those.
struct Leaf {
  std::shared_ptr<const Order> order;
  // Of the files and the parts of them, and which of equal ones they are: files
  // that are read twice have two orders.
  uint64_t identity = 0;
};

// Of each source; with lines for Explain().
// Errors:  those of RecordsLeftOut().
StatusOr<std::vector<Leaf>> MakeLeaves(const Stages& stages,
                                       const Sources& sources,
                                       std::vector<std::string>& views);

// Those that Withdraw names, rising, which `stages` then has no more; with a
// line for Explain().
// Errors:  kInvalidArgument for a record that is not there.
StatusOr<std::vector<uint64_t>> TakeWithdrawn(const Sources& sources,
                                              Stages& stages,
                                              std::vector<std::string>& views);

}  // namespace penstock
