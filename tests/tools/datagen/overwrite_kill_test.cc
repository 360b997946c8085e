// kill -9 in front of each system call of `datagen --overwrite`, and the power
// cut there.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "formats/datasets/manifest.h"
#include "formats/datasets/shard_names.h"
#include "formats/files/crc32c.h"
#include "formats/files/posix_files.h"
#include "formats/index/record_index.h"
#include "tests/support/dying_calls.h"
#include "tests/support/effort.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tools/datagen/conversion.h"

namespace penstock {
namespace {

using testing::Cases;
using testing::DyingCalls;
using testing::FaultyCalls;
using ::testing::HasSubstr;
using testing::kCaseStride;
using testing::ScratchFolder;
using testing::StatusIs;

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 8192;
constexpr char kManifest[] = "d-train.manifest.json";

enum class Found { kOld, kNew, kNothing, kHalf, kMixed };

// The process itself makes no thread: all that does is done by children.
class OverwriteKillTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    folder_.Write("old.txt", "an\nold\ncorpus\nof\nfive lines\n");
    folder_.Write("new.txt", "a new corpus\nof two lines\n");
    Make(files_, "old", /*shards=*/3, /*overwrite=*/false);
    old_ = Contents();
    fs::rename(folder_ / "out", folder_ / "old");
    Make(files_, "new", new_shards(), /*overwrite=*/false);
    new_ = Contents();
    fs::remove_all(folder_ / "out");
    ASSERT_EQ(old_.size(), 6u);
    ASSERT_EQ(new_.size(), 3u + static_cast<size_t>(new_shards()));
  }

  int new_shards() const { return GetParam(); }

  void PutOldThere() {
    fs::remove_all(folder_ / "out");
    fs::copy(folder_ / "old", folder_ / "out", fs::copy_options::recursive);
  }

  // The wait status of a child that makes the dataset of that corpus; it exits
  // with the code of the status.
  int Make(FileSystem& files, const std::string& corpus, int shards,
           bool overwrite) {
    const pid_t child = fork();
    if (child == 0) {
      _exit(static_cast<int>(Convert(files, corpus, shards, overwrite).code()));
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }

  Status Convert(FileSystem& files, const std::string& corpus, int shards,
                 bool overwrite) noexcept {
    ConversionOptions options;
    options.inputs = {folder_ / (corpus + ".txt")};
    options.output = folder_ / "out";
    options.name = "d";
    options.corpus.open.text_unit = TextUnit::kLine;
    options.shards = static_cast<uint32_t>(shards);
    options.threads = 1;
    options.overwrite = overwrite;
    options.quiet = true;
    return ConvertCorpus(files, options).status();
  }

  // True if it was killed.
  bool OverwriteAndDie(uint64_t instant) {
    DyingCalls calls(instant, kMostBytes);
    PosixFiles files(calls);
    const int status = Make(files, "new", new_shards(), /*overwrite=*/true);
    EXPECT_TRUE(WIFSIGNALED(status) || status == 0) << instant;
    return WIFSIGNALED(status);
  }

  // A run that wants to write nothing, so that all it does is to clear up.
  void RunNext() {
    const int status = Make(files_, "new", new_shards(), /*overwrite=*/false);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status),
              static_cast<int>(StatusCode::kAlreadyExists));
  }

  // By name, all but indexes, which hold the time of their file.
  std::map<std::string, std::string> Contents() {
    std::map<std::string, std::string> contents;
    if (!fs::exists(folder_ / "out")) return contents;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".index")) continue;
      contents[name] =
          entry.is_directory() ? "folder" : folder_.Read("out/" + name);
    }
    return contents;
  }

  // What somebody who reads through the manifest finds, checksums and all.
  Found Read() {
    const std::string first = folder_ / "out/d-train.tfrecord-00000-of-00003";
    const auto manifest = LoadManifestBeside(LocalFiles(), first);
    if (manifest.status().code() == StatusCode::kUnavailable) {
      EXPECT_FALSE(ExpandPattern(LocalFiles(), folder_ / "out/d-*").ok());
      const auto paths =
          ExpandPattern(LocalFiles(), folder_ / "out/d-train.tfrecord@3");
      EXPECT_EQ(paths.status().code(), StatusCode::kUnavailable);
      return Found::kHalf;
    }
    EXPECT_OK(manifest.status());
    if (!manifest->has_value()) return Found::kNothing;
    for (const ManifestShard& shard : (*manifest)->shards) {
      const std::string bytes = folder_.Read("out/" + shard.file);
      if (Crc32c(bytes) != shard.crc32c) return Found::kMixed;
    }
    const std::string now = folder_.Read(std::string("out/") + kManifest);
    return now == old_[kManifest] ? Found::kOld : Found::kNew;
  }

  // Old or new, with nothing beside it, and usable.
  Found CheckWhole() {
    const std::map<std::string, std::string> now = Contents();
    EXPECT_TRUE(now == old_ || now == new_);
    for (const auto& [name, bytes] : now) {
      if (name.find(".tfrecord") == std::string::npos) continue;
      EXPECT_OK(RecordIndex::Load(LocalFiles(), folder_ / ("out/" + name)));
    }
    size_t indexes = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
      indexes += entry.path().native().ends_with(".index");
    }
    EXPECT_EQ(indexes, now.size() - 3);
    return now == old_ ? Found::kOld : Found::kNew;
  }

  // What is there after the next run: who could read one of them before, goes
  // on reading that.
  Found WholeAfterNext(Found found) {
    RunNext();
    const Found whole = CheckWhole();
    if (found == Found::kOld || found == Found::kNew) {
      EXPECT_EQ(found, whole);
    }
    return whole;
  }

  ScratchFolder folder_{ScratchFolder::kMemory};
  DyingCalls immortal_{UINT64_MAX, kMostBytes};
  PosixFiles files_{immortal_};
  std::map<std::string, std::string> old_;
  std::map<std::string, std::string> new_;
};

