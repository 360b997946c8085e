// Where each record of one TFRecord file is: the sidecar beside the file.
// docs/formats/record_index.md has the layout.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "formats/file.h"

namespace penstock {

// A named length of every record, for example how many tokens it holds.
struct LengthColumn {
  std::string name;
  std::vector<uint32_t> lengths;
};

// Offsets and lengths of the records of one uncompressed TFRecord file.
// Immutable. Memory: 8 bytes a record and 4 for each length column.
//
// Threads: any number at a time.
class RecordIndex {
 public:
  // Takes what a writer knows. `offsets` are those of the record headers.
  // `file` is what the TFRecord file is at that moment.
  RecordIndex(std::vector<uint64_t> offsets, std::vector<LengthColumn> columns,
              FileInfo file);

  // Reads the whole file, verifying both checksums of every record.
  // Errors:  those of OpenTfRecord.
  static absl::StatusOr<RecordIndex> Build(FileSystem& files,
                                           const std::string& path);

  // Loads the sidecar of `path` and checks it against the file.
  // Errors:  kNotFound without a sidecar (says how to make one); kDataLoss for
  //          a damaged one; kFailedPrecondition where the file has another size
  //          or time than the sidecar was made for; kUnimplemented for a
  //          sidecar of a later version.
  static absl::StatusOr<RecordIndex> Load(FileSystem& files,
                                          const std::string& path);

  // Writes the sidecar of `path`, atomically.
  absl::Status Save(FileSystem& files, const std::string& path) const;

  uint64_t records() const { return offsets_.size(); }
  uint64_t offset(uint64_t i) const { return offsets_[i]; }
  // Bytes of record i, without the 16 of its framing.
  uint64_t size_bytes(uint64_t i) const;

  // What the TFRecord file was when the index was made.
  const FileInfo& file() const { return file_; }

  const std::vector<LengthColumn>& columns() const { return columns_; }
  // Null where there is no such column.
  const LengthColumn* FindColumn(std::string_view name) const;

 private:
  std::vector<uint64_t> offsets_;
  std::vector<LengthColumn> columns_;
  FileInfo file_;
};

// "a.tfrecord" -> "a.tfrecord.index".
std::string IndexPath(const std::string& path);

}  // namespace penstock
