#include "infeed/infeed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <limits>
#include <mutex>
#include <thread>

#include "infeed/devices/simulated_device.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/infeed_queue.h"
#include "pipeline/group.h"
#include "tests/infeed/made_batches.h"
#include "tests/infeed/queues/fake_clock.h"
#include "tests/support/scarce_threads.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::FakeClock;
using ::penstock::testing::kInvalid;
using ::penstock::testing::MadeBatches;
using ::penstock::testing::MadeOptions;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<BatchSource> Made(MadeOptions options) {
  return std::make_unique<MadeBatches>(std::move(options));
}

TEST(InfeedTest, NextGivesEveryStepThenTheEnd) {
  const Mesh mesh = *Mesh::Create({{"data", 8}});
  Infeed infeed(Made({.topology = TopologyOf(8, 1, 0), .steps = 5}), mesh,
                {.depth = 2});
  uint64_t steps = 0;
  while (auto batch = infeed.Next()) {
    EXPECT_EQ(batch->step, steps);
    EXPECT_EQ(batch->state_after.step, steps + 1);
    ASSERT_EQ(batch->slices.size(), 8u);
    for (uint32_t d = 0; d < 8; ++d) {
      EXPECT_EQ(batch->slices[d].device(), d);
      EXPECT_THAT(batch->slices[d].record_ids(),
                  ElementsAre(steps * 16 + d * 2, steps * 16 + d * 2 + 1));
    }
    ++steps;
  }
  EXPECT_EQ(steps, 5u);
  EXPECT_OK(infeed.status());
}

TEST(InfeedTest, ItGoesOnFromAStateBeforeItHasStartedAndKnowsWhereItIs) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  Infeed infeed(Made({.topology = TopologyOf(2, 1, 0), .steps = 5}), mesh);
  EXPECT_EQ(infeed.state(), State());
  ASSERT_OK(infeed.Restore({.step = 2}));
  EXPECT_EQ(infeed.state().step, 2u);
  ASSERT_OK_AND_ASSIGN(const auto skipped, infeed.SkipFirst());
  ASSERT_TRUE(skipped.has_value());
  EXPECT_EQ(skipped->step, 2u);
  EXPECT_EQ(infeed.state().step, 3u);
  const auto batch = infeed.Next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->step, 3u);
  EXPECT_EQ(infeed.state(), batch->state_after);
  EXPECT_THAT(infeed.Restore({.step = 1}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("Restore() must come before")));
  EXPECT_THAT(infeed.SkipFirst(), StatusIs(StatusCode::kFailedPrecondition,
                                           HasSubstr("SkipFirst() must")));
}

TEST(InfeedTest, WhoLeavesSaysWhy) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  Infeed infeed(Made({.topology = TopologyOf(2, 1, 0)}), mesh);
  infeed.Leave(ResourceExhaustedError("the disk is full"));
  EXPECT_FALSE(infeed.Next().has_value());
  EXPECT_THAT(infeed.status(),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("disk")));
}

TEST(InfeedTest, RowsFollowAPermutedMesh) {
  const Mesh mesh = *Mesh::Create({{"data", 4}}, {2, 0, 3, 1});
  Topology topology = TopologyOf(4, 2, 1);  // devices 2 and 3: shards 0 and 2
  topology.shards_of_host = {{1, 3}, {0, 2}};
  Infeed infeed(Made({.topology = topology}), mesh);
  const auto batch = infeed.Next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_THAT(infeed.devices(), ElementsAre(2, 3));
  EXPECT_EQ(batch->slices[0].shard(), 0u);
  EXPECT_THAT(batch->slices[0].record_ids(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(batch->slices[1].shard(), 2u);
  EXPECT_THAT(batch->slices[1].record_ids(), ElementsAre(8, 9, 10, 11));
}

TEST(InfeedTest, CopiesShareTheBytes) {
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"model", 2}});
  Infeed infeed(Made({.topology = TopologyOf(2, 1, 0)}), mesh);
  const auto batch = infeed.Next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->slices.size(), 4u);
  EXPECT_EQ(batch->slices[0].tensor(0).bytes.data(),
            batch->slices[1].tensor(0).bytes.data());
  EXPECT_NE(batch->slices[1].tensor(0).bytes.data(),
            batch->slices[2].tensor(0).bytes.data());
  EXPECT_THAT(batch->slices[3].record_ids(),
              ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
}

