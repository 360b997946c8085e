// What reaching records by number costs beside a bare read of the same bytes,
// and what making the index for it does.
//
//   build/release/bin/gather_bench --benchmark_min_time=1
//
// Files are warm unless the name says so; bench/formats/tfrecord_files.h says
// where they lie.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <random>
#include <string>
#include <vector>

#include "bench/formats/tfrecord_files.h"
#include "formats/files/file.h"
#include "formats/index/record_files.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

constexpr uint64_t kBatch = 1024;

// Batches of records anywhere in the file.
std::vector<std::vector<uint64_t>> RandomBatches(uint64_t records) {
  std::mt19937_64 random(3);
  std::vector<std::vector<uint64_t>> batches(64);
  for (auto& batch : batches) {
    batch.resize(kBatch);
    for (uint64_t& id : batch) id = random() % records;
  }
  return batches;
}

void Gather(benchmark::State& state, Compression compression,
            uint64_t file_bytes) {
  const std::string path = MakeFile(state.range(0), compression, file_bytes);
  const auto files = *RecordFiles::Open(LocalFiles(), {path});
  const auto batches = RandomBatches(files->records());
  GatheredRecords out;
  uint64_t records = 0;
  for (auto _ : state) {
    const auto& ids = batches[records / kBatch % batches.size()];
    if (!files->Gather(ids, out).ok()) return state.SkipWithError("failed");
    records += ids.size();
  }
  state.SetItemsProcessed(records);
  state.SetBytesProcessed(records * state.range(0));
}

void BM_Gather(benchmark::State& state) {
  Gather(state, Compression::kNone, kFileBytes);
}

void BM_GatherFromMembers(benchmark::State& state) {
  Gather(state, Compression::kGzip, kFileBytes / 4);
}

void BM_GatherFloor(benchmark::State& state) {
  const std::string path =
      MakeFile(state.range(0), Compression::kNone, kFileBytes);
  const auto index = *RecordIndex::Load(LocalFiles(), path);
  const auto file = *LocalFiles().OpenForRead(path);
  const auto batches = RandomBatches(index.records());
  std::vector<char> out(kBatch * (state.range(0) + kTfRecordFramingBytes));
  uint64_t records = 0;
  for (auto _ : state) {
    char* to = out.data();
    for (const uint64_t id : batches[records / kBatch % batches.size()]) {
      const RecordPlace place = *index.Find(id);
      const size_t size = place.size_bytes + kTfRecordFramingBytes;
      if (!file->ReadAt(place.offset, {to, size}).ok()) abort();
      to += size;
    }
    records += kBatch;
  }
  state.SetItemsProcessed(records);
  state.SetBytesProcessed(records * state.range(0));
}

// Out of the page cache.
void Cool(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY);
  if (fdatasync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0) {
    abort();
  }
  close(fd);
}

// Every other record of the file in order, cold, in batches.
void BM_ColdSortedGather(benchmark::State& state) {
  const std::string path =
      MakeFile(state.range(0), Compression::kNone, kFileBytes);
  // A mapped page stays in memory whatever the file is told.
  const auto files =
      *RecordFiles::Open(LocalFiles(), {path}, {.most_mapped_bytes = 0});
  GatheredRecords out;
  uint64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Cool(path);
    state.ResumeTiming();
    std::vector<uint64_t> ids;
    for (uint64_t id = 0; id < files->records(); id += 2) {
      ids.push_back(id);
      if (ids.size() < kBatch && id + 2 < files->records()) continue;
      if (!files->Gather(ids, out).ok()) return state.SkipWithError("failed");
      ids.clear();
    }
    bytes += files->size_bytes();  // what the device has to give
  }
  state.SetBytesProcessed(bytes);
}

void BM_ColdSequentialFloor(benchmark::State& state) {
  const std::string path =
      MakeFile(state.range(0), Compression::kNone, kFileBytes);
  std::vector<char> buffer(1 << 20);
  uint64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Cool(path);
    state.ResumeTiming();
    auto file = LocalFiles().OpenForRead(path);
    for (uint64_t offset = 0;;) {
      const size_t got = *(*file)->ReadAt(offset, buffer);
      offset += got;
      bytes += got;
      if (got < buffer.size()) break;
    }
  }
  state.SetBytesProcessed(bytes);
}

void BM_IndexBuild(benchmark::State& state) {
  const std::string path =
      MakeFile(state.range(0), Compression::kNone, kFileBytes);
  uint64_t records = 0;
  for (auto _ : state) {
    records +=
        BuildRecordIndex(LocalFiles(), path, {.check = IndexCheck::kHeaders})
            ->records();
  }
  state.SetItemsProcessed(records);
}

#define PENSTOCK_SIZES ArgName("record")->Arg(300)->Arg(2048)->Arg(100'000)
BENCHMARK(BM_Gather)->PENSTOCK_SIZES;
BENCHMARK(BM_GatherFloor)->PENSTOCK_SIZES;
BENCHMARK(BM_GatherFromMembers)->ArgName("record")->Arg(2048);
BENCHMARK(BM_ColdSortedGather)->PENSTOCK_SIZES->UseRealTime();
BENCHMARK(BM_ColdSequentialFloor)->PENSTOCK_SIZES->UseRealTime();
BENCHMARK(BM_IndexBuild)->PENSTOCK_SIZES;

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
