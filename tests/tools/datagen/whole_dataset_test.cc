// A dataset that is not what was written says so: at each open where that costs
// no reading of records, and by what `recordtool verify` does in every case.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/datasets/dataset_shards.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "pipeline/dataset.h"
#include "pipeline/pipeline.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"
#include "tools/datagen/conversion.h"
#include "tools/recordtool/dataset_proof.h"
#include "tools/recordtool/record_scan.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Not;
using testing::ScratchFolder;
using testing::StatusIs;
namespace fs = std::filesystem;

constexpr int kShards = 4;
constexpr char kBooksManifest[] = "data/books-train.manifest.json";

std::string Shard(int i) {
  return fmt::format("data/books-train.tfrecord-{:05}-of-{:05}", i, kShards);
}

class WholeDatasetTest : public ::testing::Test {
 protected:
  // Documents of one length, so that all shards and records have one size.
  void Make(int records, int record_bytes,
            Compression compression = Compression::kNone) {
    std::string text;
    for (int i = 0; i < records; ++i) {
      text += fmt::format("{:0>{}}\n", i, record_bytes);
    }
    folder_.Write("corpus.txt", text);
    ConversionOptions options;
    options.inputs = {folder_ / "corpus.txt"};
    options.output = folder_ / "data";
    options.name = "books";
    options.corpus.open.text_unit = TextUnit::kLine;
    options.shards = kShards;
    options.compression = compression;
    options.quiet = true;
    options.overwrite = true;
    const auto tokenizer = LoadTokenizer(LocalFiles(), "bytes");
    ASSERT_THAT(tokenizer, IsOk());
    options.tokenizer = *tokenizer;
    ASSERT_THAT(ConvertCorpus(LocalFiles(), options), IsOk());
    compression_ = compression;
    good_.clear();
    for (const auto& entry : fs::directory_iterator(folder_ / "data")) {
      const std::string name = "data/" + entry.path().filename().string();
      good_[name] = folder_.Read(name);
    }
  }

  // All files again as they were made; a file's time is no matter.
  void Restore() {
    for (const auto& entry : fs::directory_iterator(folder_ / "data")) {
      const std::string name = "data/" + entry.path().filename().string();
      if (!good_.contains(name)) fs::remove(entry.path());
    }
    for (const auto& [name, bytes] : good_) folder_.Write(name, bytes);
  }

  Status Open(const std::string& pattern) {
    const auto shards = DatasetShards::Find(LocalFiles(), folder_ / pattern);
    PENSTOCK_RETURN_IF_ERROR(shards.status());
    return shards->CheckAll(LocalFiles());
  }

  // The first thing that `recordtool verify` names.
  Status Verify(const std::string& pattern) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const DatasetShards shards,
        DatasetShards::Find(LocalFiles(), folder_ / pattern));
    Progress progress("verify", 0, /*quiet=*/true);
    const std::vector<FileScan> scans =
        ScanFiles(LocalFiles(), shards.paths(),
                  {.compression = compression_,
                   .threads = 2,
                   .on_corruption = OnCorruption::kFail,
                   .chain = true,
                   .part_bytes = 16 << 10},
                  progress);
    for (size_t i = 0; i < scans.size(); ++i) {
      PENSTOCK_RETURN_IF_ERROR(scans[i].status);
      PENSTOCK_RETURN_IF_ERROR(ProveShard(LocalFiles(), shards, i, scans[i]));
    }
    return ProveTfds(LocalFiles(), scans);
  }

  StatusOr<Pipeline> CompileIt(const std::string& pattern) {
    const Dataset dataset = Dataset::TfRecords(folder_ / pattern)
                                .Parse({{.name = "tokens"}})
                                .Bucket({.by = "tokens", .lengths = {512}})
                                .Batch({.size = 4});
    return Compile(dataset, Topology{});
  }

  void Copy(const std::string& from, const std::string& to) {
    folder_.Write(to, good_.at(from));
  }
  std::string Index(int i) {
    return IndexPath(folder_ / Shard(i)).substr((folder_ / "").size());
  }

  ScratchFolder folder_;
  std::map<std::string, std::string> good_;
  Compression compression_ = Compression::kNone;
};

