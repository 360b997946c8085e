// The steps of a run, found without building a batch: Pipeline::WalkSteps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/group.h"
#include "pipeline/profile.h"
#include "pipeline/row_function.h"
#include "tests/pipeline/random_graph.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock {

bool operator==(const PlannedStep& a, const PlannedStep& b) {
  return a.shape == b.shape && a.real_rows == b.real_rows;
}

namespace testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Walked = std::vector<PlannedStep>;

// What each host walks, all of them on threads.
std::vector<StatusOr<Walked>> WalkHosts(const Dataset& dataset,
                                        const RunOptions& options,
                                        std::optional<uint64_t> most) {
  const auto ends = ThreadGroup(options.hosts);
  std::vector<StatusOr<Walked>> walked(options.hosts, UnknownError("not run"));
  std::vector<std::thread> threads;
  for (uint32_t host = 0; host < options.hosts; ++host) {
    threads.emplace_back([&, host] {
      HostRun run = {.dataset = dataset,
                     .compile = {.threads = options.threads,
                                 .buffer_bytes = options.buffer_bytes,
                                 .group = ends[host].get(),
                                 .force_streamed = options.force_streamed,
                                 .sequence = options.sequence}};
      if (options.change) options.change(host, run);
      auto pipeline = Compile(
          run.dataset,
          {.shards = options.shards, .hosts = options.hosts, .host = host},
          run.compile);
      if (!pipeline.ok()) {
        walked[host] = pipeline.status();
        return;
      }
      walked[host] = pipeline->WalkSteps(most);
      for (const StageProfile& stage : pipeline->Profile().stages) {
        if (stage.name != "build") continue;
        EXPECT_EQ(stage.rows, 0u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return walked;
}

Walked StepsOf(const std::vector<GlobalBatch>& batches) {
  Walked steps;
  for (const GlobalBatch& batch : batches) {
    const auto real = std::ranges::count_if(
        batch.row_records, [](const auto& row) { return !row.empty(); });
    steps.push_back(
        {.shape = batch.shape, .real_rows = static_cast<uint64_t>(real)});
  }
  return steps;
}

TEST(WalkStepsTest, AnyHostsWalkTheStepsOfAnyRun) {
  DataPool pool;
  constexpr uint64_t kGraphs = Cases(150);
  uint64_t streamed = 0;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    RandomGraph graph(seed, pool);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, graph.Describe());
    RunOptions options = graph.Run();
    ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(graph.Make(), options));
    const Walked expected = StepsOf(batches);
    for (const auto& walked : WalkHosts(graph.Make(), options, std::nullopt)) {
      ASSERT_OK(walked.status());
      ASSERT_EQ(*walked, expected);
    }
    const uint64_t most = graph.Draw(expected.size() + 2);
    Walked first = expected;
    first.resize(std::min<size_t>(most, expected.size()));
    for (const auto& walked : WalkHosts(graph.Make(), options, most)) {
      ASSERT_OK(walked.status());
      ASSERT_EQ(*walked, first) << most;
    }
    if (graph.force_streamed || !graph.data->indexed) ++streamed;
  }
  EXPECT_GT(streamed, kGraphs / 5);
}

// All hosts of a streamed run meet while they walk.
TEST(WalkStepsTest, AHostThatFailsEndsTheWalkOfAll) {
  const ScratchFolder folder;
  const std::string pattern = WriteDataset(folder, RandomLengths(203, 64, 5));
  const auto dataset = [&](bool breaks) {
    return Dataset::TfRecords(pattern)
        .Parse({{.name = "tokens"}})
        .Map({.name = "look", .keeps_lengths = false},
             [breaks](const RowChunk& chunk) -> Status {
               if (breaks && chunk.records.back() > 100) {
                 return DataLossError("odd row");
               }
               return OkStatus();
             })
        .Bucket({.by = "tokens", .lengths = {64}})
        .Batch({.size = 6});
  };
  const auto walked = WalkHosts(
      dataset(false),
      {.shards = 3,
       .hosts = 3,
       .change = [&](uint32_t host,
                     HostRun& run) { run.dataset = dataset(host == 1); }},
      std::nullopt);
  for (const auto& steps : walked) {
    EXPECT_THAT(steps,
                StatusIs(StatusCode::kDataLoss,
                         AllOf(HasSubstr("host 1"), HasSubstr("odd row"))));
  }
}

class WalkOneTest : public ::testing::Test {
 protected:
  Dataset Texts(uint64_t epochs = 1) const {
    return Dataset::TfRecords(pattern_)
        .Parse({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
        .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
        .Repeat({.epochs = epochs})
        .Bucket({.by = "tokens", .lengths = {16, 64}})
        .Batch({.size = 8});
  }
  static StatusOr<Pipeline> Open(const Dataset& dataset) {
    return Compile(dataset, Topology{}, {.threads = 2});
  }

  const ScratchFolder folder_;
  const std::string pattern_ = WriteDataset(folder_, RandomLengths(203, 64, 5));
};

TEST_F(WalkOneTest, AStreamedPipelineIsUsedUpByIt) {
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Open(Texts()));
  EXPECT_FALSE(pipeline.planned());
  ASSERT_OK_AND_ASSIGN(const Walked steps, pipeline.WalkSteps({}));
  EXPECT_GT(steps.size(), 203u / 8);
  const auto used_up = StatusIs(
      StatusCode::kFailedPrecondition,
      AllOf(HasSubstr("were walked"), HasSubstr("compile the dataset again")));
  EXPECT_THAT(pipeline.Next(), used_up);
  EXPECT_THAT(pipeline.WalkSteps(1), used_up);
}

TEST_F(WalkOneTest, AStreamedRunThatHasBegunIsNotWalked) {
  const auto begun = StatusIs(StatusCode::kFailedPrecondition,
                              HasSubstr("walked from its start"));
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Open(Texts()));
  ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
  EXPECT_THAT(pipeline.WalkSteps(1), begun);
  EXPECT_OK(pipeline.Next().status());
  ASSERT_OK_AND_ASSIGN(Pipeline other, Open(Texts()));
  ASSERT_OK(other.Restore(batch->state_after));
  EXPECT_THAT(other.WalkSteps(1), begun);
  EXPECT_OK(other.Next().status());
}

TEST_F(WalkOneTest, APlannedPipelineGoesOn) {
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline,
                       Open(Dataset::TfRecords(pattern_)
                                .Parse({{.name = "tokens"}})
                                .Bucket({.by = "tokens", .lengths = {64}})
                                .Batch({.size = 8})));
  ASSERT_OK_AND_ASSIGN(const Walked steps, pipeline.WalkSteps({}));
  EXPECT_EQ(steps.size(), 26u);
  EXPECT_EQ(steps.back().real_rows, 3u);
  ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
  EXPECT_EQ(batch->step, 0u);
  EXPECT_EQ(*pipeline.WalkSteps(2), (Walked{steps[0], steps[1]}));
}

TEST_F(WalkOneTest, ARunWithoutEndIsWalkedAsFarAsAsked) {
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Open(Texts(/*epochs=*/0)));
  EXPECT_THAT(
      pipeline.WalkSteps({}),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("say how many steps")));
  // Nothing was read for the answer.
  ASSERT_OK_AND_ASSIGN(const Walked steps, pipeline.WalkSteps(500));
  EXPECT_EQ(steps.size(), 500u);
}

