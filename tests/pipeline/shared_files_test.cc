// Files that are read in sequence, each by one of the hosts: who reads what,
// and that nobody can tell from the batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "formats/files/forwarding_files.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"
#include "pipeline/profile.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/pipeline/shared_files_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

// Counts the bytes that are read through it.
class CountedFile final : public ReadableFile {
 public:
  CountedFile(std::unique_ptr<ReadableFile> under, std::atomic<uint64_t>& bytes)
      : under_(std::move(under)), bytes_(bytes) {}

  StatusOr<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    const auto read = under_->ReadAt(offset, out);
    if (read.ok()) bytes_ += *read;
    return read;
  }
  StatusOr<FileInfo> Stat() const override { return under_->Stat(); }
  void WillRead(uint64_t, uint64_t) const override {}
  const std::string& path() const override { return under_->path(); }

 private:
  const std::unique_ptr<ReadableFile> under_;
  std::atomic<uint64_t>& bytes_;
};

class CountingFiles final : public ForwardingFiles {
 public:
  CountingFiles() : ForwardingFiles(LocalFiles()) {}
  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override {
    PENSTOCK_ASSIGN_OR_RETURN(auto file, under().OpenForRead(path));
    return std::make_unique<CountedFile>(std::move(file), bytes);
  }

  std::atomic<uint64_t> bytes = 0;
};

struct HostsRead {
  std::vector<uint64_t> file_bytes;    // from the first step on
  std::vector<uint64_t> record_bytes;  // decoded, as the profile has it
};

