// A thread that inserts into a table that threads share.
#pragma once

#include <cstdint>

#include "tokenizer/pieces/readers.h"

namespace penstock {

// Of one table. What each insertion changes is here where it can be: to write
// where another thread just wrote takes 40 to 200 ns.
//
// Threads: one at a time.
struct Inserter {
  // `reader` must outlive it, and is inside while it inserts.
  explicit Inserter(const Readers::Reader& reader) : reader(reader) {}

  const Readers::Reader& reader;
  uint64_t own = 0;  // the table's
};

}  // namespace penstock
