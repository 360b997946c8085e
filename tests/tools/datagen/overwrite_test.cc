// What --overwrite leaves when it cannot go on, and what it refuses.

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "formats/datasets/tfds_folder.h"
#include "formats/files/posix_files.h"
#include "tests/support/effort.h"
#include "tests/support/ended_process.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tools/datagen/conversion.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using testing::Call;
using ::testing::ElementsAre;
using testing::FaultyCalls;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchFolder;
using testing::StatusIs;

namespace fs = std::filesystem;

class OverwriteTest : public ::testing::Test {
 protected:
  OverwriteTest() {
    folder_.Write("old.txt", "an\nold\ncorpus\n");
    folder_.Write("new.txt", "a new\ncorpus\n");
  }

  ConversionOptions Options(const std::string& corpus) {
    ConversionOptions options;
    options.inputs = {folder_ / corpus};
    options.output = folder_ / "out";
    options.name = "d";
    options.corpus.open.text_unit = TextUnit::kLine;
    options.shards = 2;
    options.threads = 1;
    options.overwrite = true;
    options.quiet = true;
    options.on_notice = [this](std::string_view line) {
      notices_.emplace_back(line);
    };
    return options;
  }

  // By name; indexes without what they hold, as that has times in it.
  std::map<std::string, std::string> Contents() {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
      const std::string name = entry.path().filename();
      contents[name] = entry.is_directory() || name.ends_with(".index")
                           ? ""
                           : folder_.Read("out/" + name);
    }
    return contents;
  }

  ScratchFolder folder_;
  std::vector<std::string> notices_;
};

TEST_F(OverwriteTest, ABadLineLeavesTheOldDatasetAsItWas) {
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  const auto old = Contents();
  folder_.Write("bad.jsonl", "{\"text\":\"good\"}\n{\"text\":\n");
  EXPECT_THAT(ConvertCorpus(LocalFiles(), Options("bad.jsonl")),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bad.jsonl:2")));
  EXPECT_EQ(Contents(), old);
}

TEST_F(OverwriteTest, AnyFailedCallLeavesOldOrNewOrSaysWhoFinishes) {
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  const auto old = Contents();
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("new.txt")));
  const auto fresh = Contents();
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  for (const auto& [call, error] :
       {std::pair(Call::kWrite, ENOSPC), std::pair(Call::kSync, EIO),
        std::pair(Call::kClose, EDQUOT), std::pair(Call::kRename, EACCES),
        std::pair(Call::kUnlink, EIO), std::pair(Call::kMkdir, ENOSPC),
        std::pair(Call::kList, EIO), std::pair(Call::kLink, EMFILE)}) {
    uint64_t n = 0;
    for (bool failed = true; failed; n += testing::kCaseStride) {
      FaultyCalls calls;
      PosixFiles files(calls);
      calls.FailAt(call, n, error);
      const Status status = ConvertCorpus(files, Options("new.txt")).status();
      failed = calls.count(call) > n;
      const auto now = Contents();
      const bool begun = now.contains(".d-train.switch");
      const bool finishes =
          status.message().find("the next run") != std::string::npos;
      EXPECT_EQ(begun && !status.ok(), finishes) << n << " " << status;
      if (!status.ok() && !begun && call != Call::kUnlink) {
        EXPECT_TRUE(now == old || now == fresh) << n << " " << status;
      }
      // This process still lives, so a lock that could not be removed holds.
      fs::remove(folder_ / "out/.d-train.lock");
      fs::remove(folder_ / "out/.dataset_info.lock");
      // The next run makes the old one again, whatever it finds.
      FaultyCalls sound;
      PosixFiles sound_files(sound);
      ASSERT_OK(ConvertCorpus(sound_files, Options("old.txt")))
          << n << " " << status;
      const auto again = Contents();
      for (const auto& [name, bytes] : old) {
        EXPECT_EQ(again.at(name), bytes) << n << " " << status;
      }
    }
    EXPECT_GT(n, 2u);
  }
}

TEST_F(OverwriteTest, ADamagedManifestDoesNotHinderIt) {
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  folder_.Write("out/d-train.manifest.json", "{");
  ConversionOptions options = Options("new.txt");
  options.shards = 1;
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  EXPECT_FALSE(fs::exists(folder_ / "out/d-train.tfrecord-00000-of-00002"));
  EXPECT_EQ(Contents().size(), 5u);
}

