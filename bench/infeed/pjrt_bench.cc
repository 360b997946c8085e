// How fast batches go to a device of a PJRT plugin and come back, under each
// promise about host memory, beside memcpy of the same bytes.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "infeed/device.h"
#include "infeed/devices/own_slice.h"
#include "infeed/pjrt/pjrt_devices.h"
#include "pipeline/contract.h"
#include "tests/support/fixtures.h"

namespace penstock {
namespace {

constexpr int64_t kRows = 1024;

template <typename T>
T Require(StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::abort();
}

// 1,024 rows of tokens.
CoreSlice MakeSlice(int64_t length) {
  Contract contract;
  contract.rows = kRows;
  contract.lengths = {length};
  contract.tensors = {{.name = "tokens",
                       .type = ElementType::kInt32,
                       .row_shape = {TensorSpec::kBucketLength}}};
  Batch batch;
  batch.row_offsets.resize(kRows + 1);
  std::vector<int32_t> values(kRows * length, 7);
  batch.tensors = {{.shape = {kRows, length},
                    .bytes = std::as_writable_bytes(std::span(values))}};
  const CoreSlice borrowed = Require(CoreSlice::Create(
      std::make_shared<const Batch>(std::move(batch)),
      std::make_shared<const Contract>(std::move(contract)), {.rows = kRows}));
  return Require(OwnSlice(borrowed, [&](size_t t, std::span<std::byte> out) {
    borrowed.tensor(t).PackTo(out);
    return OkStatus();
  }));
}

void Copy(benchmark::State& state) {
  const CoreSlice slice = MakeSlice(state.range(0));
  const auto bytes = slice.tensor(0).bytes;
  std::vector<std::byte> to(bytes.size());
  for (auto _ : state) {
    std::memcpy(to.data(), bytes.data(), bytes.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(
      static_cast<int64_t>(state.iterations() * bytes.size()));
}

void Transfer(benchmark::State& state) {
  const std::string plugin = testing::FindPjrtPlugin();
  if (plugin.empty()) return state.SkipWithError("no plugin");
  const PjrtDevices devices = Require(
      OpenPjrt(plugin, {.host_memory = static_cast<HostMemory>(state.range(1)),
                        .check_steps = false}));
  const CoreSlice slice = MakeSlice(state.range(0));
  const CoreSlice bare = slice.Of(WithoutBytes(slice.batch()));
  const bool back = state.range(2) != 0;
  // A GPU's plugin takes a second for the first one.
  Require(Require(devices.devices[0]->Transfer(slice, 0))
              ->ready()
              .Await(SteadyClock()));
  for (auto _ : state) {
    const auto batch = Require(devices.devices[0]->Transfer(slice, 0));
    Require(batch->ready().Await(SteadyClock()));
    if (back) benchmark::DoNotOptimize(Require(batch->ReadBack(bare)));
  }
  state.SetBytesProcessed(
      static_cast<int64_t>(state.iterations() * slice.size_bytes()));
}

// 64 KiB, 4 MiB and 64 MiB.
BENCHMARK(Copy)->Arg(16)->Arg(1024)->Arg(16384)->UseRealTime();
BENCHMARK(Transfer)
    ->ArgNames({"length", "host_memory", "back"})
    ->ArgsProduct({{16, 1024, 16384}, {0, 1, 2}, {0}})
    ->Args({1024, 1, 1})
    ->UseRealTime();

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
