// Hosts that must feed the same rows and do not.
#include "infeed/queues/replica_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "pipeline/group.h"
#include "tests/infeed/made_batches.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::IsOk;
using ::penstock::testing::kDataLoss;
using ::penstock::testing::kInvalid;
using ::penstock::testing::MadeBatches;
using ::penstock::testing::MadeOptions;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr size_t kTokens = 0;
constexpr size_t kLengths = 1;
constexpr size_t kWeights = 2;

using ChangeHost = std::function<void(uint32_t host, MadeOptions&)>;

// What becomes of each host, when each takes all of its batches.
std::vector<Status> EndsOf(
    const std::vector<std::vector<uint32_t>>& shards_of_host, uint32_t shards,
    uint64_t every, const ChangeHost& change) {
  const auto hosts = static_cast<uint32_t>(shards_of_host.size());
  const auto groups = ThreadGroup(hosts);
  std::vector<Status> ends(hosts);
  std::vector<std::jthread> threads;
  for (uint32_t host = 0; host < hosts; ++host) {
    threads.emplace_back([&, host] {
      MadeOptions made = {.topology = {.shards = shards,
                                       .hosts = hosts,
                                       .host = host,
                                       .shards_of_host = shards_of_host},
                          .steps = 10};
      change(host, made);
      const auto source =
          CheckReplicas(std::make_unique<MadeBatches>(std::move(made)),
                        {.every = every, .group = groups[host].get()});
      while (true) {
        const auto batch = source->Next();
        ends[host] = batch.status();
        if (!batch.ok() || !*batch) break;
      }
    });
  }
  threads.clear();
  return ends;
}

const std::vector<std::vector<uint32_t>> kThreeOfTheSame = {{0}, {0}, {0}};

// One byte of a row of a host's batch, as a file that differs gives it.
void Differ(MadeOptions& made, uint64_t step, size_t tensor, size_t row) {
  made.change = [=](Batch& batch) {
    if (batch.step != step) return;
    const size_t row_bytes = batch.tensors[tensor].bytes.size() / batch.rows();
    batch.tensors[tensor].bytes[row * row_bytes] ^= std::byte{1};
  };
}

struct DifferentRow {
  size_t tensor;
  size_t row;
  const char* want;
};

TEST(ReplicaCheckTest, TheHostThatIsAloneIsNamedWithFeatureRowAndRecord) {
  const std::vector<DifferentRow> cases = {
      {kTokens, 0,
       "in step 6, first in row 0, host 2 feeds other tokens than hosts 0 and "
       "1 (record 96)"},
      {kLengths, 11,
       "in step 6, first in row 11, host 2 feeds other tokens_length than "
       "hosts 0 and 1 (record 107)"},
      {kWeights, 15,
       "in step 6, first in row 15, host 2 feeds other weights than hosts 0 "
       "and 1 (record 111)"}};
  for (const DifferentRow& c : cases) {
    const std::vector<Status> ends =
        EndsOf(kThreeOfTheSame, 1, 3, [&](uint32_t host, MadeOptions& made) {
          if (host == 2) Differ(made, 6, c.tensor, c.row);
        });
    EXPECT_THAT(ends, Each(StatusIs(kDataLoss, HasSubstr(c.want))));
    EXPECT_EQ(ends[0].message(), ends[1].message());
    EXPECT_EQ(ends[0].message(), ends[2].message());
  }
}

TEST(ReplicaCheckTest, OfTwoHostsNeitherIsBlamed) {
  EXPECT_THAT(
      EndsOf({{0}, {0}}, 1, 1,
             [](uint32_t host, MadeOptions& made) {
               if (host == 0) Differ(made, 1, kWeights, 3);
             }),
      Each(StatusIs(kDataLoss,
                    HasSubstr("in step 1, first in row 3, hosts 0 and 1 feed "
                              "different weights (record 19)"))));
}

TEST(ReplicaCheckTest, RecordsThatDifferAreNamedOnBothSides) {
  EXPECT_THAT(EndsOf(kThreeOfTheSame, 1, 1,
                     [](uint32_t host, MadeOptions& made) {
                       if (host != 0) return;
                       made.change = [](Batch& batch) {
                         batch.record_ids[5] += 1000;
                       };
                     }),
              Each(StatusIs(kDataLoss,
                            HasSubstr("first in row 5, host 0 feeds other "
                                      "records than hosts 1 and 2 (record 5 on "
                                      "host 1, record 1005 on host 0)"))));
}

