// How long pipelines go on after they are cancelled, in processor time: at
// random moments of planned and streamed runs, window loads, skips to a state,
// exchanges of hosts and tokenizing.
//
//   cancel_bench [CANCELS]    (default 1000)
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/pipeline/bench_files.h"
#include "formats/files/file.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

double CpuMs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 +
         static_cast<double>(now.tv_nsec) / 1e6;
}

struct Kind {
  std::string name;
  Dataset dataset;
  uint32_t hosts = 1;
  bool streamed = false;
  std::optional<State> restore = {};
};

Dataset Batched(const Dataset& dataset) {
  return dataset.Bucket({.by = "tokens", .lengths = {128, 256, 512, 1024}})
      .Batch({.size = 264});
}

std::vector<Kind> Kinds(const BenchFile& plain_file,
                        const BenchFile& gzip_file) {
  auto bytes = LoadTokenizer(LocalFiles(), "bytes");
  CheckOk(bytes.status());
  const Dataset plain = Dataset::TfRecords(plain_file.path());
  const Dataset gzip = Dataset::TfRecords(gzip_file.path());
  const Dataset windows =
      gzip.Shuffle({.seed = 1, .window_records = 30'000}).Repeat({.epochs = 0});
  // Near the end of an epoch that is read in sequence.
  State late;
  {
    auto pipeline = Compile(Batched(gzip), {});
    CheckOk(pipeline.status());
    for (int step = 0; step < 300; ++step) {
      auto batch = pipeline->Next();
      CheckOk(batch.status());
      late = (*batch)->state_after;
    }
  }
  // It reads all over again from the first record.
  late.units.clear();
  const Dataset shuffled = plain.Shuffle({.seed = 1}).Repeat({.epochs = 0});
  return {{.name = "planned", .dataset = Batched(shuffled)},
          {.name = "streamed", .dataset = Batched(shuffled), .streamed = true},
          {.name = "3 hosts, streamed",
           .dataset = Batched(shuffled),
           .hosts = 3,
           .streamed = true},
          {.name = "window loads", .dataset = Batched(windows)},
          {.name = "skips", .dataset = Batched(gzip), .restore = late},
          {.name = "tokenizing",
           .dataset = Batched(shuffled.Tokenize(*bytes)),
           .streamed = true}};
}

// Processor time from the call until everything is gone.
double CancelOnce(const Kind& kind, std::mt19937_64& random) {
  const auto ends = ThreadGroup(kind.hosts);
  std::vector<std::optional<Pipeline>> pipelines(kind.hosts);
  std::vector<std::thread> threads;
  std::atomic<uint32_t> compiled = 0;
  for (uint32_t host = 0; host < kind.hosts; ++host) {
    threads.emplace_back([&, host] {
      auto pipeline =
          Compile(kind.dataset,
                  {.shards = kind.hosts, .hosts = kind.hosts, .host = host},
                  {.threads = 2,
                   .buffer_bytes = 16 << 20,
                   .group = ends[host].get(),
                   .force_streamed = kind.streamed});
      CheckOk(pipeline.status());
      if (kind.restore) CheckOk(pipeline->Restore(*kind.restore));
      pipelines[host] = *std::move(pipeline);
      ++compiled;
      compiled.notify_all();
      Status status;
      while (status.ok()) {
        auto batch = pipelines[host]->Next();
        status = batch.status();
        if (status.ok() && !batch->has_value()) break;
      }
    });
  }
  for (uint32_t now = compiled; now < kind.hosts; now = compiled) {
    compiled.wait(now);
  }
  const double until = CpuMs() + static_cast<double>(random() % 60);
  while (CpuMs() < until) std::this_thread::yield();
  const double begin = CpuMs();
  pipelines[random() % kind.hosts]->Cancel();
  for (std::thread& thread : threads) thread.join();
  pipelines.clear();
  return CpuMs() - begin;
}

void Run(uint64_t cancels) {
  constexpr BenchFileOptions kFile = {.records = 100'000, .text_bytes = 500};
  const BenchFile plain(kFile);
  BenchFileOptions zipped = kFile;
  zipped.compression = Compression::kGzip;
  const BenchFile gzip(zipped);
  std::mt19937_64 random(1);
  const std::vector<Kind> kinds = Kinds(plain, gzip);
  for (const Kind& kind : kinds) {
    std::vector<double> ms;
    for (uint64_t i = 0; i < cancels / kinds.size() + 1; ++i) {
      ms.push_back(CancelOnce(kind, random));
    }
    std::ranges::sort(ms);
    fmt::print(
        "{:<18} {:>5} cancels, processor ms: median {:6.2f}, most {:6.2f}\n",
        kind.name, ms.size(), ms[ms.size() / 2], ms.back());
  }
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  penstock::Run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000);
}