TEST(InfeedTest, AnErrorComesAtItsStepAndStays) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  Infeed infeed(Made({.topology = TopologyOf(2, 1, 0),
                      .before =
                          [](MadeBatches&, uint64_t step) {
                            return step < 3
                                       ? OkStatus()
                                       : DataLossError("a.tfrecord: record 7");
                          }}),
                mesh);
  uint64_t steps = 0;
  while (infeed.Next()) ++steps;
  EXPECT_EQ(steps, 3u);
  EXPECT_THAT(infeed.status(), StatusIs(StatusCode::kDataLoss,
                                        HasSubstr("a.tfrecord: record 7")));
  EXPECT_FALSE(infeed.Next().has_value());
}

TEST(InfeedTest, ABatchThatBreaksTheContractIsAnError) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  Infeed infeed(
      Made({.topology = TopologyOf(2, 1, 0),
            .change = [](Batch& batch) { batch.tensors.pop_back(); }}),
      mesh);
  EXPECT_FALSE(infeed.Next().has_value());
  EXPECT_THAT(infeed.status(), StatusIs(StatusCode::kInternal,
                                        HasSubstr("contract declares 3")));
}

TEST(InfeedTest, WithoutAThreadToFeedTheStatusSaysSo) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  const testing::ScarceThreads none(0);
  Infeed infeed(Made({.topology = TopologyOf(2, 1, 0)}), mesh);
  EXPECT_FALSE(infeed.Next().has_value());
  EXPECT_THAT(infeed.status(), StatusIs(StatusCode::kResourceExhausted,
                                        HasSubstr("no thread can be started")));
}

TEST(InfeedTest, WhoWaitsWhileNothingIsReadIsToldOfAllQueues) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  const auto group = ThreadGroup(2);
  group[1]->Beat("device 1: waits for the moon\n");
  Infeed infeed(Made({.topology = TopologyOf(2, 1, 0),
                      .before =
                          [](MadeBatches& source, uint64_t step) {
                            return step < 2 ? OkStatus() : source.AwaitCancel();
                          }}),
                mesh, {.stall_ns = 400'000'000, .group = group[0].get()});
  uint64_t steps = 0;
  while (infeed.Next()) ++steps;
  EXPECT_EQ(steps, 2u);
  EXPECT_THAT(infeed.status(),
              StatusIs(StatusCode::kDeadlineExceeded,
                       AllOf(HasSubstr("no batch came for 0.4 s"),
                             HasSubstr("device 1: 0 of 2 batches queued, last "
                                       "step 1"),
                             HasSubstr("host 1 last said:\ndevice 1: waits for "
                                       "the moon"))));
}

TEST(InfeedTest, AHostThatStillReadsIsSlowAndNotStuck) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  // A record is read between any two looks. Four looks are the limit.
  std::atomic<uint64_t> read = 0;
  Infeed infeed(Made({.topology = TopologyOf(2, 1, 0),
                      .steps = 1,
                      .before =
                          [&](MadeBatches&, uint64_t) {
                            while (read < 20) read.wait(read);
                            return OkStatus();
                          },
                      .read =
                          [&] {
                            const uint64_t now = ++read;
                            read.notify_all();
                            return now;
                          }}),
                mesh, {.stall_ns = 40'000'000});
  EXPECT_TRUE(infeed.Next().has_value());
  EXPECT_FALSE(infeed.Next().has_value());
  EXPECT_OK(infeed.status());
}

TEST(InfeedTest, AConsumerThatTakesItsTimeIsNotStuck) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  Infeed infeed(Made({.topology = TopologyOf(2, 1, 0), .steps = 2}), mesh,
                {.stall_ns = 100'000'000});
  EXPECT_TRUE(infeed.Next().has_value());
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, std::chrono::milliseconds(300), [] { return false; });
  EXPECT_TRUE(infeed.Next().has_value());
}

