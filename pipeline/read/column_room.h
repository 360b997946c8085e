// How much room columns of rows need, guessed from rows before.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/example/examples.h"

namespace penstock {

// Columns that grow by doubling copy all their values about once more; those of
// rows like the ones before need not.
//
// Threads: one at a time.
class ColumnRoom {
 public:
  // Makes the columns of the rows taken last in `examples`, which has no rows,
  // with room for `rows`; none before the first Take(). Where those are the
  // columns that it has, their memory stays.
  void Make(size_t rows, Examples& examples) const;
  // Learns from decoded rows. Gives back what they have too much: room is then
  // at most twice what is there, as if they had grown.
  void Take(Examples& examples);

 private:
  bool IsOfForm(const Examples& examples) const;

  std::vector<Column> forms_;  // with names and kinds alone
  size_t rows_ = 0;
  std::vector<size_t> values_;  // [columns], in so many rows
  std::vector<size_t> bytes_;
};

}  // namespace penstock
