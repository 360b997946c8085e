#include "pipeline/group.h"

#include <gtest/gtest.h>

#include "tests/pipeline/groups/group_suite.h"
#include "tests/pipeline/groups/met_groups.h"

namespace penstock::testing {
namespace {

GroupCase Solo() {
  return {"Solo", 1, [] {
            std::vector<std::unique_ptr<Group>> ends;
            ends.push_back(SoloGroup());
            return ends;
          }};
}

GroupCase Threads(uint32_t hosts) {
  return {"Threads" + std::to_string(hosts), hosts,
          [hosts] { return ThreadGroup(hosts); }};
}

GroupCase Met(uint32_t hosts) {
  return {"Met" + std::to_string(hosts), hosts,
          [hosts] { return MetGroup(hosts); }};
}

INSTANTIATE_TEST_SUITE_P(Implementations, GroupTest,
                         ::testing::Values(Solo(), Threads(1), Threads(2),
                                           Threads(5), Met(1), Met(2), Met(5)),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace penstock::testing
