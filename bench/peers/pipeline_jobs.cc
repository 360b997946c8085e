// The jobs of bench/peers/pipeline: epochs from Compile() to the last batch.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/peers/worker.h"
#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/order/seed.h"
#include "pipeline/pipeline.h"
#include "tokenizer/load.h"

namespace penstock::peers {
namespace {

constexpr uint64_t kRecords = 16'384;
constexpr uint64_t kLongest = 1024;
constexpr size_t kSources = 100;
constexpr uint64_t kRecordsOfSource = 656;
// Of the mix and what it is measured beside: opening 100 files is not the work.
constexpr uint64_t kMixEpochs = 4;

template <typename T>
T OrFail(StatusOr<T> result) {
  if (!result.ok()) Fail(std::string(result.status().message()));
  return std::move(*result);
}

void Add(const Contract& contract, const Batch& batch, bool counts_values,
         Work& work) {
  work.records += batch.record_ids.size();
  for (const Tensor& tensor : batch.tensors) work.bytes += tensor.bytes.size();
  if (!counts_values) return;
  std::span<const int32_t> tokens, lengths;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    const std::string& name = contract.tensors[t].name;
    if (name == "tokens") tokens = batch.tensors[t].values<int32_t>();
    if (name == "tokens_lengths") lengths = batch.tensors[t].values<int32_t>();
  }
  const size_t width = tokens.size() / batch.rows();
  for (size_t row = 0; row < batch.rows(); ++row) {
    const auto real = tokens.subspan(row * width, lengths[row]);
    work.values += real.size();
    work.sum += std::accumulate(real.begin(), real.end(), uint64_t{0});
  }
}

Work Run(const Dataset& dataset, bool counts_values) {
  Pipeline pipeline = OrFail(Compile(dataset, {}, {.threads = 1}));
  Work work;
  for (;;) {
    const auto batch = OrFail(pipeline.Next());
    if (!batch) return work;
    Add(pipeline.contract(), *batch, counts_values, work);
  }
}

Dataset Batched(const Dataset& dataset) {
  return dataset.Bucket({.by = "tokens", .lengths = {128, 256, 512, kLongest}})
      .Batch({.size = 256});
}

Job Bucket(bool counts_values) {
  return [=](const std::string& path) {
    return Run(Batched(Dataset::TfRecords(path)), counts_values);
  };
}

// `path` is "tokenizer:file".
Job Text(bool counts_values) {
  return [=](const std::string& path) {
    const size_t colon = path.find(':');
    static const auto tokenizer =  // of all runs, one
        OrFail(LoadTokenizer(LocalFiles(), path.substr(0, colon)));
    return Run(
        Batched(Dataset::TfRecords(path.substr(colon + 1)).Tokenize(tokenizer)),
        counts_values);
  };
}

std::string SourcePath(const std::string& pattern, size_t source) {
  return fmt::format("{}-{:05}-of-{:05}", pattern, source, kSources);
}

// Sources begin with `path`.
Job Sources(bool mixed, bool counts_values) {
  return [=](const std::string& path) {
    const ShuffleOptions shuffle = {.seed = 1};
    std::vector<MixSource> each;
    for (size_t i = 0; mixed && i < kSources; ++i) {
      each.push_back(
          {Dataset::TfRecords(SourcePath(path, i)).Shuffle(shuffle), 1});
    }
    const Dataset all =
        mixed ? Dataset::Mix(each, {.stop = MixStop::kLast})
              : Dataset::TfRecords(fmt::format("{}@{}", path, kSources))
                    .Shuffle(shuffle);
    return Run(Batched(all.Repeat({.epochs = kMixEpochs})), counts_values);
  };
}

// Large samples of one size: rows are the bytes of Examples, and row n of an
// epoch counts n + 1 times in the sum, so that their order counts.
struct SampleShape {
  int64_t bytes;
  int64_t rows;  // of a batch

