// What devices get of real batches where tensors have shardings of their own.
#include "infeed/sharding/slice_cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "infeed/infeed.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/batch_tensors.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/sharding_text.h"
#include "tests/infeed/made_batches.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::MadeBatches;
using ::penstock::testing::MadeOptions;
using ::penstock::testing::MakeBatch;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int32_t> Packed(const TensorView& view) {
  std::vector<int32_t> values(view.packed_bytes() / sizeof(int32_t), -1);
  view.PackTo(std::as_writable_bytes(std::span(values)));
  return values;
}

InfeedBatch FirstBatch(const Mesh& mesh, const Contract& contract,
                       InfeedOptions options) {
  const Topology topology =
      *BatchTopology(mesh, options.axis, *DeviceHosts::Blocks(mesh.size(), 1),
                     0, options.shardings);
  Infeed infeed(std::make_unique<MadeBatches>(MadeOptions{
                    .contract = contract, .topology = topology, .steps = 1}),
                mesh, std::move(options));
  auto batch = infeed.Next();
  EXPECT_TRUE(batch.has_value()) << infeed.status();
  return *std::move(batch);
}

TEST(SliceCutsTest, ColumnsAreStridedViewsOfTheRows) {
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"model", 2}});
  const InfeedBatch batch =
      FirstBatch(mesh, TokenContract(4, {4}),
                 {.shardings = {{"tokens", {{"data"}, {"model"}}}}});
  // Row 2 of the batch is on devices 2 and 3, two columns each.
  const TensorView left = batch.slices[2].tensor(0);
  const TensorView right = batch.slices[3].tensor(0);
  EXPECT_FALSE(left.dense());
  EXPECT_THAT(left.shape, ElementsAre(2, 2));
  EXPECT_THAT(left.strides_bytes, ElementsAre(16, 4));
  EXPECT_EQ(right.bytes.data() - left.bytes.data(), 8);
  const TensorView rows = batch.slices[2].WholeRows(0);
  const auto values = rows.values<int32_t>();
  EXPECT_THAT(Packed(left),
              ElementsAre(values[0], values[1], values[4], values[5]));
  EXPECT_THAT(Packed(right),
              ElementsAre(values[2], values[3], values[6], values[7]));
  // Lengths and weights share the rows alone.
  EXPECT_THAT(batch.slices[3].tensor(1).shape, ElementsAre(2));
  EXPECT_EQ(batch.slices[3].size_bytes(), (2u * 2 + 2 + 2) * 4);
}

TEST(SliceCutsTest, ShortColumnsArePaddedToTheWholeShard) {
  const Mesh mesh = *Mesh::Create({{"model", 2}});
  const InfeedBatch batch =
      FirstBatch(mesh, TokenContract(2, {3}),
                 {.axis = "None", .shardings = {{"tokens", {{}, {"model"}}}}});
  const TensorView last = batch.slices[1].tensor(0);
  EXPECT_THAT(last.shape, ElementsAre(2, 1));
  EXPECT_THAT(last.padded_shape, ElementsAre(2, 2));
  const auto rows = batch.slices[1].WholeRows(0);
  EXPECT_THAT(Packed(last), ElementsAre(rows.values<int32_t>()[2], 0,
                                        rows.values<int32_t>()[5], 0));
}

TEST(SliceCutsTest, TensorsMayCutRowsDifferently) {
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"model", 2}});
  const std::vector<TensorSharding> shardings = {
      {"tokens", {{"data"}, {}}}, {"weights", {{"model", "data"}}}};
  ASSERT_OK_AND_ASSIGN(
      const BatchPlacement placement,
      PlaceBatch(mesh, "data", *DeviceHosts::Blocks(4, 2), shardings));
  EXPECT_EQ(placement.shards, 2u);
  EXPECT_EQ(placement.parts, 2u);
  // Host 0 has data 0: tokens' first half, and of weights quarters 0 and 2.
  EXPECT_THAT(placement.TopologyOf(0).shards_of_host,
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 2, 3)));
  EXPECT_OK(placement.TopologyOf(0).Validate());
}

TEST(SliceCutsTest, RowsThatDoNotDivideAreCutInOneWay) {
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"model", 2}});
  const std::vector<TensorSharding> shardings = {
      {"tokens", {{"data", "model"}, {}}}, {"weights", {{"model"}}}};
  ASSERT_OK_AND_ASSIGN(
      const Topology topology,
      BatchTopology(mesh, "data", *DeviceHosts::Blocks(4, 1), 0, shardings));
  EXPECT_THAT(CutSlices(mesh, TokenContract(5, {4}), topology, "data",
                        shardings, {0, 1, 2, 3}),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("5 rows do not divide by 4 shards")));
}

