// The conformance suite over MPI: each process of mpirun runs all of it, as one
// host. By itself it is a job of one.
#include "pipeline/groups/mpi_group.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/pipeline/groups/group_suite.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

GroupCase Mpi() {
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  const auto hosts = static_cast<uint32_t>(size ? std::stoul(size) : 1);
  return {"Mpi", hosts, [] {
            auto ends = JoinByMpi();
            EXPECT_OK(ends);
            return *std::move(ends);
          }};
}

INSTANTIATE_TEST_SUITE_P(Implementations, GroupTest, ::testing::Values(Mpi()),
                         [](const auto& info) { return info.param.name; });

// Whose last messages are on their way when the next begins.
TEST(MpiGroupTest, AGroupHearsNothingOfOneThatFailed) {
  for (int round = 0; round < 60; ++round) {
    {
      ASSERT_OK_AND_ASSIGN(const auto ends, JoinByMpi());
      for (const auto& end : ends) {
        end->Fail(CancelledError("of host " + std::to_string(end->host())));
      }
    }
    ASSERT_OK_AND_ASSIGN(const auto ends, JoinByMpi());
    for (const auto& end : ends) ASSERT_OK(end->AllGather({}));
  }
}

}  // namespace
}  // namespace penstock::testing
