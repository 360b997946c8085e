// The conformance suite of Group: each implementation joins with a line.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/group.h"

namespace penstock::testing {

struct GroupCase {
  std::string name;
  uint32_t hosts;
  // The ends of this process: all hosts', or the one that it is.
  std::function<std::vector<std::unique_ptr<Group>>()> make;
};

class GroupTest : public ::testing::TestWithParam<GroupCase> {
 protected:
  // The coordinator waits for those who are still there.
  ~GroupTest() override {
    while (!ends_.empty()) ends_.pop_back();
  }

  uint32_t hosts() const { return GetParam().hosts; }

  // Runs `work` for every host of this process, each on a thread of its own.
  void OnEveryHost(const std::function<void(uint32_t, Group&)>& work);

  std::vector<std::unique_ptr<Group>> ends_ = GetParam().make();
};

}  // namespace penstock::testing
