// One of the datasets that are read side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/graph/source_records.h"
#include "pipeline/ordering.h"
#include "pipeline/read/sequence.h"

namespace penstock {

struct ZipDataset {
  std::string name;  // in messages
  // Which of its records; of those by number no more than there are.
  SliceOptions part;
  // One of these: its records in sequence, from so many files, or by number,
  // which every host has.
  std::unique_ptr<Sequence> sequence;
  uint64_t units = 0;
  std::shared_ptr<const SourceRecords> numbered;
};

// Record ids are counted from the first of the part.
//
// Threads: one at a time; what dataset() says may be asked from any.
// Errors:  those of Sequence.
class ZipSide {
 public:
  explicit ZipSide(ZipDataset dataset) : dataset_(std::move(dataset)) {}

  const ZipDataset& dataset() const { return dataset_; }
  Sequence* sequence() const { return dataset_.sequence.get(); }

  // `start` is of these ids; its units are the dataset's own.
  Status StartAt(SequenceStart start);

  // Goes on to record `id`, or behind it, where those between are not needed.
  // False at the end, which may come before it.
  StatusOr<bool> GoTo(uint64_t id, const std::stop_token& stop);
  // The next one, which is there. Of a dataset by number, only how many bytes
  // it has: none of rows in memory.
  StatusOr<SequenceRecord> Next(const std::stop_token& stop);

  uint64_t next_id() const;

 private:
  StatusOr<bool> HasNext(const std::stop_token& stop);

  ZipDataset dataset_;
  uint64_t next_ = 0;               // by number
  std::vector<FoundRecord> found_;  // memory for one
};

}  // namespace penstock
