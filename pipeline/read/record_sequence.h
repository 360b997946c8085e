// The sequence of a host that reads all files itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/records/record_reader.h"
#include "pipeline/read/sequence.h"
#include "pipeline/read/unit_places.h"

namespace penstock {

// Damage that is skipped has no record ids; the limit over all files is that of
// one pass. Reads on from SequenceStart's first file, whatever is needed.
class RecordSequence final : public Sequence {
 public:
  RecordSequence(FileSystem& files, std::vector<std::string> paths,
                 OpenOptions options);

  Status StartAt(const SequenceStart& start) override;
  StatusOr<bool> HasNext(const std::stop_token& stop) override;
  StatusOr<std::optional<SequenceRecord>> Next(
      const std::stop_token& stop) override;
  uint64_t next_id() const override { return next_id_; }
  uint64_t records_read() const override { return records_read_; }
  const Places& places() const override { return places_; }

 private:
  void BeginPass();
  StatusOr<bool> NextBlock();

  FileSystem& files_;
  UnitPlaces places_;
  OpenOptions options_;                   // with the budget of this pass
  std::unique_ptr<RecordReader> reader_;  // of file next_file_ - 1
  size_t next_file_ = 0;
  RecordBlock block_;
  size_t used_ = 0;       // of block_
  uint64_t next_id_ = 0;  // of the next record
  std::atomic<uint64_t> records_read_ = 0;
};

}  // namespace penstock
