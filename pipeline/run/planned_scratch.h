// What a task of PlannedReader works with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/index/record_files.h"
#include "pipeline/build/decode.h"
#include "pipeline/build/rows.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/planned_reader.h"

namespace penstock {

// So that all that is left of them is no more than a chunk.
inline constexpr size_t kLongRowsAtOnce =
    kChunkBytes / (2 * ExampleRest::kMostBytes);

// Memory that one task leaves for the next.
struct PlannedReader::Scratch {
  // A row of one record whose long values are in the batch.
  struct LongRow {
    ExampleRest rest;
    std::vector<LongValue> values;
    std::vector<bool> in_place;  // RowRef::in_place
  };

  GatheredRecords gathered;
  std::vector<uint64_t> ids;       // a record that follows itself comes once
  std::vector<FoundRecord> found;  // of the first of them
  std::vector<size_t> ends;        // [rows]: how many ids rows up to it need
  DecodeScratch decode;
  DecodedRows rows;
  RowBlock placed;
  std::array<LongRow, kLongRowsAtOnce> long_rows;
  std::vector<std::string_view> rests;
};

}  // namespace penstock
