// Files that are read in sequence, each by one of the hosts: all end at once
// and with one cause, and what cannot be is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "formats/files/posix_files.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/pipeline/shared_files_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using SharedFilesEndTest = SharedFilesTest;

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

TEST_F(SharedFilesEndTest, DamageInTheMiddleOfAFileEndsAllAtItsPlace) {
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

TEST_F(SharedFilesEndTest, AnyCallThatFailsOnOneEndsAll) {
  const Dataset dataset =
      Bucketed(Dataset::TfRecords(Write({300, 0, 200, 100, 250})));
  uint64_t cases = 0;
  uint64_t failed = 0;
  for (const SequenceReading sequence : kShared) {
    for (const Call call : {Call::kOpen, Call::kRead, Call::kReadCached}) {
      for (uint64_t n = 0; n < 40; n += 3) {
        if (cases++ % kCaseStride != 0) continue;
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
  EXPECT_GT(failed, static_cast<uint64_t>(Cases(5)));
}

TEST_F(SharedFilesEndTest, AHostThatGoesEndsAll) {
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

TEST_F(SharedFilesEndTest,
       AFileThatIsAnotherOnOneHostIsFoundBeforeTheFirstStep) {
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

TEST_F(SharedFilesEndTest, HostsThatReadInOtherWaysSaySo) {
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

TEST_F(SharedFilesEndTest, ARecordThatIsTooLargeIsNamedOnEveryHost) {
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

// Whoever makes batches on that host stops, too, which is not the cause.
TEST_F(SharedFilesEndTest, ABatchThatCannotBeBuiltIsTheCauseForAll) {
  const Dataset dataset =
      Dataset::TfRecords(Write({300, 300, 300}, 4))
          .Parse({{.name = "tokens", .as = ElementType::kInt8}})
          .Bucket({.by = "tokens", .lengths = {4}})
          .Batch({.size = 12});
  for (int run = 0; run < Cases(40); ++run) {
    const auto results = RunHosts(
        dataset, {.shards = 3, .hosts = 3, .sequence = kShared[run % 2]});
    for (const auto& result : results) {
      ASSERT_THAT(result.status(), StatusIs(StatusCode::kInvalidArgument,
                                            HasSubstr("\"tokens\"")));
    }
  }
}

TEST_F(SharedFilesEndTest, WhatCannotBeSharedIsSaidAndRefusedWhereAskedFor) {
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
                      "sends its records to all for decoding, as Tokenize, "
                      "Map, Filter and FlatMap take longer than sending "
                      "records; 1 of 2 hosts read none")));
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
