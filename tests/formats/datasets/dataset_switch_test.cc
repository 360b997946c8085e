#include "formats/datasets/dataset_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/datasets/manifest.h"
#include "formats/datasets/shard_names.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DatasetSwitchTest : public ::testing::Test {
 protected:
  ScratchFolder folder_{ScratchFolder::kMemory};
  const DatasetPlaces places_ = {.folder = folder_.path(), .stem = "d-train"};
  const DatasetSwitch plan_ = {.removes = {"old \n\"1"},
                               .moves = {"new", "d-train.manifest.json"},
                               .tfds = true};
};

TEST_F(DatasetSwitchTest, WhatIsSavedIsLoaded) {
  EXPECT_THAT(DatasetSwitch::Load(LocalFiles(), places_),
              StatusIs(StatusCode::kNotFound, HasSubstr(".d-train.switch")));
  ASSERT_OK(plan_.Save(LocalFiles(), places_));
  ASSERT_OK_AND_ASSIGN(const DatasetSwitch loaded,
                       DatasetSwitch::Load(LocalFiles(), places_));
  EXPECT_EQ(loaded.removes, plan_.removes);
  EXPECT_EQ(loaded.moves, plan_.moves);
  EXPECT_EQ(loaded.tfds, plan_.tfds);
}

TEST_F(DatasetSwitchTest, AnyByteThatChangedOrIsGoneIsNoticed) {
  ASSERT_OK(plan_.Save(LocalFiles(), places_));
  const std::string text = folder_.Read(".d-train.switch");
  const auto damaged = StatusIs(
      StatusCode::kDataLoss,
      AllOf(HasSubstr(".d-train.switch"), HasSubstr("remove this file")));
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    folder_.Write(".d-train.switch", changed);
    EXPECT_THAT(DatasetSwitch::Load(LocalFiles(), places_), damaged) << i;
    folder_.Write(".d-train.switch", text.substr(0, i));
    EXPECT_THAT(DatasetSwitch::Load(LocalFiles(), places_), damaged) << i;
  }
}

TEST_F(DatasetSwitchTest, ReadersAreToldThatTheDatasetIsHalfReplaced) {
  const std::string shard =
      folder_.Write("d-train.tfrecord-00000-of-00001", "");
  folder_.Write("other.tfrecord", "");
  ASSERT_OK(ExpandPattern(LocalFiles(), folder_ / "d-train.tfrecord@1"));
  ASSERT_OK(plan_.Save(LocalFiles(), places_));
  const auto refused =
      StatusIs(StatusCode::kUnavailable,
               AllOf(HasSubstr(".d-train.switch"), HasSubstr("run datagen")));
  for (const std::string pattern :
       {"d-train.tfrecord@1", "d-train.tfrecord-00000-of-00001", "*"}) {
    EXPECT_THAT(ExpandPattern(LocalFiles(), folder_ / pattern), refused)
        << pattern;
  }
  EXPECT_THAT(LoadManifestBeside(LocalFiles(), shard), refused);
  ASSERT_OK(ExpandPattern(LocalFiles(), folder_ / "other.tfrecord"));
}

TEST_F(DatasetSwitchTest, OnlyItsOwnShardsAndTheirIndexesAreTheDatasets) {
  for (const std::string name : {"d-train.tfrecord-00000-of-00001",
                                 "d-train.tfrecord-123456-of-200000"}) {
    EXPECT_TRUE(places_.IsShard(name));
    EXPECT_EQ(places_.ShardOfIndex(name + ".index"), name);
    EXPECT_EQ(places_.ShardOfIndex(name + ".idx"), name);
    EXPECT_EQ(places_.ShardOfIndex("." + name + ".index"), name);
  }
  for (const std::string name :
       {"d-train.tfrecord-0000-of-00001", "d-train2.tfrecord-00000-of-00001",
        "d-train.tfrecord-00000-of-00001.gz",
        "xd-train.tfrecord-00000-of-00001", "d-train.tfrecord-00000of-00001",
        "d-train.tfrecord", "d-train", ""}) {
    EXPECT_FALSE(places_.IsShard(name)) << name;
    EXPECT_EQ(places_.ShardOfIndex(name + ".index"), "") << name;
  }
}

}  // namespace
}  // namespace penstock::testing
