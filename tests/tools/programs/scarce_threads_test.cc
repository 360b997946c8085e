// The programs where the system starts no thread.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScratchFolder;

// What the thread sanitizer needs does not start with such a limit.
#if !defined(__SANITIZE_THREAD__)

// A thread's stack of 128 TiB lies in no address space.
Outcome RunWithoutThreads(const std::string& arguments) {
  return RunShell(fmt::format("ulimit -s 137438953472 && {}/{} 2>&1",
                              PENSTOCK_BIN_DIR, arguments));
}

TEST(ScarceThreadsTest, ProgramsSayInOneLineThatNoThreadCanBeStarted) {
  const ScratchFolder folder;
  folder.Write("a.txt", "one\ntwo\n");
  const std::string convert =
      fmt::format("datagen -i {} -o {} -n a --tokenizer bytes -q",
                  folder / "a.txt", folder / "out");
  ASSERT_EQ(RunProgramLine(convert).exit_code, 0);
  if (RunShell("ulimit -s 137438953472").exit_code != 0) {
    GTEST_SKIP() << "the stack's limit cannot be raised here";
  }
  const std::string shards = folder / "out/a-train.tfrecord@1";
  for (const std::string& line :
       {convert + " --overwrite", "recordtool verify -q " + shards,
        "recordtool count -q " + shards, "recordtool stats -q " + shards,
        fmt::format("infeedsim {} --by tokens --buckets 64 --batch 2 --cores 2",
                    shards),
        fmt::format("datagen vocab {} -q --size 300 -o {}", folder / "a.txt",
                    folder / "v.json")}) {
    const Outcome outcome = RunWithoutThreads(line);
    EXPECT_EQ(outcome.exit_code, 1) << line << "\n" << outcome.output;
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr("no thread can be started: Resource "
                                "temporarily unavailable"),
                      HasSubstr("ulimit -u")))
        << line;
  }
  // The dataset that was there is whole still.
  EXPECT_EQ(RunProgramLine("recordtool verify -q " + shards).exit_code, 0);
}

#endif

}  // namespace
}  // namespace penstock
