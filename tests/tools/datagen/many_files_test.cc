#include "tools/datagen/many_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "formats/files/atomic_file.h"
#include "formats/files/posix_files.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using testing::Call;
using testing::FaultyCalls;
using ::testing::HasSubstr;
using testing::ScratchFolder;
using testing::StatusIs;

size_t OpenDescriptors() {
  size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

TEST(ManyFilesTest, AHundredFilesAreWrittenRoundAndRoundWithFourOpen) {
  ScratchFolder folder;
  ManyFiles files(LocalFiles(), 4);
  const size_t before = OpenDescriptors();
  std::vector<std::unique_ptr<AtomicFile>> all;
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK_AND_ASSIGN(auto file,
                         AtomicFile::Create(files, folder / std::to_string(i)));
    all.push_back(std::move(file));
  }
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 100; ++i) {
      ASSERT_OK(all[i]->Append(fmt::format("{} of {}\n", round, i)));
      EXPECT_LE(OpenDescriptors(), before + 4);
    }
  }
  for (const auto& file : all) ASSERT_OK(file->Commit());
  ASSERT_OK(files.SyncFolders());
  for (int i = 0; i < 100; ++i) {
    std::string expected;
    for (int round = 0; round < 5; ++round) {
      expected += fmt::format("{} of {}\n", round, i);
    }
    EXPECT_EQ(folder.Read(std::to_string(i)), expected);
  }
}

TEST(ManyFilesTest, FilesMayBeWrittenSideBySide) {
  ScratchFolder folder;
  ManyFiles files(LocalFiles(), 3);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        auto file =
            AtomicFile::Create(files, folder / fmt::format("{}-{}", t, i));
        ASSERT_OK(file.status());
        ASSERT_OK((*file)->Append("a"));
        std::this_thread::yield();
        ASSERT_OK((*file)->Append("b"));
        ASSERT_OK((*file)->Commit());
      }
    });
  }
  threads.clear();
  ASSERT_OK(files.SyncFolders());
  for (int t = 0; t < 8; ++t) {
    EXPECT_EQ(folder.Read(fmt::format("{}-7", t)), "ab");
  }
}

TEST(ManyFilesTest, TheFolderIsSyncedOnceAndLastsThen) {
  ScratchFolder folder;
  FaultyCalls calls;
  PosixFiles disk(calls);
  ManyFiles files(disk, 2);
  for (int i = 0; i < 10; ++i) {
    ASSERT_OK(WriteFileAtomically(files, folder / std::to_string(i), "x"));
  }
  EXPECT_EQ(calls.count(Call::kSync), 10u);
  ASSERT_OK(files.SyncFolders());
  EXPECT_EQ(calls.count(Call::kSync), 11u);
  calls.LosePower();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(folder.Read(std::to_string(i)), "x");
}

TEST(ManyFilesTest, AFileThatCannotBeClosedForAnotherFailsItsNextCall) {
  ScratchFolder folder;
  FaultyCalls calls;
  PosixFiles disk(calls);
  ManyFiles files(disk, 1);
  ASSERT_OK_AND_ASSIGN(auto first, files.OpenForWrite(folder / "a"));
  ASSERT_OK(first->Append("x"));
  calls.FailAt(Call::kClose, 0, EIO);
  ASSERT_OK_AND_ASSIGN(auto second, files.OpenForWrite(folder / "b"));
  EXPECT_THAT(first->Append("y"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("cannot close")));
  EXPECT_THAT(first->Sync(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("cannot close")));
  EXPECT_OK(second->Append("z"));
}

class FewDescriptorsTest : public ::testing::Test {
 protected:
  Outcome Run(const std::string& limit, const std::string& line) {
    // Redirected first, as the shell needs a descriptor for that. What this
    // program was started with is closed, so that the limit is what is left.
    return RunShell(fmt::format(
        "exec 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit {}; exec {}/{}",
        limit, PENSTOCK_BIN_DIR, line));
  }
  std::string Datagen(int shards) {
    std::string text;
    for (int i = 0; i < 600; ++i) text += fmt::format("document {}\n", i);
    folder_.Write("corpus.txt", text);
    return fmt::format(
        "datagen --input {} --output {} --name a --unit line --tokenizer bytes "
        "--shards {} --quiet --overwrite",
        folder_ / "corpus.txt", folder_ / "data", shards);
  }
  std::string Simulation(int shards, int hosts) {
    return fmt::format(
        "infeedsim {}data/a-train.tfrecord@{} --by tokens --buckets 64 "
        "--batch 16 --cores 4 --hosts {} --step-time 0 --compile-time 0",
        folder_ / "", shards, hosts);
  }

  ScratchFolder folder_;
};

TEST_F(FewDescriptorsTest, MoreShardsThanDescriptorsAreWrittenAndRead) {
  const Outcome made = Run("-n 64", Datagen(300));
  EXPECT_EQ(made.exit_code, 0) << made.output;
  const Outcome verified = Run(
      "-n 64", "recordtool verify -q " + folder_ / "data/a-train.tfrecord@300");
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("300 files, 600 records"));
  for (const int hosts : {1, 4}) {
    const Outcome read = Run("-n 64", Simulation(300, hosts));
    EXPECT_EQ(read.exit_code, 0) << read.output;
  }
}

TEST_F(FewDescriptorsTest, ASoftLimitIsRaised) {
  const Outcome made = Run("-Sn 16", Datagen(40));
  EXPECT_EQ(made.exit_code, 0) << made.output;
  EXPECT_EQ(Run("-Sn 16", Simulation(40, 2)).exit_code, 0);
}

// Sanitizers need descriptors of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(FewDescriptorsTest, TooFewAreTold) {
  const Outcome made = Run("-n 4", Datagen(4));
  EXPECT_EQ(made.exit_code, 1);
  EXPECT_THAT(made.output,
              AllOf(HasSubstr("Too many open files"),
                    HasSubstr("this process may have 4 open, which `ulimit -n` "
                              "raises")));
}
#endif

}  // namespace
}  // namespace penstock
