// TFRecord files that the pipeline's benchmarks read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/files/status.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_writer.h"

namespace penstock {

// Prints what is wrong and ends the program.
void CheckOk(const Status& status);

// The length that record `record` of `longest` values has: any from 1 on, as
// often as another.
uint32_t BenchLength(uint64_t record, uint32_t longest);

// Lengths of a lognormal distribution, as documents have them: 400 on average
// where `longest` is 2,048.
uint32_t DocumentLength(uint64_t record, uint32_t longest);

struct BenchFileOptions {
  uint64_t records = 0;
  uint32_t longest = 1024;  // values of "tokens", at most; 0: it is not there
  bool documents = false;   // have lengths of DocumentLength()
  uint32_t text_bytes = 0;  // of "text"; 0: it is not there
  Compression compression = Compression::kNone;  // such have no index
};

// A folder under the system's temporary folder, gone with this.
class BenchFolder {
 public:
  BenchFolder();
  ~BenchFolder();
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The lengths of an index that was saved, loaded as a run does it. It is of a
// file that is a hole.
class BenchLengths {
 public:
  explicit BenchLengths(std::vector<uint32_t> lengths);

  std::span<const uint32_t> lengths() const { return lengths_; }

 private:
  BenchFolder folder_;
  std::optional<RecordIndex> index_;
  std::span<const uint32_t> lengths_;  // in it
};

// A file in a folder of its own under the system's temporary folder, with an
// index that has lengths; gone with this. Reads come from the page cache.
class BenchFile {
 public:
  explicit BenchFile(BenchFileOptions options);

  const std::string& path() const { return path_; }
  uint64_t records() const { return records_; }
  uint64_t tokens() const { return tokens_; }
  uint64_t bytes() const { return bytes_; }

 private:
  const uint64_t records_;
  BenchFolder folder_;
  std::string path_;
  uint64_t tokens_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace penstock
