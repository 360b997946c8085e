// The whole way, from files to devices.
#include "infeed/training/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "infeed/infeed.h"
#include "infeed/sharding/batch_placement.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/scarce_threads.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::RandomLengths;
using ::penstock::testing::StatusIs;
using ::penstock::testing::WriteDataset;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kRecords = 523;

class SimulationTest : public ::testing::Test {
 protected:
  Dataset Data(uint64_t seed = 17, uint64_t epochs = 1) {
    if (pattern_.empty()) {
      pattern_ = WriteDataset(folder_, RandomLengths(kRecords, 64, 5));
    }
    return Dataset::TfRecords(pattern_)
        .Parse({{.name = "tokens"}, {.name = "id", .length = 1}})
        .Shuffle({.seed = seed})
        .Repeat({.epochs = epochs})
        .Bucket({.by = "tokens", .lengths = {16, 32, 64}})
        .Batch({.size = 16});
  }

  static SimulationOptions Options(uint32_t hosts = 1, int threads = 2) {
    SimulationOptions options;
    options.hosts = hosts;
    options.threads_per_host = threads;
    options.device = {
        .step_ns = 0, .compile_ns = 0, .transfer_ns = 0, .bytes_per_second = 0};
    return options;
  }

  static void ExpectSeenOnce(const RunReport& report) {
    for (const EpochCensus& epoch : report.epochs) {
      EXPECT_EQ(epoch.seen, kRecords);
      EXPECT_EQ(epoch.duplicated, 0u);
      EXPECT_EQ(epoch.missing, 0u);
    }
  }

  const testing::ScratchFolder folder_;
  std::string pattern_;
};

TEST_F(SimulationTest, HostsAndThreadsDoNotChangeBatches) {
  ASSERT_OK_AND_ASSIGN(const RunReport one, Simulate(Data(), Options()));
  EXPECT_TRUE(one.planned);
  ExpectSeenOnce(one);
  EXPECT_EQ(one.record_digest, RecordDigest::OfFirst(kRecords));
  EXPECT_EQ(one.compiles.size(), one.shapes.size());
  EXPECT_EQ(one.shapes.size(), 3u);
  for (const uint32_t hosts : {1u, 2u, 3u, 5u, 8u}) {
    for (const int threads : {1, 8}) {
      ASSERT_OK_AND_ASSIGN(const RunReport report,
                           Simulate(Data(), Options(hosts, threads)));
      EXPECT_EQ(report.batch_digest, one.batch_digest) << hosts;
      EXPECT_EQ(report.times.steps, one.times.steps) << hosts;
      EXPECT_EQ(report.record_digest, one.record_digest) << hosts;
      EXPECT_EQ(report.state, one.state) << hosts;
    }
  }
}

TEST_F(SimulationTest, ReplicasThatAgreeChangeNothing) {
  ASSERT_OK_AND_ASSIGN(const RunReport one, Simulate(Data(), Options()));
  SimulationOptions options = Options(4);
  options.mesh = {{"data", 2}, {"model", 4}};
  for (const std::optional<uint64_t> steps : {std::optional<uint64_t>(), {5}}) {
    options.max_steps = steps;
    options.verify_replicas = 1;
    ASSERT_OK_AND_ASSIGN(const RunReport checked, Simulate(Data(), options));
    options.verify_replicas = 0;
    ASSERT_OK_AND_ASSIGN(const RunReport plain, Simulate(Data(), options));
    EXPECT_EQ(checked.batch_digest, plain.batch_digest);
    EXPECT_EQ(checked.times.steps, steps.value_or(one.times.steps));
  }
}

TEST_F(SimulationTest, ShardingsOfTensorsDoNotChangeBatches) {
  ASSERT_OK_AND_ASSIGN(const RunReport one, Simulate(Data(), Options()));
  SimulationOptions options = Options(3);
  options.mesh = {{"model", 2}, {"data", 4}, {"fsdp", 2}};
  options.axis = "data,fsdp";
  options.shardings = {{"tokens", {{"data", "fsdp"}, {"model"}}}};
  options.host_of_device = {0, 1, 2, 2, 1, 0, 0, 1, 2, 0, 0, 0, 1, 1, 2, 2};
  options.mesh_devices = {3, 1, 2, 0, 7, 6, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};
  ASSERT_OK_AND_ASSIGN(const RunReport report, Simulate(Data(), options));
  EXPECT_EQ(report.batch_digest, one.batch_digest);
  EXPECT_EQ(report.record_digest, one.record_digest);
  EXPECT_EQ(report.cores.size(), 16u);
  EXPECT_EQ(report.loads.tensors[0].spec, "(data,fsdp),model");
  EXPECT_GT(one.rows.bytes, 0u);
  EXPECT_EQ(report.rows.bytes, one.rows.bytes);
}

