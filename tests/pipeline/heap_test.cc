// What a pipeline takes of the heap: never more than Explain() says, and where
// it ends, an error and nothing else.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index_build.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/group.h"
#include "pipeline/order/kept_order.h"
#include "pipeline/order/mix_order.h"
#include "pipeline/order/view_order.h"
#include "pipeline/pipeline.h"
#include "pipeline/row_function.h"
#include "pipeline/state.h"
#include "tests/pipeline/random_graph.h"
#include "tests/support/effort.h"
#include "tests/support/replaced_heap.h"
#include "tests/support/status_matchers.h"

namespace {

std::atomic<int64_t> live_bytes = 0;
std::atomic<int64_t> peak_bytes = 0;
// How many allocations succeed until one fails; all do while it is negative.
std::atomic<int64_t> allocations_left = -1;
// No larger allocation succeeds.
std::atomic<size_t> largest_bytes = SIZE_MAX;

}  // namespace

namespace penstock::testing {

using ::testing::HasSubstr;

void* TakeMemory(size_t size_bytes, size_t alignment) noexcept {
  if (allocations_left >= 0 && allocations_left-- == 0) return nullptr;
  if (size_bytes > largest_bytes) return nullptr;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size_bytes) != 0) return nullptr;
  const auto size = static_cast<int64_t>(malloc_usable_size(memory));
  const int64_t live = live_bytes += size;
  int64_t peak = peak_bytes;
  while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
  }
  return memory;
}

void GiveBackMemory(void* memory) noexcept {
  if (memory == nullptr) return;
  live_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

namespace {

// The sum that Explain() prints.
int64_t PrintedBytes(const Pipeline& pipeline) {
  const std::string text = pipeline.Explain();
  const size_t line = text.rfind('\n', text.rfind("bytes  in all"));
  return std::stoll(text.substr(line + 1));
}

CompileOptions SmallSums(RandomGraph& graph) {
  return {.threads = static_cast<int>(1 + graph.Draw(3)),
          .buffer_bytes = graph.Draw(2) == 0 ? 1u : 50'000u,
          .max_record_bytes = 2000,
          .waiting_bytes = graph.waiting_bytes,
          .window_bytes = graph.window_bytes,
          .force_streamed = graph.force_streamed};
}

Status RunWhole(Pipeline& pipeline) {
  for (;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto batch, pipeline.Next());
    if (!batch) return OkStatus();
  }
}

struct Weighed {
  int64_t taken = 0;
  double part = 0;  // of what was printed
};

// What a whole run takes, but for what is made once in a process.
StatusOr<Weighed> Weigh(const Dataset& dataset, const CompileOptions& options) {
  {
    PENSTOCK_ASSIGN_OR_RETURN(Pipeline first, Compile(dataset, {}, options));
    PENSTOCK_RETURN_IF_ERROR(first.Next().status());
  }
  const int64_t before = live_bytes;
  peak_bytes = before;
  PENSTOCK_ASSIGN_OR_RETURN(Pipeline pipeline, Compile(dataset, {}, options));
  const int64_t printed = PrintedBytes(pipeline);
  PENSTOCK_RETURN_IF_ERROR(RunWhole(pipeline));
  const int64_t taken = peak_bytes - before;
  EXPECT_LE(taken, printed) << pipeline.Explain();
  return Weighed{taken,
                 static_cast<double>(taken) / static_cast<double>(printed)};
}

// Law 8. The sums are made small, so that they would be passed.
TEST(HeapTest, APipelineTakesNoMoreThanItsExplanationSays) {
  DataPool pool;
  constexpr uint64_t kStride = kCaseStride == 1 ? 1 : 7;
  double nearest = 0;
  for (uint64_t seed = 0; seed < 150; seed += kStride) {
    RandomGraph graph(seed, pool);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, graph.Describe());
    const CompileOptions options = SmallSums(graph);
    ASSERT_OK_AND_ASSIGN(const Weighed weighed, Weigh(graph.Make(), options));
    nearest = std::max(nearest, weighed.part);
  }
  // A sum that is far too large would say nothing.
  EXPECT_GT(nearest, 0.02);
}

