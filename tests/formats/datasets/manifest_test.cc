#include "formats/datasets/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Manifest Whole() {
  return {
      .tool_version = "0.1.0",
      .dataset = "prose",
      .kind = DatasetKind::kTokenized,
      .tokenizer = ManifestTokenizer{.description = "byte tokenizer",
                                     .fingerprint = 0x00ff00ff12345678},
      .features = {{.name = "tokens", .type = FeatureType::kInt64},
                   {.name = "score", .type = FeatureType::kFloat, .length = 1}},
      .shards = {{.file = "prose-00000-of-00002",
                  .records = 3,
                  .size_bytes = 1ull << 40,
                  .crc32c = 0x0a},
                 {.file = "prose-00001-of-00002",
                  .records = 4,
                  .size_bytes = 0,
                  .crc32c = 0xe3069283}}};
}

class ManifestTest : public ::testing::Test {
 protected:
  // What Load says to a good manifest after `change`.
  template <typename Change>
  Status LoadChanged(Change change) {
    EXPECT_OK(Whole().Save(LocalFiles(), folder_ / "manifest.json"));
    auto json = nlohmann::json::parse(folder_.Read("manifest.json"));
    change(json);
    return LoadText(json.dump());
  }
  Status LoadText(const std::string& text) {
    return Manifest::Load(LocalFiles(), folder_.Write("manifest.json", text))
        .status();
  }

  ScratchFolder folder_;
};

TEST_F(ManifestTest, WhatIsSavedIsLoaded) {
  const std::string path = folder_ / "manifest.json";
  ASSERT_OK(Whole().Save(LocalFiles(), path));
  ASSERT_OK_AND_ASSIGN(const Manifest loaded,
                       Manifest::Load(LocalFiles(), path));
  EXPECT_EQ(loaded.tool_version, "0.1.0");
  EXPECT_EQ(loaded.dataset, "prose");
  EXPECT_EQ(loaded.kind, DatasetKind::kTokenized);
  ASSERT_TRUE(loaded.tokenizer);
  EXPECT_EQ(loaded.tokenizer->description, "byte tokenizer");
  EXPECT_EQ(loaded.tokenizer->fingerprint, 0x00ff00ff12345678);
  ASSERT_EQ(loaded.features.size(), 2);
  EXPECT_EQ(loaded.features[0].length, ManifestFeature::kAnyLength);
  EXPECT_EQ(loaded.features[1].name, "score");
  EXPECT_EQ(loaded.features[1].type, FeatureType::kFloat);
  EXPECT_EQ(loaded.features[1].length, 1);
  ASSERT_EQ(loaded.shards.size(), 2);
  EXPECT_EQ(loaded.shards[0].size_bytes, 1ull << 40);
  EXPECT_EQ(loaded.shards[1].file, "prose-00001-of-00002");
  EXPECT_EQ(loaded.shards[1].crc32c, 0xe3069283);
  EXPECT_EQ(loaded.records(), 7);
}

TEST_F(ManifestTest, TheEncodingOfTokensIsKept) {
  Manifest manifest = Whole();
  manifest.features[0] = {
      .name = "tokens", .length = 1, .encoding = FeatureEncoding::kUint16};
  const std::string path = folder_ / "a-train.manifest.json";
  ASSERT_OK(manifest.Save(LocalFiles(), path));
  ASSERT_OK_AND_ASSIGN(
      const auto loaded,
      LoadManifestBeside(LocalFiles(),
                         folder_ / "a-train.tfrecord-00000-of-00002"));
  ASSERT_TRUE(loaded.has_value());
  ASSERT_NE(loaded->Find("tokens"), nullptr);
  EXPECT_EQ(loaded->Find("tokens")->encoding, FeatureEncoding::kUint16);
  EXPECT_EQ(loaded->Find("score")->encoding, FeatureEncoding::kPlain);
  EXPECT_THAT(LoadChanged([](auto& json) {
                json["features"][0]["encoding"] = "uint16";
              }),
              StatusIs(StatusCode::kDataLoss,
                       HasSubstr("\"features[0].encoding\" is for bytes")));
}

