// The files that one host reads for all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/records/record_reader.h"
#include "pipeline/read/record_bytes.h"
#include "pipeline/read/sequence.h"
#include "pipeline/read/told_records.h"

namespace penstock {

struct UnitReaderOptions {
  uint32_t hosts = 1;
  uint32_t host = 0;
  uint64_t epochs = 1;  // 0 for ever
  // Records are dealt to all hosts for decoding; otherwise this one decodes
  // what it reads.
  bool deals = false;
  // Of a larger one no bytes are kept.
  uint64_t max_record_bytes = 64 << 20;
  // Of what is told and not taken yet, of this host: bytes of records, and
  // records, of which each ToldRecords counts as kToldCost.
  uint64_t ahead_bytes = 4 << 20;
  uint64_t ahead_records = 4096;
  // What one host gets before it is another's turn; a record of more than that,
  // and of more than a host's part of ahead_bytes or 1 MiB, stays where it was
  // read, so that nobody gets many at once.
  uint64_t deal_bytes = 64 << 10;
  uint64_t deal_records = 64;

  uint64_t largest_dealt() const {
    return std::max(deal_bytes,
                    std::min<uint64_t>(ahead_bytes / hosts, 1 << 20));
  }
};

// Of the memory that ToldRecords takes, in records.
inline constexpr uint64_t kToldCost = 16;

// What was read; of `told` all bytes are there, those of records that others
// decode as long as `sent`.
struct UnitNews {
  std::vector<ToldRecords> told;
  RecordBytes sent;
  uint64_t bytes = 0;    // of records
  uint64_t records = 0;  // and kToldCost for each of `told`
};

// Host h of H reads the files f with f mod H = h, one after the other, epoch
// after epoch.
//
// Threads: one at a time.
class UnitReader {
 public:
  UnitReader(FileSystem& files, std::vector<std::string> paths,
             OpenOptions open, UnitReaderOptions options);

  const UnitReaderOptions& options() const { return options_; }
  uint32_t HostOf(uint64_t unit) const {
    return static_cast<uint32_t>(unit % options_.hosts);
  }

  // Before the first ReadOn().
  void StartAt(SequenceStart start);
  // Reads nothing more of epochs before `epoch`, nor fails by what they had.
  void PassOver(uint64_t epoch);

  // Reads until there are as many bytes or records as may be, with `bytes` and
  // `records` told before and not taken yet. What it cannot read is told, and
  // is the last that comes.
  // Errors:  kCancelled.
  StatusOr<UnitNews> ReadOn(uint64_t bytes, uint64_t records,
                            const std::stop_token& stop);

  // Why it could not read on.
  const Status& failure() const { return failure_; }

 private:
  // Of the unit that is being read.
  struct Range {
    bool known = false;  // where it begins, so that its records have ids
    uint64_t id = 0;     // of the next record
    uint64_t end = 0;    // behind the last one that is needed
  };

  void BeginEpoch(uint64_t epoch);
  bool Visits(uint64_t unit) const;
  void GoToNext();
  void EnterUnit();
  bool Needs() const;
  StatusOr<std::optional<std::string_view>> NextRecord();
  bool Full(const UnitNews& news, uint64_t bytes, uint64_t records) const;
  Status ReadUnit(uint64_t bytes, uint64_t records, const std::stop_token& stop,
                  UnitNews& news);
  void Tell(std::string_view record, RecordBytes& kept, ToldRecords& told,
            UnitNews& news);
  void Keep(ToldRecords& told) const;
  uint32_t Deal(uint64_t size_bytes);

  FileSystem& files_;
  const std::vector<std::string> paths_;
  const OpenOptions open_;
  const UnitReaderOptions options_;
  SequenceStart start_;
  uint64_t epoch_ = 0;
  uint64_t unit_ = 0;
  bool done_ = false;
  bool entered_ = false;  // the unit
  Range range_;
  std::unique_ptr<RecordReader> reader_;  // of the unit, once opened
  RecordBlock block_;
  size_t used_ = 0;  // of block_
  Status failure_;
  // Whose turn it is to decode, and what it has got.
  uint32_t dealt_to_ = 0;
  uint64_t dealt_bytes_ = 0;
  uint64_t dealt_records_ = 0;
};

}  // namespace penstock
