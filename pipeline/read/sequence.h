// All records of some files, one file after the other.
//
// Implementations form a star around this header: record_sequence, of which
// every host has all bytes, shared_sequence, where each file is read by one
// host, and zipped_sequence of several datasets side by side.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/read/places.h"
#include "pipeline/state.h"

namespace penstock {

// Any host may decode the record, as all have its bytes.
inline constexpr uint32_t kAnyHost = std::numeric_limits<uint32_t>::max();

struct SequenceRecord {
  uint64_t id = 0;
  uint64_t size_bytes = 0;
  // Lives until the next call; empty where another host decodes it, and of a
  // record that SequenceStart passes over.
  std::string_view bytes = {};
  uint32_t host = kAnyHost;  // that decodes it
};

// Where an epoch is entered.
struct SequenceStart {
  uint64_t epoch = 0;
  // Rising; empty is the first file. Between two of these files no other is
  // needed; behind the last one all are.
  std::vector<UnitPlace> units = {};
  // The records that are needed: these, rising, and all from `end` on.
  std::vector<uint64_t> needed = {};
  uint64_t end = 0;
};

// Record ids count the records in the order of the files.
//
// Threads: StartAt(), HasNext() and Next() from one; the others from any.
class Sequence {
 public:
  virtual ~Sequence() = default;

  // Before the first record: goes where `start` says. Later: begins a later
  // epoch, `start` saying nothing else; what is left of this one is passed
  // over, and no cause to end where it cannot be read.
  // Errors:  kFailedPrecondition for a file that is not there.
  virtual Status StartAt(const SequenceStart& start) = 0;

  // Whether there is another record, whose id next_id() then is. Of records
  // that are not needed it may know nothing.
  // Errors:  as Next().
  virtual StatusOr<bool> HasNext(const std::stop_token& stop) = 0;
  // The next record; nullopt after the last.
  // Errors:  those of OpenRecords and RecordReader; kCancelled once `stop` was
  //          requested.
  virtual StatusOr<std::optional<SequenceRecord>> Next(
      const std::stop_token& stop) = 0;

  virtual uint64_t next_id() const = 0;
  // In all epochs so far.
  virtual uint64_t records_read() const = 0;
  virtual const Places& places() const = 0;

  // Whether hosts meet in HasNext() and Next(), so that all must make the same
  // calls.
  virtual bool meets() const { return false; }
  // The cause of an error of HasNext() or Next(), once all that came before it
  // was used: where another host could not read, waits for its word.
  virtual Status CauseOf(const Status& error) { return error; }
  // That passed while others were waited for.
  virtual int64_t waited_ns() const { return 0; }
  // Bytes of records read ahead of Next(), at most.
  virtual uint64_t BufferBytes() const { return 0; }
};

}  // namespace penstock