// Far more rows than wait, in rounds that go to batches which are not whole.
TEST(HeapTest, BatchesThatAreNotWholeTakeNoMoreThanIsSaid) {
  const ScratchFolder folder;
  const Dataset dataset =
      Dataset::TfRecords(WriteDataset(folder, RandomLengths(30'000, 64, 5)))
          .Bucket({.by = "tokens", .lengths = {16, 32, 64}})
          .Batch({.size = 256});
  const CompileOptions options = {.threads = 2,
                                  .buffer_bytes = 1 << 20,
                                  .max_record_bytes = 2000,
                                  .force_streamed = true};
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}, options));
  ASSERT_THAT(pipeline.Explain(),
              ::testing::HasSubstr("batches that are not whole"));
  ASSERT_OK_AND_ASSIGN(const Weighed weighed, Weigh(dataset, options));
  EXPECT_GT(weighed.part, 0.02);
}

// Memory of short rows is kept for those that come next, which are long; and
// that of long rows for short ones. Many more rows take no more.
TEST(HeapTest, RowsThatGrowOrShrinkTakeNoMoreThanIsSaid) {
  for (const bool grow : {true, false}) {
    int64_t of_few = 0;
    for (const size_t records : {4000, 24'000}) {
      std::vector<uint32_t> lengths = RandomLengths(records, 4, 5);
      const std::vector<uint32_t> longer = RandomLengths(records, 512, 5);
      lengths.insert(grow ? lengths.end() : lengths.begin(), longer.begin(),
                     longer.end());
      const ScratchFolder folder;
      const Dataset dataset = Dataset::TfRecords(WriteDataset(folder, lengths))
                                  .Bucket({.by = "tokens", .lengths = {4, 512}})
                                  .Batch({.size = 64});
      ASSERT_OK_AND_ASSIGN(const Weighed weighed,
                           Weigh(dataset, {.threads = 2,
                                           .buffer_bytes = 1 << 20,
                                           .max_record_bytes = 8000,
                                           .force_streamed = true}));
      EXPECT_GT(weighed.part, 0.02);
      if (of_few == 0) of_few = weighed.taken;
      EXPECT_LE(weighed.taken, 2 * of_few);
    }
  }
}

// What threads do here they do in other tests, where the thread sanitizer
// looks.
#if !defined(__SANITIZE_THREAD__)

// Every record becomes as many rows as it may, each of the longest length; many
// more records than fill what may wait take no more.
TEST(HeapTest, RowsThatFlatMapMakesTakeNoMoreThanItsExplanationSays) {
  constexpr uint64_t kMostRows = 64;
  int64_t of_few = 0;
  for (const uint64_t records : {1000, kCaseStride == 1 ? 10'000 : 2000}) {
    const ScratchFolder folder;
    const Dataset dataset =
        Dataset::TfRecords(
            WriteDataset(folder, std::vector<uint32_t>(records, 40)))
            .Parse({{.name = "tokens"}})
            .FlatMap({.name = "copies", .most_rows = kMostRows},
                     [](const RowChunk& chunk, Examples& made,
                        std::vector<uint32_t>& rows_of) {
                       for (size_t row = 0; row < chunk.rows.rows; ++row) {
                         for (; rows_of[row] < kMostRows; ++rows_of[row]) {
                           CopyRow(chunk.rows.columns[0], row, made.columns[0]);
                         }
                       }
                       return OkStatus();
                     })
            .Bucket({.by = "tokens", .lengths = {40}})
            .Batch({.size = 12});
    ASSERT_OK_AND_ASSIGN(const Weighed weighed,
                         Weigh(dataset, {.threads = 2,
                                         .buffer_bytes = 50'000,
                                         .max_record_bytes = 2000}));
    EXPECT_GT(weighed.part, 0.02);
    if (of_few == 0) of_few = weighed.taken;
    EXPECT_LE(weighed.taken, of_few + of_few / 4);
  }
}

// Hosts of which each reads some files for all: together no more than their
// sums together. Records are much larger than the rows made of them, and more
// than hosts may tell of ahead.
TEST(HeapTest, HostsThatShareFilesTakeNoMoreThanTheirExplanationsSay) {
  constexpr uint32_t kHosts = 3;
  const ScratchFolder folder;
  const Dataset files = Dataset::TfRecords(WriteDataset(
      folder, std::vector<uint32_t>(2000, 4000),
      {.compression = Compression::kGzip, .records = {900, 20, 1000, 80}}));
  const ScratchFolder other;
  const Feature id = {.name = "id", .length = 1};
  const Feature half = {
      .name = "half", .type = FeatureType::kFloat, .length = 1};
  const Dataset zip = Dataset::Zip(
      {files.Parse({id}),
       Dataset::TfRecords(WriteDataset(other, std::vector<uint32_t>(2000, 3000),
                                       {.files = 5, .index = false}))
           .Parse({half})});
  const Dataset kinds[] = {
      files.Parse({id}),
      files.Parse({id}).Shuffle({.seed = 1, .window_records = 300}), zip,
      zip.Shuffle({.seed = 1, .window_records = 300})};
  size_t cases = 0;
  for (const Dataset& kind : kinds) {
    const Dataset dataset = kind.Batch({.size = 6});
    for (const SequenceReading sequence :
         {SequenceReading::kOneDecodes, SequenceReading::kOneReads}) {
      // Of each kind of reading and of data for sanitizers, too.
      if (cases++ % (kCaseStride == 1 ? 1 : 3) != 0) continue;
      const auto ends = ThreadGroup(kHosts);
      std::atomic<int64_t> printed = 0;
      const int64_t before = live_bytes;
      peak_bytes = before;
      std::vector<std::thread> threads;
      for (uint32_t host = 0; host < kHosts; ++host) {
        threads.emplace_back([&, host] {
          auto pipeline =
              Compile(dataset, {.shards = 3, .hosts = kHosts, .host = host},
                      {.threads = 2,
                       .buffer_bytes = 50'000,
                       .max_record_bytes = 50'000,
                       .window_bytes = 3 << 20,
                       .group = ends[host].get(),
                       .sequence = sequence});
          ASSERT_OK(pipeline);
          printed += PrintedBytes(*pipeline);
          ASSERT_OK(RunWhole(*pipeline));
        });
      }
      for (std::thread& thread : threads) thread.join();
      const int64_t taken = peak_bytes - before;
      EXPECT_LE(taken, printed);
    }
  }
}

#endif

// One batch is built while another is held, and nothing else is of their size.
TEST(HeapTest, LongValuesTakeNoMemoryBesideTheirBatches) {
  constexpr int64_t kBytes = 8 << 20;
  const ScratchFolder folder;
  const std::string path = folder / "data.tfrecord";
  {
    ASSERT_OK_AND_ASSIGN(const auto writer, CreateTfRecord(LocalFiles(), path));
    ExampleWriter example;
    const std::string sample(kBytes, 'x');
    for (int i = 0; i < 4; ++i) {
      example.SetBytes("sample", sample);
      std::string record;
      example.Finish(record);
      ASSERT_OK(writer->Append(record));
    }
    ASSERT_OK(writer->Finish());
    ASSERT_OK_AND_ASSIGN(const auto index,
                         BuildRecordIndex(LocalFiles(), path));
    ASSERT_OK(index.Save(LocalFiles(), path));
  }
  const Dataset dataset = Dataset::TfRecords(path)
                              .Parse({{.name = "sample",
                                       .type = FeatureType::kBytes,
                                       .shape = {kBytes}}})
                              .Repeat({.epochs = 2})
                              .Batch({.size = 1});
  ASSERT_OK_AND_ASSIGN(const Weighed weighed,
                       Weigh(dataset, {.threads = 2, .buffer_bytes = 1}));
  EXPECT_LE(weighed.taken, 2 * kBytes + kBytes / 2);
}

// Of the heap, what an order says and a few words beside.
TEST(HeapTest, TablesOfAnOrderTakeWhatTheySay) {
  const auto weigh = [](const auto& make) {
    const int64_t before = live_bytes;
    const std::shared_ptr<const Order> order = make();
    const int64_t taken = live_bytes - before;
    const auto said = static_cast<int64_t>(order->table_bytes());
    EXPECT_GE(taken, said);
    EXPECT_LE(taken, said + said / 50 + 20'000);
    return said;
  };
  EXPECT_EQ(weigh([] {
              std::vector<uint64_t> excluded(100'000);
              for (size_t i = 0; i < excluded.size(); ++i) excluded[i] = 9 * i;
              return ExcludeOrder(1'000'000, 0, std::move(excluded));
            }),
            800'000);
  EXPECT_LE(weigh([] {
              constexpr uint64_t kRecords = 1'000'000;
              return KeptOrder(SplitBits({.end = 0.99}, kRecords), kRecords, 0);
            }),
            1'000'000 * 5 / 4 / 8 + 64);
  EXPECT_GT(weigh([] {
              std::vector<MixPart> parts;
              for (uint64_t i = 0; i < 50; ++i) {
                parts.push_back({FileOrder(1000 + i),
                                 std::sqrt(static_cast<double>(2 + i))});
              }
              auto mix = MixOrder::Create(std::move(parts), MixStop::kLast);
              EXPECT_OK(mix);
              return std::shared_ptr<const Order>(*std::move(mix));
            }),
            1'000'000);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// "VmHWM" or "VmRSS" of this process.
int64_t StatusBytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stoll(line.substr(7)) * 1024;
  }
  return 0;
}

TEST(HeapTest, TheProcessGrowsByNoMoreThanTheExplanationSays) {
  DataPool pool;
  int64_t all_taken = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    RandomGraph graph(seed, pool);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, graph.Describe());
    const CompileOptions options = SmallSums(graph);
    const Dataset dataset = graph.Make();
    {
      // What is made once in a process.
      ASSERT_OK_AND_ASSIGN(Pipeline first, Compile(dataset, {}, options));
      ASSERT_OK(RunWhole(first));
    }
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
    const int64_t before = StatusBytes("VmRSS");
    ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Compile(dataset, {}, options));
    ASSERT_OK(RunWhole(pipeline));
    const int64_t taken = StatusBytes("VmHWM") - before;
    all_taken += taken;
    EXPECT_LE(taken, PrintedBytes(pipeline)) << pipeline.Explain();
  }
  // Each core counts some pages for itself before the system does: what a small
  // graph takes may be less than that.
  EXPECT_GT(all_taken, 0);
}

#endif

// Memory ends at one allocation after the other, on whatever thread it is.
TEST(HeapTest, MemoryThatEndsIsAnErrorOnEveryThread) {
  DataPool pool;
  for (const uint64_t seed : {1, 5, 6, 9, 12}) {
    RandomGraph graph(seed, pool);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, graph.Describe());
    const Dataset dataset = graph.Make();
    uint64_t failed = 0;
    for (int64_t allowed = 0;;
         allowed += 1 + allowed * static_cast<int64_t>(kCaseStride) / 40) {
      allocations_left = allowed;
      Status status;
      {
        auto pipeline = Compile(
            dataset, {}, {.threads = 2, .force_streamed = seed % 2 == 0});
        status = pipeline.status();
        while (status.ok()) {
          const auto batch = pipeline->Next();
          status = batch.status();
          if (status.ok() && !batch->has_value()) break;
        }
      }
      const bool ended = allocations_left < 0;
      allocations_left = -1;
      if (!ended) break;
      if (status.ok()) continue;  // it was tried again, or not needed
      ++failed;
      ASSERT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
    }
    EXPECT_GT(failed, 10u);
  }
}

