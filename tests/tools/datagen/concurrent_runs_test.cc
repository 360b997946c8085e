// Several runs of datagen in one folder at once.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "formats/datasets/manifest.h"
#include "formats/datasets/tfds_folder.h"
#include "formats/files/crc32c.h"
#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScratchFolder;

class ConcurrentRunsTest : public ::testing::Test {
 protected:
  // A line of shell that makes the dataset and puts its exit code and what it
  // says into files.
  std::string Run(const std::string& corpus, const std::string& output,
                  const std::string& rest) {
    const std::string result = folder_ / (corpus + ".result");
    return fmt::format(
        "{{ {}/datagen -i {} -o {} -n d --unit line --shards 2 -q {} >{} 2>&1; "
        "echo $? >{}.code; }} & ",
        PENSTOCK_BIN_DIR, folder_ / (corpus + ".txt"), folder_ / output, rest,
        result, result);
  }

  bool Succeeded(const std::string& corpus) {
    return folder_.Read(corpus + ".result.code") == "0\n";
  }

  ScratchFolder folder_{ScratchFolder::kMemory};
};

TEST_F(ConcurrentRunsTest, OfTwoRunsOfOneNameOneWinsAndOneIsRefused) {
  folder_.Write("a.txt", std::string(3000, 'a') + "\nand\nmore\n");
  folder_.Write("b.txt", std::string(2000, 'b') + "\nand\n");
  for (int round = 0; round < testing::Cases(40); ++round) {
    const std::string output = fmt::format("out{}", round);
    RunShell(Run("a", output, "") + Run("b", output, "") + "wait");
    const bool a_won = Succeeded("a");
    EXPECT_NE(a_won, Succeeded("b")) << round;
    EXPECT_THAT(folder_.Read(a_won ? "b.result" : "a.result"),
                AnyOf(HasSubstr("is being written by process"),
                      HasSubstr("is already there")));
    ASSERT_OK_AND_ASSIGN(
        const Manifest manifest,
        Manifest::Load(LocalFiles(),
                       folder_ / (output + "/d-train.manifest.json")));
    EXPECT_EQ(manifest.records(), a_won ? 3u : 2u);
    for (const ManifestShard& shard : manifest.shards) {
      EXPECT_EQ(Crc32c(folder_.Read(output + "/" + shard.file)), shard.crc32c);
    }
    // Two shards, their indexes, the manifest, two files for TFDS.
    EXPECT_EQ(LocalFiles().List(folder_ / output)->size(), 7u) << round;
  }
}

TEST_F(ConcurrentRunsTest, EightSplitsAtOnceAreAllDescribed) {
  for (int round = 0; round < 5; ++round) {
    const std::string output = fmt::format("out{}", round);
    std::string line;
    for (int split = 0; split < 8; ++split) {
      const std::string corpus = fmt::format("corpus{}", split);
      std::string text;
      for (int i = 0; i <= 2 * split; ++i) text += "line\n";
      folder_.Write(corpus + ".txt", text);
      line += Run(corpus, output, fmt::format("--split s{}", split));
    }
    RunShell(line + "wait");
    ASSERT_OK_AND_ASSIGN(const TfdsInfo info,
                         TfdsInfo::Load(LocalFiles(), folder_ / output));
    EXPECT_EQ(info.splits.size(), 8u);
    for (int split = 0; split < 8; ++split) {
      const std::string name = fmt::format("s{}", split);
      const TfdsSplit* found = info.Find(name);
      ASSERT_NE(found, nullptr)
          << name << folder_.Read(fmt::format("corpus{}.result", split));
      const auto lines = static_cast<uint64_t>(2 * split + 1);
      EXPECT_THAT(found->shard_records,
                  ElementsAre(lines - lines / 2, lines / 2));
    }
    EXPECT_EQ(LocalFiles().List(folder_ / output)->size(), 8 * 5 + 2u);
  }
}

}  // namespace
}  // namespace penstock
