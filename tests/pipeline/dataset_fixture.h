// Small datasets on disk and whole runs over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "pipeline/pipeline.h"
#include "tests/support/scratch_folder.h"

namespace penstock::testing {

struct DatasetFiles {
  uint32_t files = 3;
  Compression compression = Compression::kNone;
  bool index = true;          // only where not compressed
  bool length_column = true;  // "tokens"
  float part = 2;             // "half" is the number divided by it
  // Of each file; empty: as many in each.
  std::vector<uint64_t> records = {};
};

// Token j of record i of every dataset: any value would do, but no two records
// of a test look alike.
int64_t TokenOf(uint64_t record, uint64_t j);

// Writes TFRecord files of tf.train.Example whose record i has `lengths[i]`
// values in "tokens", its number in "id", half of it in the float "half" and as
// many letters in "text". Returns the pattern that names them.
std::string WriteDataset(const ScratchFolder& folder,
                         const std::vector<uint32_t>& lengths,
                         DatasetFiles files = {});

// What they have, for Parse.
inline const Feature kId = {
    .name = "id", .length = 1, .as = ElementType::kInt64};
inline const Feature kTokens = {.name = "tokens"};
inline const Feature kHalf = {
    .name = "half", .type = FeatureType::kFloat, .length = 1};
inline const Feature kText = {
    .name = "text", .type = FeatureType::kBytes, .length = 1};

// The same rows as columns.
std::shared_ptr<const Examples> RowsInMemory(
    const std::vector<uint32_t>& lengths);

// `count` lengths from 1 to `longest`, the same for the same seed.
std::vector<uint32_t> RandomLengths(size_t count, uint32_t longest,
                                    uint64_t seed);

// One batch as all hosts together made it, shard after shard.
struct GlobalBatch {
  uint64_t step = 0;
  uint64_t epoch = 0;
  size_t shape = 0;
  std::vector<uint64_t> record_ids;  // the first of each row
  std::vector<std::vector<uint64_t>> row_records;
  std::vector<std::vector<std::byte>> tensors;
  State state_after;

  bool operator==(const GlobalBatch&) const = default;
};

// The values of a tensor.
template <typename T>
std::vector<T> ValuesOf(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// The record of each row of one record; kNoRecord of rows that pad.
std::vector<uint64_t> RowIds(const Batch& batch);

// What one host runs.
struct HostRun {
  Dataset dataset;
  CompileOptions compile;
  std::optional<State> restore;
  uint64_t max_steps = UINT64_MAX;
};

struct RunOptions {
  uint32_t shards = 1;
  uint32_t hosts = 1;
  int threads = 2;
  bool force_streamed = false;
  SequenceReading sequence = SequenceReading::kAuto;
  uint64_t buffer_bytes = 1 << 20;
  std::optional<State> restore = {};
  uint64_t max_steps = UINT64_MAX;
  // Makes a host differ.
  std::function<void(uint32_t host, HostRun& run)> change = {};
};

// Runs every host on a thread of its own to the end, joined by a group.
std::vector<StatusOr<std::vector<Batch>>> RunHosts(const Dataset& dataset,
                                                   const RunOptions& options);

// The same, as global batches.
// Errors:  the cause that all hosts ended with; kInternal where they differ.
StatusOr<std::vector<GlobalBatch>> RunAll(const Dataset& dataset,
                                          RunOptions options = {});

// The record ids of all rows that do not pad, sorted.
std::vector<uint64_t> RealIds(const std::vector<GlobalBatch>& batches);

// Of rows of several records all of them, in each row that has a part.
std::vector<uint64_t> SortedRecords(const std::vector<GlobalBatch>& batches);

// The first `count` numbers.
std::vector<uint64_t> Iota(uint64_t count);

}  // namespace penstock::testing