// Where each record of `file`, which is right, begins, and its end.
std::vector<size_t> Places(const std::string& file) {
  std::vector<size_t> places = {0};
  while (places.back() < file.size()) {
    places.push_back(places.back() + kTfRecordFramingBytes +
                     LoadTfRecordHeader(&file[places.back()]).length);
  }
  return places;
}

std::string WithRecordsSwapped(std::string file, size_t a, size_t b) {
  const std::vector<size_t> at = Places(file);
  const std::string first = file.substr(at[a], at[a + 1] - at[a]);
  const std::string second = file.substr(at[b], at[b + 1] - at[b]);
  file.replace(at[b], second.size(), first);
  file.replace(at[a], first.size(), second);
  return file;
}

struct Damage {
  std::string what;
  std::function<void()> make;
  std::string words;  // of the first error
  StatusCode code = StatusCode::kDataLoss;
};

TEST_F(WholeDatasetTest, NoSwapCutOrEditOfADatasetIsSilent) {
  Make(/*records=*/80, /*record_bytes=*/100);
  ASSERT_OK(Open("data/books-train.tfrecord@4"));
  ASSERT_OK(Verify("data/books-train.tfrecord@4"));
  std::vector<Damage> damages;
  for (int i = 0; i < kShards; ++i) {
    const int other = (i + 1) % kShards;
    const std::string name = Shard(i);
    const std::string& good = good_.at(name);
    const std::vector<size_t> at = Places(good);
    const auto add = [&](const std::string& what, std::function<void()> make,
                         const std::string& words) {
      damages.push_back({fmt::format("{} {}", name, what), make, words});
    };
    const auto rewrite = [&](const std::string& what, std::string bytes,
                             const std::string& words) {
      add(
          what, [=, this] { folder_.Write(name, bytes); }, words);
    };
    const std::string sizes =
        fmt::format("bytes, but {} by its manifest", good.size());
    rewrite("emptied", "", sizes);
    rewrite("cut behind a record", good.substr(0, at[7]), sizes);
    rewrite("cut in a record", good.substr(0, at[7] + 9), sizes);
    rewrite("with its first record gone", good.substr(at[1]), sizes);
    rewrite("with a record doubled", good + good.substr(0, at[1]), sizes);
    rewrite("with records swapped", WithRecordsSwapped(good, 2, 9),
            "has other bytes");
    rewrite("with two records of one kind",
            good.substr(0, at[5]) + good.substr(at[4], at[5] - at[4]) +
                good.substr(at[6]),
            "has other bytes");
    std::string flipped = good;
    flipped[at[3] + 40] ^= 1;
    rewrite("with a bit flipped", flipped, "has other bytes");
    add(
        "replaced by its neighbour",
        [=, this] { Copy(Shard(other), Shard(i)); }, "has other bytes");
    add(
        "replaced with its index",
        [=, this] {
          Copy(Shard(other), Shard(i));
          Copy(Index(other), Index(i));
        },
        "has other bytes");
    add(
        "swapped with its neighbour",
        [=, this] {
          Copy(Shard(other), Shard(i));
          Copy(Index(other), Index(i));
          Copy(Shard(i), Shard(other));
          Copy(Index(i), Index(other));
        },
        "has other bytes");
    add(
        "beside a copy of it",
        [=, this] {
          folder_.Write("data/books-train.tfrecord-00009-of-00004", good);
        },
        "is none of the 4 shards that its manifest");
    add(
        "missing", [=, this] { fs::remove(folder_ / Shard(i)); },
        "finds no such file");
    std::string header = good_.at(Index(i));
    header[20] ^= 1;
    add(
        "with a damaged index", [=, this] { folder_.Write(Index(i), header); },
        "damaged record index");
    add(
        "with a cut index",
        [=, this] {
          folder_.Write(Index(i), good_.at(Index(i)).substr(0, 100));
        },
        "damaged record index");
  }
  const auto edit = [&](const std::string& what,
                        std::function<void(nlohmann::ordered_json&)> change,
                        const std::string& words) {
    damages.push_back({"manifest: " + what,
                       [=, this] {
                         auto json = nlohmann::ordered_json::parse(
                             good_.at(kBooksManifest));
                         change(json);
                         folder_.Write(kBooksManifest, json.dump(2));
                       },
                       words});
  };
  using Json = nlohmann::ordered_json;
  const std::string edited = "it was edited or damaged";
  for (int i = 0; i < kShards; ++i) {
    edit(
        "size", [i](Json& j) { j["shards"][i]["size_bytes"] = 1; }, edited);
    edit(
        "count",
        [i](Json& j) {
          j["shards"][i]["records"] = 19;
          j["records"] = 79;
        },
        edited);
    edit(
        "crc32c", [i](Json& j) { j["shards"][i]["crc32c"] = "00000000"; },
        edited);
    edit(
        "sample", [i](Json& j) { j["shards"][i]["sample"] = "00000000"; },
        edited);
    edit(
        "chain",
        [i](Json& j) { j["shards"][i]["records_crc32c"] = "00000000"; },
        edited);
    edit(
        "no sample", [i](Json& j) { j["shards"][i].erase("sample"); }, edited);
    edit(
        "file", [i](Json& j) { j["shards"][i]["file"] = "x"; }, edited);
    edit(
        "file of another",
        [i](Json& j) {
          j["shards"][i]["file"] = j["shards"][(i + 1) % kShards]["file"];
        },
        "comes twice");
    edit(
        "a shard gone",
        [i](Json& j) {
          j["shards"].erase(i);
          j["records"] = 60;
        },
        edited);
  }
  edit(
      "shards swapped",
      [](Json& j) { std::swap(j["shards"][0], j["shards"][1]); }, edited);
  edit(
      "tool", [](Json& j) { j["tool_version"] = "9"; }, edited);
  edit(
      "name", [](Json& j) { j["dataset"] = "x"; }, edited);
  edit(
      "kind", [](Json& j) { j["kind"] = "raw"; }, edited);
  edit(
      "records", [](Json& j) { j["records"] = 81; }, "is not the sum");
  edit(
      "tokenizer",
      [](Json& j) { j["tokenizer"]["fingerprint"] = "0000000000000000"; },
      edited);
  edit(
      "no tokenizer", [](Json& j) { j.erase("tokenizer"); }, edited);
  edit(
      "feature", [](Json& j) { j["features"][0]["name"] = "x"; }, edited);
  edit(
      "no features", [](Json& j) { j["features"].clear(); }, edited);
  edit(
      "a new key",
      [](Json& j) {
        j["skipped"] = {{"places", 1}, {"bytes", 1}};
      },
      edited);
  edit(
      "checksum", [](Json& j) { j["checksum"] = "00000000"; }, edited);
  edit(
      "no checksum", [](Json& j) { j.erase("checksum"); },
      "\"checksum\" is missing");
  ASSERT_GE(damages.size(), 96u);

  const std::string glob = "data/books-train.tfrecord-*";
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.what);
    Restore();
    damage.make();
    EXPECT_THAT(Open(glob), StatusIs(damage.code, HasSubstr(damage.words)));
    // A checksum of a record may be met first.
    EXPECT_THAT(
        Verify(glob),
        StatusIs(damage.code, AnyOf(HasSubstr(damage.words),
                                    HasSubstr("corrupted data checksum"),
                                    HasSubstr("truncated"))));
    EXPECT_THAT(CompileIt(glob).status(), Not(IsOk()));
  }
  Restore();
  EXPECT_OK(Open(glob));
  EXPECT_OK(Verify(glob));
  EXPECT_OK(CompileIt(glob).status());
}

