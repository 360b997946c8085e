#include "formats/datasets/tfds_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/datasets/shard_names.h"
#include "formats/datasets/tfds_features.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As TFDS 4.9 writes them (keys of proto3 JSON, 64-bit numbers as strings).
constexpr char kInfo[] = R"({
  "fileFormat": "tfrecord", "name": "my_ds", "version": "1.0.0",
  "releaseNotes": {"1.0.0": "Initial release."},
  "splits": [
    {"filepathTemplate": "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}",
     "name": "train", "numBytes": "22783221428", "shardLengths": ["20", "21"]},
    {"name": "test", "shardLengths": ["7"]}]})";

constexpr char kFeatures[] = R"({
  "pythonClassName": "tensorflow_datasets.core.features.features_dict.FeaturesDict",
  "featuresDict": {"features": {
    "text": {"pythonClassName": "x.Text", "text": {}},
    "n": {"pythonClassName": "x.Scalar",
          "tensor": {"shape": {}, "dtype": "int64", "encoding": "none"}},
    "ids": {"tensor": {"shape": {"dimensions": ["-1"]}, "dtype": "int32",
                       "encoding": "none"}},
    "box": {"tensor": {"shape": {"dimensions": ["2", "4"]},
                       "dtype": "float32", "encoding": "none"}},
    "packed": {"tensor": {"shape": {"dimensions": ["-1"]}, "dtype": "uint16",
                          "encoding": "bytes"}},
    "image": {"image": {"shape": {"dimensions": ["-1", "-1", "3"]},
                        "dtype": "uint8", "encodingFormat": "jpeg"}},
    "label": {"classLabel": {"numClasses": "10"}},
    "answers": {"featuresDict": {"features": {"text": {"sequence":
      {"feature": {"text": {}}, "length": "-1"}}}}},
    "words": {"sequence": {"feature": {"sequence": {"feature":
      {"tensor": {"shape": {}, "dtype": "int64", "encoding": "none"}}}}}}
  }}})";

class TfdsFolderTest : public ::testing::Test {
 protected:
  Status LoadInfo(const std::string& text) {
    folder_.Write("dataset_info.json", text);
    return TfdsInfo::Load(LocalFiles(), folder_.path()).status();
  }
  Status LoadFeatures(const std::string& text) {
    folder_.Write("features.json", text);
    return LoadTfdsFeatures(LocalFiles(), folder_.path()).status();
  }

  ScratchFolder folder_;
};

TEST_F(TfdsFolderTest, SplitsNameTheirShardsAndRecords) {
  ASSERT_OK(LoadInfo(kInfo));
  ASSERT_OK_AND_ASSIGN(const TfdsInfo info,
                       TfdsInfo::Load(LocalFiles(), folder_.path()));
  EXPECT_EQ(info.name, "my_ds");
  const TfdsSplit* train = info.Find("train");
  ASSERT_NE(train, nullptr);
  EXPECT_EQ(train->size_bytes, 22783221428u);
  EXPECT_THAT(train->shard_records, ElementsAre(20, 21));
  EXPECT_THAT(train->shards,
              ElementsAre("my_ds-train.tfrecord-00000-of-00002",
                          "my_ds-train.tfrecord-00001-of-00002"));
  EXPECT_THAT(info.Find("test")->shards,
              ElementsAre("my_ds-test.tfrecord-00000-of-00001"));
}

TEST_F(TfdsFolderTest, APatternNamesASplit) {
  ASSERT_OK(LoadInfo(kInfo));
  for (const char* name :
       {"train.tfrecord-00000-of-00002", "train.tfrecord-00001-of-00002",
        "test.tfrecord-00000-of-00001"}) {
    folder_.Write(std::string("my_ds-") + name, "");
  }
  EXPECT_THAT(*ExpandPattern(LocalFiles(), folder_.path() + "@test"),
              ElementsAre(folder_ / "my_ds-test.tfrecord-00000-of-00001"));
  EXPECT_THAT(ExpandPattern(LocalFiles(), folder_.path()),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("the splits train, test"),
                             HasSubstr("@SPLIT"))));
  EXPECT_THAT(ExpandPattern(LocalFiles(), folder_.path() + "@valid"),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("the splits train, test")));
}

// While its shards are moved it is in no description.
TEST_F(TfdsFolderTest, ASplitThatIsBeingReplacedIsUnavailable) {
  folder_.Write(".my_ds-valid.switch", "");
  const auto unavailable = StatusIs(StatusCode::kUnavailable,
                                    HasSubstr("my_ds-valid is being replaced"));
  EXPECT_THAT(ExpandPattern(LocalFiles(), folder_.path() + "@valid"),
              unavailable);
  EXPECT_THAT(ExpandPattern(LocalFiles(), folder_.path()), unavailable);
  ASSERT_OK(LoadInfo(kInfo));
  EXPECT_THAT(ExpandPattern(LocalFiles(), folder_.path() + "@valid"),
              unavailable);
  folder_.Write("my_ds-test.tfrecord-00000-of-00001", "");
  EXPECT_OK(ExpandPattern(LocalFiles(), folder_.path() + "@test"));
  EXPECT_THAT(ExpandPattern(LocalFiles(), folder_.path() + "@nope"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("test")));
}

TEST_F(TfdsFolderTest, AMissingShardIsNamed) {
  ASSERT_OK(LoadInfo(kInfo));
  EXPECT_THAT(ExpandPattern(LocalFiles(), folder_.path() + "@test"),
              StatusIs(StatusCode::kNotFound,
                       HasSubstr("my_ds-test.tfrecord-00000-of-00001")));
}

