// Rows in, assignments out: arithmetic on (record, length), which never touches
// data. The same arranger runs before any data is read (planned) and after
// decoding (streamed), over all rows of the global batch on every host.
//
// Implementations form a star around this header: bucket_arranger,
// pad_arranger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/arrange/rows.h"
#include "pipeline/dataset.h"
#include "pipeline/state.h"

namespace penstock {

struct ArrangeOptions {
  uint64_t rows = 1;  // of a global batch
  // Rising. A row fits a length that is no less than its own.
  std::vector<int64_t> lengths = {0};
  TooLong too_long = TooLong::kError;
  bool one_queue = false;  // Pad; otherwise each length has a queue
  // Bytes of one row in each length, as decoded: what a row that waits costs.
  std::vector<uint64_t> row_bytes = {0};
  // Bytes of rows that wait, at most. Past it the queue that holds most of them
  // becomes a batch with padding.
  uint64_t held_bytes = std::numeric_limits<uint64_t>::max();
};

// How rows fared, since the arranger was made.
struct ArrangeCounts {
  uint64_t dropped = 0;    // too long, or left out by a Filter
  uint64_t truncated = 0;  // cut to the longest length
  uint64_t forced = 0;     // batches made before they were full
};

struct Arranged {
  size_t taken = 0;  // rows; the last of them completed `out` where it is due
  bool due = false;
  // Row `taken` is too long, under TooLong::kError.
  bool too_long = false;
};

// Threads: one at a time.
class Arranger {
 public:
  virtual ~Arranger() = default;

  // Takes rows until one completes a batch. What comes out depends on nothing
  // but the order of the rows.
  virtual Arranged Add(std::span<const Row> rows, Assignment& out) = 0;

  // A batch of rows that still wait, filled up with rows that pad, until there
  // are none.
  virtual bool Flush(Assignment& out) = 0;

  // Forgets the rows that wait, and returns how many they were.
  virtual uint64_t Drop() = 0;

  virtual uint64_t held_rows() const = 0;
  // What waits, in the order in which Load() wants it.
  virtual std::vector<HeldPiece> Held() const = 0;
  // Puts back what another arranger held. rows[i] is that of held[i].record.
  // False where such an arranger could not have held it.
  virtual bool Load(std::span<const HeldPiece> held,
                    std::span<const Row> rows) = 0;

  virtual ArrangeCounts counts() const = 0;
  // Bytes of rows that wait, at most, whatever rows come.
  virtual uint64_t MostHeldBytes() const = 0;
};

// Each length has a queue of its own; a queue with rows enough is a batch.
// Cost:    about 5 ns a row; memory for the rows that wait.
std::unique_ptr<Arranger> MakeBucketArranger(ArrangeOptions options);

// Rows stay in their order; a batch is as long as its longest row needs.
std::unique_ptr<Arranger> MakePadArranger(ArrangeOptions options);

// The one that the options ask for.
std::unique_ptr<Arranger> MakeArranger(ArrangeOptions options);

}  // namespace penstock