// Zeros take no bytes of the text, so a damaged one may say any number of them.
TEST(HeapTest, ADamagedStateAsksForNoMoreThanItsTextIsLong) {
  constexpr char kHeld[] =
      R"({"count":0,"records":"0:","begins":"0:","bins":"0:"})";
  constexpr uint64_t kMany = uint64_t{1} << 30;
  const std::string text = FormatState({.step = 1});
  ASSERT_THAT(text, HasSubstr(kHeld));
  for (const char* one : {"0:", "1:AA=="}) {
    std::string damaged = text;
    damaged.replace(text.find(kHeld), sizeof(kHeld) - 1,
                    fmt::format(R"({{"count":{},"records":"{}","begins":"0:",)"
                                R"("bins":"0:"}})",
                                kMany, one));
    const int64_t before = live_bytes;
    peak_bytes = before;
    EXPECT_EQ(ParseState(damaged).status().code(), StatusCode::kDataLoss);
    EXPECT_LT(peak_bytes - before, 1 << 20);
  }
}

// What is asked for at once, that is: the JSON library gives small pieces back
// by taking some.
TEST(HeapTest, AStateThatMemoryHasNoRoomForIsAnError) {
  std::vector<HeldPiece> held(100'000);
  for (size_t i = 0; i < held.size(); ++i) held[i].record = 3 * i;
  const State state = {.step = 1, .held = held};
  const std::string text = FormatState(state);
  uint64_t failed = 0;
  for (size_t largest = 1 << 14;; largest += largest / 4) {
    largest_bytes = largest;
    const auto read = ParseState(text);
    largest_bytes = SIZE_MAX;
    if (read.ok()) {
      EXPECT_EQ(*read, state);
      break;
    }
    ++failed;
    ASSERT_EQ(read.status().code(), StatusCode::kResourceExhausted)
        << read.status();
  }
  EXPECT_GT(failed, 10u);
}

}  // namespace
}  // namespace penstock::testing