TEST_F(OverwriteTest, IndexesOfEveryKindGoWithTheirShards) {
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  folder_.Write("out/d-train.tfrecord-00000-of-00002.idx", "0 10\n");
  ConversionOptions options = Options("new.txt");
  options.compression = Compression::kZlib;  // has no index
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  std::vector<std::string> names;
  for (const auto& [name, bytes] : Contents()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("d-train.manifest.json",
                                 "d-train.tfrecord-00000-of-00002",
                                 "d-train.tfrecord-00001-of-00002"));
}

TEST_F(OverwriteTest, FilesThatTheManifestDoesNotNameStay) {
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  folder_.Write("out/d-train.tfrecord-00000-of-00007", "not ours");
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("new.txt")));
  EXPECT_EQ(folder_.Read("out/d-train.tfrecord-00000-of-00007"), "not ours");
}

TEST_F(OverwriteTest, ShardsWithoutAManifestAreNotReplacedUnlessAsked) {
  fs::create_directory(folder_ / "out");
  folder_.Write("out/d-train.tfrecord-00000-of-00002", "somebody's");
  ConversionOptions options = Options("new.txt");
  options.overwrite = false;
  EXPECT_THAT(ConvertCorpus(LocalFiles(), options),
              StatusIs(StatusCode::kAlreadyExists,
                       AllOf(HasSubstr("d-train.tfrecord-00000-of-00002"),
                             HasSubstr("without a manifest"))));
  EXPECT_EQ(folder_.Read("out/d-train.tfrecord-00000-of-00002"), "somebody's");
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("new.txt")));
}

TEST_F(OverwriteTest, AFolderLinkOrPipeInPlaceOfAFileIsRefused) {
  fs::create_directory(folder_ / "out");
  const std::string shard = folder_ / "out/d-train.tfrecord-00001-of-00002";
  const std::string manifest = folder_ / "out/d-train.manifest.json";
  for (const std::string& path : {shard, shard + ".index", manifest}) {
    const std::string name = path.substr(path.rfind('/') + 1);
    fs::create_directory(path);
    EXPECT_THAT(ConvertCorpus(LocalFiles(), Options("new.txt")),
                StatusIs(StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(name), HasSubstr("is a folder"))));
    fs::remove(path);
    fs::create_symlink(folder_ / "old.txt", path);
    EXPECT_THAT(ConvertCorpus(LocalFiles(), Options("new.txt")),
                StatusIs(StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(name), HasSubstr("is a link"))));
    fs::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(ConvertCorpus(LocalFiles(), Options("new.txt")),
                StatusIs(StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(name), HasSubstr("device or pipe"))));
    EXPECT_TRUE(fs::is_fifo(path));
    fs::remove(path);
    EXPECT_THAT(Contents(), IsEmpty());
  }
  EXPECT_EQ(folder_.Read("old.txt"), "an\nold\ncorpus\n");
}

TEST_F(OverwriteTest, AnOutputFolderThatIsALinkIsFollowed) {
  fs::create_directory(folder_ / "far");
  fs::create_directory_symlink(folder_ / "far", folder_ / "out");
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("new.txt")));
  EXPECT_TRUE(fs::is_symlink(folder_ / "out"));
  EXPECT_TRUE(fs::exists(folder_ / "far/d-train.manifest.json"));
}

TEST_F(OverwriteTest, LeftoversOfADeadRunAreClearedAndTold) {
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  const auto size = Contents().size();
  fs::create_directory(folder_ / "out/.d-train.new");
  folder_.Write("out/.d-train.new/d-train.tfrecord-00000-of-00002", "half");
  folder_.Write(fmt::format("out/.dataset_info.json.{}-00000001.tmp",
                            OwnerText(testing::EndedProcess())),
                "half");
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("new.txt")));
  EXPECT_EQ(Contents().size(), size);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("removed 2 files")));
}