// With uneven shares: 40 rows do not divide by 16 devices.
TEST_F(SimulationTest, BatchesMayHaveFewerRowsTheLongerTheyAre) {
  const Dataset dataset =
      Dataset::TfRecords(WriteDataset(folder_, RandomLengths(kRecords, 64, 5)))
          .Parse({{.name = "tokens"}})
          .Bucket(
              {.by = "tokens", .lengths = {16, 32, 64}, .rows = {40, 16, 8}})
          .Batch({});
  ASSERT_OK_AND_ASSIGN(const RunReport one, Simulate(dataset, Options()));
  ExpectSeenOnce(one);
  EXPECT_EQ(one.compiles.size(), 3u);
  SimulationOptions options = Options(3);
  ASSERT_OK_AND_ASSIGN(const RunReport hosts, Simulate(dataset, options));
  EXPECT_EQ(hosts.batch_digest, one.batch_digest);
  options.force_streamed = true;
  ASSERT_OK_AND_ASSIGN(const RunReport streamed, Simulate(dataset, options));
  EXPECT_EQ(streamed.batch_digest, one.batch_digest);
  options.mesh = {{"data", 8}, {"model", 2}};
  options.axis = "data";
  options.shardings = {{"tokens", {{"data"}, {"model"}}}};
  ASSERT_OK_AND_ASSIGN(const RunReport cut, Simulate(dataset, options));
  EXPECT_EQ(cut.batch_digest, one.batch_digest);
  EXPECT_EQ(cut.rows.bytes, one.rows.bytes);
  options.mesh = {{"data", 16}};
  options.shardings = {};
  ASSERT_OK_AND_ASSIGN(const RunReport uneven, Simulate(dataset, options));
  ExpectSeenOnce(uneven);
  EXPECT_EQ(uneven.record_digest, one.record_digest);
}

TEST_F(SimulationTest, AnotherSeedGivesOtherBatchesOfTheSameRecords) {
  ASSERT_OK_AND_ASSIGN(const RunReport one, Simulate(Data(1), Options()));
  ASSERT_OK_AND_ASSIGN(const RunReport other, Simulate(Data(2), Options()));
  EXPECT_NE(one.batch_digest, other.batch_digest);
  EXPECT_EQ(one.record_digest, other.record_digest);
}

TEST_F(SimulationTest, StreamedRunsSeeEachRecordOnceOnAnyHostCount) {
  SimulationOptions options = Options(1, 1);
  options.force_streamed = true;
  ASSERT_OK_AND_ASSIGN(const RunReport one, Simulate(Data(), options));
  EXPECT_FALSE(one.planned);
  ExpectSeenOnce(one);
  options.threads_per_host = 8;
  ASSERT_OK_AND_ASSIGN(const RunReport threads, Simulate(Data(), options));
  EXPECT_EQ(threads.batch_digest, one.batch_digest);
  for (const uint32_t hosts : {2u, 5u}) {
    options.hosts = hosts;
    ASSERT_OK_AND_ASSIGN(const RunReport report, Simulate(Data(), options));
    ExpectSeenOnce(report);
    EXPECT_EQ(report.times.steps, one.times.steps);
  }
}

TEST_F(SimulationTest, StoppedAndRestoredRunsAddUpToTheWhole) {
  const Dataset data = Data(17, 2);
  ASSERT_OK_AND_ASSIGN(const RunReport whole, Simulate(data, Options(2)));
  ASSERT_EQ(whole.epochs.size(), 2u);
  const uint64_t steps = whole.times.steps;
  // None, the first, middle, last of an epoch, past its end, last but one,
  // last.
  for (const uint64_t k : {uint64_t{0}, uint64_t{1}, steps / 4, steps / 2,
                           steps / 2 + 1, steps - 1, steps}) {
    SimulationOptions options = Options(2);
    options.max_steps = k;
    ASSERT_OK_AND_ASSIGN(const RunReport first, Simulate(data, options));
    EXPECT_EQ(first.times.steps, k);
    EXPECT_EQ(first.state.step, k);
    for (const uint32_t hosts : {2u, 5u}) {
      SimulationOptions rest_options = Options(hosts);
      rest_options.restore = first.state;
      ASSERT_OK_AND_ASSIGN(const RunReport rest, Simulate(data, rest_options));
      EXPECT_EQ(rest.times.steps, steps - k);
      EXPECT_EQ(first.batch_digest + rest.batch_digest, whole.batch_digest)
          << "stopped after " << k << ", rest on " << hosts << " hosts";
      EXPECT_EQ(rest.state, whole.state);
      RecordDigest seen = first.record_digest;
      seen.Merge(rest.record_digest);
      EXPECT_EQ(seen, whole.record_digest);
    }
  }
}

