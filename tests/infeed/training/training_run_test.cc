#include "infeed/training/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <numeric>
#include <thread>

#include "infeed/queues/replica_check.h"
#include "pipeline/group.h"
#include "tests/infeed/made_batches.h"
#include "tests/infeed/queues/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::FakeClock;
using ::penstock::testing::kInvalid;
using ::penstock::testing::MadeBatches;
using ::penstock::testing::MadeForHosts;
using ::penstock::testing::MadeOptions;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Devices that take no time.
constexpr SimulatedDeviceOptions kInstant = {
    .step_ns = 0, .compile_ns = 0, .transfer_ns = 0, .bytes_per_second = 0};

class TrainingRunTest : public ::testing::Test {
 protected:
  StatusOr<RunReport> Run(
      uint32_t hosts, MadeOptions made, TrainingOptions options = {},
      const std::function<void(MadeOptions&)>& change = nullptr) {
    if (options.device.step_ns == SimulatedDeviceOptions{}.step_ns) {
      options.device = kInstant;
    }
    return RunTraining(MadeForHosts(8, hosts, std::move(made), change), mesh_,
                       std::move(options));
  }

  static void ExpectEachNanosecondOnce(const RunReport& report) {
    int64_t peer_wait_ns = 0;
    int64_t waited_for_ns = 0;
    for (const CoreReport& core : report.cores) {
      int64_t sum_ns = 0;
      for (size_t b = 0; b < kBuckets; ++b) {
        EXPECT_GE(core.ledger.ns(static_cast<Bucket>(b)), 0);
        sum_ns += core.ledger.ns(static_cast<Bucket>(b));
      }
      EXPECT_EQ(sum_ns, report.wall_ns) << "device " << core.device;
      peer_wait_ns += core.ledger.ns(Bucket::kPeerWait);
      waited_for_ns += core.waited_for_ns;
    }
    EXPECT_EQ(waited_for_ns, peer_wait_ns);
  }

  const Mesh mesh_ = *Mesh::Create({{"data", 8}});
};

TEST_F(TrainingRunTest, LedgerIsExactInTimeThatATestControls) {
  FakeClock clock;
  // Four steps of 16 rows of which the last has 10 that pad; two shapes.
  MadeOptions made = {.contract = TokenContract(16, {4, 8}),
                      .steps = 4,
                      .records = 3 * 16 + 6,
                      .shapes = {0, 1}};
  TrainingOptions options = {.device = {.step_ns = 1001,
                                        .step_ns_per_token = 10,
                                        .compile_ns = 5000,
                                        .transfer_ns = 0,
                                        .bytes_per_second = 0},
                             .clock = &clock};
  options.records_per_epoch = 3 * 16 + 6;
  // Of the eight devices one waits for the begin of the next step, and the
  // watchdog.
  std::jthread time(
      [&](std::stop_token stop) { clock.FollowDeadlines(2, stop); });
  ASSERT_OK_AND_ASSIGN(const RunReport report, Run(2, made, options));
  // Two rows a device: 8 and 16 tokens a step.
  const int64_t short_ns = 1001 + 2 * 4 * 10;
  const int64_t long_ns = 1001 + 2 * 8 * 10;
  EXPECT_EQ(report.wall_ns, 2 * 5000 + 2 * short_ns + 2 * long_ns);
  EXPECT_EQ(report.times.steps, 4u);
  EXPECT_EQ(report.first_step_ns, 5000);
  for (const CoreReport& core : report.cores) {
    EXPECT_EQ(core.ledger.ns(Bucket::kCompile), 10000);
    EXPECT_EQ(core.ledger.ns(Bucket::kInfeedWait), 0);
    EXPECT_EQ(core.ledger.ns(Bucket::kPeerWait), 0);
    // Records 48 to 53 are on devices 0, 1 and 2.
    EXPECT_EQ(core.ledger.ns(Bucket::kPadCompute),
              core.device < 3 ? 0 : long_ns);
  }
  ExpectEachNanosecondOnce(report);
  EXPECT_EQ(report.compiles.size(), 2u);
  EXPECT_EQ(report.compiles[1].cause, "tokens dim 1: 4 -> 8");
  EXPECT_EQ(report.shapes[1].length, 8);
  EXPECT_EQ(report.shapes[1].steps, 2u);
  EXPECT_EQ(report.times.infeed_percent, 0);
  EXPECT_EQ(report.rows.examples, 54u);
  EXPECT_EQ(report.rows.pad_rows, 10u);
  EXPECT_EQ(report.epochs[0].missing, 0u);
  EXPECT_EQ(report.record_digest, RecordDigest::OfFirst(54));
  EXPECT_EQ(report.state.step, 4u);
}

