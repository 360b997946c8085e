// What is broken in the output folder is told before the work, and is no dead
// end.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScratchFolder;

class BrokenDatasetTest : public ::testing::Test {
 protected:
  Outcome Datagen(const std::string& more) {
    folder_.Write("corpus.txt", "one\ntwo\nthree\n");
    return RunProgramLine(fmt::format(
        "datagen --input {} --output {} --name a --unit line --quiet {}",
        folder_ / "corpus.txt", folder_ / "data", more));
  }
  size_t Count(const std::string& ending) {
    size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_ / "data")) {
      if (entry.path().string().ends_with(ending)) ++count;
    }
    return count;
  }

  ScratchFolder folder_;
};

TEST_F(BrokenDatasetTest, ABrokenDatasetInfoIsToldBeforeAnyInputIsRead) {
  std::filesystem::create_directory(folder_ / "data");
  folder_.Write("data/dataset_info.json", "{\"name\": ");
  folder_.Write("bad.jsonl", "this is no JSON\n");
  const Outcome outcome = RunProgramLine(fmt::format(
      "datagen --input {} --field text --output {} --name a --quiet",
      folder_ / "bad.jsonl", folder_ / "data"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("dataset_info.json"),
                                    ::testing::Not(HasSubstr("bad.jsonl"))));
}

TEST_F(BrokenDatasetTest, ADatasetWithADamagedManifestCanBeOverwritten) {
  for (const std::string manifest :
       {"", "{", "{\"penstock_manifest\": 1}", "{\"penstock_manifest\": 9}"}) {
    ASSERT_EQ(Datagen("--shards 3 --overwrite").exit_code, 0);
    folder_.Write("data/a-train.manifest.json", manifest);
    EXPECT_EQ(Datagen("--shards 2").exit_code, 1);
    const Outcome made = Datagen("--shards 2 --overwrite");
    EXPECT_EQ(made.exit_code, 0) << made.output;
    // Nothing is left of the three shards and their indexes.
    EXPECT_EQ(Count("-of-00003"), 0u);
    EXPECT_EQ(Count("-of-00003.index"), 0u);
    EXPECT_EQ(Count("-of-00002"), 2u);
    EXPECT_EQ(RunProgramLine("recordtool verify -q " +
                             folder_ / "data/a-train.tfrecord@2")
                  .exit_code,
              0);
  }
}

}  // namespace
}  // namespace penstock