// Reads host memory on a thread of its own until it is drained, and never says
// that a transfer is over.
class ReadingDevice final : public Device {
 public:
  explicit ReadingDevice(std::latch& transferred) : transferred_(transferred) {}

  HostMemory host_memory() const override {
    return HostMemory::kUntilTransferCompletes;
  }
  StatusOr<std::shared_ptr<DeviceBatch>> Transfer(CoreSlice slice,
                                                  int64_t now_ns) override {
    readers_.emplace_back([this, slice](std::stop_token stop) {
      const auto bytes = slice.tensor(0).bytes;
      const std::vector<std::byte> first(bytes.begin(), bytes.end());
      while (!stop.stop_requested()) {
        same_ = same_ && std::ranges::equal(bytes, first);
      }
    });
    // A third may begin before anyone has seen two; a latch ends at zero.
    if (readers_.size() <= 2) transferred_.count_down();
    return std::make_shared<Loading>();
  }
  StatusOr<int64_t> Compile(const CoreSlice&) override { return 0; }
  StatusOr<DeviceEvent> Execute(DeviceBatch&, int64_t now_ns) override {
    return DeviceEvent::At(now_ns);
  }
  void Cancel() override { cancelled_ = true; }
  void Drain() override { readers_.clear(); }

  bool cancelled() const { return cancelled_; }
  bool same() const { return same_; }

 private:
  struct Loading final : public DeviceBatch {
    Loading() : DeviceBatch(DeviceEvent::Unset(), DeviceEvent::Unset()) {}
    Status Read(size_t, std::span<std::byte>) override {
      return UnimplementedError("it only reads the host's bytes");
    }
  };

  std::latch& transferred_;
  std::vector<std::jthread> readers_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> same_ = true;
};

// Under address sanitizer this is a use after free where memory goes first.
TEST(InfeedTest, HostMemoryLivesUntilDevicesAreDrainedAlsoOnCancel) {
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  std::latch transferred(2);
  ReadingDevice device(transferred);
  {
    Infeed infeed(Made({.topology = TopologyOf(1, 1, 0), .steps = 9}), mesh,
                  {.depth = 2, .devices = {&device}});
    std::thread waiter([&] { EXPECT_FALSE(infeed.Next().has_value()); });
    transferred.wait();
    infeed.Cancel();
    waiter.join();
  }
  EXPECT_TRUE(device.cancelled());
  EXPECT_TRUE(device.same());
}

TEST(InfeedTest, PipelineAndMeshMustFit) {
  const auto status = [](const Mesh& mesh, Topology topology,
                         InfeedOptions options = {}) {
    Infeed infeed(Made({.topology = std::move(topology)}), mesh,
                  std::move(options));
    EXPECT_FALSE(infeed.Next().has_value());
    return infeed.status();
  };
  const Mesh mesh = *Mesh::Create({{"data", 4}});
  EXPECT_THAT(
      status(mesh, TopologyOf(2, 1, 0)),
      StatusIs(kInvalid, HasSubstr("BatchTopology(mesh, \"data\", 1, 0)")));
  EXPECT_THAT(status(mesh, TopologyOf(4, 1, 0), {.axis = "rows"}),
              StatusIs(kInvalid, HasSubstr("no axis \"rows\"")));
  SimulatedDevice device;
  EXPECT_THAT(status(mesh, TopologyOf(4, 1, 0), {.devices = {&device}}),
              StatusIs(kInvalid, HasSubstr("4 devices in the mesh, but 1")));
}

TEST(InfeedTest, WhatFitsNoMeshSaysSoAlsoWhereItIsRestored) {
  Infeed infeed(Made({.topology = TopologyOf(4, 1, 0)}),
                *Mesh::Create({{"data", 4}}), {.axis = "rows"});
  EXPECT_THAT(infeed.Restore({.step = 2}),
              StatusIs(kInvalid, HasSubstr("no axis \"rows\"")));
  EXPECT_THAT(infeed.SkipFirst().status(),
              StatusIs(kInvalid, HasSubstr("no axis \"rows\"")));
}