TEST_F(WholeDatasetTest, AFolderAndItsSplitAreProvenToo) {
  Make(80, 100);
  ASSERT_OK(Verify("data@train"));
  fs::remove(folder_ / Shard(3));
  auto info = nlohmann::ordered_json::parse(good_.at("data/dataset_info.json"));
  info["splits"][0]["shardLengths"].erase(3);
  folder_.Write("data/dataset_info.json", info.dump());
  EXPECT_THAT(Open("data@train"), Not(IsOk()));
  Restore();
  info = nlohmann::ordered_json::parse(good_.at("data/dataset_info.json"));
  info["splits"][0]["shardLengths"][1] = "19";
  folder_.Write("data/dataset_info.json", info.dump());
  EXPECT_THAT(Verify("data@train"),
              StatusIs(StatusCode::kDataLoss,
                       AllOf(HasSubstr("holds 20 records, but 19 by"),
                             HasSubstr("dataset_info.json"))));
}

// 300 KB a shard, of which 64 KiB are sampled.
TEST_F(WholeDatasetTest, RecordsSwappedBetweenTheSamplesAreFoundByVerifyAlone) {
  Make(400, 1000);
  const std::string good = good_.at(Shard(1));
  ASSERT_GT(good.size(), 100'000u);
  int passed_at_open = 0;
  for (size_t record = 0; record + 1 < 100; record += 7) {
    Restore();
    folder_.Write(Shard(1), WithRecordsSwapped(good, record, record + 1));
    const bool seen = !Open("data/books-train.tfrecord@4").ok();
    if (!seen) ++passed_at_open;
    EXPECT_THAT(Verify("data/books-train.tfrecord@4"),
                StatusIs(StatusCode::kDataLoss,
                         HasSubstr(seen ? "has other bytes"
                                        : "holds other records, or in another "
                                          "order")))
        << record;
  }
  EXPECT_GT(passed_at_open, 0);
}

TEST_F(WholeDatasetTest, CompressedShardsAreProvenToTheirLastByte) {
  for (const Compression compression :
       {Compression::kGzip, Compression::kZlib}) {
    Make(80, 100, compression);
    ASSERT_OK(Verify("data/books-train.tfrecord@4"));
    Copy(Shard(1), Shard(2));
    EXPECT_THAT(Verify("data/books-train.tfrecord@4"),
                StatusIs(StatusCode::kDataLoss, HasSubstr("by its manifest")));
    Restore();
    if (compression != Compression::kGzip) continue;
    // The system that wrote a gzip file is in no checksum of it.
    std::string bytes = good_.at(Shard(2));
    bytes[9] ^= 1;
    folder_.Write(Shard(2), bytes);
    EXPECT_THAT(Verify("data/books-train.tfrecord@4"),
                StatusIs(StatusCode::kDataLoss, HasSubstr("has other bytes")));
  }
}

TEST_F(WholeDatasetTest, AManifestWithoutChecksumsIsReadAndProvenByItsFiles) {
  Make(80, 100);
  auto json = nlohmann::ordered_json::parse(good_.at(kBooksManifest));
  json.erase("checksum");
  for (auto& shard : json["shards"]) {
    shard.erase("sample");
    shard.erase("records_crc32c");
  }
  folder_.Write(kBooksManifest, json.dump());
  ASSERT_OK(Open("data/books-train.tfrecord@4"));
  ASSERT_OK(Verify("data/books-train.tfrecord@4"));
  folder_.Write(Shard(1), WithRecordsSwapped(good_.at(Shard(1)), 3, 5));
  fs::remove(folder_ / Index(1));
  EXPECT_THAT(Verify("data/books-train.tfrecord@4"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("has other bytes")));
}

TEST_F(WholeDatasetTest, OneShardOrSomeByAGlobMayBeReadAlone) {
  Make(80, 100);
  EXPECT_OK(Open(Shard(2)));
  EXPECT_OK(Open("data/books-train.tfrecord-00001-of-0000?"));
  EXPECT_OK(Open(Shard(0) + "," + folder_ / Shard(3)));
  EXPECT_OK(CompileIt(Shard(2)).status());
}

TEST_F(WholeDatasetTest, WhoeverSkipsDamageMayReadAShardThatWasCut) {
  Make(80, 100);
  const std::string& good = good_.at(Shard(1));
  folder_.Write(Shard(1), good.substr(0, good.size() - 10));
  fs::remove(folder_ / Index(1));
  EXPECT_THAT(CompileIt("data/books-train.tfrecord@4").status(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("by its manifest")));
  const Dataset skipping =
      Dataset::TfRecords(
          folder_ / "data/books-train.tfrecord@4",
          {.recovery = {.on_corruption = OnCorruption::kSkip,
                        .on_skipped = [](const SkippedRegion&) {}}})
          .Parse({{.name = "tokens"}})
          .Bucket({.by = "tokens", .lengths = {512}})
          .Batch({.size = 4});
  EXPECT_OK(Compile(skipping, Topology{}).status());
}

}  // namespace
}  // namespace penstock
