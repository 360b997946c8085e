// The conformance suite over gRPC, and what only it can do.
#include "pipeline/groups/grpc_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "pipeline/groups/frame_stream.h"
#include "tests/pipeline/groups/group_suite.h"
#include "tests/pipeline/groups/met_groups.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

// A new address each time.
std::string FreshAddress() {
  static const auto& folder = *new ScratchFolder;
  static std::atomic<int> number = 0;
  return "unix:" + (folder / std::to_string(number++));
}

GroupCase Grpc(uint32_t hosts) {
  return {"Grpc" + std::to_string(hosts), hosts, [hosts] {
            const std::string address = FreshAddress();
            return FirstEnds(JoinAll(hosts, [&](uint32_t host) {
              return JoinByGrpc({.coordinator = address,
                                 .hosts = hosts,
                                 .host = host,
                                 .times = {.leave_ns = 200'000'000}});
            }));
          }};
}

INSTANTIATE_TEST_SUITE_P(Implementations, GroupTest,
                         ::testing::Values(Grpc(1), Grpc(2), Grpc(5)),
                         [](const auto& info) { return info.param.name; });

TEST(GrpcGroupTest, AnAddressThatIsTakenIsToldAtOnce) {
  const std::string address = FreshAddress();
  const auto first = JoinByGrpc({.coordinator = address, .hosts = 1});
  ASSERT_OK(first);
  EXPECT_THAT(JoinByGrpc({.coordinator = "host", .hosts = 1}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("no port")));
  const auto tcp = JoinByGrpc({.coordinator = "127.0.0.1:1", .hosts = 1});
  if (!tcp.ok()) {
    EXPECT_THAT(tcp, StatusIs(StatusCode::kUnavailable,
                              HasSubstr("cannot listen on 127.0.0.1:1")));
  }
}

TEST(GrpcGroupTest, ACoordinatorThatIsNotThereIsGivenUp) {
  EXPECT_THAT(JoinByGrpc({.coordinator = FreshAddress(),
                          .hosts = 2,
                          .host = 1,
                          .times = {.join_ns = 100'000'000,
                                    .silence_ns = 100'000'000,
                                    .leave_ns = 100'000'000}}),
              StatusIs(StatusCode::kUnavailable,
                       HasSubstr("does not answer within 0.1 s")));
}

TEST(GrpcGroupTest, AnotherVersionIsToldToAll) {
  const std::string address = FreshAddress();
  const auto joined = JoinAll(3, [&](uint32_t host) {
    return JoinByGrpc({.coordinator = address,
                       .hosts = 3,
                       .host = host,
                       .version = host == 1 ? "0.0.9" : "0.1.0"});
  });
  for (const auto& one : joined) {
    EXPECT_THAT(one, StatusIs(StatusCode::kFailedPrecondition,
                              HasSubstr("runs version 0.0.9, host 0 version "
                                        "0.1.0")));
    EXPECT_EQ(one.status(), joined[0].status());
  }
}

// In place of gRPC: counts the writes that another thread ends.
class CountedWrites {
 public:
  virtual ~CountedWrites() = default;
  virtual void OnReadDone(bool ok) = 0;
  virtual void OnWriteDone(bool ok) = 0;

  int begun() const { return begun_; }

 protected:
  void StartRead(grpc::ByteBuffer* /*in*/) {}
  void StartWrite(const grpc::ByteBuffer* /*out*/) { ++begun_; }

 private:
  std::atomic<int> begun_ = 0;
};

class CountedStream final : public FrameStream<CountedWrites> {
 public:
  void Leave() { LeaveAfterWrites(); }
  bool wrote_all() const { return wrote_all_; }

 private:
  void AfterLast() override {}
  void WroteAll() override { wrote_all_ = true; }

  std::atomic<bool> wrote_all_ = false;
};

// A host that sends and leaves just as an earlier write ends.
TEST(GrpcGroupTest, WhatIsSentAsAWriteEndsIsWrittenBeforeAHostLeaves) {
  using std::chrono::steady_clock;
  for (int round = 0; round < 500; ++round) {
    CountedStream stream;
    std::atomic<bool> is_up = false;
    std::jthread writer([&](const std::stop_token& stop) {
      is_up = true;
      for (int done = 0; !stop.stop_requested();) {
        if (stream.begun() == done) continue;
        ++done;
        stream.OnWriteDone(true);
      }
    });
    while (!is_up) std::this_thread::yield();
    stream.Send("a beat");
    for (std::atomic<int> wait = round % 200; wait > 0; --wait) {
    }
    stream.Send("leaves");
    stream.Leave();
    const auto limit = steady_clock::now() + std::chrono::seconds(20);
    while (!stream.wrote_all() && steady_clock::now() < limit) {
      std::this_thread::yield();
    }
    ASSERT_TRUE(stream.wrote_all());
    ASSERT_EQ(stream.begun(), 2);
  }
}

}  // namespace
}  // namespace penstock::testing
