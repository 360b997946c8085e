// A small dataset, made by datagen, for tests of programs.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {

class SmallDatasetTest : public ::testing::Test {
 protected:
  // Four hundred documents of 1 to 200 bytes, as byte tokens in four shards.
  std::string MakeDataset() {
    std::string text;
    for (int i = 0; i < 400; ++i) {
      text += std::string(1 + i * 37 % 200, static_cast<char>('a' + i % 26));
      text += "\n";
    }
    folder_.Write("corpus.txt", text);
    const Outcome made = RunProgramLine(fmt::format(
        "datagen --input {} --output {} --name small --unit line --tokenizer "
        "bytes --shards 4 --quiet",
        folder_ / "corpus.txt", folder_ / "data"));
    EXPECT_EQ(made.exit_code, 0) << made.output;
    return folder_ / "data/small-train.tfrecord@4";
  }

  std::string SimulationOf(const std::string& dataset) {
    return fmt::format(
        "infeedsim {} --by tokens --buckets 64,128,256 --batch 16 --cores 8 "
        "--step-time 0 --compile-time 0",
        dataset);
  }

  testing::ScratchFolder folder_;
};

}  // namespace penstock