TEST_F(ManifestTest, WhatWasSkippedIsKeptAndElseNotMentioned) {
  const std::string path = folder_ / "manifest.json";
  Manifest manifest = Whole();
  ASSERT_OK(manifest.Save(LocalFiles(), path));
  EXPECT_EQ(folder_.Read("manifest.json").find("skipped"), std::string::npos);
  manifest.skipped = {.places = 3, .bytes = 250};
  ASSERT_OK(manifest.Save(LocalFiles(), path));
  ASSERT_OK_AND_ASSIGN(const Manifest loaded,
                       Manifest::Load(LocalFiles(), path));
  EXPECT_EQ(loaded.skipped.places, 3u);
  EXPECT_EQ(loaded.skipped.bytes, 250u);
}

TEST_F(ManifestTest, FilesWithoutAManifestHaveNone) {
  for (const char* name : {"a.tfrecord", "a.txt"}) {
    ASSERT_OK_AND_ASSIGN(const auto none,
                         LoadManifestBeside(LocalFiles(), folder_ / name));
    EXPECT_FALSE(none.has_value());
  }
}

TEST_F(ManifestTest, AFolderNamedLikeAShardLeadsToNoManifest) {
  ASSERT_OK(Whole().Save(LocalFiles(), folder_ / "a.manifest.json"));
  for (const char* name : {"a.tfrecord-old/b-00000-of-00001", "a.tfrecord/b"}) {
    ASSERT_OK_AND_ASSIGN(const auto none,
                         LoadManifestBeside(LocalFiles(), folder_ / name));
    EXPECT_FALSE(none.has_value()) << name;
  }
}

TEST_F(ManifestTest, TheTokenizerMayBeMissing) {
  Manifest manifest = Whole();
  manifest.kind = DatasetKind::kRaw;
  manifest.tokenizer.reset();
  ASSERT_OK(manifest.Save(LocalFiles(), folder_ / "m.json"));
  ASSERT_OK_AND_ASSIGN(const Manifest loaded,
                       Manifest::Load(LocalFiles(), folder_ / "m.json"));
  EXPECT_FALSE(loaded.tokenizer);
  EXPECT_EQ(loaded.kind, DatasetKind::kRaw);
}

TEST_F(ManifestTest, TheSameManifestHasTheSameBytes) {
  ASSERT_OK(Whole().Save(LocalFiles(), folder_ / "a.json"));
  ASSERT_OK(Whole().Save(LocalFiles(), folder_ / "b.json"));
  EXPECT_EQ(folder_.Read("a.json"), folder_.Read("b.json"));
}