// A device whose steps take 1000 ns and that notes how long each batch was
// there.
class KeptBatches : public Device {
 public:
  explicit KeptBatches(FakeClock& clock) : clock_(clock) {}

  HostMemory host_memory() const override {
    return HostMemory::kUntilBufferFreed;
  }
  StatusOr<std::shared_ptr<DeviceBatch>> Transfer(CoreSlice slice,
                                                  int64_t now_ns) override {
    return std::make_shared<Kept>(*this, std::move(slice), now_ns);
  }
  StatusOr<int64_t> Compile(const CoreSlice&) override { return 0; }
  StatusOr<DeviceEvent> Execute(DeviceBatch& batch, int64_t now_ns) override {
    static_cast<Kept&>(batch).end_ns = now_ns + 1000;
    return DeviceEvent::At(now_ns + 1000);
  }

  int freed() const { return freed_; }

 private:
  struct Kept final : DeviceBatch {
    Kept(KeptBatches& device, CoreSlice slice, int64_t now_ns)
        : DeviceBatch(DeviceEvent::At(now_ns), DeviceEvent::At(now_ns)),
          device(device),
          slice(std::move(slice)) {}
    ~Kept() override {
      ++device.freed_;
      EXPECT_GE(device.clock_.NowNs(), end_ns) << "step " << slice.step();
    }
    Status Read(size_t, std::span<std::byte>) override { return OkStatus(); }
    StatusOr<CoreSlice> ReadBack(const CoreSlice&) override { return slice; }

    KeptBatches& device;
    const CoreSlice slice;
    int64_t end_ns = 0;
  };

  FakeClock& clock_;
  int freed_ = 0;  // of the thread that takes steps
};

TEST_F(TrainingRunTest, ABatchIsOnItsDeviceUntilItsStepIsOver) {
  FakeClock clock;
  KeptBatches device(clock);
  std::jthread time(
      [&](std::stop_token stop) { clock.FollowDeadlines(2, stop); });
  ASSERT_OK_AND_ASSIGN(const RunReport report,
                       RunTraining(MadeForHosts(1, 1, {.steps = 6}),
                                   *Mesh::Create({{"data", 1}}),
                                   {.devices = {&device}, .clock = &clock}));
  EXPECT_EQ(report.wall_ns, 6 * 1000);
  EXPECT_EQ(device.freed(), 6);
}

TEST_F(TrainingRunTest, HostCountDoesNotChangeTheDigest) {
  const MadeOptions made = {.steps = 20, .records = 300};
  ASSERT_OK_AND_ASSIGN(const RunReport one, Run(1, made));
  EXPECT_EQ(one.times.steps, 20u);
  for (const uint32_t hosts : {2u, 3u, 5u, 8u}) {
    ASSERT_OK_AND_ASSIGN(const RunReport many, Run(hosts, made));
    EXPECT_EQ(many.batch_digest, one.batch_digest) << hosts;
    EXPECT_EQ(many.record_digest, RecordDigest::OfFirst(300)) << hosts;
    EXPECT_EQ(many.times.steps, 20u);
    ExpectEachNanosecondOnce(many);
  }
}