TEST_F(SimulationTest, ARunBeginsBehindAnyStepWithoutAState) {
  const Dataset data = Data(17, 2);
  ASSERT_OK_AND_ASSIGN(const RunReport whole, Simulate(data, Options(2)));
  for (const uint64_t k :
       {uint64_t{0}, uint64_t{3}, whole.times.steps - 1, whole.times.steps}) {
    SimulationOptions options = Options(2);
    options.max_steps = k;
    ASSERT_OK_AND_ASSIGN(const RunReport first, Simulate(data, options));
    options.max_steps.reset();
    options.after_step = k;
    ASSERT_OK_AND_ASSIGN(const RunReport rest, Simulate(data, options));
    EXPECT_EQ(rest.times.steps, whole.times.steps - k);
    EXPECT_EQ(first.batch_digest + rest.batch_digest, whole.batch_digest);
    EXPECT_EQ(rest.state, whole.state);
  }
}

TEST_F(SimulationTest, StreamedRunsStopAndGoOnToo) {
  const Dataset data = Data();
  SimulationOptions options = Options(2);
  options.force_streamed = true;
  ASSERT_OK_AND_ASSIGN(const RunReport whole, Simulate(data, options));
  options.max_steps = whole.times.steps / 3;
  ASSERT_OK_AND_ASSIGN(const RunReport first, Simulate(data, options));
  options.max_steps.reset();
  options.restore = first.state;
  ASSERT_OK_AND_ASSIGN(const RunReport rest, Simulate(data, options));
  EXPECT_EQ(first.batch_digest + rest.batch_digest, whole.batch_digest);
}

TEST_F(SimulationTest, RunsGoOnFromCheckpointsOfAnyNumberOfHosts) {
  size_t cases = 0;
  for (const bool streamed : {false, true}) {
    SimulationOptions options = Options(4);
    options.force_streamed = streamed;
    ASSERT_OK_AND_ASSIGN(const RunReport whole, Simulate(Data(17, 2), options));
    const std::string saved = folder_ / (streamed ? "streamed" : "planned");
    options.checkpoint_folder = saved;
    options.checkpoints = {.every = 3, .keep = 2};
    options.max_steps = whole.times.steps / 2;
    options.on_resume = [](const Checkpoint&) { FAIL() << "out of nothing"; };
    ASSERT_OK_AND_ASSIGN(const RunReport first, Simulate(Data(17, 2), options));
    for (const uint32_t hosts : {1u, 2u, 3u, 9u}) {
      // Of each kind for sanitizers, too.
      if (cases++ % (testing::kCaseStride == 1 ? 1 : 3) != 0) continue;
      const std::string here = saved + std::to_string(hosts);
      std::filesystem::copy(saved, here,
                            std::filesystem::copy_options::recursive);
      SimulationOptions on = Options(hosts);
      on.force_streamed = streamed == (hosts != 2);  // one as the other, too
      on.checkpoint_folder = here;
      on.checkpoints.every = 3;
      std::optional<Checkpoint> from;
      on.on_resume = [&](const Checkpoint& found) { from = found; };
      ASSERT_OK_AND_ASSIGN(const RunReport rest, Simulate(Data(17, 2), on));
      ASSERT_TRUE(from.has_value());
      EXPECT_EQ(from->step, *options.max_steps);
      EXPECT_EQ(from->hosts, 4u);
      EXPECT_EQ(first.batch_digest + rest.batch_digest, whole.batch_digest);
      EXPECT_EQ(rest.state, whole.state);
      ASSERT_OK_AND_ASSIGN(const RunReport none, Simulate(Data(17, 2), on));
      EXPECT_EQ(none.times.steps, 0u);
      EXPECT_EQ(none.state, whole.state);
    }
  }
}

TEST_F(SimulationTest, ACheckpointOfOtherDataOrBesideAStateIsRefused) {
  SimulationOptions options = Options(2);
  options.checkpoint_folder = folder_ / "saved";
  options.max_steps = 3;
  ASSERT_OK_AND_ASSIGN(const RunReport first, Simulate(Data(), options));
  EXPECT_THAT(Simulate(Data(18), options),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("step-000000000003"),
                             HasSubstr("Shuffle differs"))));
  options.restore = first.state;
  EXPECT_THAT(Simulate(Data(), options),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("the run is to begin elsewhere")));
}

TEST_F(SimulationTest, AStartStateIsTheWholeRun) {
  const Dataset data = Data();
  ASSERT_OK_AND_ASSIGN(const RunReport whole, Simulate(data, Options()));
  SimulationOptions options = Options();
  options.restore = State{.graph = whole.state.graph};
  ASSERT_OK_AND_ASSIGN(const RunReport again, Simulate(data, options));
  EXPECT_EQ(again.batch_digest, whole.batch_digest);
}