// Four shards of four rows; hosts in a chain share one with the next.
TEST(ReplicaCheckTest, OnlyWhatHostsShareIsComparedByRowsOfTheWholeBatch) {
  const std::vector<std::vector<uint32_t>> chain = {{0, 1}, {1, 2}, {2, 3}};
  // Rows 4 to 7 of the whole batch are the last of host 0.
  EXPECT_THAT(EndsOf(chain, 4, 1,
                     [](uint32_t host, MadeOptions& made) {
                       if (host == 0) Differ(made, 0, kTokens, 6);
                     }),
              Each(StatusIs(kDataLoss, HasSubstr("first in row 6, hosts 0 and "
                                                 "1 feed different tokens"))));
  EXPECT_THAT(EndsOf(chain, 4, 1,
                     [](uint32_t host, MadeOptions& made) {
                       if (host == 0) Differ(made, 0, kTokens, 2);
                     }),
              Each(IsOk()));
}

TEST(ReplicaCheckTest, TheFirstRowCountsAlsoWhereAnEarlierFeatureDiffersLater) {
  EXPECT_THAT(
      EndsOf({{0, 1}, {0, 1}}, 2, 1,
             [](uint32_t host, MadeOptions& made) {
               if (host == 0) return;
               made.change = [](Batch& batch) {
                 batch.tensors[kTokens].bytes[12 * 16] ^= std::byte{1};
                 batch.tensors[kWeights].bytes[9 * 4] ^= std::byte{1};
               };
             }),
      Each(StatusIs(kDataLoss, HasSubstr("first in row 9, hosts 0 and 1 feed "
                                         "different weights (record 9)"))));
}

TEST(ReplicaCheckTest, StepsBetweenChecksAreNotLookedAt) {
  EXPECT_THAT(EndsOf(kThreeOfTheSame, 1, 3,
                     [](uint32_t host, MadeOptions& made) {
                       if (host == 1) Differ(made, 4, kTokens, 0);
                     }),
              Each(IsOk()));
}

TEST(ReplicaCheckTest, AHostWithFewerStepsIsNamed) {
  EXPECT_THAT(
      EndsOf(kThreeOfTheSame, 1, 3,
             [](uint32_t host, MadeOptions& made) {
               if (host == 1) made.steps = 5;
             }),
      Each(StatusIs(StatusCode::kInternal,
                    HasSubstr("host 1 has no more data, but host 0 has a batch "
                              "for step 6"))));
}

TEST(ReplicaCheckTest, AHostThatFailsEndsTheWaitOfTheOthers) {
  EXPECT_THAT(EndsOf(kThreeOfTheSame, 1, 1,
                     [](uint32_t host, MadeOptions& made) {
                       if (host != 2) return;
                       made.before = [](MadeBatches&, uint64_t step) {
                         return step == 4 ? DataLossError("bit rot")
                                          : OkStatus();
                       };
                     }),
              Each(StatusIs(kDataLoss, "bit rot")));
}

TEST(ReplicaCheckTest, CancelEndsTheWaitForAHostThatNeverComes) {
  const auto groups = ThreadGroup(2);
  const auto source = CheckReplicas(
      std::make_unique<MadeBatches>(MadeOptions{
          .topology = {.shards = 1, .hosts = 2, .shards_of_host = {{0}, {0}}}}),
      {.every = 1, .group = groups[0].get()});
  std::jthread waits([&] {
    EXPECT_THAT(source->Next(),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  });
  source->Cancel();
}

TEST(ReplicaCheckTest, WhereHostsShareNothingNothingIsExchanged) {
  auto made = std::make_unique<MadeBatches>(
      MadeOptions{.topology = testing::TopologyOf(2, 2, 0)});
  const BatchSource* const same = made.get();
  EXPECT_EQ(CheckReplicas(std::move(made), {.every = 1}).get(), same);
}

TEST(ReplicaCheckTest, AGroupOfAllHostsIsNeeded) {
  const auto source = CheckReplicas(
      std::make_unique<MadeBatches>(MadeOptions{
          .topology = {.shards = 1, .hosts = 2, .shards_of_host = {{0}, {0}}}}),
      {.every = 1});
  EXPECT_THAT(source->Next(), StatusIs(kInvalid, HasSubstr("a group of all")));
}

}  // namespace
}  // namespace penstock
