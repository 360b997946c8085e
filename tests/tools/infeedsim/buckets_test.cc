// infeedsim with buckets of several features and rows of their own.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BucketsTest : public SmallDatasetTest {};

TEST_F(BucketsTest, BucketsMayHaveRowsOfTheirOwn) {
  const std::string run =
      "infeedsim " + MakeDataset() +
      " --by tokens --buckets 64,128,256 --cores 2 --step-time 0 "
      "--compile-time 0 --bucket-rows ";
  const Outcome outcome = RunProgramLine(run + "32,16,8 --explain --json " +
                                         (folder_ / "rows.json"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("batch     of each length 32, 16, 8 rows"),
                    HasSubstr("tokens: int32 [32 | 16 | 8, 64 | 128 | 256]")));
  const auto json = nlohmann::json::parse(folder_.Read("rows.json"));
  EXPECT_EQ(json["epochs"][0]["missing"], 0);
  const Outcome few = RunProgramLine(run + "32,16");
  EXPECT_EQ(few.exit_code, 1) << few.output;
  EXPECT_THAT(few.output, HasSubstr("3 lengths and the rows of 2 batches"));
  const Outcome both = RunProgramLine(run + "32,16,8 --batch 8");
  EXPECT_EQ(both.exit_code, 2) << both.output;
}

// Records of two features, of 1 to 8 and of 1 to 4 values.
std::string WritePairs(const testing::ScratchFolder& folder) {
  const std::string path = folder / "pairs.tfrecord";
  const auto writer = CreateTfRecord(LocalFiles(), path, {});
  EXPECT_TRUE(writer.ok());
  for (uint64_t i = 0; i < 64; ++i) {
    ExampleWriter example;
    example.SetInts("tokens", std::vector<int64_t>(1 + i % 8, 7));
    example.SetInts("targets", std::vector<int64_t>(1 + i % 4, 9));
    std::string bytes;
    example.Finish(bytes);
    EXPECT_TRUE((*writer)->Append(bytes).ok());
  }
  EXPECT_TRUE((*writer)->Finish().ok());
  return path;
}

TEST_F(BucketsTest, SeveralFeaturesMayHaveBuckets) {
  const std::string pairs = WritePairs(folder_);
  ASSERT_EQ(RunProgramLine("recordtool index --length-of tokens --length-of "
                           "targets " +
                           pairs)
                .exit_code,
            0);
  const std::string run = "infeedsim " + pairs +
                          " --by tokens --buckets 4,8 --step-time 0 "
                          "--compile-time 0 --cores 2 --json " +
                          (folder_ / "pairs.json");
  const auto digest = [&](const std::string& more) {
    const Outcome outcome = RunProgramLine(run + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    const auto json = nlohmann::json::parse(folder_.Read("pairs.json"));
    EXPECT_EQ(json["epochs"][0]["missing"], 0);
    return std::pair(json["batch_digest"].get<std::string>(), outcome.output);
  };
  const auto [planned, text] =
      digest(" --buckets-with targets=2,4 --batch 8 --explain");
  EXPECT_THAT(text, AllOf(HasSubstr("planned: every file has an index with the "
                                    "lengths of \"tokens\" and \"targets\""),
                          HasSubstr("4 x 2")));
  EXPECT_EQ(digest(" --buckets-with targets=2,4 --batch 8 --streamed").first,
            planned);
  // In any way, and with the rows of each pair.
  digest(" --buckets-with=targets=2,4 --bucket-rows 16,8,8,4");
  for (const char* wrong : {"targets", "=2", "targets=", "targets=2,", "t=2,x",
                            "targets=0,4", "t=99999999999999999999"}) {
    const Outcome outcome =
        RunProgramLine(run + " --batch 8 --buckets-with " + wrong);
    EXPECT_EQ(outcome.exit_code, 2) << wrong;
    EXPECT_THAT(outcome.output,
                HasSubstr("a feature, = and lengths with commas between them"));
  }
  const Outcome alone = RunProgramLine(
      "infeedsim " + pairs + " --by tokens --buckets-with targets=2,4");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.output, HasSubstr("needs --buckets"));
  const Outcome falling =
      RunProgramLine(run + " --batch 8 --buckets-with targets=4,2");
  EXPECT_EQ(falling.exit_code, 1);
  EXPECT_THAT(falling.output, HasSubstr("rise; 4, 2 do not"));
}

}  // namespace
}  // namespace penstock