TEST_F(SimulationTest, LedgersSumToWallTime) {
  SimulationOptions options = Options(3);
  options.device = {.step_ns = 100'000, .compile_ns = 2'000'000};
  ASSERT_OK_AND_ASSIGN(const RunReport report, Simulate(Data(), options));
  for (const CoreReport& core : report.cores) {
    int64_t sum_ns = 0;
    for (size_t b = 0; b < kBuckets; ++b) {
      sum_ns += core.ledger.ns(static_cast<Bucket>(b));
    }
    EXPECT_EQ(sum_ns, report.wall_ns);
    EXPECT_EQ(core.ledger.ns(Bucket::kCompile), 3 * 2'000'000);
    EXPECT_EQ(
        core.ledger.ns(Bucket::kCompute) + core.ledger.ns(Bucket::kPadCompute),
        static_cast<int64_t>(report.times.steps) * 100'000);
    EXPECT_GT(core.ledger.ns(Bucket::kInit), 0);
  }
}

TEST_F(SimulationTest, BadOptionsAndDataAreNamed) {
  SimulationOptions options = Options();
  options.axis = "rows";
  EXPECT_THAT(
      Simulate(Data(), options),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("no axis \"rows\"")));
  options = Options(2);
  options.restore = State{.graph = {{"the data", 1}}};
  EXPECT_THAT(Simulate(Data(), options),
              StatusIs(StatusCode::kFailedPrecondition,
                       ::testing::ContainsRegex(
                           "host [01]: the state is of another dataset")));
  EXPECT_THAT(Simulate(Dataset::TfRecords(folder_ / "none.tfrecord")
                           .Parse({{.name = "id", .length = 1}})
                           .Batch({.size = 16}),
                       Options()),
              StatusIs(StatusCode::kNotFound, HasSubstr("none.tfrecord")));
}

TEST_F(SimulationTest, ADamagedRecordEndsAllHostsWithItsPlace) {
  const Dataset data = Data();
  const std::string path = pattern_.substr(0, pattern_.find(','));
  const std::string name = path.substr(path.rfind('/') + 1);
  // The index stays valid: a disk that rots does not touch times.
  const auto time = std::filesystem::last_write_time(path);
  std::string bytes = folder_.Read(name);
  bytes[bytes.size() / 2] ^= 1;
  folder_.Write(name, bytes);
  std::filesystem::last_write_time(path, time);
  for (const bool streamed : {false, true}) {
    SimulationOptions options = Options(5);
    options.force_streamed = streamed;
    EXPECT_THAT(Simulate(data, options),
                StatusIs(StatusCode::kDataLoss,
                         AllOf(HasSubstr(name), HasSubstr("offset"))));
  }
}

TEST_F(SimulationTest, TheCallSiteOfATrainerReadsAsDesigned) {
  const Dataset corpus = Data();
  const Mesh mesh = *Mesh::Create({{"data", 8}});
  auto pipeline = Compile(corpus, *BatchTopology(mesh));
  ASSERT_OK(pipeline);
  Infeed infeed(*std::move(pipeline), mesh, {.depth = 2});
  uint64_t examples = 0;
  while (auto batch = infeed.Next()) {
    for (const CoreSlice& slice : batch->slices) {
      examples += static_cast<uint64_t>(slice.rows()) - slice.pad_rows();
      EXPECT_EQ(slice.Find("tokens")->shape[0], 2);
    }
  }
  EXPECT_OK(infeed.status());
  EXPECT_EQ(examples, kRecords);
}

TEST_F(SimulationTest, AnInfeedThatIsLeftEarlyGoesAway) {
  const Mesh mesh = *Mesh::Create({{"data", 8}});
  for (const bool streamed : {false, true}) {
    auto pipeline =
        Compile(Data(), *BatchTopology(mesh), {.force_streamed = streamed});
    ASSERT_OK(pipeline);
    Infeed infeed(*std::move(pipeline), mesh);
    EXPECT_TRUE(infeed.Next().has_value());
  }
}

// However many threads there are, from none to enough: no hang, no abort.
TEST_F(SimulationTest, AThreadThatIsRefusedAnywhereEndsTheRunWithAStatus) {
  const Dataset data = Data();
  for (const bool streamed : {false, true}) {
    SimulationOptions options = Options(3);
    options.force_streamed = streamed;
    int refused = 0;
    while (true) {
      const testing::ScarceThreads scarce(refused);
      const auto report = Simulate(data, options);
      if (report.ok()) break;
      ASSERT_THAT(report, StatusIs(StatusCode::kResourceExhausted,
                                   HasSubstr("no thread can be started")))
          << refused;
      ASSERT_LT(++refused, 100);
    }
    EXPECT_GT(refused, 3);
  }
}

}  // namespace
}  // namespace penstock
