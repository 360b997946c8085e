// What reading costs beside what the machine allows, in the same run: the
// second of each pair is the floor that the first is held against.
//
//   build/release/bin/formats_bench --benchmark_min_time=1
//
// Files are warm; bench/formats/tfrecord_files.h says where they lie.

#include <benchmark/benchmark.h>
#include <isa-l/igzip_lib.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/formats/tfrecord_files.h"
#include "formats/files/atomic_file.h"
#include "formats/files/file.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "formats/tfrecord/tfrecord_reader.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/support/task_threads.h"

namespace penstock {
namespace {

using testing::TaskThreads;

void ReadTfRecord(benchmark::State& state, Compression compression,
                  uint64_t file_bytes) {
  const size_t record_bytes = state.range(0);
  const std::string path = MakeFile(record_bytes, compression, file_bytes);
  uint64_t bytes = 0;
  uint64_t records = 0;
  for (auto _ : state) {
    auto reader =
        OpenTfRecord(LocalFiles(), path, {.compression = compression});
    while (true) {
      auto block = (*reader)->NextBlock();
      if (!block.ok()) return state.SkipWithError("the read failed");
      if (!block->has_value()) break;
      for (const std::string_view record : (*block)->records) {
        bytes += record.size() + kTfRecordFramingBytes;
      }
      records += (*block)->records.size();
    }
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(records);
}

void BM_SequentialRead(benchmark::State& state) {
  ReadTfRecord(state, Compression::kNone, kFileBytes);
}

void BM_SequentialFloor(benchmark::State& state) {
  const std::string path =
      MakeFile(state.range(0), Compression::kNone, kFileBytes);
  std::vector<char> buffer(1 << 20);
  uint64_t bytes = 0;
  for (auto _ : state) {
    auto file = LocalFiles().OpenForRead(path);
    for (uint64_t offset = 0;;) {
      const size_t got = *(*file)->ReadAt(offset, buffer);
      offset += got;
      bytes += got;
      if (got < buffer.size()) break;
    }
    benchmark::DoNotOptimize(buffer.data());
  }
  state.SetBytesProcessed(bytes);
}

// Into the page cache and onto the disk.
void BM_PlainWrite(benchmark::State& state) {
  const std::string text = Text(256 << 10);
  const size_t record_bytes = state.range(0);
  const std::string path = BenchFolder() + "/penstock_bench_write";
  uint64_t bytes = 0;
  for (auto _ : state) {
    auto writer = CreateTfRecord(LocalFiles(), path);
    for (uint64_t i = 0; (*writer)->framed_bytes() < kFileBytes; ++i) {
      const size_t at = i * 4093 % (text.size() - record_bytes);
      const auto record = std::string_view(text).substr(at, record_bytes);
      if (!(*writer)->Append(record).ok()) abort();
    }
    bytes += (*writer)->framed_bytes();
    if (!(*writer)->Finish().ok()) abort();
  }
  std::filesystem::remove(path);
  state.SetBytesProcessed(bytes);
}

void BM_PlainWriteFloor(benchmark::State& state) {
  const std::string text = Text(1 << 20);
  const std::string path = BenchFolder() + "/penstock_bench_write";
  uint64_t bytes = 0;
  for (auto _ : state) {
    auto file = *AtomicFile::Create(LocalFiles(), path);
    for (uint64_t done = 0; done < kFileBytes; done += text.size()) {
      if (!file->Append(text).ok()) abort();
    }
    bytes += kFileBytes;
    if (!file->Commit().ok()) abort();
  }
  std::filesystem::remove(path);
  state.SetBytesProcessed(bytes);
}

void BM_GzipRead(benchmark::State& state) {
  ReadTfRecord(state, Compression::kGzip, kFileBytes / 4);
}

void BM_GzipFloor(benchmark::State& state) {
  std::string in = *ReadWholeFile(
      LocalFiles(),
      MakeFile(state.range(0), Compression::kGzip, kFileBytes / 4));
  std::vector<uint8_t> out(1 << 20);
  const auto inflater = std::make_unique<inflate_state>();
  uint64_t bytes = 0;
  for (auto _ : state) {
    isal_inflate_init(inflater.get());
    inflater->next_in = reinterpret_cast<uint8_t*>(in.data());
    inflater->avail_in = in.size();
    while (inflater->avail_in > 0) {  // a member
      isal_inflate_reset(inflater.get());
      inflater->crc_flag = ISAL_GZIP;
      while (inflater->block_state != ISAL_BLOCK_FINISH) {
        inflater->next_out = out.data();
        inflater->avail_out = out.size();
        if (isal_inflate(inflater.get()) != ISAL_DECOMP_OK) abort();
        bytes += inflater->next_out - out.data();
      }
    }
  }
  state.SetBytesProcessed(bytes);
}

// Argument 1 is how many threads compress; 0 is the writer's own.
void BM_GzipWrite(benchmark::State& state) {
  const size_t record_bytes = state.range(0);
  const std::string path = BenchFolder() + "/penstock_bench_written.gz";
  const std::string text = Text(8 << 20);
  std::optional<TaskThreads> threads;
  GzipMembers members;
  if (state.range(1) > 0) {
    threads.emplace(static_cast<int>(state.range(1)));
    members.run_task = [&](std::function<void()> task) {
      threads->Run(std::move(task));
    };
  }
  uint64_t bytes = 0;
  for (auto _ : state) {
    auto writer =
        CreateTfRecord(LocalFiles(), path,
                       {.compression = Compression::kGzip, .gzip = members});
    for (size_t at = 0; at + record_bytes <= text.size(); at += record_bytes) {
      (*writer)
          ->Append(std::string_view(text).substr(at, record_bytes))
          .IgnoreError();
    }
    if (!(*writer)->Finish().ok()) abort();
    bytes += (*writer)->framed_bytes();
  }
  state.counters["ratio"] =
      static_cast<double>(LocalFiles().Stat(path)->size_bytes) /
      static_cast<double>(text.size());
  std::filesystem::remove(path);
  state.SetBytesProcessed(bytes);
}

#define PENSTOCK_SIZES ArgName("record")->Arg(300)->Arg(2048)->Arg(100'000)
BENCHMARK(BM_SequentialRead)->PENSTOCK_SIZES;
BENCHMARK(BM_SequentialFloor)->PENSTOCK_SIZES;
BENCHMARK(BM_PlainWrite)->PENSTOCK_SIZES;
BENCHMARK(BM_PlainWriteFloor);
BENCHMARK(BM_GzipRead)->PENSTOCK_SIZES;
BENCHMARK(BM_GzipFloor)->PENSTOCK_SIZES;
BENCHMARK(BM_GzipWrite)
    ->ArgNames({"record", "threads"})
    ->Args({2048, 0})
    ->Args({2048, 2})
    ->UseRealTime();

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