  static SampleShape Of(std::string_view bytes, std::string_view rows) {
    SampleShape shape = {};
    std::from_chars(bytes.begin(), bytes.end(), shape.bytes);
    std::from_chars(rows.begin(), rows.end(), shape.rows);
    return shape;
  }
};

// Of MLPerf Storage's workloads, as bench/infeed/storage_bench.cc has them, but
// that unet3d's samples are an eighth.
constexpr SampleShape kSamples[] = {
    {18'325'078, 7}, {2'828'486, 1}, {2'164'832, 48}, {322'957, 24},
    {114'660, 400},  {2'500, 48},    {761, 16'384}};
// Of a file, of whole batches, at least two of them.
constexpr int64_t kSampleBytes = 64 << 20;

// `path` is "bytes of a sample:rows of a batch:file".
Job Samples(bool counts_values) {
  return [=](const std::string& path) {
    const size_t rows_at = path.find(':') + 1;
    const size_t file_at = path.find(':', rows_at) + 1;
    const std::string_view all = path;
    const SampleShape shape = SampleShape::Of(
        all.substr(0, rows_at - 1), all.substr(rows_at, file_at - 1 - rows_at));
    Pipeline pipeline =
        OrFail(Compile(Dataset::TfRecords(path.substr(file_at))
                           .Parse({{.name = "sample",
                                    .type = FeatureType::kBytes,
                                    .shape = {shape.bytes}}})
                           .Batch({.size = shape.rows}),
                       {}, {.threads = 1, .max_record_bytes = 32 << 20}));
    Work work;
    for (;;) {
      const auto batch = OrFail(pipeline.Next());
      if (!batch) return work;
      const auto samples = batch->tensors[0].values<uint8_t>();
      if (counts_values) {
        work.values += samples.size();
        for (uint64_t row = 0; row < batch->rows(); ++row) {
          const auto sample = samples.subspan(row * shape.bytes, shape.bytes);
          work.sum +=
              (work.records + row + 1) *
              std::accumulate(sample.begin(), sample.end(), uint64_t{0});
        }
      }
      work.records += batch->record_ids.size();
      work.bytes += samples.size();
    }
  };
}

// An indexed TFRecord file of such samples.
void MakeSamples(const SampleShape& shape, const std::string& path) {
  if (std::filesystem::exists(path)) return;
  auto writer = OrFail(CreateTfRecord(LocalFiles(), path));
  std::vector<uint64_t> offsets;
  std::string sample(static_cast<size_t>(shape.bytes), '\0');
  for (size_t i = 0; i < sample.size(); ++i) {
    sample[i] = static_cast<char>(MixKeys({1, i}));
  }
  const int64_t batches =
      std::max<int64_t>(2, kSampleBytes / (shape.bytes * shape.rows));
  ExampleWriter example;
  std::string bytes;
  for (int64_t record = 0; record < batches * shape.rows; ++record) {
    sample[static_cast<size_t>(record % shape.bytes)] ^=
        static_cast<char>(record + 1);
    example.SetBytes("sample", sample);
    bytes.clear();
    example.Finish(bytes);
    offsets.push_back(writer->framed_bytes());
    if (!writer->Append(bytes).ok()) Fail("cannot write " + path);
  }
  if (!writer->Finish().ok()) Fail("cannot write " + path);
  const FileInfo info = OrFail(LocalFiles().Stat(path));
  if (!RecordIndex(std::move(offsets), {}, info)
           .Save(LocalFiles(), path)
           .ok()) {
    Fail("no index of " + path);
  }
}

// Examples of 1 to kLongest tokens, none of them 0, and an index with lengths.
void MakeTokens(const std::string& path, uint64_t first, uint64_t records) {
  if (std::filesystem::exists(path)) return;
  auto writer = OrFail(CreateTfRecord(LocalFiles(), path));
  std::vector<uint64_t> offsets;
  LengthColumn column = {"tokens", {}};
  ExampleWriter example;
  std::vector<int64_t> tokens;
  std::string bytes;
  for (uint64_t record = first; record < first + records; ++record) {
    tokens.resize(1 + MixKeys({1, record}) % kLongest);
    for (size_t j = 0; j < tokens.size(); ++j) {
      tokens[j] = static_cast<int64_t>(1 + MixKeys({record, j}) % 50'256);
    }
    example.SetInts("tokens", tokens);
    bytes.clear();
    example.Finish(bytes);
    column.lengths.push_back(static_cast<uint32_t>(tokens.size()));
    offsets.push_back(writer->framed_bytes());
    if (!writer->Append(bytes).ok()) Fail("cannot write " + path);
  }
  if (!writer->Finish().ok()) Fail("cannot write " + path);
  const FileInfo info = OrFail(LocalFiles().Stat(path));
  const RecordIndex index(std::move(offsets), {column}, info);
  if (!index.Save(LocalFiles(), path).ok()) Fail("no index of " + path);
}

// Records of documents with a NUL byte after each.
void MakeTexts(const std::string& from, const std::string& path) {
  const std::string documents = OrFail(ReadWholeFile(LocalFiles(), from));
  auto writer = OrFail(CreateTfRecord(LocalFiles(), path));
  ExampleWriter example;
  std::string bytes;
  for (std::string_view rest = documents; !rest.empty();) {
    const std::string_view text = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(text.size() + 1);
    example.SetBytes("text", text);
    bytes.clear();
    example.Finish(bytes);
    if (!writer->Append(bytes).ok()) Fail("cannot write " + path);
  }
  if (!writer->Finish().ok()) Fail("cannot write " + path);
}

}  // namespace

Jobs AllJobs() {
  return {{"bucket", Bucket(false)},
          {"bucket_content", Bucket(true)},
          {"samples", Samples(false)},
          {"samples_content", Samples(true)},
          {"text", Text(false)},
          {"text_content", Text(true)},
          {"sources", Sources(false, false)},
          {"sources_content", Sources(false, true)},
          {"sources_mixed", Sources(true, false)},
          {"sources_mixed_content", Sources(true, true)}};
}

void MakeFiles(const std::string& folder) {
  MakeTokens(folder + "/tokens.tfrecord", 0, kRecords);
  std::filesystem::copy_file(folder + "/tokens.tfrecord",
                             folder + "/unindexed.tfrecord",
                             std::filesystem::copy_options::skip_existing);
  for (size_t i = 0; i < kSources; ++i) {
    MakeTokens(SourcePath(folder + "/source.tfrecord", i),
               kRecords + i * kRecordsOfSource, kRecordsOfSource);
  }
  for (const SampleShape& shape : kSamples) {
    MakeSamples(shape,
                fmt::format("{}/samples-{}.tfrecord", folder, shape.bytes));
  }
  const std::string documents = folder + "/texts.documents";
  if (std::filesystem::exists(documents)) {
    MakeTexts(documents, folder + "/texts.tfrecord");
  }
}

}  // namespace penstock::peers