TEST_F(ManifestTest, EveryDefectNamesTheFileAndTheKey) {
  using Json = nlohmann::json;
  const auto refused = [&](auto change, const std::string& words) {
    EXPECT_THAT(
        LoadChanged(change),
        StatusIs(StatusCode::kDataLoss,
                 AllOf(HasSubstr("manifest.json: "), HasSubstr(words))));
  };
  refused([](Json& j) { j.erase("dataset"); }, "\"dataset\" is missing");
  refused([](Json& j) { j["dataset"] = 1; }, "\"dataset\" is no string");
  refused([](Json& j) { j["kind"] = "x"; }, "\"kind\" is none of raw, tokeni");
  refused([](Json& j) { j["shards"] = "x"; }, "\"shards\" is no list");
  refused([](Json& j) { j["shards"][1] = 1; }, "\"shards[1]\" is no object");
  refused([](Json& j) { j["shards"][1].erase("records"); },
          "\"shards[1].records\" is missing");
  refused([](Json& j) { j["shards"][0]["records"] = -1; },
          "\"shards[0].records\" is no whole number from 0 up");
  refused([](Json& j) { j["shards"][0]["records"] = 1.5; },
          "\"shards[0].records\" is no whole number");
  refused([](Json& j) { j["shards"][0]["records"] = 2; },
          "\"records\" is not the sum of the shards' records");
  refused([](Json& j) { j["shards"].erase(1); }, "is not the sum");
  refused([](Json& j) { j["shards"][0]["crc32c"] = "E3069283"; },
          "\"shards[0].crc32c\" is not 8 hexadecimal digits");
  refused([](Json& j) { j["shards"][1]["file"] = "prose-00000-of-00002"; },
          "\"shards[1].file\" comes twice");
  refused([](Json& j) { j["features"][0]["type"] = "int32"; },
          "\"features[0].type\" is none of bytes, float, int64");
  refused([](Json& j) { j["features"][1]["name"] = "tokens"; },
          "\"features[1].name\" comes twice");
  refused([](Json& j) { j["tokenizer"]["fingerprint"] = 7; },
          "\"tokenizer.fingerprint\" is no string");
  refused([](Json& j) { j = Json::array(); }, "the file is no object");
  for (const char* name : {"", ".", "..", "../x", "/etc/passwd", "a/b"}) {
    refused([&](Json& j) { j["shards"][0]["file"] = name; },
            "\"shards[0].file\" is no file name without a folder");
  }
}

TEST_F(ManifestTest, AKeyThatComesTwiceIsRefusedAtAnyDepth) {
  ASSERT_OK(Whole().Save(LocalFiles(), folder_ / "whole.json"));
  const std::string text = folder_.Read("whole.json");
  for (const std::string key :
       {"dataset", "fingerprint", "type", "size_bytes"}) {
    std::string twice = text;
    twice.insert(twice.find("\"" + key + "\""), "\"" + key + "\": 0, ");
    EXPECT_THAT(
        LoadText(twice),
        StatusIs(StatusCode::kDataLoss, HasSubstr("manifest.json: the key \"" +
                                                  key + "\" comes twice")));
  }
}

TEST_F(ManifestTest, ALaterLayoutIsNotGuessedAt) {
  EXPECT_THAT(
      LoadChanged([](nlohmann::json& j) { j["penstock_manifest"] = 2; }),
      StatusIs(StatusCode::kUnimplemented,
               AllOf(HasSubstr("manifest.json: "), HasSubstr("layout 2"))));
}

// No cut leaves something that passes for a manifest, but of its last newline.
TEST_F(ManifestTest, ACutManifestIsRefusedWhereverItIsCut) {
  ASSERT_OK(Whole().Save(LocalFiles(), folder_ / "whole.json"));
  const std::string text = folder_.Read("whole.json");
  for (size_t size = 0; size + 1 < text.size(); size += kCaseStride) {
    ASSERT_THAT(LoadText(text.substr(0, size)),
                StatusIs(StatusCode::kDataLoss,
                         HasSubstr("manifest.json: not JSON from byte")));
  }
}

TEST_F(ManifestTest, WhatCouldNotBeLoadedIsNotSaved) {
  const std::string path = folder_ / "manifest.json";
  Manifest manifest = Whole();
  manifest.shards[0].file = "folder/shard";
  EXPECT_THAT(
      manifest.Save(LocalFiles(), path),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("\"shards[0].file\"")));
  manifest = Whole();
  manifest.dataset = "\xff";
  EXPECT_THAT(manifest.Save(LocalFiles(), path),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("UTF-8")));
  manifest = Whole();
  manifest.features[0].length = -3;
  EXPECT_THAT(manifest.Save(LocalFiles(), path),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("length")));
  EXPECT_THAT(Manifest::Load(LocalFiles(), path),
              StatusIs(StatusCode::kNotFound, HasSubstr(path)));
}

}  // namespace
}  // namespace penstock::testing
