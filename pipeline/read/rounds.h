// Where the streamed placement's records come from: rounds of rows that follow
// each other in the global stream, dealt to the hosts for decoding.
//
// Implementations form a star around this header: indexed_rounds,
// sequence_rounds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/index/record_files.h"
#include "pipeline/order/record_shares.h"
#include "pipeline/state.h"

namespace penstock {

// Rows that follow each other, all decoded by one host.
struct Share {
  uint32_t host = 0;
  uint64_t rows = 0;
};

// Some rows of one epoch, in the order of the global stream.
struct Round {
  uint64_t epoch = 0;
  // Rows that wait in the state that the run goes on from, in any order; the
  // arranger has seen them before. Such rounds come first.
  bool held = false;
  bool ends_epoch = false;
  uint64_t window_begin = 0;      // State::window_begin of its rows
  std::vector<uint64_t> records;  // ids, of all rows
  std::vector<Share> shares;      // of the rows, in their order
  // This host's rows are records[mine[i]]; rising.
  std::vector<uint32_t> mine;
  // Their bytes, where they were read in sequence: raw[i] is that of mine[i].
  std::vector<std::string_view> raw;
  std::shared_ptr<const void> memory;  // what raw points into
  uint64_t memory_bytes = 0;           // that no round before has brought
};

struct RoundOptions {
  uint32_t hosts = 1;
  uint32_t host = 0;
  uint64_t epochs = 1;  // 0 for ever
  // Rows of a round. It says nothing about what comes out: only how much is
  // decoded at once.
  uint64_t rows = 64;
  // Where records are read in sequence, a host's share of a round ends with the
  // row that makes its bytes as many.
  uint64_t raw_bytes = 1 << 20;
  // A longer record is kResourceExhausted, naming
  // CompileOptions::max_record_bytes.
  uint64_t max_record_bytes = 64 << 20;
  // Where whoever feeds a row must decode it, as no lengths are told and no
  // rows sent: [rows of a batch], whether this host feeds it. The row at
  // position p of an epoch is row p % size of its batch. Empty: rows are dealt
  // out.
  std::vector<bool> feeds = {};
  // Not null: a row is decoded by the host that its record is of.
  std::shared_ptr<const RecordShares> shares = {};
};

// Of records that are reached by number: what is gathered and decoded before
// the next ones, so that they and their values stay in the nearest caches.
inline constexpr uint64_t kStretchBytes = 24 << 10;

// Memory that one RoundSource::Load() leaves for the next.
struct LoadScratch {
  GatheredRecords gathered;
  std::vector<FoundRecord> found;
};

// Threads: Seek() and Next() from one; the others from any number.
class RoundSource {
 public:
  virtual ~RoundSource() = default;

  // Goes on after `state`: first a round of the rows that wait in it, where
  // there are any. Before the first Next().
  // Errors:  kFailedPrecondition for a position that the data does not have;
  //          where it is read in sequence, Next() gives it.
  virtual Status Seek(const State& state) = 0;

  // The next round; nullopt after the last epoch.
  // Errors:  kCancelled once `stop` was requested; those of reading.
  virtual StatusOr<std::optional<Round>> Next(const std::stop_token& stop) = 0;

  // Brings the bytes of this host's rows of `round` into memory, from row
  // `begin` of Round::mine on, of which `ids` are the records: as many as
  // `limit_bytes` hold, and one at least. False where that one is larger,
  // unless `alone`. `records` lives as long as `round` and until `scratch` is
  // used again.
  // Errors:  those of SourceRecords::Gather; of RecordTooLarge().
  virtual StatusOr<bool> Load(const Round& round, size_t begin,
                              std::span<const uint64_t> ids,
                              uint64_t limit_bytes, bool alone,
                              LoadScratch& scratch,
                              std::vector<std::string_view>& records) const = 0;

  // Where a record that a round held came from.
  virtual std::string Locate(uint64_t record_id) const = 0;

  // State::units of `state`, whose other members are there and say no more than
  // what Next() has given; none where records are reached by number.
  virtual std::vector<UnitPlace> UnitsOf(const State& state) const = 0;

  // Records read in sequence so far, also those passed over; 0 where they are
  // reached by number.
  virtual uint64_t records_read() const { return 0; }

  // Whether hosts meet in Next(), which then gives all of them the same rounds,
  // with the same memory_bytes: they must call it at the same times.
  virtual bool meets() const { return false; }
  // The cause of an error of Next(), once all rounds before it were used: where
  // another host could not read, waits for its word.
  virtual Status CauseOf(const Status& error) { return error; }
  // That passed in Next() while others were waited for.
  virtual int64_t waited_ns() const { return 0; }

  // Bytes that the next round will bring into memory, at most.
  virtual uint64_t NextBytes() const = 0;
  // Bytes that it holds besides those in rounds, at most.
  virtual uint64_t BufferBytes() const = 0;
};

// The error for a record that is larger than the pipeline was made for.
Status RecordTooLarge(const std::string& where, uint64_t bytes,
                      uint64_t max_record_bytes);

// Deals the rows of a round, whose records are there, in equal parts, or as
// options.shares or options.feeds says of the rows from position `first` on.
// Fills in shares and mine.
void DealRows(const RoundOptions& options, uint64_t first, Round& round);

}  // namespace penstock
