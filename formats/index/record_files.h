// A set of indexed TFRecord files whose records are reached by number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/open_file_cache.h"
#include "formats/files/status_or.h"
#include "formats/index/record_gather.h"
#include "formats/index/record_index.h"
#include "formats/index/warm_files.h"

namespace penstock {

struct ExampleRest;
struct LongValue;

struct RecordFilesOptions {
  // Plain files are mapped when they are first read, as long as those have at
  // most this much together. A page that was read once is copied from there,
  // 3 to 5 times as fast as it is read again. The pages count as memory of the
  // process while the system, whose they are, does not need them. 0: none. Not
  // said: all of files that half of the memory holds, of more 1 GiB.
  std::optional<uint64_t> most_mapped_bytes = {};
};

// Record ids run over the files in order: file 0 holds [0, n0), file 1 holds
// [n0, n0 + n1), and so on.
//
// Threads: any number at a time.
class RecordFiles {
 public:
  // Opens every file and loads its index.
  // Errors:  those of RecordIndex::Load, naming the file; kInvalidArgument
  //          for no files at all.
  // Cost:    the memory of the loaded indexes; at most 512 files are open at
  //          once, and no more than OpenFileBudget().
  static StatusOr<std::unique_ptr<RecordFiles>> Open(
      FileSystem& files, std::vector<std::string> paths,
      RecordFilesOptions options = {});

  uint64_t records() const { return first_.back(); }
  // Sum of record sizes without framing.
  uint64_t size_bytes() const { return size_bytes_; }
  // Of the files, how much may be mapped.
  uint64_t most_mapped_bytes() const { return most_mapped_bytes_; }
  const std::vector<std::string>& paths() const { return paths_; }
  const RecordIndex& index(size_t file) const { return indexes_[file]; }

  // Finds as many records from the first of `ids` on as can be gathered at once
  // with at most `limit_bytes` of memory for them; one at least.
  // Errors:  kOutOfRange for an id past the end, where it is looked at (those
  //          far behind the limit are not); those of RecordIndex::Find.
  StatusOr<GatherBound> FindWithin(std::span<const uint64_t> ids,
                                   uint64_t limit_bytes,
                                   std::vector<FoundRecord>& found) const;

  // Reads `ids` in the order given, sorted by file and offset and with near
  // neighbours read at once underneath. Both checksums of each are verified.
  // Errors:  kOutOfRange for an id past the end; kDataLoss naming file, offset
  //          and record; kFailedPrecondition where the file changed. There are
  //          no records in `out` then.
  // Cost:    memory for the records and at most as much again, and 1 MiB, for
  //          what lies between near neighbours; 64 KiB to learn what else is in
  //          memory; the mapped pages of RecordFilesOptions. Of files of gzip
  //          members each member that holds one of them is inflated once, one
  //          at a time.
  Status Gather(std::span<const uint64_t> ids, GatheredRecords& out) const;
  // The same of records that were found before, without asking their indexes
  // again.
  Status GatherFound(std::span<const FoundRecord> found,
                     GatheredRecords& out) const;

  // Takes the Example `id` apart while it is read: `values` go from the file to
  // where they are wanted in one copy, which is their checksum as well, and all
  // else to `rest`, which has them as empty values (formats/example/
  // long_values.h). Returns the size of the record.
  // Nullopt where nothing of that may be believed: for a record of gzip members
  // or of more than `most_bytes`, one that is not as writers make them, and
  // where anything is wrong. Gather() gives it then, or says what is.
  // `next` are ids that come after it: a device that has to be waited for is
  // told of some of them, too.
  std::optional<uint64_t> TakeLong(uint64_t id, uint64_t most_bytes,
                                   std::span<const uint64_t> next,
                                   std::span<LongValue> values,
                                   ExampleRest& rest) const;

  // True where every file's index has a length column of this name.
  bool HasLengths(std::string_view name) const;
  // The column of that name, one span for each file in order, all verified.
  // Errors:  kNotFound where a file has none; those of RecordIndex::Lengths.
  // Cost:    reads the columns once, 4 bytes a record.
  StatusOr<std::vector<std::span<const uint32_t>>> Lengths(
      std::string_view name) const;

  // (file, number in file) of a record id.
  std::pair<size_t, uint64_t> Find(uint64_t id) const;
  // "train-00001-of-00004.tfrecord: record 17 at offset 4096".
  std::string Locate(uint64_t id) const;

  // A hash of names (without folders), sizes, record counts and samples of the
  // files' bytes: two datasets that differ in any of them differ here.
  uint64_t Fingerprint() const;

 private:
  explicit RecordFiles(FileSystem& files);

  Status PastTheEnd(uint64_t id) const;
  // The file of a record, which is likely that with the number `near`.
  size_t FindNear(uint64_t id, size_t near) const;
  // Framed, where they are mapped; null those that are not known to be warm.
  void FindWarm(std::span<const FoundRecord> found,
                std::vector<std::string_view>& framed) const;
  // The records of `out` that are null yet, behind what its bytes have up to
  // `end`.
  Status GatherOthers(std::span<WantedRecord> others, size_t end,
                      GatheredRecords& out) const;
  void WillRead(std::span<const uint64_t> ids) const;

  uint64_t most_mapped_bytes_ = 0;
  std::vector<std::string> paths_;
  std::vector<RecordIndex> indexes_;
  std::vector<uint64_t> first_ = {0};  // first id of each file, then the total
  uint64_t size_bytes_ = 0;
  Status no_memory_;            // made while there is some
  mutable OpenFileCache open_;  // synchronises itself
  mutable WarmFiles warm_;      // synchronises itself
};

}  // namespace penstock