TEST_F(WalkOneTest, DamageEndsAWalkAsItEndsARun) {
  const ScratchFolder folder;
  const std::string pattern = WriteDataset(folder, RandomLengths(90, 64, 5),
                                           {.files = 1, .index = false});
  std::string name;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    name = file.path().filename().string();
  }
  std::string bytes = folder.Read(name);
  bytes[bytes.size() / 2] ^= 1;
  folder.Write(name, bytes);
  const Dataset dataset = Dataset::TfRecords(pattern)
                              .Parse({{.name = "tokens"}})
                              .Bucket({.by = "tokens", .lengths = {64}})
                              .Batch({.size = 8});
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Open(dataset));
  const auto walked = pipeline.WalkSteps({});
  EXPECT_THAT(walked, StatusIs(StatusCode::kDataLoss, HasSubstr("record")));
  EXPECT_EQ(pipeline.Next().status(), walked.status());
  ASSERT_OK_AND_ASSIGN(Pipeline run, Open(dataset));
  StatusOr<std::optional<Batch>> batch = run.Next();
  while (batch.ok()) batch = run.Next();
  EXPECT_EQ(batch.status(), walked.status());
}

TEST_F(WalkOneTest, CancelEndsAWalkThatIsUnderWay) {
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Open(Texts(/*epochs=*/0)));
  std::thread walks([&] {
    EXPECT_THAT(pipeline.WalkSteps(uint64_t{1} << 60),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  });
  pipeline.Cancel();
  walks.join();
}

}  // namespace
}  // namespace testing
}  // namespace penstock
