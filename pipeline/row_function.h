// Functions of a user's own over rows: for Dataset::Map() and Filter(). Rows
// come in chunks, by column, on the pipeline's threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/example/examples.h"
#include "formats/files/callback.h"
#include "formats/files/status.h"

namespace penstock {

// Some rows, in no order that means anything, and in chunks of any size.
struct RowChunk {
  Examples& rows;
  std::span<const uint64_t> records;  // [rows] their ids
  // [rows] hash of {seed, epoch, stage, the data, record}: for what is random,
  // the same wherever the row is read and another one in each epoch.
  std::span<const uint64_t> keys;
};

struct MapOptions {
  // What a state is tied to: another name or version is another graph. Give a
  // new version when the function changes what it makes.
  std::string name;
  uint64_t version = 1;
  uint64_t seed = 0;
  // Every feature has as many values as before, so that a plan stays one.
  bool keeps_lengths = true;
};

struct FilterOptions {
  std::string name;
  uint64_t version = 1;
  uint64_t seed = 0;
};

// Changes values of columns, and how many there are unless keeps_lengths; the
// columns, their types and the number of rows stay. Depends on the chunk's rows
// alone, each for itself. Threads: any number at a time. Errors end the run.
using MapFunction = Callback<Status(const RowChunk& chunk)>;

// Clears keep[r] for each row that is to be left out; they come all set.
using FilterFunction =
    Callback<Status(const RowChunk& chunk, std::vector<bool>& keep)>;

}  // namespace penstock
