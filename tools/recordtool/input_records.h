// The TFRecord files that a command of recordtool is given.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/datasets/dataset_shards.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "tools/arguments/command.h"
#include "tools/recordtool/record_scan.h"

namespace penstock {

struct InputRecords {
  std::vector<std::string> patterns;
  std::optional<Compression> compression;  // by default FindCompression()
  bool by_manifest = true;
  ExpandOptions expand;

  // These must outlive `command`.
  void AddFilesTo(Command& command);
  void AddCompressionTo(Command& command);

  void AddManifestTo(Command& command);

  // The files that the patterns name, in order. They are what the manifests
  // beside them say, as far as that costs no reading of their records, unless
  // these are to be passed over.
  StatusOr<std::vector<std::string>> Find() const;
  // The same with what the manifests say, for each pattern.
  StatusOr<std::vector<DatasetShards>> FindShards() const;
  // The same whatever any manifest says.
  StatusOr<std::vector<std::string>> FindUnchecked() const;

  using Visit = std::function<Status(uint64_t id, const RecordReader& reader,
                                     size_t i, std::string_view)>;
  // Visits records [begin, end) of all files in order. `i` is the record's
  // place in the reader's block, for Locate().
  Status Walk(uint64_t begin, uint64_t end, const Visit& visit) const;
};

// How a command that reads every record goes about it.
struct ScanSettings {
  int threads = 0;
  bool quiet = false;

  // This must outlive `command`.
  void AddTo(Command& command);
  // `label` stands before the progress; the options' threads are not used.
  StatusOr<std::vector<FileScan>> Scan(const InputRecords& input,
                                       const char* label) const;
  std::vector<FileScan> ScanPaths(const std::vector<std::string>& paths,
                                  const char* label, ScanOptions options) const;
};

}  // namespace penstock
