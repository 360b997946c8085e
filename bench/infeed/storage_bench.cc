// How many accelerators of MLPerf Storage's workloads one core keeps above
// their floor, and what part that is of what a plain read of the same bytes
// could feed: records of each workload's mean size through a pipeline of one
// thread, an infeed and a device that takes no time. Warm, from the system's
// cache, of the processor's time; cold, from the disk, of the time that passes.
// Counters: accelerators, of_read.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "infeed/infeed.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

// Source:  MLPerf Storage v2.0 and v3.0, configs/dlio/workload; the mean size
// of a sample, rows of a batch, seconds of a step and the least utilisation.
struct Workload {
  const char* name;
  int64_t sample_bytes;
  int64_t batch;
  double step_s;
  double floor;
};

constexpr Workload kWorkloads[] = {
    {"unet3d_h100", 146'600'628, 7, 0.323, 0.90},
    {"unet3d_b200", 146'600'628, 7, 0.162, 0.90},
    {"cosmoflow_h100", 2'828'486, 1, 0.00350, 0.70},
    {"flux_b200", 2'164'832, 48, 1.35, 0.90},
    {"retinanet_b200", 322'957, 24, 0.04755, 0.85},
    {"resnet50_h100", 114'660, 400, 0.224, 0.90},
    {"bert_v100", 2'500, 48, 0.968, 0.90},
    {"dlrm_b200", 761, 16'384, 0.000375, 0.70}};

// Larger than any processor's cache, small enough to stay in the system's.
constexpr int64_t kDataBytes = 600 << 20;
constexpr size_t kReadBytes = 1 << 20;
constexpr uint64_t kMostRecordBytes = 256 << 20;

enum Cache { kWarm, kCold };

// Warm, of all threads' work.
double Seconds(Cache cache) {
  timespec now = {};
  clock_gettime(cache == kWarm ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC,
                &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

// An indexed TFRecord file of such samples; gone with it.
class Samples {
 public:
  explicit Samples(const Workload& workload)
      : workload_(workload),
        records_(std::max(kDataBytes / workload.sample_bytes, workload.batch)),
        folder_(std::filesystem::temp_directory_path() /
                ("penstock_storage_bench_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "data.tfrecord";
    FileSystem& files = LocalFiles();
    auto writer = CreateTfRecord(files, path_);
    Require(writer.status());
    std::vector<uint64_t> offsets;
    std::string sample(static_cast<size_t>(workload.sample_bytes), '\0');
    for (size_t i = 0; i < sample.size(); ++i) {
      sample[i] = static_cast<char>(i * 2654435761u >> 13);
    }
    ExampleWriter example;
    for (int64_t record = 0; record < records_; ++record) {
      sample[0] = static_cast<char>(record);
      example.SetBytes("sample", sample);
      std::string bytes;
      example.Finish(bytes);
      offsets.push_back((*writer)->framed_bytes());
      Require((*writer)->Append(bytes));
    }
    Require((*writer)->Finish());
    const auto info = files.Stat(path_);
    Require(info.status());
    Require(RecordIndex(std::move(offsets), {}, *info).Save(files, path_));
  }
  ~Samples() { std::filesystem::remove_all(folder_); }

  int64_t records() const { return records_; }

  // From the system's cache, where it has been written to the disk.
  void Drop() const {
    const int file = ::open(path_.c_str(), O_RDONLY);
    ::fsync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }

  // Of samples, as a loop of read() has them.
  double BytesReadASecond(Cache cache) const {
    if (cache == kCold) Drop();
    std::vector<char> buffer(kReadBytes);
    const int file = ::open(path_.c_str(), O_RDONLY);
    const double begin = Seconds(cache);
    while (::read(file, buffer.data(), buffer.size()) > 0) {
      benchmark::DoNotOptimize(buffer.data());
    }
    const double took = Seconds(cache) - begin;
    ::close(file);
    return static_cast<double>(records_ * workload_.sample_bytes) / took;
  }

  // As many epochs; 0 is for ever.
  Infeed Feed(uint64_t epochs) const {
    const Dataset dataset = Dataset::TfRecords(path_)
                                .Parse({{.name = "sample",
                                         .type = FeatureType::kBytes,
                                         .shape = {workload_.sample_bytes}}})
                                .Shuffle({.seed = 1})
                                .Repeat({.epochs = epochs})
                                .Batch({.size = workload_.batch});
    auto pipeline = Compile(dataset, Topology{},
                            {.threads = 1,
                             .buffer_bytes = buffer_bytes(),
                             .max_record_bytes = kMostRecordBytes});
    Require(pipeline.status());
    return {*std::move(pipeline),
            *Mesh::Create({{"data", 1}}),
            {.depth = 2, .queue_bytes = 2 * buffer_bytes()}};
  }

  // With what a batch has besides its samples.
  uint64_t batch_bytes() const {
    constexpr uint64_t kMostBesides = 1 << 20;
    return static_cast<uint64_t>(workload_.batch * workload_.sample_bytes) +
           kMostBesides;
  }
  uint64_t buffer_bytes() const {
    return std::max(CompileOptions().buffer_bytes, 2 * batch_bytes());
  }

 private:
  const Workload workload_;
  const int64_t records_;
  std::filesystem::path folder_;
  std::string path_;
};

// Rows a second, those that pad left out.
double RowsWarm(const Samples& samples, const Workload& workload,
                benchmark::State& state) {
  Infeed infeed = samples.Feed(0);
  // Past what is built ahead, so that as much is built as is taken, in memory
  // that was used before.
  const auto take = [&] {
    Require(infeed.Next() ? OkStatus() : infeed.status());
  };
  for (uint64_t built = 0; built < 3 * samples.buffer_bytes();
       built += samples.batch_bytes()) {
    take();
  }
  const double begin = Seconds(kWarm);
  for (auto _ : state) take();
  const double took = Seconds(kWarm) - begin;
  // Leftovers of an epoch fill their batch with rows that pad.
  const double real =
      static_cast<double>(samples.records()) /
      static_cast<double>((samples.records() + workload.batch - 1) /
                          workload.batch * workload.batch);
  return real * static_cast<double>(state.iterations() * workload.batch) / took;
}

// Whole epochs.
double RowsCold(const Samples& samples, benchmark::State& state) {
  double took = 0;
  for (auto _ : state) {
    samples.Drop();
    Infeed infeed = samples.Feed(1);
    const double begin = Seconds(kCold);
    while (infeed.Next()) {
    }
    took += Seconds(kCold) - begin;
    Require(infeed.status());
  }
  return static_cast<double>(samples.records() * state.iterations()) / took;
}

void BM_Storage(benchmark::State& state, Cache cache) {
  const Workload& workload = kWorkloads[state.range(0)];
  state.SetLabel(workload.name);
  const Samples samples(workload);
  double read = 0;
  for (int i = 0; i < 4; ++i) {
    read = std::max(read, samples.BytesReadASecond(cache));
  }
  const double rows = cache == kWarm ? RowsWarm(samples, workload, state)
                                     : RowsCold(samples, state);
  state.counters["accelerators"] =
      rows * workload.step_s /
      (static_cast<double>(workload.batch) * workload.floor);
  state.counters["of_read"] =
      rows * static_cast<double>(workload.sample_bytes) / read;
  state.counters["read_GB_s"] = read * 1e-9;
}
BENCHMARK_CAPTURE(BM_Storage, warm, kWarm)
    ->DenseRange(0, std::size(kWorkloads) - 1)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Storage, cold, kCold)
    ->DenseRange(0, std::size(kWorkloads) - 1)
    ->Iterations(2)
    ->UseRealTime();

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
