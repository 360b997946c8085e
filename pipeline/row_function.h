// Functions of a user's own over rows: for Dataset::Map(), Filter() and
// FlatMap(). Rows come in chunks, by column, on the pipeline's threads.
#pragma once

#include <cstddef>
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
  // the same wherever the row is read and another one in each epoch. Behind
  // FlatMap also of the row's number among those of its record, unless it is 0.
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

struct FlatMapOptions {
  std::string name;
  uint64_t version = 1;
  uint64_t seed = 0;
  // Rows that a row can become: 1 to kMostRowsOfRecord, of several FlatMaps one
  // after the other their product. Memory for rows that are read ahead is
  // counted by it, so more than is needed makes rounds smaller.
  uint64_t most_rows = 0;
};

inline constexpr uint64_t kMostRowsOfRecord = 65'536;

// Changes values of columns, and how many there are unless keeps_lengths; the
// columns, their types and the number of rows stay. Depends on the chunk's rows
// alone, each for itself. Threads: any number at a time. Errors end the run.
using MapFunction = Callback<Status(const RowChunk& chunk)>;

// Clears keep[r] for each row that is to be left out, which then counts as
// dropped; they come all set.
using FilterFunction =
    Callback<Status(const RowChunk& chunk, std::vector<bool>& keep)>;

// Appends what rows become to the columns of `made`, which are those of the
// chunk without its rows: first the rows_of[0] rows that row 0 becomes, then
// those of row 1 ... All of rows_of come as 0. A row that becomes none counts
// as dropped; more than most_rows are an error. Otherwise as MapFunction.
using FlatMapFunction = Callback<Status(const RowChunk& chunk, Examples& made,
                                        std::vector<uint32_t>& rows_of)>;

// Row `row` of `from` goes behind the rows of `to`, of the same type: for
// columns that FlatMap leaves as they are.
void CopyRow(const Column& from, size_t row, Column& to);

}  // namespace penstock
