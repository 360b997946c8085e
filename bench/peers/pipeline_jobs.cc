// The jobs of bench/peers/pipeline: epochs from Compile() to the last batch.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <string_view>
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
  const std::string documents = folder + "/texts.documents";
  if (std::filesystem::exists(documents)) {
    MakeTexts(documents, folder + "/texts.tfrecord");
  }
}

}  // namespace penstock::peers
