// What reading costs beside what the machine allows, in the same run: the
// second of each pair is the floor that the first is held against.
//
//   build/release/bin/formats_bench --benchmark_min_time=1
//
// Files lie in the folder PENSTOCK_BENCH_FOLDER, by default that for temporary
// files, and are warm.

#include <benchmark/benchmark.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "formats/atomic_file.h"
#include "formats/file.h"
#include "formats/record_files.h"
#include "formats/record_index.h"
#include "formats/tfrecord_framing.h"
#include "formats/tfrecord_reader.h"
#include "formats/tfrecord_writer.h"

namespace penstock {
namespace {

constexpr uint64_t kFileBytes = 256 << 20;

// Words, so that compression has something to do.
std::string Text(size_t size) {
  static constexpr const char* kWords[] = {"the ",    "pen",  "stock ", "of ",
                                           "water ",  "turn", "s, ",    "and ",
                                           "turbine", " is ", "fed\n",  "by "};
  static std::mt19937 random(7);
  std::string text;
  while (text.size() < size) text += kWords[random() % 12];
  text.resize(size);
  return text;
}

std::string Folder() {
  const char* folder = getenv("PENSTOCK_BENCH_FOLDER");
  return folder != nullptr ? folder : "/tmp";
}

// A file of records of one size, with its index, made once.
std::string MakeFile(size_t record_bytes, Compression compression,
                     uint64_t file_bytes) {
  const std::string path = Folder() + "/penstock_bench_" +
                           std::to_string(record_bytes) + "." +
                           std::string(CompressionName(compression));
  if (std::filesystem::exists(path)) return path;
  const std::string text = Text(8 << 20);
  auto writer =
      CreateTfRecord(LocalFiles(), path, {.compression = compression});
  for (uint64_t i = 0; (*writer)->framed_bytes() < file_bytes; ++i) {
    const size_t at = i * 4093 % (text.size() - record_bytes);
    (*writer)
        ->Append(std::string_view(text).substr(at, record_bytes))
        .IgnoreError();
  }
  if (!(*writer)->Finish().ok()) abort();
  if (compression == Compression::kNone) {
    if (!BuildRecordIndex(LocalFiles(), path)->Save(LocalFiles(), path).ok())
      abort();
  }
  return path;
}

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
  const std::string path = Folder() + "/penstock_bench_write";
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
  const std::string path = Folder() + "/penstock_bench_write";
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
    inflater->crc_flag = ISAL_GZIP;
    inflater->next_in = reinterpret_cast<uint8_t*>(in.data());
    inflater->avail_in = in.size();
    while (inflater->block_state != ISAL_BLOCK_FINISH) {
      inflater->next_out = out.data();
      inflater->avail_out = out.size();
      if (isal_inflate(inflater.get()) != ISAL_DECOMP_OK) abort();
      bytes += inflater->next_out - out.data();
    }
  }
  state.SetBytesProcessed(bytes);
}

// Batches of 256 records anywhere in the file.
std::vector<std::vector<uint64_t>> RandomBatches(uint64_t records) {
  std::mt19937_64 random(3);
  std::vector<std::vector<uint64_t>> batches(64);
  for (auto& batch : batches) {
    batch.resize(256);
    for (uint64_t& id : batch) id = random() % records;
  }
  return batches;
}

void BM_Gather(benchmark::State& state) {
  const std::string path =
      MakeFile(state.range(0), Compression::kNone, kFileBytes);
  const auto files = *RecordFiles::Open(LocalFiles(), {path});
  const auto batches = RandomBatches(files->records());
  GatheredRecords out;
  uint64_t records = 0;
  for (auto _ : state) {
    const auto& ids = batches[records / 256 % batches.size()];
    if (!files->Gather(ids, out).ok()) return state.SkipWithError("failed");
    records += ids.size();
  }
  state.SetItemsProcessed(records);
  state.SetBytesProcessed(records * state.range(0));
}

void BM_GatherFloor(benchmark::State& state) {
  const std::string path =
      MakeFile(state.range(0), Compression::kNone, kFileBytes);
  const auto index = *RecordIndex::Load(LocalFiles(), path);
  const auto file = *LocalFiles().OpenForRead(path);
  const auto batches = RandomBatches(index.records());
  std::vector<char> out(256 * (state.range(0) + kTfRecordFramingBytes));
  uint64_t records = 0;
  for (auto _ : state) {
    char* to = out.data();
    for (const uint64_t id : batches[records / 256 % batches.size()]) {
      const size_t size = index.size_bytes(id) + kTfRecordFramingBytes;
      if (!file->ReadAt(index.offset(id), {to, size}).ok()) abort();
      to += size;
    }
    records += 256;
  }
  state.SetItemsProcessed(records);
  state.SetBytesProcessed(records * state.range(0));
}

#define PENSTOCK_SIZES ArgName("record")->Arg(300)->Arg(2048)->Arg(100'000)
BENCHMARK(BM_SequentialRead)->PENSTOCK_SIZES;
BENCHMARK(BM_SequentialFloor)->PENSTOCK_SIZES;
BENCHMARK(BM_PlainWrite)->PENSTOCK_SIZES;
BENCHMARK(BM_PlainWriteFloor);
BENCHMARK(BM_GzipRead)->PENSTOCK_SIZES;
BENCHMARK(BM_GzipFloor)->PENSTOCK_SIZES;
BENCHMARK(BM_Gather)->PENSTOCK_SIZES;
BENCHMARK(BM_GatherFloor)->PENSTOCK_SIZES;

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
