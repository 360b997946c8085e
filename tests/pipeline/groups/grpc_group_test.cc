// The conformance suite over gRPC, and what only it can do.
#include "pipeline/groups/grpc_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

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

}  // namespace
}  // namespace penstock::testing