TEST(InfeedTest, AHostWithoutDevicesTakesEveryStep) {
  const Mesh mesh = *Mesh::Create({{"data", 2}});
  Topology topology = TopologyOf(2, 3, 2);
  topology.shards_of_host = {{0}, {1}, {}};
  Infeed infeed(Made({.topology = topology, .steps = 6}), mesh);
  uint64_t steps = 0;
  while (const auto batch = infeed.Next()) {
    EXPECT_TRUE(batch->slices.empty());
    EXPECT_EQ(batch->step, steps++);
  }
  EXPECT_EQ(steps, 6u);
  EXPECT_OK(infeed.status());
}

TEST(InfeedTest, BatchesAheadAreBoundedByTheDepth) {
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  std::latch fifth(1);
  std::atomic<uint64_t> asked = 0;
  Infeed infeed(Made({.topology = TopologyOf(1, 1, 0),
                      .steps = 100,
                      .before =
                          [&](MadeBatches&, uint64_t step) {
                            asked = step;
                            if (step == 4) fifth.count_down();
                            return OkStatus();
                          }}),
                mesh, {.depth = 3});
  infeed.Start();
  // Three are queued and one is in the feeder's hand: it asks for a fifth only
  // when the first has gone.
  EXPECT_LE(asked, 3u);
  ASSERT_TRUE(infeed.Next().has_value());
  fifth.wait();
  EXPECT_LE(infeed.queue(0).depth(), 3u);
}

TEST(InfeedTest, DestructionEndsASourceThatWaits) {
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  std::latch waiting(1);
  {
    Infeed infeed(Made({.topology = TopologyOf(1, 1, 0),
                        .before =
                            [&](MadeBatches& source, uint64_t) {
                              waiting.count_down();
                              return source.AwaitCancel();
                            }}),
                  mesh);
    infeed.Start();
    waiting.wait();
  }
}

TEST(InfeedTest, DestructionEndsAFeederThatWaitsForRoom) {
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  std::latch second(1);
  Infeed infeed(Made({.topology = TopologyOf(1, 1, 0),
                      .before =
                          [&](MadeBatches&, uint64_t step) {
                            if (step == 1) second.count_down();
                            return OkStatus();
                          }}),
                mesh, {.depth = 1});
  infeed.Start();
  second.wait();
}

TEST(InfeedTest, CancelEndsNext) {
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  std::latch waiting(1);
  Infeed infeed(Made({.topology = TopologyOf(1, 1, 0),
                      .before =
                          [&](MadeBatches& source, uint64_t) {
                            waiting.count_down();
                            return source.AwaitCancel();
                          }}),
                mesh);
  std::jthread trainer([&] { EXPECT_FALSE(infeed.Next().has_value()); });
  waiting.wait();
  infeed.Cancel();
  trainer.join();
  EXPECT_THAT(infeed.status(),
              StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
}

TEST(InfeedTest, NextWaitsForTheTransfer) {
  FakeClock clock;
  SimulatedDevice device({.transfer_ns = 500, .bytes_per_second = 0});
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  Infeed infeed(Made({.topology = TopologyOf(1, 1, 0)}), mesh,
                {.devices = {&device}, .clock = &clock});
  const int64_t begin_ns = clock.NowNs();
  std::jthread trainer([&] {
    EXPECT_TRUE(infeed.Next().has_value());
    EXPECT_EQ(clock.NowNs(), begin_ns + 500);
  });
  clock.AwaitWaiters(1);
  clock.Advance(500);
}

TEST(InfeedTest, CancelEndsNextThatWaitsForTheTransfer) {
  FakeClock clock;
  SimulatedDevice device({.transfer_ns = 500, .bytes_per_second = 0});
  const Mesh mesh = *Mesh::Create({{"data", 1}});
  Infeed infeed(Made({.topology = TopologyOf(1, 1, 0)}), mesh,
                {.devices = {&device}, .clock = &clock});
  std::jthread trainer([&] { EXPECT_FALSE(infeed.Next().has_value()); });
  clock.AwaitWaiters(1);
  infeed.Cancel();
}

}  // namespace
}  // namespace penstock
