// A sequence of which each host of a run reads some files, and tells the others
// what is in them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/group.h"
#include "pipeline/read/sequence.h"
#include "pipeline/read/told_records.h"
#include "pipeline/read/unit_places.h"
#include "pipeline/read/unit_reader.h"

namespace penstock {

// All hosts see the same records with the same ids and sizes, and the same end;
// the bytes of each are at the one host that decodes it. Where a host needs to
// know more all meet, and each that reads tells how its files go on.
//
// Memory:  BufferBytes().
class SharedSequence final : public Sequence {
 public:
  // `group` is borrowed.
  SharedSequence(Group& group, FileSystem& files,
                 std::vector<std::string> paths, OpenOptions open,
                 UnitReaderOptions options);

  Status StartAt(const SequenceStart& start) override;
  StatusOr<bool> HasNext(const std::stop_token& stop) override;
  StatusOr<std::optional<SequenceRecord>> Next(
      const std::stop_token& stop) override;
  uint64_t next_id() const override { return next_id_; }
  // Of all hosts: of those that wait it rises, too, while one reads.
  uint64_t records_read() const override { return records_read_; }
  const Places& places() const override { return places_; }
  bool meets() const override { return true; }
  Status CauseOf(const Status& error) override;
  int64_t waited_ns() const override { return waited_ns_; }
  uint64_t BufferBytes() const override;

 private:
  // Records that were told, as they are taken.
  struct Queued {
    ToldRecords told;
    size_t taken = 0;   // records
    size_t run = 0;     // of the next one
    size_t of_run = 0;  // taken of that run
  };

  void PassOver(uint64_t epoch);
  void Forget(const Queued& front);
  void EnterUnit(uint64_t unit);
  void EndUnit();
  std::deque<Queued>& Front() { return queues_[reader_.HostOf(unit_)]; }
  Status Failure(uint32_t host);
  Status Meet(const std::stop_token& stop);
  Status TakeTold(uint32_t host, std::string_view bytes);
  Status SendAll(UnitNews& news, const std::vector<size_t>& queued);
  Status TakeSent(uint32_t host, size_t first, std::string bytes);
  SequenceRecord Take(Queued& front);

  Group& group_;
  UnitPlaces places_;
  UnitReader reader_;
  bool begun_ = false;
  SequenceStart start_;  // of the epoch that is being taken
  uint64_t epoch_ = 0;
  uint64_t unit_ = 0;  // that the next record is of; all: the epoch has ended
  uint64_t next_id_ = 0;
  Status failed_elsewhere_;
  int64_t waited_ns_ = 0;
  // Of this host's, told and not taken yet; see UnitReaderOptions.
  uint64_t ahead_bytes_ = 0;
  uint64_t ahead_records_ = 0;
  std::vector<std::deque<Queued>> queues_;  // [hosts], as each reads
  std::atomic<uint64_t> records_read_ = 0;
};

}  // namespace penstock
