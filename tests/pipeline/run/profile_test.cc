// What a pipeline says of its stages, against what the run must have done.
#include "pipeline/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <thread>
#include <vector>

#include "pipeline/row_function.h"
#include "pipeline/run/stage_accounts.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using ::penstock::testing::DatasetFiles;
using ::penstock::testing::RandomLengths;
using ::penstock::testing::ScratchFolder;
using ::penstock::testing::WriteDataset;
using ::testing::HasSubstr;

struct Profiled {
  PipelineProfile profile;
  std::map<std::string, StageProfile> stages;
  uint64_t batch_bytes = 0;
  uint64_t rows = 0;
};

Profiled RunOnce(DatasetFiles files, bool force_streamed) {
  const ScratchFolder folder;
  const std::string pattern =
      WriteDataset(folder, RandomLengths(5000, 64, 3), files);
  auto pipeline =
      Compile(Dataset::TfRecords(pattern)
                  .Parse({{.name = "tokens"}})
                  .Bucket({.by = "tokens", .lengths = {32, 64}})
                  .Batch({.size = 64}),
              Topology{}, {.threads = 2, .force_streamed = force_streamed});
  EXPECT_TRUE(pipeline.ok()) << pipeline.status();
  EXPECT_EQ(pipeline->Profile().wall_ns, 0);
  Profiled out;
  for (;;) {
    const auto batch = pipeline->Next();
    EXPECT_TRUE(batch.ok()) << batch.status();
    if (!batch.ok() || !*batch) break;
    for (const Tensor& tensor : (*batch)->tensors) {
      out.batch_bytes += tensor.bytes.size();
    }
    out.rows += (*batch)->rows();
  }
  out.profile = pipeline->Profile();
  for (const StageProfile& stage : out.profile.stages) {
    out.stages[stage.name] = stage;
  }
  return out;
}

// More threads than an account has lines of its own.
TEST(StageAccountTest, SumsAreOfAllThreads) {
  constexpr int kThreads = 40;
  StageAccount account;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&account] {
        account.Charge(5);
        account.Count(2, 300);
        account.Charge(-1);
      });
    }
  }
  account.Count(1, 0);
  const StageAccount::Sums sums = account.sums();
  EXPECT_EQ(sums.busy_ns, 4 * kThreads);
  EXPECT_EQ(sums.rows, 2u * kThreads + 1);
  EXPECT_EQ(sums.bytes, 300u * kThreads);
}

void ExpectWhatWasRun(const Profiled& run) {
  const PipelineProfile& profile = run.profile;
  EXPECT_EQ(profile.threads, 2);
  EXPECT_GT(profile.wall_ns, 0);
  EXPECT_LE(profile.starved_ns, profile.wall_ns);
  EXPECT_LE(profile.blocked_ns, profile.wall_ns);
  for (const auto& [name, stage] : run.stages) {
    const int64_t threads = stage.one_thread ? 1 : profile.threads;
    // A task of a thread that waits lends it a third.
    EXPECT_LE(stage.busy_ns, profile.wall_ns * (threads + 1)) << name;
  }
  EXPECT_EQ(run.stages.at("plan").rows, 5000u);
  EXPECT_EQ(run.stages.at("read").rows, 5000u);
  EXPECT_EQ(run.stages.at("decode").rows, 5000u);
  EXPECT_EQ(run.stages.at("decode").bytes, run.stages.at("read").bytes);
  EXPECT_EQ(run.stages.at("build").rows, run.rows);
  EXPECT_EQ(run.stages.at("build").bytes, run.batch_bytes);
  for (const char* busy : {"plan", "read", "decode", "build"}) {
    EXPECT_GT(run.stages.at(busy).busy_ns, 0) << busy;
  }
}

TEST(ProfileTest, PlannedStagesCountEveryRowAndByteOnce) {
  const Profiled run = RunOnce({}, /*force_streamed=*/false);
  ExpectWhatWasRun(run);
  EXPECT_FALSE(run.stages.at("read").one_thread);
  EXPECT_EQ(run.stages.at("exchange").busy_ns, 0);
}

TEST(ProfileTest, StreamedStagesCountEveryRowAndByteOnce) {
  ExpectWhatWasRun(RunOnce({}, /*force_streamed=*/true));
}