// What each host read in a whole run.
HostsRead ReadBy(const Dataset& dataset, uint32_t hosts,
                 SequenceReading sequence) {
  HostsRead read = {std::vector<uint64_t>(hosts), std::vector<uint64_t>(hosts)};
  const auto ends = ThreadGroup(hosts);
  std::vector<std::thread> threads;
  for (uint32_t host = 0; host < hosts; ++host) {
    threads.emplace_back([&, host] {
      CountingFiles files;
      auto pipeline =
          Compile(dataset, {.shards = hosts, .hosts = hosts, .host = host},
                  {.threads = 1,
                   .group = ends[host].get(),
                   .files = &files,
                   .sequence = sequence});
      ASSERT_OK(pipeline);
      const uint64_t before = files.bytes;
      for (;;) {
        const auto batch = pipeline->Next();
        ASSERT_OK(batch);
        if (!batch->has_value()) break;
      }
      read.file_bytes[host] = files.bytes - before;
      for (const StageProfile& stage : pipeline->Profile().stages) {
        if (stage.name == "read") read.record_bytes[host] = stage.bytes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return read;
}

TEST_F(SharedFilesTest, OfEightFilesEachOfFourHostsReadsAQuarter) {
  const Dataset dataset =
      Bucketed(Dataset::TfRecords(Write(std::vector<uint64_t>(8, 500))));
  const HostsRead all = ReadBy(dataset, 4, SequenceReading::kAllRead);
  for (const SequenceReading sequence : kShared) {
    const HostsRead one = ReadBy(dataset, 4, sequence);
    for (uint32_t host = 0; host < 4; ++host) {
      // Files are not quite as long as each other.
      EXPECT_NEAR(static_cast<double>(one.file_bytes[host]) /
                      static_cast<double>(all.file_bytes[host]),
                  0.25, 0.02);
      EXPECT_NEAR(static_cast<double>(one.record_bytes[host]) /
                      static_cast<double>(
                          std::accumulate(one.record_bytes.begin(),
                                          one.record_bytes.end(), uint64_t{0})),
                  0.25, 0.02);
    }
    EXPECT_EQ(std::accumulate(one.file_bytes.begin(), one.file_bytes.end(),
                              uint64_t{0}),
              all.file_bytes[0]);
  }
}

TEST_F(SharedFilesTest, OneFileIsReadByOneAndMayBeDecodedByAll) {
  const Dataset dataset = Bucketed(Dataset::TfRecords(Write({3000})));
  const HostsRead decodes = ReadBy(dataset, 3, SequenceReading::kOneDecodes);
  EXPECT_THAT(decodes.file_bytes,
              ::testing::ElementsAre(::testing::Gt(0u), 0u, 0u));
  EXPECT_THAT(decodes.record_bytes,
              ::testing::ElementsAre(::testing::Gt(0u), 0u, 0u));
  const HostsRead reads = ReadBy(dataset, 3, SequenceReading::kOneReads);
  EXPECT_THAT(reads.file_bytes,
              ::testing::ElementsAre(::testing::Gt(0u), 0u, 0u));
  for (const uint64_t bytes : reads.record_bytes) {
    EXPECT_NEAR(static_cast<double>(bytes) /
                    static_cast<double>(decodes.record_bytes[0]),
                1.0 / 3, 0.12);
  }
}

// Units: equal, more hosts than files, very unequal, some empty.
const std::vector<std::vector<uint64_t>> kUnits = {
    {60, 60, 60, 60, 60, 60}, {200, 40}, {1, 250, 0, 3, 0, 0, 90, 1}, {300}};

TEST_F(SharedFilesTest, BatchesAndStatesAreThoseOfOneHost) {
  uint64_t cases = 0;
  for (const auto& units : kUnits) {
    const ScratchFolder folder;
    const uint64_t all = std::accumulate(units.begin(), units.end(), 0ull);
    const std::string pattern =
        WriteDataset(folder, RandomLengths(all, 40, 1),
                     {.compression = Compression::kGzip, .records = units});
    for (const SharedGraph& graph : GraphsOver(pattern)) {
      SCOPED_TRACE(graph.name);
      ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(graph.dataset));
      ASSERT_FALSE(expected.empty());
      for (const uint32_t hosts : {2, 3, 4, 12}) {
        for (const SequenceReading sequence : kShared) {
          if (cases++ % kCaseStride != 0) continue;
          ASSERT_OK_AND_ASSIGN(const auto batches,
                               RunAll(graph.dataset, {.shards = 12,
                                                      .hosts = hosts,
                                                      .threads = 1,
                                                      .sequence = sequence}));
          ASSERT_EQ(batches, expected) << hosts << " hosts";
        }
      }
    }
  }
}

TEST_F(SharedFilesTest, AnyStateGoesOnWithOtherHosts) {
  const std::string pattern = Write({20, 130, 0, 3, 90, 1});
  uint64_t turn = 0;
  for (const SharedGraph& graph : GraphsOver(pattern)) {
    SCOPED_TRACE(graph.name);
    ASSERT_OK_AND_ASSIGN(
        const auto expected,
        RunAll(graph.dataset,
               {.shards = 2, .hosts = 2, .sequence = kShared[0]}));
    for (size_t done = 1; done < expected.size(); done += kCaseStride) {
      constexpr uint32_t kHosts[] = {3, 1, 4, 12, 2};
      const uint32_t hosts = kHosts[++turn % 5];
      ASSERT_OK_AND_ASSIGN(
          const State state,
          ParseState(FormatState(expected[done - 1].state_after)));
      ASSERT_OK_AND_ASSIGN(const auto rest,
                           RunAll(graph.dataset, {.shards = 12,
                                                  .hosts = hosts,
                                                  .sequence = kShared[turn % 2],
                                                  .restore = state}));
      const std::vector<GlobalBatch> after(
          expected.begin() + static_cast<std::ptrdiff_t>(done), expected.end());
      ASSERT_EQ(rest, after) << "after " << done << " on " << hosts;
    }
  }
}

// States once listed the first file that they need, and no other.
TEST_F(SharedFilesTest, AStateThatListsOneFileGoesOn) {
  const Dataset dataset =
      Bucketed(Dataset::TfRecords(Write({30, 30, 30, 30, 30})));
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(dataset));
  size_t cases = 0;
  for (size_t done = 1; done < expected.size(); ++done) {
    State state = expected[done - 1].state_after;
    if (state.units.size() < 2 || cases++ % kCaseStride != 0) continue;
    state.units.resize(1);
    ASSERT_OK_AND_ASSIGN(
        const auto rest,
        RunAll(dataset, {.shards = 3,
                         .hosts = 3,
                         .sequence = SequenceReading::kOneReads,
                         .restore = state}));
    ASSERT_EQ(rest, std::vector<GlobalBatch>(
                        expected.begin() + static_cast<std::ptrdiff_t>(done),
                        expected.end()));
  }
  EXPECT_GT(cases, 0u);
}

TEST_F(SharedFilesTest, GoingOnReadsNoFileWithoutRowsThatAreNeeded) {
  // Few rows are long, so that one waits from the first file to the last.
  std::vector<uint32_t> lengths(900, 4);
  lengths[3] = 30;
  const std::string pattern = WriteDataset(
      folder_, lengths, {.files = 9, .compression = Compression::kGzip});
  const Dataset dataset = Bucketed(Dataset::TfRecords(pattern));
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(dataset));
  State state;
  for (const GlobalBatch& batch : expected) {
    if (batch.state_after.position <= 850) state = batch.state_after;
  }
  ASSERT_EQ(state.units.size(), 2u);
  EXPECT_EQ(state.units[0].unit, 0u);
  EXPECT_EQ(state.units[1], (UnitPlace{.unit = 8, .first_record = 800}));
  const auto ends = ThreadGroup(3);
  std::vector<uint64_t> read(3);
  std::vector<std::thread> threads;
  for (uint32_t host = 0; host < 3; ++host) {
    threads.emplace_back([&, host] {
      CountingFiles files;
      auto pipeline = Compile(dataset, {.shards = 3, .hosts = 3, .host = host},
                              {.threads = 1,
                               .group = ends[host].get(),
                               .files = &files,
                               .sequence = SequenceReading::kOneDecodes});
      ASSERT_OK(pipeline);
      ASSERT_OK(pipeline->Restore(state));
      const uint64_t before = files.bytes;
      for (bool more = true; more;) {
        const auto batch = pipeline->Next();
        ASSERT_OK(batch);
        more = batch->has_value();
      }
      read[host] = files.bytes - before;
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Host 0 has files 0, 3 and 6, and host 2 file 8.
  EXPECT_GT(read[0], 0u);
  EXPECT_EQ(read[1], 0u);
  EXPECT_GT(read[2], 0u);
}

}  // namespace
}  // namespace penstock::testing
