// Rows of several tables, numbered through, of whose columns some are used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/example/examples.h"
#include "pipeline/tables/column_table.h"

namespace penstock {

struct TableRow {
  const Examples* columns = nullptr;
  const std::vector<size_t>* used = nullptr;  // the numbers of those used
  uint64_t row = 0;
};

// Threads: any number at a time, once all are added.
class TableRows {
 public:
  // Rows of `table` from `first_row` on; the first of them is number
  // `first_id`, which rises from table to table. Borrowed. `used` are the
  // numbers of columns that have offsets.
  void Add(uint64_t first_id, const ColumnTable& table, uint64_t first_row,
           std::vector<size_t> used);

  // Its views hold until the next Add().
  TableRow Find(uint64_t id) const {
    const Run& run = *--std::ranges::upper_bound(runs_, id, {}, &Run::first_id);
    return {run.columns, &run.used, run.first_row + id - run.first_id};
  }

  // Asks the processor for the numbers of a row from number `begin` on, so that
  // they are near when they are read: for the first of them, as it sees by
  // itself that others follow.
  void Prefetch(uint64_t id, size_t begin) const;

 private:
  struct Run {
    uint64_t first_id = 0;
    const Examples* columns = nullptr;
    uint64_t first_row = 0;
    std::vector<size_t> used;
  };

  std::vector<Run> runs_;
};

}  // namespace penstock
