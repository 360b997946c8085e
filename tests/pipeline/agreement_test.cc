// The conformance suite of Agreement: each implementation joins with a line.
#include "pipeline/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <thread>

#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

struct AgreementCase {
  std::string name;
  uint32_t hosts;
  std::function<std::vector<std::unique_ptr<Agreement>>()> make;
};

AgreementCase Solo() {
  return {"Solo", 1, [] {
            std::vector<std::unique_ptr<Agreement>> ends;
            ends.push_back(SoloAgreement());
            return ends;
          }};
}

AgreementCase Threads(uint32_t hosts) {
  return {"Threads" + std::to_string(hosts), hosts,
          [hosts] { return ThreadAgreement(hosts); }};
}

class AgreementTest : public ::testing::TestWithParam<AgreementCase> {
 protected:
  uint32_t hosts() const { return GetParam().hosts; }

  // Runs `work` for every host, each on a thread of its own.
  void OnEveryHost(const std::function<void(uint32_t, Agreement&)>& work) {
    std::vector<std::thread> threads;
    for (uint32_t host = 0; host < hosts(); ++host) {
      threads.emplace_back([&, host] { work(host, *ends_[host]); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<std::unique_ptr<Agreement>> ends_ = GetParam().make();
};
INSTANTIATE_TEST_SUITE_P(Implementations, AgreementTest,
                         ::testing::Values(Solo(), Threads(1), Threads(2),
                                           Threads(5)),
                         [](const auto& info) { return info.param.name; });

TEST_P(AgreementTest, EveryHostGetsWhatEachBroughtInEachRound) {
  OnEveryHost([&](uint32_t host, Agreement& end) {
    for (uint32_t round = 0; round < 300; ++round) {
      // Host h brings h + round numbers: also none, and not all as many.
      const std::vector<uint32_t> mine((host + round) % 4, 1000 * round + host);
      ASSERT_OK_AND_ASSIGN(const auto all, end.AllGather(mine));
      ASSERT_EQ(all.size(), hosts());
      for (uint32_t other = 0; other < hosts(); ++other) {
        ASSERT_EQ(all[other], std::vector<uint32_t>((other + round) % 4,
                                                    1000 * round + other));
      }
    }
  });
}

TEST_P(AgreementTest, CancelByOneHostEndsTheWaitOfAll) {
  OnEveryHost([&](uint32_t host, Agreement& end) {
    if (host == 0) {
      end.Cancel();
    }
    EXPECT_THAT(end.AllGather({}),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
    EXPECT_THAT(end.AllGather({}),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  });
}

// A host that is done cancels while others have not yet woken up.
TEST_P(AgreementTest, ARoundThatAllHaveEnteredIsNotTakenAway) {
  OnEveryHost([&](uint32_t, Agreement& end) {
    EXPECT_OK(end.AllGather({}));
    end.Cancel();
  });
}

TEST_P(AgreementTest, EndsMayGoInAnyOrder) {
  OnEveryHost([](uint32_t, Agreement& end) { EXPECT_OK(end.AllGather({})); });
  ends_.erase(ends_.begin());
  if (!ends_.empty()) ends_.back()->Cancel();
}

}  // namespace
}  // namespace penstock::testing
