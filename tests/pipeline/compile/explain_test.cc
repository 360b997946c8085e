#include "pipeline/compile/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/derive.h"
#include "pipeline/objective.h"
#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ExplainTest : public ::testing::Test {
 protected:
  Dataset MakeDataset() {
    // 10 rows of length 8 and 6 of length 16.
    std::vector<uint32_t> lengths(16, 8);
    for (size_t i = 0; i < 6; ++i) lengths[i] = 16;
    return Dataset::TfRecords(WriteDataset(folder_, lengths))
        .Shuffle({.seed = 17})
        .Bucket({.by = "tokens", .lengths = {8, 16}})
        .Batch({.size = 8});
  }
  ScratchFolder folder_;
};

TEST_F(ExplainTest, PlannedSaysWhatAnEpochWillBe) {
  ASSERT_OK_AND_ASSIGN(
      const Pipeline pipeline,
      Compile(MakeDataset(), {.shards = 8, .hosts = 3, .host = 1}));
  // 2 steps of 64 values and 1 of 128; 10 x 8 + 6 x 16 of them are real.
  EXPECT_THAT(pipeline.Explain(),
              AllOf(HasSubstr("shuffle   all records, seed 17"),
                    HasSubstr("bucket    by tokens, lengths 8, 16"),
                    HasSubstr("tokens: int32 [8, 8 | 16], pad 0"),
                    HasSubstr("shapes: 2"),
                    HasSubstr("3 steps, 8 rows of padding, 31.2 %"),
                    HasSubstr("rows in buckets: 10, 6"),
                    HasSubstr("rows of each host: 3, 3, 2"),
                    HasSubstr("bytes  in all")));
}

TEST_F(ExplainTest, BlocksThatChangePlacesAreTold) {
  const Dataset read =
      Dataset::TfRecords(WriteDataset(folder_, std::vector<uint32_t>(16, 8)));
  const Dataset blocks = read.Shuffle({.seed = 2, .block_records = 3});
  const auto explained = [](const Dataset& dataset) {
    auto pipeline = Compile(
        dataset.Bucket({.by = "tokens", .lengths = {8}}).Batch({.size = 8}),
        {});
    EXPECT_OK(pipeline);
    return pipeline->Explain();
  };
  EXPECT_THAT(
      explained(blocks),
      HasSubstr("shuffle   blocks of 3 records, in windows of 48, seed 2"));
  EXPECT_THAT(explained(blocks.Take(10)),
              HasSubstr("16 rows in blocks of 3, in windows of 48, seed 2"));
}

TEST_F(ExplainTest, DerivedTensorsAreNamedAndPriced) {
  std::vector<uint32_t> lengths(16, 8);
  const Dataset read = Dataset::TfRecords(WriteDataset(folder_, lengths));
  const auto explained = [](const Dataset& dataset) {
    auto pipeline = Compile(
        dataset.Bucket({.by = "tokens", .lengths = {8, 16}}).Batch({.size = 8}),
        {});
    EXPECT_OK(pipeline);
    return pipeline->Explain();
  };
  // 8 rows of 16 values of 4 bytes, and 64-byte blocks of lengths and mask.
  EXPECT_THAT(
      explained(read.Derive({SegmentIds("tokens"), Labels("tokens")})),
      AllOf(HasSubstr("derive    tokens_segment_ids, tokens_labels\n"),
            HasSubstr("tokens_labels: int32 [8, 8 | 16], pad -100"),
            HasSubstr("derived: 1024 of the 1664 bytes of a batch of length "
                      "16: tokens_segment_ids 512, tokens_labels 512\n"),
            HasSubstr("masks: views of tokens_segment_ids; made, [8, 1, 1, 16] "
                      "would take 128 bytes and [8, 1, 16, 16] 2048\n")));
  EXPECT_THAT(explained(read.Objective(
                  SpanCorruption{.seed = 4, .sentinel = 99, .eos = 1})),
              AllOf(HasSubstr("objective spans of 3 tokens, 15 % of tokens, "
                              "sentinels from 99 down, seed 4\n"),
                    HasSubstr("tokens_inputs: int32 [8, 9 | 16]\n"),
                    HasSubstr("tokens_targets: int32 [8, 3 | 4]\n")));
  EXPECT_THAT(
      explained(read.Objective(MaskedLm{.mask_id = 5, .vocabulary = 100})),
      HasSubstr("objective 15 % of tokens of tokens: 80 % become 5, "
                "10 % random ones below 100, seed 0\n"));
}

// Law 8: every buffer has a budget, and the sum is printed.
TEST_F(ExplainTest, BudgetsAddUp) {
  for (const bool streamed : {false, true}) {
    ASSERT_OK_AND_ASSIGN(
        const Pipeline pipeline,
        Compile(MakeDataset(), {},
                {.buffer_bytes = 1 << 20, .force_streamed = streamed}));
    const std::string text = pipeline.Explain();
    uint64_t sum = 0;
    uint64_t printed = 0;
    size_t at = text.find("memory, at most:\n");
    ASSERT_NE(at, std::string::npos);
    at = text.find('\n', at) + 1;
    while (at < text.size()) {
      const size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      const uint64_t bytes = std::stoull(line);
      if (line.find("in all") != std::string::npos) {
        printed = bytes;
      } else {
        sum += bytes;
      }
      at = end + 1;
    }
    EXPECT_EQ(sum, printed);
    EXPECT_GT(sum, uint64_t{1 << 20});
  }
}

TEST_F(ExplainTest, ForcedStreamingSaysSo) {
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline,
                       Compile(MakeDataset(), {}, {.force_streamed = true}));
  EXPECT_THAT(pipeline.Explain(),
              AllOf(HasSubstr("streamed: asked for by force_streamed"),
                    HasSubstr("rows read and decoded ahead")));
}

}  // namespace
}  // namespace penstock::testing
