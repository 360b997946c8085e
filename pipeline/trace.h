// Which records made a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

// Values of one record in one row.
struct TracedPiece {
  uint64_t row = 0;     // of the global batch
  uint64_t record = 0;  // id
  // "train-00001-of-00004.tfrecord: record 17 at offset 4096"
  std::string where;
  uint32_t begin = 0;   // of the record's values
  uint32_t length = 0;  // how many of them
  uint32_t place = 0;   // where in the row they begin
};

// A global batch, row by row; rows that pad have nothing here.
struct StepTrace {
  uint64_t step = 0;  // Batch::step
  uint64_t epoch = 0;
  size_t shape = 0;  // number of its length in Contract::lengths
  uint64_t rows = 0;
  std::vector<TracedPiece> pieces;
};

}  // namespace penstock
