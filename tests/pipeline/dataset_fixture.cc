#include "tests/pipeline/dataset_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "formats/datasets/shard_names.h"
#include "formats/example/example_writer.h"
#include "formats/example/examples.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/group.h"
#include "pipeline/order/seed.h"

namespace penstock::testing {
namespace {

std::string SerializedRow(uint64_t record, uint32_t length, float part) {
  std::vector<int64_t> tokens(length);
  for (uint32_t j = 0; j < length; ++j) tokens[j] = TokenOf(record, j);
  ExampleWriter writer;
  writer.SetInts("tokens", tokens);
  const auto id = static_cast<int64_t>(record);
  writer.SetInts("id", std::span(&id, 1));
  const float half = static_cast<float>(record) / part;
  writer.SetFloats("half", std::span(&half, 1));
  writer.SetBytes("text",
                  std::string(length, static_cast<char>('a' + record % 26)));
  std::string bytes;
  writer.Finish(bytes);
  return bytes;
}

Status WriteFile(const std::string& path, uint64_t begin, uint64_t end,
                 const std::vector<uint32_t>& lengths,
                 const DatasetFiles& options) {
  FileSystem& files = LocalFiles();
  PENSTOCK_ASSIGN_OR_RETURN(
      const auto writer,
      CreateTfRecord(files, path, {.compression = options.compression}));
  std::vector<uint64_t> offsets;
  for (uint64_t record = begin; record < end; ++record) {
    offsets.push_back(writer->framed_bytes());
    PENSTOCK_RETURN_IF_ERROR(
        writer->Append(SerializedRow(record, lengths[record], options.part)));
  }
  PENSTOCK_RETURN_IF_ERROR(writer->Finish());
  if (!options.index || options.compression != Compression::kNone) {
    return OkStatus();
  }
  std::vector<LengthColumn> columns;
  if (options.length_column) {
    columns.push_back({"tokens",
                       {lengths.begin() + static_cast<std::ptrdiff_t>(begin),
                        lengths.begin() + static_cast<std::ptrdiff_t>(end)}});
  }
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(path));
  return RecordIndex(std::move(offsets), std::move(columns), info)
      .Save(files, path);
}

// One host's whole run.
StatusOr<std::vector<Batch>> RunHost(const HostRun& run,
                                     const Topology& topology) {
  PENSTOCK_ASSIGN_OR_RETURN(Pipeline pipeline,
                            Compile(run.dataset, topology, run.compile));
  if (run.restore) PENSTOCK_RETURN_IF_ERROR(pipeline.Restore(*run.restore));
  std::vector<Batch> batches;
  while (batches.size() < run.max_steps) {
    PENSTOCK_ASSIGN_OR_RETURN(std::optional<Batch> batch, pipeline.Next());
    if (!batch) break;
    batches.push_back(*std::move(batch));
  }
  return batches;
}

}  // namespace

int64_t TokenOf(uint64_t record, uint64_t j) {
  return static_cast<int64_t>(MixKeys({record, j}) % 50000);
}

std::string WriteDataset(const ScratchFolder& folder,
                         const std::vector<uint32_t>& lengths,
                         DatasetFiles files) {
  const std::string suffix =
      files.compression == Compression::kGzip ? ".gz" : "";
  std::string pattern;
  if (!files.records.empty()) {
    files.files = static_cast<uint32_t>(files.records.size());
  }
  uint64_t end = 0;
  for (uint32_t f = 0; f < files.files; ++f) {
    const uint64_t begin = end;
    end = files.records.empty() ? lengths.size() * (f + 1) / files.files
                                : begin + files.records[f];
    const std::string path =
        folder / (ShardName("data.tfrecord", f, files.files) + suffix);
    const Status status = WriteFile(path, begin, end, lengths, files);
    EXPECT_TRUE(status.ok()) << status.ToString();
    pattern += (f == 0 ? "" : ",") + path;
  }
  return pattern;
}

std::shared_ptr<const Examples> RowsInMemory(
    const std::vector<uint32_t>& lengths) {
  const auto rows = std::make_shared<Examples>();
  rows->rows = lengths.size();
  // Those of one value have no offsets.
  Column id = {.name = "id", .type = FeatureType::kInt64};
  Column half = {.name = "half", .type = FeatureType::kFloat};
  Column tokens = {.name = "tokens", .type = FeatureType::kInt64};
  Column text = {.name = "text", .type = FeatureType::kBytes};
  for (uint64_t record = 0; record < lengths.size(); ++record) {
    id.ints.push_back(static_cast<int64_t>(record));
    half.floats.push_back(static_cast<float>(record) / 2);
    for (uint32_t j = 0; j < lengths[record]; ++j) {
      tokens.ints.push_back(TokenOf(record, j));
    }
    tokens.EndRow();
    text.bytes.append(lengths[record], static_cast<char>('a' + record % 26));
    text.byte_offsets.push_back(text.bytes.size());
  }
  rows->columns = {id, half, tokens, text};
  return rows;
}

