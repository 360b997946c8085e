// The arrows of the design, read off the include lines.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/layers/source_tree.h"

namespace penstock::testing {
namespace {

using ::testing::IsEmpty;

constexpr size_t kMostFilesOfARoom = 40;

constexpr char kMendRoom[] =
    "move it into the room whose word it is, or give Floors() in "
    "tests/layers/source_tree.cc and the map in HACKING.md the new room";

// Implementations of one interface, which never include each other.
const std::vector<std::vector<std::string>> kStars = {
    {"formats/archives/archive_reader", "formats/corpora/csv_reader",
     "formats/corpora/jsonl_reader", "formats/corpora/text_reader",
     "formats/tfrecord/tfrecord_reader", "formats/archives/webdataset_reader"},
    {"formats/streams/bzip2_stream", "formats/streams/gzip_stream",
     "formats/streams/plain_stream", "formats/streams/xz_stream",
     "formats/streams/zlib_stream", "formats/streams/zstd_stream"},
    {"tokenizer/byte_tokenizer",
     "tokenizer/sentencepiece/sentencepiece_tokenizer",
     "tokenizer/bpe/tiktoken", "tokenizer/files/tekken_json",
     "tokenizer/files/tokenizer_json"},
    {"tokenizer/regex/literal_pattern", "tokenizer/regex/pcre2_pattern",
     "tokenizer/regex/re2_pattern", "tokenizer/patterns/scanner_pattern"},
    {"tokenizer/patterns/gpt2_scanner", "tokenizer/patterns/cl100k_scanner",
     "tokenizer/patterns/o200k_scanner"},
    {"tokenizer/normalizers/bert_normalizer",
     "tokenizer/normalizers/charsmap_normalizer",
     "tokenizer/normalizers/pattern_normalizer",
     "tokenizer/normalizers/text_normalizers"},
    {"tokenizer/splitters/byte_level_splitter",
     "tokenizer/splitters/character_splitters",
     "tokenizer/splitters/metaspace_splitter",
     "tokenizer/splitters/pattern_splitter",
     "tokenizer/splitters/script_splitter"},
    {"tokenizer/models/hf_bpe", "tokenizer/models/hf_unigram",
     "tokenizer/models/word_level", "tokenizer/models/wordpiece"},
    {"pipeline/run/planned", "pipeline/run/streamed"},
    {"infeed/devices/simulated_device", "infeed/pjrt/pjrt_device"},
    {"pipeline/order/block_order", "pipeline/order/kept_order",
     "pipeline/order/view_order", "pipeline/order/mix_order",
     "pipeline/order/megatron_order"},
    {"pipeline/read/indexed_rounds", "pipeline/read/sequence_rounds"},
    {"pipeline/read/record_sequence", "pipeline/read/shared_sequence",
     "pipeline/read/zipped_sequence"},
};

TEST(LayersTest, AFloorIncludesOnlyItselfAndTheFloorsUnderIt) {
  std::vector<std::string> wrong;
  ASSERT_GT(Includes().size(), 20u) << "the sources were not found";
  for (const auto& [file, list] : Includes()) {
    for (const std::string& included : list) {
      if (FloorNumber(included) > FloorNumber(file)) {
        wrong.push_back(fmt::format(
            "{} includes {}, a floor above it: move what both need down to "
            "{}/, or this file up",
            file, included, FloorOf(file)));
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(LayersTest, EveryFileStandsInARoomOfItsFloor) {
  std::vector<std::string> wrong;
  for (const auto& [file, list] : Includes()) {
    if (PlaceNumber(file) < 0) {
      wrong.push_back(fmt::format("{} stands in no room of {}/: {}", file,
                                  FloorOf(file), kMendRoom));
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(LayersTest, ARoomIncludesOnlyItselfAndTheRoomsBeforeIt) {
  std::vector<std::string> wrong;
  for (const auto& [file, list] : Includes()) {
    if (IsAtRoot(file) && file.ends_with(".cc")) continue;
    for (const std::string& included : list) {
      if (FloorOf(included) != FloorOf(file)) continue;
      if (PlaceNumber(included) > PlaceNumber(file)) {
        wrong.push_back(fmt::format(
            "{} includes {}, which stands behind it in Floors() of "
            "tests/layers/source_tree.cc: turn the arrow round by an "
            "interface in {}/{}/, or move one of the two",
            file, included, FloorOf(file), PlaceOf(file)));
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(LayersTest, NoRoomHoldsMoreThanAReaderTakesIn) {
  std::map<std::string, size_t> files;
  for (const Floor& floor : Floors()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(PENSTOCK_SOURCE_DIR) / floor.name)) {
      if (entry.is_regular_file()) ++files[entry.path().parent_path()];
    }
  }
  std::vector<std::string> wrong;
  for (const auto& [folder, count] : files) {
    if (count > kMostFilesOfARoom) {
      wrong.push_back(fmt::format(
          "{} holds {} files, the limit is {}: make two rooms of it by what "
          "the files are for",
          folder, count, kMostFilesOfARoom));
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(LayersTest, ImplementationsOfOneInterfaceDoNotIncludeEachOther) {
  std::vector<std::string> wrong;
  for (const std::vector<std::string>& star : kStars) {
    for (const std::string& one : star) {
      EXPECT_TRUE(Includes().contains(one + ".h")) << one << " is gone";
      for (const auto& [file, list] : Includes()) {
        if (WithoutExtension(file) != one) continue;
        for (const std::string& included : list) {
          const std::string other = WithoutExtension(included);
          if (other != one &&
              std::find(star.begin(), star.end(), other) != star.end()) {
            wrong.push_back(fmt::format(
                "{} includes {}, another implementation of its interface: "
                "move what they share into a file that both include",
                file, included));
          }
        }
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(LayersTest, HeadersHaveNoCycle) {
  std::set<std::string> done;
  std::vector<std::string> path;
  std::vector<std::string> cycles;
  const std::function<void(const std::string&)> visit =
      [&](const std::string& file) {
        if (done.contains(file)) return;
        if (std::find(path.begin(), path.end(), file) != path.end()) {
          cycles.push_back(fmt::format("{} -> {}", path.back(), file));
          return;
        }
        path.push_back(file);
        if (const auto found = Includes().find(file);
            found != Includes().end()) {
          for (const std::string& included : found->second) visit(included);
        }
        path.pop_back();
        done.insert(file);
      };
  for (const auto& [file, list] : Includes()) {
    if (file.ends_with(".h")) visit(file);
  }
  EXPECT_THAT(cycles, IsEmpty());
}

TEST(LayersTest, NoFolderIsADrawerForEverything) {
  const std::set<std::string> drawers = {"util", "utils",    "common",
                                         "misc", "internal", "helpers"};
  std::vector<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(PENSTOCK_SOURCE_DIR)) {
    if (!entry.is_directory()) continue;
    const std::string top = entry.path().filename();
    if (top.starts_with(".") || top == "build") continue;
    if (drawers.contains(top)) found.push_back(top);
    for (const auto& inner :
         std::filesystem::recursive_directory_iterator(entry)) {
      if (inner.is_directory() &&
          drawers.contains(inner.path().filename().string())) {
        found.push_back(inner.path());
      }
    }
  }
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
}  // namespace penstock::testing
