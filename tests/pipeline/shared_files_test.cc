// Files that are read in sequence, each by one of the hosts: who reads what,
// and that nobody can tell from the batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "formats/files/forwarding_files.h"
#include "formats/files/posix_files.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"
#include "pipeline/profile.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

constexpr SequenceReading kShared[] = {SequenceReading::kOneDecodes,
                                       SequenceReading::kOneReads};

class SharedFilesTest : public ::testing::Test {
 protected:
  // Gzip files with so many records each.
  std::string Write(std::vector<uint64_t> records, uint32_t longest = 40) {
    const uint64_t all =
        std::accumulate(records.begin(), records.end(), uint64_t{0});
    return WriteDataset(
        folder_, RandomLengths(all, longest, 1),
        {.compression = Compression::kGzip, .records = std::move(records)});
  }
  static Dataset Bucketed(const Dataset& dataset) {
    return dataset.Parse({{.name = "id", .length = 1}, {.name = "tokens"}})
        .Bucket({.by = "tokens", .lengths = {8, 16, 40}})
        .Batch({.size = 12});
  }

  ScratchFolder folder_;
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

struct Graph {
  const char* name;
  Dataset dataset;
};

std::vector<Graph> GraphsOver(const std::string& pattern) {
  const Dataset files = Dataset::TfRecords(pattern).Repeat({.epochs = 2});
  const auto bucket = [](const Dataset& dataset) {
    return dataset.Parse({{.name = "id", .length = 1}, {.name = "tokens"}})
        .Bucket({.by = "tokens",
                 .lengths = {8, 16, 32},
                 .too_long = TooLong::kDrop})
        .Batch({.size = 12});
  };
  return {
      {"bucket", bucket(files)},
      {"windows", bucket(files.Shuffle({.seed = 3, .window_records = 29}))},
      {"fixed", files.Parse({{.name = "id", .length = 1}})
                    .Shuffle({.seed = 3, .window_records = 64})
                    .Batch({.size = 12})},
      {"packed", files.Pack({.by = "tokens", .length = 50})
                     .Batch({.size = 12, .leftover = Leftover::kDrop})},
      {"tokenized",
       files.Parse({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
           .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
           .Bucket({.by = "tokens", .lengths = {16, 40}})
           .Batch({.size = 12})}};
}

// Units: equal, more hosts than files, very unequal, some empty.
const std::vector<std::vector<uint64_t>> kUnits = {
    {60, 60, 60, 60, 60, 60}, {200, 40}, {1, 250, 0, 3, 0, 0, 90, 1}, {300}};

TEST_F(SharedFilesTest, BatchesAndStatesAreThoseOfOneHost) {
  for (const auto& units : kUnits) {
    const ScratchFolder folder;
    const uint64_t all = std::accumulate(units.begin(), units.end(), 0ull);
    const std::string pattern =
        WriteDataset(folder, RandomLengths(all, 40, 1),
                     {.compression = Compression::kGzip, .records = units});
    for (const Graph& graph : GraphsOver(pattern)) {
      SCOPED_TRACE(graph.name);
      ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(graph.dataset));
      ASSERT_FALSE(expected.empty());
      for (const uint32_t hosts : {2, 3, 4, 12}) {
        for (const SequenceReading sequence : kShared) {
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
  for (const Graph& graph : GraphsOver(pattern)) {
    SCOPED_TRACE(graph.name);
    ASSERT_OK_AND_ASSIGN(
        const auto expected,
        RunAll(graph.dataset,
               {.shards = 2, .hosts = 2, .sequence = kShared[0]}));
    for (size_t done = 1; done < expected.size(); ++done) {
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
  bool several = false;
  for (size_t done = 1; done < expected.size(); ++done) {
    State state = expected[done - 1].state_after;
    several = several || state.units.size() > 1;
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
  EXPECT_TRUE(several);
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

MATCHER_P(Holds, matcher, "") {
  if (!arg.ok()) *result_listener << arg.status();
  return arg.ok() &&
         ::testing::ExplainMatchResult(matcher, *arg, result_listener);
}

// What every host of a run ended with, and after how many steps.
struct Ended {
  std::vector<Status> statuses;
  std::vector<uint64_t> steps;
};

template <typename Files>
Ended RunToItsEnd(const Dataset& dataset, uint32_t hosts,
                  SequenceReading sequence, Files files_of) {
  Ended ended = {std::vector<Status>(hosts), std::vector<uint64_t>(hosts)};
  const auto ends = ThreadGroup(hosts);
  std::vector<std::thread> threads;
  for (uint32_t host = 0; host < hosts; ++host) {
    threads.emplace_back([&, host] {
      auto pipeline =
          Compile(dataset, {.shards = hosts, .hosts = hosts, .host = host},
                  {.threads = 1,
                   .group = ends[host].get(),
                   .files = files_of(host),
                   .sequence = sequence});
      ended.statuses[host] = pipeline.status();
      while (ended.statuses[host].ok()) {
        const auto batch = pipeline->Next();
        ended.statuses[host] = batch.status();
        if (!batch.ok() || !batch->has_value()) break;
        ++ended.steps[host];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return ended;
}

TEST_F(SharedFilesTest, DamageInTheMiddleOfAFileEndsAllAtItsPlace) {
  const std::string pattern = Write({2000, 2000, 3000, 2000});
  const std::string third = folder_ / "data.tfrecord-00002-of-00004.gz";
  // What the sample of a file does not look at.
  {
    std::fstream file(third, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(
        static_cast<std::streamoff>(std::filesystem::file_size(third) / 2));
    file.write("\x55\xaa\x55\xaa", 4);
  }
  const Dataset dataset = Bucketed(Dataset::TfRecords(pattern));
  const auto own = [](uint32_t) { return nullptr; };
  const Ended one = RunToItsEnd(dataset, 1, SequenceReading::kAuto, own);
  ASSERT_THAT(one.statuses[0],
              StatusIs(StatusCode::kDataLoss, HasSubstr("00002-of-00004")));
  for (const SequenceReading sequence : kShared) {
    const Ended ended = RunToItsEnd(dataset, 3, sequence, own);
    for (uint32_t host = 0; host < 3; ++host) {
      EXPECT_EQ(ended.statuses[host], ended.statuses[0]);
      EXPECT_EQ(ended.steps[host], ended.steps[0]);
    }
    // Of host 2, which reads it.
    EXPECT_THAT(
        ended.statuses[0],
        StatusIs(StatusCode::kDataLoss,
                 AllOf(HasSubstr("host 2: "), HasSubstr("00002-of-00004"))));
    // The rows of the rounds before it came.
    EXPECT_GT(ended.steps[0], 200u);
  }
}

TEST_F(SharedFilesTest, AnyCallThatFailsOnOneEndsAll) {
  const Dataset dataset =
      Bucketed(Dataset::TfRecords(Write({300, 0, 200, 100, 250})));
  uint64_t failed = 0;
  for (const SequenceReading sequence : kShared) {
    for (const Call call : {Call::kOpen, Call::kRead, Call::kReadCached}) {
      for (uint64_t n = 0; n < 40; n += 3) {
        FaultyCalls calls;
        calls.FailAt(call, n, EIO);
        PosixFiles files(calls);
        const Ended ended = RunToItsEnd(
            dataset, 3, sequence,
            [&](uint32_t host) { return host == 1 ? &files : nullptr; });
        for (const Status& status : ended.statuses) {
          ASSERT_EQ(status, ended.statuses[1]);
        }
        if (ended.statuses[1].ok()) continue;
        ++failed;
        EXPECT_THAT(ended.statuses[1].ToString(), HasSubstr("host 1: "));
      }
    }
  }
  EXPECT_GT(failed, 5u);
}

TEST_F(SharedFilesTest, AHostThatGoesEndsAll) {
  const Dataset dataset =
      Bucketed(Dataset::TfRecords(Write({300, 20, 200})).Repeat({.epochs = 0}));
  for (const SequenceReading sequence : kShared) {
    RunOptions options = {.shards = 3, .hosts = 3, .sequence = sequence};
    options.change = [](uint32_t host, HostRun& run) {
      if (host == 1) run.max_steps = 3;
    };
    const auto results = RunHosts(dataset, options);
    for (const uint32_t host : {0, 2}) {
      EXPECT_THAT(results[host].status(),
                  StatusIs(StatusCode::kCancelled, HasSubstr("host 1 left")));
    }
  }
}

TEST_F(SharedFilesTest, AFileThatIsAnotherOnOneHostIsFoundBeforeTheFirstStep) {
  const ScratchFolder other;
  const std::string pattern = Write({30, 30, 30});
  const std::string theirs =
      WriteDataset(other, RandomLengths(90, 40, 2),
                   {.files = 3, .compression = Compression::kGzip});
  RunOptions options = {.shards = 3, .hosts = 3, .sequence = kShared[0]};
  options.change = [&](uint32_t host, HostRun& run) {
    if (host == 1) run.dataset = Bucketed(Dataset::TfRecords(theirs));
  };
  for (const auto& result :
       RunHosts(Bucketed(Dataset::TfRecords(pattern)), options)) {
    EXPECT_THAT(result.status(),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("hosts 0 and 1 differ in the data")));
  }
}

TEST_F(SharedFilesTest, HostsThatReadInOtherWaysSaySo) {
  RunOptions options = {.shards = 2, .hosts = 2, .sequence = kShared[0]};
  options.change = [](uint32_t host, HostRun& run) {
    run.compile.sequence = host == 0 ? kShared[0] : kShared[1];
  };
  for (const auto& result :
       RunHosts(Bucketed(Dataset::TfRecords(Write({30, 30}))), options)) {
    EXPECT_THAT(
        result.status(),
        StatusIs(StatusCode::kFailedPrecondition,
                 HasSubstr("differ in who reads files in sequence: host 0 has "
                           "each file by one host, which decodes it")));
  }
}

TEST_F(SharedFilesTest, ARecordThatIsTooLargeIsNamedOnEveryHost) {
  const Dataset dataset = Bucketed(Dataset::TfRecords(Write({30, 30, 30}, 40)));
  const auto run = [&](uint32_t hosts, SequenceReading sequence) {
    RunOptions options = {
        .shards = hosts, .hosts = hosts, .sequence = sequence};
    options.change = [](uint32_t, HostRun& host) {
      host.compile.max_record_bytes = 150;
    };
    return RunAll(dataset, options).status();
  };
  const Status one = run(1, SequenceReading::kAuto);
  ASSERT_THAT(one, StatusIs(StatusCode::kResourceExhausted,
                            HasSubstr("max_record_bytes is 150")));
  for (const SequenceReading sequence : kShared) {
    EXPECT_THAT(run(3, sequence),
                StatusIs(StatusCode::kResourceExhausted,
                         HasSubstr(std::string(one.message()))));
  }
}

TEST_F(SharedFilesTest, WhatCannotBeSharedIsSaidAndRefusedWhereAskedFor) {
  const std::string pattern = Write({30, 30});
  const auto explain = [&](const Dataset& dataset, CompileOptions options,
                           bool group = true) -> StatusOr<std::string> {
    const auto ends = ThreadGroup(2);
    std::vector<StatusOr<std::string>> texts(2, UnknownError("not run"));
    std::vector<std::thread> threads;
    for (uint32_t host = 0; host < 2; ++host) {
      threads.emplace_back([&, host] {
        CompileOptions mine = options;
        if (group) mine.group = ends[host].get();
        auto pipeline =
            Compile(dataset, {.shards = 2, .hosts = 2, .host = host}, mine);
        texts[host] = pipeline.ok() ? StatusOr<std::string>(pipeline->Explain())
                                    : pipeline.status();
        // Goes before the first step, which the others are not told twice.
      });
    }
    for (std::thread& thread : threads) thread.join();
    return texts[0];
  };
  const Dataset fixed = Dataset::TfRecords(pattern)
                            .Parse({{.name = "id", .length = 1}})
                            .Batch({.size = 4});
  EXPECT_THAT(explain(fixed, {.sequence = SequenceReading::kOneReads}),
              Holds(HasSubstr(
                  "2 files, in sequence: each file by one host, which sends "
                  "its records to all for decoding, as asked for")));
  EXPECT_THAT(explain(fixed, {}),
              Holds(HasSubstr("2 files, in sequence: each file by one host, "
                              "which decodes it, as parsing takes less")));
  EXPECT_THAT(
      explain(GraphsOver(Write({30}))[4].dataset, {}),
      Holds(HasSubstr("1 files, in sequence: each file by one host, which "
                      "sends its records to all for decoding, as Tokenize, Map "
                      "and Filter take longer than sending records; 1 of 2 "
                      "hosts read none")));
  EXPECT_THAT(explain(fixed, {}, /*group=*/false),
              Holds(HasSubstr(
                  "in sequence: all files by every host, which decodes a part, "
                  "as hosts have no group")));
  EXPECT_THAT(explain(fixed, {.sequence = SequenceReading::kOneReads},
                      /*group=*/false),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("CompileOptions::sequence wants files read "
                                 "each file by one host")));
}

}  // namespace
}  // namespace penstock::testing