TEST_F(TfdsFolderTest, FeaturesBecomeSpecs) {
  ASSERT_OK(LoadFeatures(kFeatures));
  ASSERT_OK_AND_ASSIGN(const auto specs,
                       LoadTfdsFeatures(LocalFiles(), folder_.path()));
  const auto find = [&](std::string_view name) -> FeatureSpec {
    for (const FeatureSpec& spec : specs) {
      if (spec.name == name) return spec;
    }
    ADD_FAILURE() << name;
    return {};
  };
  EXPECT_EQ(specs.size(), 9);
  EXPECT_EQ(find("text").type, FeatureType::kBytes);
  EXPECT_EQ(find("text").length, 1);
  EXPECT_EQ(find("n").type, FeatureType::kInt64);
  EXPECT_EQ(find("n").length, 1);
  EXPECT_EQ(find("ids").length, FeatureSpec::kAnyLength);
  EXPECT_EQ(find("box").type, FeatureType::kFloat);
  EXPECT_THAT(find("box").shape, ElementsAre(2, 4));
  EXPECT_EQ(find("packed").encoding, FeatureEncoding::kUint16);
  EXPECT_EQ(find("image").type, FeatureType::kBytes);
  EXPECT_EQ(find("label").type, FeatureType::kInt64);
  EXPECT_EQ(find("answers/text").length, FeatureSpec::kAnyLength);
  EXPECT_TRUE(find("words").ragged);
  EXPECT_OK(CheckSpecs(specs));
}

TEST_F(TfdsFolderTest, WhatIsWrittenIsRead) {
  const std::vector<FeatureSpec> specs = {
      {.name = "text", .type = FeatureType::kBytes, .length = 1},
      {.name = "tokens"},
      {.name = "packed", .encoding = FeatureEncoding::kUint16},
      {.name = "box", .type = FeatureType::kFloat, .shape = {2, 4}},
      {.name = "words", .ragged = true}};
  const TfdsInfo info = {
      .name = "mine",
      .description = "Of mine.",
      .splits = {{.name = "train", .size_bytes = 9, .shard_records = {1, 2}}}};
  ASSERT_OK(SaveTfds(LocalFiles(), folder_.path(), info, specs));
  ASSERT_OK_AND_ASSIGN(const TfdsInfo loaded,
                       TfdsInfo::Load(LocalFiles(), folder_.path()));
  EXPECT_EQ(loaded.description, "Of mine.");
  EXPECT_THAT(loaded.Find("train")->shard_records, ElementsAre(1, 2));
  ASSERT_OK_AND_ASSIGN(const auto features,
                       LoadTfdsFeatures(LocalFiles(), folder_.path()));
  EXPECT_EQ(features.size(), specs.size());
  EXPECT_EQ(WriteTfdsFeatures(features).size(),
            WriteTfdsFeatures(specs).size());
}

TEST_F(TfdsFolderTest, UnknownFeatureTypesAreNamed) {
  const auto features = [](const std::string& one) {
    return R"({"featuresDict": {"features": {"clip": )" + one + "}}}";
  };
  EXPECT_THAT(
      LoadFeatures(features(
          R"({"pythonClassName": "tensorflow_datasets.Audio", "audio": {}})")),
      StatusIs(StatusCode::kUnimplemented,
               AllOf(HasSubstr("features.json"), HasSubstr("\"clip\""),
                     HasSubstr("tensorflow_datasets.Audio"))));
  EXPECT_THAT(LoadFeatures(features(
                  R"({"tensor": {"dtype": "complex64", "shape": {}}})")),
              StatusIs(StatusCode::kUnimplemented,
                       HasSubstr("of dtype \"complex64\"")));
  EXPECT_THAT(
      LoadFeatures(features(R"({"tensor": {"dtype": "int64",
                "shape": {"dimensions": ["-1"]}, "encoding": "zlib"}})")),
      StatusIs(StatusCode::kUnimplemented, HasSubstr("encoded as zlib")));
}

TEST_F(TfdsFolderTest, DefectsNameTheFileAndThePlace) {
  EXPECT_THAT(LoadInfo("{"),
              StatusIs(StatusCode::kDataLoss,
                       HasSubstr("dataset_info.json: not JSON")));
  EXPECT_THAT(
      LoadInfo(R"({"splits": []})"),
      StatusIs(StatusCode::kDataLoss, HasSubstr("\"name\" is missing")));
  EXPECT_THAT(
      LoadInfo(R"({"name": "a", "splits": [{"name": "t",
                "shardLengths": ["x"]}]})"),
      StatusIs(StatusCode::kDataLoss, HasSubstr("\"splits[0].shardLengths\"")));
  EXPECT_THAT(
      LoadInfo(R"({"name": "a", "splits": [{"name": "t",
                "shardLengths": ["1"], "filepathTemplate": "../{SPLIT}"}]})"),
      StatusIs(StatusCode::kDataLoss, HasSubstr("gives no plain file names")));
  EXPECT_THAT(LoadInfo(R"({"name": "a", "fileFormat": "array_record"})"),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("array_record")));
}

TEST_F(TfdsFolderTest, NamesThatTfdsDoesNotTakeAreRefused) {
  EXPECT_THAT(SaveTfds(LocalFiles(), folder_.path(), {.name = "a-b"}, {}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("a-b")));
}

}  // namespace
}  // namespace penstock::testing
