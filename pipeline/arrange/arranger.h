// Rows in, assignments out: arithmetic on (record, length), which never touches
// data. The same arranger runs before any data is read (planned) and after
// decoding (streamed), over all rows of the global batch on every host.
//
// Implementations form a star around this header: bucket_arranger,
// pad_arranger, first_fit_arranger, best_fit_arranger, chunk_arranger,
// balanced_arranger, sharded_arranger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/arrange/rows.h"
#include "pipeline/arrange/rules.h"
#include "pipeline/state.h"

namespace penstock {

// How rows fared, since the arranger was made.
struct ArrangeCounts {
  uint64_t dropped = 0;    // too long, or kLeftOut
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

  // Takes rows until one completes a batch; none where what waits is one. What
  // comes out depends on nothing but the order of the rows.
  virtual Arranged Add(std::span<const Row> rows, Assignment& out) = 0;

  // After the last row of an epoch: a batch that rows which still wait fill, if
  // any, until there is none.
  virtual bool FlushFull(Assignment& out);

  // Then a batch of rows that still wait, filled up with rows that pad, until
  // there are none.
  virtual bool Flush(Assignment& out) = 0;

  // Forgets the rows that wait, and returns how many they were.
  virtual uint64_t Drop() = 0;

  virtual uint64_t held_rows() const = 0;  // records

  // Rows that are left over may fare in other ways by queue: of Bucket, by
  // length; others have one. held_rows() and Drop() of one queue, Flush() of
  // some, which rise.
  virtual size_t queues() const { return 1; }
  virtual uint64_t held_rows_of(size_t) const { return held_rows(); }
  virtual uint64_t DropOf(size_t) { return Drop(); }
  virtual bool FlushOf(std::span<const size_t>, Assignment& out) {
    return Flush(out);
  }

  // Whether a row's place in its batch is known as soon as it waits: then the
  // pieces that wait in a queue, at those places from row 0 on, for a batch
  // whose shape has the queue's number. They stay until a batch takes them or
  // they are dropped.
  virtual bool places_at_once() const { return false; }
  virtual std::span<const Piece> WaitingOf(size_t) const { return {}; }

  // What waits, in the order in which Load() wants it.
  virtual std::vector<HeldPiece> Held() const = 0;
  // Puts back what another arranger held. rows[i] is that of held[i].record.
  // False where such an arranger could not have held it.
  virtual bool Load(std::span<const HeldPiece> held,
                    std::span<const Row> rows) = 0;

  virtual ArrangeCounts counts() const = 0;
  // Bytes of rows that wait, at most, whatever rows come.
  virtual uint64_t MostHeldBytes() const = 0;
  // Pieces of Held() after a batch, and of a batch, at most.
  virtual uint64_t MostHeldPieces() const = 0;
  virtual uint64_t MostPieces() const = 0;
};

// Each length has a queue of its own; a queue with rows enough is a batch.
// Cost:    about 5 ns a row; memory for the rows that wait.
std::unique_ptr<Arranger> MakeBucketArranger(ArrangeOptions options);

// Rows stay in their order; a batch is as long as its longest row needs.
std::unique_ptr<Arranger> MakePadArranger(ArrangeOptions options);

// The three with options.pack.
// Cost:    about 30 ns a row; memory for the rows that wait.
std::unique_ptr<Arranger> MakeFirstFitArranger(ArrangeOptions options);
std::unique_ptr<Arranger> MakeBestFitArranger(ArrangeOptions options);
std::unique_ptr<Arranger> MakeChunkArranger(ArrangeOptions options);

// Batches of `of`, with rows at other places.
std::unique_ptr<Arranger> MakeBalancedArranger(std::unique_ptr<Arranger> of,
                                               BalanceRule rule);

// One for each host, of its records and rows alone. A batch is due when each
// has made its part, or more than 16 of one wait; rows of the others then pad.
std::unique_ptr<Arranger> MakeShardedArranger(ArrangeOptions options);

// The one that the options ask for.
std::unique_ptr<Arranger> MakeArranger(ArrangeOptions options);

}  // namespace penstock