TEST_F(OverwriteTest, ABrokenDescriptionIsNamedBeforeAnythingIsWritten) {
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  folder_.Write("out/dataset_info.json", "{");
  const auto old = Contents();
  EXPECT_THAT(ConvertCorpus(LocalFiles(), Options("new.txt")),
              StatusIs(StatusCode::kDataLoss, HasSubstr("dataset_info.json")));
  EXPECT_EQ(Contents(), old);
  ConversionOptions options = Options("new.txt");
  options.tfds = false;
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
}

TEST_F(OverwriteTest, OtherSplitsKeepTheirDescriptionWhereOneIsReplaced) {
  fs::create_directory(folder_ / "out");
  folder_.Write("out/dataset_info.json", R"({"name": "d", "citation": "Us.",
      "splits": [{"name": "train", "shardLengths": ["1"]},
                 {"name": "test", "shardLengths": ["1"],
                  "filepathTemplate": "{SPLIT}.{FILEFORMAT}"}]})");
  const std::string features =
      R"({"featuresDict": {"features": {"clip": {"audio": {}}}}})";
  folder_.Write("out/features.json", features);
  folder_.Write("out/test.tfrecord", "");
  ASSERT_OK_AND_ASSIGN(const ConversionResult result,
                       ConvertCorpus(LocalFiles(), Options("new.txt")));
  EXPECT_THAT(result.no_tfds, HasSubstr("is of other features"));
  EXPECT_EQ(folder_.Read("out/features.json"), features);
  EXPECT_THAT(folder_.Read("out/dataset_info.json"), HasSubstr("Us."));
  ASSERT_OK_AND_ASSIGN(const TfdsInfo info,
                       TfdsInfo::Load(LocalFiles(), folder_ / "out"));
  EXPECT_EQ(info.Find("train"), nullptr);
  ASSERT_NE(info.Find("test"), nullptr);
  EXPECT_THAT(info.Find("test")->shards, ElementsAre("test.tfrecord"));
}

TEST_F(OverwriteTest, ASplitBesideOthersWithoutFeaturesIsWrittenAndSaysSo) {
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("old.txt")));
  fs::remove(folder_ / "out/features.json");
  ConversionOptions options = Options("new.txt");
  options.split = "test";
  ASSERT_OK_AND_ASSIGN(const ConversionResult result,
                       ConvertCorpus(LocalFiles(), options));
  EXPECT_THAT(result.no_tfds, HasSubstr("no features.json"));
  EXPECT_FALSE(fs::exists(folder_ / "out/.d-test.switch"));
  EXPECT_TRUE(fs::exists(folder_ / "out/d-test.manifest.json"));
}

TEST_F(OverwriteTest, ADescriptionOfOtherFilesHindersNoDatasetBesideIt) {
  fs::create_directory(folder_ / "out");
  const std::string info = R"({"name": "d", "fileFormat": "array_record",
                               "splits": [{"name": "train"}]})";
  folder_.Write("out/dataset_info.json", info);
  ConversionOptions options = Options("new.txt");
  options.tfds = false;
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  EXPECT_EQ(folder_.Read("out/dataset_info.json"), info);
}

TEST_F(OverwriteTest, WhatAFolderOrPatternFindsOfItsOwnOutputIsRefused) {
  fs::create_directory(folder_ / "in");
  folder_.Write("in/a.txt", "a\n");
  ConversionOptions options = Options("in");
  options.output = folder_ / "in/out";
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  const auto refused = StatusIs(StatusCode::kInvalidArgument,
                                AllOf(HasSubstr("d-train.tfrecord-00000"),
                                      HasSubstr("--allow-own-output")));
  EXPECT_THAT(ConvertCorpus(LocalFiles(), options), refused);
  options.output = folder_ / "elsewhere";
  EXPECT_THAT(ConvertCorpus(LocalFiles(), options), refused);
  EXPECT_FALSE(fs::exists(options.output));
  options.inputs = {folder_ / "in/out/*.tfrecord-*"};
  EXPECT_THAT(ConvertCorpus(LocalFiles(), options), refused);
  options.allow_own_output = true;
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
}

TEST_F(OverwriteTest, WhatAnInputNamesItselfIsRead) {
  ConversionOptions options = Options("old.txt");
  options.output = folder_.path();
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  options.inputs = {folder_ / "d-train.tfrecord@2"};
  options.name = "again";
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
}

}  // namespace
}  // namespace penstock
