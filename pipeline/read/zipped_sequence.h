// The records of several datasets side by side, some of which are read in
// sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/group.h"
#include "pipeline/read/sequence.h"
#include "pipeline/read/zip_side.h"

namespace penstock {

// Units are counted over the files of all datasets that are read in sequence.
class ZippedPlaces final : public Places {
 public:
  // Borrowed.
  explicit ZippedPlaces(const std::vector<ZipSide>& sides) : sides_(sides) {}

  // "a.txt: record 17, zipped with b.txt: record 17".
  std::string Locate(uint64_t record_id) const override;
  // Of each dataset what it lists.
  std::vector<UnitPlace> Of(
      const std::vector<uint64_t>& record_ids) const override;
  std::vector<UnitPlace> Needed(const std::vector<UnitPlace>& listed,
                                uint64_t first, uint64_t end) const override;
  // [sides]: the units of each, counted from its own first.
  // Errors:  kFailedPrecondition for units that no dataset has.
  StatusOr<std::vector<std::vector<UnitPlace>>> Split(
      const std::vector<UnitPlace>& units) const;

 private:
  const std::vector<ZipSide>& sides_;
};

// Record i is JoinSides() of record i of each dataset. All have as many:
// otherwise the error where the shortest ends names both and their numbers,
// for which the others are read to their ends.
//
// Where hosts share files, the one that decodes the first dataset's record
// decodes the zip's, and is sent what other hosts have of it: some records at
// once, with one Exchange().
//
// Memory:  BufferBytes().
class ZippedSequence final : public Sequence {
 public:
  // One dataset at least is read in sequence. `group` is borrowed; null where
  // every host has all bytes.
  ZippedSequence(std::vector<ZipDataset> datasets, Group* group,
                 uint64_t max_record_bytes);

  Status StartAt(const SequenceStart& start) override;
  StatusOr<bool> HasNext(const std::stop_token& stop) override;
  StatusOr<std::optional<SequenceRecord>> Next(
      const std::stop_token& stop) override;
  uint64_t next_id() const override;
  // Of the dataset that has read most.
  uint64_t records_read() const override;
  const Places& places() const override { return places_; }
  bool meets() const override { return group_ != nullptr; }
  Status CauseOf(const Status& error) override;
  int64_t waited_ns() const override;
  uint64_t BufferBytes() const override;

 private:
  // Records that follow each other, as they are put together.
  struct Chunk;

  StatusOr<bool> Align(const std::stop_token& stop);
  Status CountAll(const std::stop_token& stop);
  Status ReadChunk(const std::stop_token& stop);
  Status Add(Chunk& chunk, const std::stop_token& stop);
  Status Send(Chunk& chunk);
  Status Join(Chunk& chunk);
  // Whether this host decodes a record, which is not too large.
  bool Joins(const SequenceRecord& record) const {
    return record.size_bytes <= max_record_bytes_ &&
           (record.host == kAnyHost || record.host == group_->host());
  }

  std::vector<ZipSide> sides_;
  const ZippedPlaces places_;
  Group* const group_;
  const uint64_t max_record_bytes_;
  int64_t waited_ns_ = 0;
  // What was read and is not taken yet, in `joined_`; then the error.
  std::vector<SequenceRecord> records_;
  size_t taken_ = 0;
  std::string joined_;
  Status failed_;
};

}  // namespace penstock
