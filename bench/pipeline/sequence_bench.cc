// Runs over files that are read in sequence, by hosts that are threads here:
// what each way to share the files costs all hosts, and the busiest of them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/pipeline/bench_files.h"
#include "formats/files/file.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"
#include "pipeline/profile.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

constexpr uint64_t kRecords = 32'768;  // in all files

// Gzip files of about 2 KB records, made once.
class Corpus {
 public:
  Corpus(size_t files, bool texts) {
    for (size_t f = 0; f < files; ++f) {
      files_.push_back(std::make_unique<BenchFile>(
          BenchFileOptions{.records = kRecords / files,
                           .longest = texts ? 0u : 1024u,
                           .text_bytes = texts ? 2048u : 0u,
                           .compression = Compression::kGzip}));
      pattern_ += (f == 0 ? "" : ",") + files_.back()->path();
    }
  }
  const std::string& pattern() const { return pattern_; }

 private:
  std::vector<std::unique_ptr<BenchFile>> files_;
  std::string pattern_;
};

Dataset DatasetOf(size_t files, bool texts) {
  static std::map<std::pair<size_t, bool>, Corpus> corpora;
  const Corpus& corpus =
      corpora.try_emplace({files, texts}, files, texts).first->second;
  const Dataset read = Dataset::TfRecords(corpus.pattern());
  if (!texts) {
    return read.Bucket({.by = "tokens", .lengths = {256, 512, 1024}})
        .Batch({.size = 256});
  }
  auto tokenizer = LoadTokenizer(LocalFiles(), "bytes");
  CheckOk(tokenizer.status());
  return read.Tokenize(*tokenizer)
      .Bucket({.by = "tokens", .lengths = {2048, 2112}})
      .Batch({.size = 256});
}

PipelineProfile RunHost(const Dataset& dataset, uint32_t hosts, uint32_t host,
                        Group* group, SequenceReading sequence) {
  auto pipeline = Compile(dataset, {.shards = 8, .hosts = hosts, .host = host},
                          {.threads = 1, .group = group, .sequence = sequence});
  CheckOk(pipeline.status());
  for (;;) {
    auto batch = pipeline->Next();
    CheckOk(batch.status());
    if (!batch->has_value()) return pipeline->Profile();
    benchmark::DoNotOptimize(batch);
  }
}

// Arguments are hosts, files, whether texts are tokenized, and
// SequenceReading. decoded_MB are those of the host that decodes most.
void BM_Sequence(benchmark::State& state) {
  const auto hosts = static_cast<uint32_t>(state.range(0));
  const Dataset dataset =
      DatasetOf(static_cast<size_t>(state.range(1)), state.range(2) != 0);
  const auto sequence = static_cast<SequenceReading>(state.range(3));
  double most_mb = 0;
  for (auto _ : state) {
    const auto ends = ThreadGroup(hosts);
    std::vector<PipelineProfile> profiles(hosts);
    std::vector<std::thread> threads;
    for (uint32_t host = 0; host < hosts; ++host) {
      threads.emplace_back([&, host] {
        profiles[host] =
            RunHost(dataset, hosts, host,
                    hosts > 1 ? ends[host].get() : nullptr, sequence);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const PipelineProfile& profile : profiles) {
      for (const StageProfile& stage : profile.stages) {
        if (stage.name != "decode") continue;
        most_mb = std::max(most_mb, static_cast<double>(stage.bytes) * 1e-6);
      }
    }
  }
  state.counters["decoded_MB"] = most_mb;
}
BENCHMARK(BM_Sequence)
    ->ArgNames({"hosts", "files", "texts", "how"})
    ->Args({1, 8, 0, 0})
    ->Args({1, 8, 1, 0})
    ->ArgsProduct({{4}, {1, 8}, {0, 1}, {1, 2, 3}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