// Whatever the mesh, its order, the hosts and the specs: first copies put
// together are the batch.
TEST(SliceCutsTest, FirstCopiesAreTheWholeBatch) {
  std::mt19937 random(31);
  for (int round = 0; round < 60; ++round) {
    const auto size = [&](uint32_t most) {
      return static_cast<int64_t>(random() % most + 1);
    };
    std::vector<uint32_t> order(static_cast<size_t>(1));
    const std::vector<MeshAxis> axes = {
        {"a", size(3)}, {"b", size(2)}, {"c", size(2)}};
    order.resize(
        static_cast<size_t>(axes[0].size * axes[1].size * axes[2].size));
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    const Mesh mesh = *Mesh::Create(axes, order);
    const auto hosts = static_cast<uint32_t>(size(3));
    std::vector<uint32_t> owners(mesh.size());
    for (uint32_t& owner : owners) owner = random() % hosts;
    const DeviceHosts device_hosts = *DeviceHosts::Create(owners, hosts);
    const Contract contract = TokenContract(12 * size(2), {size(7)});
    const std::vector<std::vector<TensorSharding>> choices = {
        {{"tokens", {{"a"}, {"b"}}}},
        {{"tokens", {{"b", "a"}, {"c"}}}, {"weights", {{}}}},
        {{"weights", {{"c"}}}},
        {{"tokens", {{}, {"c", "b"}}}, {"tokens_length", {{"a", "b", "c"}}}}};
    const auto& shardings = choices[random() % choices.size()];
    const std::string rows = random() % 2 == 0 ? "a" : "b,c";
    ASSERT_OK_AND_ASSIGN(
        const LoadPlan plan,
        PlanBatchLoads(mesh, contract, 0, rows, shardings, device_hosts));
    const Batch whole =
        MakeBatch(contract, TopologyOf(1, 1, 0), 0, 0, 1u << 30);
    std::vector<std::vector<int32_t>> seen(contract.tensors.size());
    for (size_t t = 0; t < seen.size(); ++t) {
      seen[t].resize(whole.tensors[t].bytes.size() / sizeof(int32_t), -1);
    }
    for (uint32_t host = 0; host < hosts; ++host) {
      ASSERT_OK_AND_ASSIGN(
          const Topology topology,
          BatchTopology(mesh, rows, device_hosts, host, shardings));
      ASSERT_OK(topology.Validate());
      Infeed infeed(
          std::make_unique<MadeBatches>(
              MadeOptions{.contract = contract, .topology = topology}),
          mesh,
          {.axis = rows, .shardings = shardings, .host_of_device = owners});
      const auto batch = infeed.Next();
      ASSERT_TRUE(batch.has_value()) << infeed.status();
      for (size_t i = 0; i < batch->slices.size(); ++i) {
        for (size_t t = 0; t < seen.size(); ++t) {
          const DeviceSlice& planned = plan.hosts[host].tensors[t].devices[i];
          EXPECT_EQ(planned.device, batch->slices[i].device());
          const std::vector<int32_t> values =
              Packed(batch->slices[i].tensor(t));
          const std::vector<int64_t> shard =
              plan.tensors[t].sharding.ShardShape(plan.tensors[t].shape);
          const int64_t columns = shard.size() > 1 ? shard[1] : 1;
          const int64_t all = shard.size() > 1 ? plan.tensors[t].shape[1] : 1;
          if (planned.replica != 0) continue;
          const IndexRange across =
              shard.size() > 1 ? planned.ranges[1] : IndexRange{0, 1};
          for (int64_t r = 0; r < planned.ranges[0].size(); ++r) {
            for (int64_t c = 0; c < across.size(); ++c) {
              int32_t& at = seen[t][static_cast<size_t>(
                  (planned.ranges[0].begin + r) * all + across.begin + c)];
              EXPECT_EQ(at, -1);
              at = values[static_cast<size_t>(r * columns + c)];
            }
          }
        }
      }
    }
    for (size_t t = 0; t < seen.size(); ++t) {
      const auto want = whole.tensors[t].values<int32_t>();
      EXPECT_TRUE(std::ranges::equal(seen[t], want))
          << contract.tensors[t].name;
    }
  }
}

TEST(BatchTensorsTest, ExplainSaysWhatEachDeviceTakes) {
  const Mesh mesh = *Mesh::Create({{"data", 4}, {"model", 2}});
  ASSERT_OK_AND_ASSIGN(
      const LoadPlan plan,
      PlanBatchLoads(mesh, TokenContract(16, {64, 128}), 1, "data",
                     {{"tokens", {{"data"}, {"model"}}}},
                     *DeviceHosts::Blocks(8, 4)));
  const std::string text = ExplainLoads(plan);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("tokens [16, 128] as data,model {devices=[4,2]<=[8]}: "
                      "shards of [4, 64], 1024 bytes; each on 1 of 8 devices"),
            HasSubstr("  host 1 loads [4,8) x [0,128): 2048 bytes once, hands "
                      "out 2048, copies 2048 where strides cannot be taken\n"
                      "    device 2: [4,8) x [0,64), strided view of 4 runs of "
                      "256 bytes\n"),
            HasSubstr("tokens_length [16] as data {devices=[4,2]<=[8] "
                      "last_tile_dim_replicate}"),
            HasSubstr("    device 3: [4,8), view, copy 1\n")));
  EXPECT_THAT(plan.warnings, IsEmpty());
  EXPECT_THAT(LoadsJson(plan), AllOf(HasSubstr("\"spec\":\"data,model\""),
                                     HasSubstr("\"form\":\"strided view\"")));
}

TEST(BatchTensorsTest, LongExplanationsCountWhatTheyLeaveOut) {
  const Mesh mesh = *Mesh::Create({{"data", 2}, {"model", 20}});
  ASSERT_OK_AND_ASSIGN(const LoadPlan plan,
                       PlanBatchLoads(mesh, TokenContract(8, {4}), 0, "data",
                                      {}, *DeviceHosts::Blocks(40, 2)));
  EXPECT_THAT(ExplainLoads(plan),
              AllOf(HasSubstr("    and 4 more devices\n"),
                    HasSubstr("warning: no tensor is cut over model")));
  ASSERT_OK_AND_ASSIGN(const LoadPlan hosts,
                       PlanBatchLoads(mesh, TokenContract(8, {4}), 0, "data",
                                      {}, *DeviceHosts::Blocks(40, 20)));
  EXPECT_THAT(ExplainLoads(hosts),
              AllOf(HasSubstr("  and 12 more hosts\n"),
                    HasSubstr("  10 hosts from 10 on load the same bytes\n")));
}

}  // namespace
}  // namespace penstock