TEST_F(TrainingRunTest, OrderOfDevicesInTheMeshDoesNotChangeTheDigest) {
  const MadeOptions made = {.steps = 5};
  ASSERT_OK_AND_ASSIGN(const RunReport plain, Run(1, made));
  ASSERT_OK_AND_ASSIGN(const Mesh shuffled,
                       Mesh::Create({{"data", 8}}, {3, 1, 4, 0, 5, 2, 6, 7}));
  ASSERT_OK_AND_ASSIGN(
      const RunReport report,
      RunTraining(MadeForHosts(8, 1, made), shuffled, {.device = kInstant}));
  EXPECT_EQ(report.batch_digest, plain.batch_digest);
}

TEST_F(TrainingRunTest, CopiesOfRowsCountOnce) {
  ASSERT_OK_AND_ASSIGN(const Mesh mesh,
                       Mesh::Create({{"data", 4}, {"model", 2}}));
  ASSERT_OK_AND_ASSIGN(
      const RunReport report,
      RunTraining(MadeForHosts(4, 2, {.steps = 3}), mesh,
                  {.device = kInstant, .records_per_epoch = 48}));
  EXPECT_EQ(report.cores.size(), 8u);
  EXPECT_EQ(report.rows.examples, 48u);
  EXPECT_EQ(report.epochs[0].duplicated, 0u);
  EXPECT_EQ(report.epochs[0].missing, 0u);
}

TEST_F(TrainingRunTest, HostsWithoutDevicesKeepStep) {
  ASSERT_OK_AND_ASSIGN(const Mesh mesh, Mesh::Create({{"data", 2}}));
  for (const std::optional<uint64_t> max_steps :
       {std::optional<uint64_t>(), std::optional<uint64_t>(2)}) {
    ASSERT_OK_AND_ASSIGN(
        const RunReport report,
        RunTraining(MadeForHosts(2, 4, {.steps = 6}), mesh,
                    {.device = kInstant, .max_steps = max_steps}));
    EXPECT_EQ(report.times.steps, max_steps.value_or(6));
    EXPECT_EQ(report.hosts, 4u);
  }
}