TEST_P(OverwriteKillTest, AtEachInstantOldOrNewIsWholeAfterTheNextRun) {
  uint64_t instant = 0;
  std::map<Found, int> before;
  std::map<Found, int> after;
  for (bool killed = true; killed; instant += kCaseStride) {
    PutOldThere();
    killed = OverwriteAndDie(instant);
    const Found found = Read();
    ++before[found];
    ++after[WholeAfterNext(found)];
    ASSERT_FALSE(HasFailure()) << instant;
  }
  RecordProperty("instants", static_cast<int>(instant));
  EXPECT_EQ(before[Found::kMixed], 0);
  EXPECT_EQ(before[Found::kNothing], 0);
  EXPECT_GT(before[Found::kOld], Cases(50));
  EXPECT_GT(before[Found::kHalf], Cases(30));
  EXPECT_GT(before[Found::kNew], Cases(3));
  EXPECT_EQ(after[Found::kOld], before[Found::kOld]);
}

TEST_P(OverwriteKillTest, ARunThatFinishesAnotherMayBeKilledAtEachInstant) {
  uint64_t half = 0;
  for (Found found = Found::kOld; found == Found::kOld; half += 5) {
    PutOldThere();
    ASSERT_TRUE(OverwriteAndDie(half));
    found = Read();
  }
  const std::vector<uint64_t> instants =
      kCaseStride == 1 ? std::vector<uint64_t>{half, half + 20, half + 40}
                       : std::vector<uint64_t>{half + 20};
  for (const uint64_t instant : instants) {
    PutOldThere();
    ASSERT_TRUE(OverwriteAndDie(instant));
    fs::remove_all(folder_ / "half");
    fs::copy(folder_ / "out", folder_ / "half", fs::copy_options::recursive);
    bool killed = true;
    for (uint64_t second = 0; killed; second += kCaseStride) {
      fs::remove_all(folder_ / "out");
      fs::copy(folder_ / "half", folder_ / "out", fs::copy_options::recursive);
      DyingCalls calls(second, kMostBytes);
      PosixFiles files(calls);
      killed =
          WIFSIGNALED(Make(files, "new", new_shards(), /*overwrite=*/false));
      const Found found = Read();
      EXPECT_TRUE(found == Found::kHalf || found == Found::kNew) << second;
      RunNext();
      EXPECT_EQ(CheckWhole(), Found::kNew);
      ASSERT_FALSE(HasFailure()) << instant << " " << second;
    }
  }
}

TEST_P(OverwriteKillTest, APowerCutAtEachInstantLeavesOldOrNew) {
  std::map<Found, int> after;
  uint64_t instant = 0;
  for (bool cut = true; cut; instant += kCaseStride) {
    PutOldThere();
    FaultyCalls disk;
    DyingCalls calls(instant, kMostBytes, disk, [&] { disk.LosePower(); });
    PosixFiles files(calls);
    cut = WIFSIGNALED(Make(files, "new", new_shards(), /*overwrite=*/true));
    const Found found = Read();
    EXPECT_NE(found, Found::kMixed) << instant;
    EXPECT_NE(found, Found::kNothing) << instant;
    ++after[WholeAfterNext(found)];
    ASSERT_FALSE(HasFailure()) << instant;
  }
  RecordProperty("instants", static_cast<int>(instant));
  EXPECT_GT(after[Found::kOld], Cases(50));
  EXPECT_GT(after[Found::kNew], Cases(30));
}

TEST_P(OverwriteKillTest, AfterAKillTheNextOverwriteNeedsNoHelp) {
  for (uint64_t instant = 0;; instant += 7 * kCaseStride) {
    PutOldThere();
    if (!OverwriteAndDie(instant)) break;
    EXPECT_EQ(Make(files_, "new", new_shards(), /*overwrite=*/true), 0);
    EXPECT_EQ(CheckWhole(), Found::kNew) << instant;
  }
}

// As many shards as the old dataset has, and fewer.
INSTANTIATE_TEST_SUITE_P(Shards, OverwriteKillTest, ::testing::Values(3, 2));

}  // namespace
}  // namespace penstock