// Texts of one token a byte; no time is in two stages.
TEST(ProfileTest, TokenizingIsToldApartFromDecoding) {
  const ScratchFolder folder;
  const std::string pattern = WriteDataset(folder, RandomLengths(5000, 64, 3));
  const std::vector<Feature> text = {
      {.name = "text", .type = FeatureType::kBytes, .length = 1}};
  const auto run = [&](const Dataset& dataset) {
    auto pipeline = Compile(dataset.Batch({.size = 64}), Topology{},
                            {.threads = 1, .force_streamed = true});
    EXPECT_TRUE(pipeline.ok()) << pipeline.status();
    for (auto batch = pipeline->Next(); batch.ok() && *batch;) {
      batch = pipeline->Next();
    }
    std::map<std::string, StageProfile> stages;
    for (const StageProfile& stage : pipeline->Profile().stages) {
      stages[stage.name] = stage;
    }
    return std::pair(stages, pipeline->Profile().wall_ns);
  };
  const auto bytes = *LoadTokenizer(LocalFiles(), "bytes");
  const auto lengths = RandomLengths(5000, 64, 3);
  for (const Dataset& dataset :
       {Dataset::TfRecords(pattern).Parse(text).Tokenize(bytes),
        Dataset::TfRecords(pattern)
            .Parse(text)
            .Map({.name = "as it is"},
                 [](const RowChunk&) { return OkStatus(); })
            .Tokenize(bytes),
        Dataset::Zip({Dataset::TfRecords(pattern).Parse(text).Tokenize(bytes),
                      Dataset::TfRecords(pattern).Parse(
                          {{.name = "id", .length = 1}})})}) {
    auto [stages, wall_ns] =
        run(dataset.Bucket({.by = "tokens", .lengths = {64}}));
    EXPECT_EQ(stages.at("tokenize").rows, 5000u);
    EXPECT_EQ(stages.at("tokenize").bytes,
              std::reduce(lengths.begin(), lengths.end(), uint64_t{0}));
    EXPECT_GT(stages.at("tokenize").busy_ns, 0);
    EXPECT_GT(stages.at("decode").busy_ns, 0);
    EXPECT_EQ(stages.at("decode").rows, 5000u);
    // A task of a thread that waits lends it a third.
    EXPECT_LE(stages.at("tokenize").busy_ns + stages.at("decode").busy_ns,
              2 * wall_ns);
  }
  const auto stored =
      run(Dataset::TfRecords(pattern).Parse({{.name = "id", .length = 1}}))
          .first;
  EXPECT_EQ(stored.at("tokenize").rows, 0u);
  EXPECT_EQ(stored.at("tokenize").busy_ns, 0);
}

TEST(ProfileTest, FilesReadInSequenceAreReadByOneThread) {
  const Profiled run = RunOnce({.compression = Compression::kGzip}, false);
  ExpectWhatWasRun(run);
  EXPECT_TRUE(run.stages.at("read").one_thread);
}

PipelineProfile ProfileOf(int64_t starved_ns, int64_t plan_ns,
                          int64_t decode_ns, int64_t build_ns) {
  return {.threads = 4,
          .wall_ns = 1000,
          .starved_ns = starved_ns,
          .stages = {{.name = "plan", .busy_ns = plan_ns, .one_thread = true},
                     {.name = "decode", .busy_ns = decode_ns},
                     {.name = "build", .busy_ns = build_ns}}};
}

TEST(ProfileTest, TheBusiestOfWhatIsWaitedForSetsTheSpeed) {
  EXPECT_EQ(ProfileOf(40, 990, 0, 0).BoundBy(), "whoever takes the batches");
  EXPECT_EQ(ProfileOf(500, 990, 1500, 1000).BoundBy(), "plan");
  // Together they keep four threads busier than the plan keeps one.
  EXPECT_EQ(ProfileOf(500, 700, 1700, 1600).BoundBy(), "decode");
  EXPECT_EQ(ProfileOf(500, 700, 1600, 1700).BoundBy(), "build");
  EXPECT_EQ(PipelineProfile{}.BoundBy(), "whoever takes the batches");
}

TEST(ProfileTest, TheTableNamesEveryStageAndTheBound) {
  const std::string text = ProfileOf(500, 990, 1500, 1000).Describe();
  for (const char* word : {"plan", "decode", "build", "bound by plan", "99.00",
                           "37.50", "50.00 % of the time"}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
}

}  // namespace
}  // namespace penstock