std::vector<uint32_t> RandomLengths(size_t count, uint32_t longest,
                                    uint64_t seed) {
  std::vector<uint32_t> lengths(count);
  for (size_t i = 0; i < count; ++i) {
    lengths[i] = static_cast<uint32_t>(1 + MixKeys({seed, i}) % longest);
  }
  return lengths;
}

std::vector<StatusOr<std::vector<Batch>>> RunHosts(const Dataset& dataset,
                                                   const RunOptions& options) {
  const auto ends = ThreadGroup(options.hosts);
  std::vector<StatusOr<std::vector<Batch>>> results(options.hosts,
                                                    UnknownError("not run"));
  std::vector<std::thread> threads;
  for (uint32_t host = 0; host < options.hosts; ++host) {
    threads.emplace_back([&, host] {
      HostRun run = {.dataset = dataset,
                     .compile = {.threads = options.threads,
                                 .buffer_bytes = options.buffer_bytes,
                                 .group = ends[host].get(),
                                 .force_streamed = options.force_streamed,
                                 .sequence = options.sequence},
                     .restore = options.restore,
                     .max_steps = options.max_steps};
      if (options.change) options.change(host, run);
      results[host] = RunHost(
          run,
          {.shards = options.shards, .hosts = options.hosts, .host = host});
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

StatusOr<std::vector<GlobalBatch>> RunAll(const Dataset& dataset,
                                          RunOptions options) {
  const auto results = RunHosts(dataset, options);
  for (const auto& result : results) {
    if (result.status() == results[0].status()) continue;
    return InternalError("hosts end with different causes");
  }
  if (!results[0].ok()) return results[0].status();
  std::vector<GlobalBatch> merged;
  for (size_t step = 0; step < results[0]->size(); ++step) {
    GlobalBatch global;
    for (uint32_t host = 0; host < options.hosts; ++host) {
      if (results[host]->size() != results[0]->size()) {
        return InternalError("hosts take different numbers of steps");
      }
      const Batch& batch = (*results[host])[step];
      if (host == 0) {
        global.step = batch.step;
        global.epoch = batch.epoch;
        global.shape = batch.shape;
        global.state_after = batch.state_after;
        global.tensors.resize(batch.tensors.size());
      } else if (batch.step != global.step || batch.epoch != global.epoch ||
                 batch.shape != global.shape ||
                 batch.state_after != global.state_after) {
        return InternalError("hosts disagree on a step");
      }
      const std::vector<uint64_t> ids = RowIds(batch);
      global.record_ids.insert(global.record_ids.end(), ids.begin(), ids.end());
      for (size_t row = 0; row < batch.rows(); ++row) {
        const auto records = batch.RecordsOf(row);
        global.row_records.emplace_back(records.begin(), records.end());
      }
      for (size_t t = 0; t < batch.tensors.size(); ++t) {
        const auto& bytes = batch.tensors[t].bytes;
        global.tensors[t].insert(global.tensors[t].end(), bytes.begin(),
                                 bytes.end());
      }
    }
    merged.push_back(std::move(global));
  }
  return merged;
}

std::vector<uint64_t> RowIds(const Batch& batch) {
  std::vector<uint64_t> ids;
  for (size_t row = 0; row < batch.rows(); ++row) {
    const auto records = batch.RecordsOf(row);
    ids.push_back(records.empty() ? kNoRecord : records.front());
  }
  return ids;
}

std::vector<uint64_t> RealIds(const std::vector<GlobalBatch>& batches) {
  std::vector<uint64_t> ids;
  for (const GlobalBatch& batch : batches) {
    for (const uint64_t id : batch.record_ids) {
      if (id != kNoRecord) ids.push_back(id);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<uint64_t> SortedRecords(const std::vector<GlobalBatch>& batches) {
  std::vector<uint64_t> ids;
  for (const GlobalBatch& batch : batches) {
    for (const auto& row : batch.row_records) {
      ids.insert(ids.end(), row.begin(), row.end());
    }
  }
  std::ranges::sort(ids);
  return ids;
}

std::vector<uint64_t> Iota(uint64_t count) {
  std::vector<uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace penstock::testing