TEST_F(TrainingRunTest, RealTimeSumsToTheNanosecondAndDoesNotDrift) {
  ASSERT_OK_AND_ASSIGN(const RunReport report,
                       Run(3, {.steps = 30},
                           {.device = {.step_ns = 300'000,
                                       .compile_ns = 1'000'000,
                                       .transfer_ns = 50'000}}));
  ExpectEachNanosecondOnce(report);
  for (const CoreReport& core : report.cores) {
    EXPECT_EQ(core.ledger.ns(Bucket::kCompute), 30 * 300'000);
    EXPECT_EQ(core.ledger.ns(Bucket::kCompile), 1'000'000);
    EXPECT_EQ(std::accumulate(core.depth_ns.begin(), core.depth_ns.end(),
                              int64_t{0}) > 0,
              true);
  }
}

TEST_F(TrainingRunTest, StopsAfterTheStepsAskedFor) {
  const MadeOptions made = {.steps = 9};
  ASSERT_OK_AND_ASSIGN(const RunReport whole, Run(2, made));
  ASSERT_OK_AND_ASSIGN(const RunReport part, Run(2, made, {.max_steps = 4}));
  EXPECT_EQ(part.times.steps, 4u);
  EXPECT_EQ(part.state.step, 4u);
  EXPECT_EQ(part.record_digest, RecordDigest::OfFirst(4 * 16));
  EXPECT_NE(part.batch_digest, whole.batch_digest);
  ASSERT_OK_AND_ASSIGN(const RunReport none, Run(2, made, {.max_steps = 0}));
  EXPECT_EQ(none.times.steps, 0u);
  EXPECT_EQ(none.record_digest, RecordDigest());
}

TEST_F(TrainingRunTest, AStopRequestEndsTheRunWithAReport) {
  std::stop_source stop;
  MadeOptions made = {.steps = 1u << 30,
                      .before = [&](MadeBatches&, uint64_t step) {
                        if (step == 5) stop.request_stop();
                        return OkStatus();
                      }};
  TrainingOptions options;
  options.stop = stop.get_token();
  ASSERT_OK_AND_ASSIGN(const RunReport report, Run(1, made, options));
  EXPECT_GT(report.times.steps, 0u);
  EXPECT_EQ(report.state.step, report.times.steps);
  EXPECT_EQ(report.record_digest,
            RecordDigest::OfFirst(report.times.steps * 16));
}

TEST_F(TrainingRunTest, NoDataIsARunOfNoSteps) {
  ASSERT_OK_AND_ASSIGN(const RunReport report, Run(2, {.steps = 0}));
  EXPECT_EQ(report.times.steps, 0u);
  ExpectEachNanosecondOnce(report);
}

TEST_F(TrainingRunTest, AnErrorOnOneHostEndsAll) {
  const StatusOr<RunReport> report =
      Run(3, {.steps = 100}, {}, [](MadeOptions& mine) {
        const uint32_t host = mine.topology.host;
        mine.before = [host](MadeBatches& source, uint64_t step) {
          if (host == 1 && step == 7) return DataLossError("bit rot");
          // The others never end by themselves.
          if (host != 1 && step == 9) return source.AwaitCancel();
          return OkStatus();
        };
      });
  EXPECT_THAT(report, StatusIs(StatusCode::kDataLoss, HasSubstr("bit rot")));
}

// Streamed pipelines that exchange lengths all end when one fails. The host
// that has the error may come last.
TEST_F(TrainingRunTest, TheErrorIsReportedNotTheCancellingItCaused) {
  std::latch others(2);
  const StatusOr<RunReport> report =
      Run(3, {.steps = 100}, {}, [&](MadeOptions& mine) {
        const uint32_t host = mine.topology.host;
        mine.before = [&others, host](MadeBatches&, uint64_t step) {
          if (step < 4) return OkStatus();
          if (host != 1) {
            others.count_down();
            return CancelledError("the agreement was cancelled");
          }
          others.wait();
          return DataLossError("bit rot");
        };
      });
  EXPECT_THAT(report, StatusIs(StatusCode::kDataLoss, HasSubstr("bit rot")));
}

TEST_F(TrainingRunTest, UnequalStepsAreAnErrorNotAHang) {
  const StatusOr<RunReport> report =
      Run(4, {.steps = 8}, {}, [](MadeOptions& mine) {
        if (mine.topology.host == 0) mine.steps = 9;
      });
  EXPECT_THAT(report, StatusIs(StatusCode::kInternal,
                               AllOf(HasSubstr("(host 0) has a batch for step "
                                               "8"),
                                     HasSubstr("has no more data"))));
}

TEST_F(TrainingRunTest, TheWatchdogSaysWhoWaitsForWhom) {
  FakeClock clock;
  TrainingOptions options = {.watchdog = {.limit_ns = 4000}, .clock = &clock};
  // Host 1 has no step 3. Host 0 can make its step 5 only when step 2 has begun
  // and left room for 3 and 4: then time begins to pass.
  std::latch stuck(1);
  std::jthread time([&](std::stop_token stop) {
    stuck.wait();
    clock.FollowDeadlines(1, stop);
  });
  const StatusOr<RunReport> report =
      Run(2, {.steps = 100}, options, [&](MadeOptions& mine) {
        const uint32_t host = mine.topology.host;
        mine.before = [&stuck, host](MadeBatches& source, uint64_t step) {
          if (host == 0 && step == 5) stuck.count_down();
          return host == 1 && step == 3 ? source.AwaitCancel() : OkStatus();
        };
      });
  EXPECT_THAT(report,
              StatusIs(StatusCode::kDeadlineExceeded,
                       AllOf(HasSubstr("after 3 steps; who waits for whom"),
                             HasSubstr("device 7 (host 1): not ready for the "
                                       "next step, last was in step 2"),
                             HasSubstr("host 1:\ndevice 4: "))));
}

// As processes would: each with its own end of a group.
class TrainingInProcessesTest : public TrainingRunTest {
 protected:
  std::vector<StatusOr<RunReport>> RunEach(
      uint32_t hosts, const MadeOptions& made,
      const std::function<void(MadeOptions&)>& change = nullptr,
      const std::function<void(TrainingOptions&)>& differ = nullptr) {
    const auto group = ThreadGroup(hosts);
    std::vector<StatusOr<RunReport>> reports(hosts, UnknownError("none"));
    std::vector<std::thread> threads;
    auto sources = MadeForHosts(8, hosts, made, change);
    for (uint32_t h = 0; h < hosts; ++h) {
      threads.emplace_back([&, h] {
        std::vector<std::unique_ptr<BatchSource>> mine;
        mine.push_back(std::move(sources[h]));
        TrainingOptions options = {.device = kInstant,
                                   .watchdog = {.limit_ns = 20'000'000'000},
                                   .traced_steps = 3,
                                   .group = group[h].get()};
        if (differ) differ(options);
        reports[h] = RunTraining(std::move(mine), mesh_, options);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return reports;
  }
};

TEST_F(TrainingInProcessesTest, HostZeroReportsOfAll) {
  const MadeOptions made = {.contract = TokenContract(16, {4, 8}),
                            .steps = 20,
                            .records = 19 * 16 + 6,
                            .shapes = {0, 1, 1}};
  ASSERT_OK_AND_ASSIGN(const RunReport threads, Run(3, made));
  const auto reports = RunEach(3, made);
  ASSERT_OK(reports[0]);
  const RunReport& all = *reports[0];
  EXPECT_EQ(all.hosts, 3u);
  EXPECT_EQ(all.processes, 3u);
  EXPECT_EQ(all.times.steps, threads.times.steps);
  EXPECT_EQ(all.batch_digest, threads.batch_digest);
  EXPECT_EQ(all.record_digest, threads.record_digest);
  EXPECT_EQ(all.rows.examples, threads.rows.examples);
  EXPECT_EQ(all.rows.pad_rows, threads.rows.pad_rows);
  ASSERT_EQ(all.shapes.size(), 2u);
  EXPECT_EQ(all.shapes[1].rows.examples, threads.shapes[1].rows.examples);
  ASSERT_EQ(all.epochs.size(), 1u);
  EXPECT_EQ(all.epochs[0].seen, threads.epochs[0].seen);
  EXPECT_EQ(all.epochs[0].duplicated, 0u);
  ASSERT_EQ(all.cores.size(), 8u);
  for (uint32_t device = 0; device < 8; ++device) {
    EXPECT_EQ(all.cores[device].device, device);
    EXPECT_EQ(all.cores[device].host, threads.cores[device].host);
    EXPECT_EQ(all.cores[device].spans.size(), 3u);
  }
  for (const auto& report : reports) {
    ASSERT_OK(report);
    EXPECT_EQ(report->state, all.state);
  }
}

TEST_F(TrainingInProcessesTest, AllEndWithTheSameCause) {
  const auto reports = RunEach(4, {.steps = 50}, [](MadeOptions& mine) {
    if (mine.topology.host != 2) return;
    mine.before = [](MadeBatches&, uint64_t step) {
      return step < 7 ? OkStatus() : DataLossError("a.tfrecord: record 7");
    };
  });
  for (const auto& report : reports) {
    EXPECT_THAT(report, StatusIs(StatusCode::kDataLoss,
                                 HasSubstr("a.tfrecord: record 7")));
  }
}

TEST_F(TrainingInProcessesTest, UnequalStepsAreAnErrorOfAll) {
  const auto reports = RunEach(2, {.steps = 8}, [](MadeOptions& mine) {
    if (mine.topology.host == 0) mine.steps = 9;
  });
  for (const auto& report : reports) {
    EXPECT_THAT(report, StatusIs(StatusCode::kInternal,
                                 HasSubstr("(host 0) has a batch for step 8")));
    EXPECT_EQ(report.status(), reports[0].status());
  }
}

TEST_F(TrainingInProcessesTest, AHostThatCannotBeginTellsAll) {
  SimulatedDevice device(kInstant);
  const auto reports =
      RunEach(2, {.steps = 8}, nullptr, [&](TrainingOptions& options) {
        if (options.group->host() == 1) options.devices = {&device};
      });
  for (const auto& report : reports) {
    EXPECT_THAT(report, StatusIs(StatusCode::kInvalidArgument,
                                 HasSubstr("only 1 are there")));
  }
}

TEST_F(TrainingRunTest, HostsOfDifferentRunsAreRefused) {
  EXPECT_THAT(Run(2, {}, {},
                  [](MadeOptions& mine) {
                    if (mine.topology.host == 1) {
                      mine.contract = TokenContract(32, {4});
                    }
                  }),
              StatusIs(kInvalid, HasSubstr("hosts 0 and 1 have different "
                                           "contracts")));
  auto swapped = MadeForHosts(8, 2);
  std::swap(swapped[0], swapped[1]);
  EXPECT_THAT(RunTraining(std::move(swapped), mesh_),
              StatusIs(kInvalid, HasSubstr("was made for host 1 of 2")));
  EXPECT_THAT(RunTraining({}, mesh_),
              StatusIs(kInvalid, HasSubstr("at least one host")));
}

TEST_F(TrainingRunTest, AContractThatTheBatchesBreakIsAnError) {
  EXPECT_THAT(
      Run(2, {.change =
                  [](Batch& batch) {
                    if (batch.step == 2) batch.tensors.pop_back();
                  }}),
      StatusIs(StatusCode::kInternal, HasSubstr("step 2 has 2 tensors")));
}

TEST_F(TrainingRunTest, CompileBudgetEndsTheRun) {
  EXPECT_THAT(
      Run(2, {.contract = TokenContract(16, {4, 8}), .shapes = {0, 0, 1}},
          {.compile_budget = 1}),
      StatusIs(StatusCode::kResourceExhausted,
               HasSubstr("tokens dim 1: 4 -> 8")));
}

// Hosts 0 and 1 feed rows 0 to 7, hosts 2 and 3 the others.
TEST_F(TrainingRunTest, AReplicaThatDiffersEndsTheRun) {
  const auto groups = ThreadGroup(4);
  std::vector<std::unique_ptr<BatchSource>> sources;
  for (uint32_t h = 0; h < 4; ++h) {
    MadeOptions made = {.topology = {.shards = 2,
                                     .hosts = 4,
                                     .host = h,
                                     .shards_of_host = {{0}, {0}, {1}, {1}}},
                        .steps = 1000};
    made.change = [h](Batch& batch) {
      if (h == 3 && batch.step == 500) {
        batch.tensors[0].bytes[5 * 16] ^= std::byte{1};
      }
    };
    sources.push_back(
        CheckReplicas(std::make_unique<MadeBatches>(std::move(made)),
                      {.every = 100, .group = groups[h].get()}));
  }
  EXPECT_THAT(
      RunTraining(std::move(sources),
                  *Mesh::Create({{"data", 2}, {"model", 4}}),
                  {.device = kInstant}),
      StatusIs(StatusCode::kDataLoss,
               HasSubstr("in step 500, first in row 13, hosts 2 and 3 feed "
                         "different tokens (record 8013)")));
}

}  // namespace
}  // namespace penstock
