// The arrows of the design, read off the include lines.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using ::testing::IsEmpty;

// Floors from the ground up; a floor includes itself and what is before it.
const std::vector<std::string> kFloors = {"formats", "tokenizer", "pipeline",
                                          "infeed"};

// Implementations of one interface, which never include each other.
const std::vector<std::vector<std::string>> kStars = {
    {"formats/archive_reader", "formats/csv_reader", "formats/jsonl_reader",
     "formats/text_reader", "formats/tfrecord_reader",
     "formats/webdataset_reader"},
    {"formats/bzip2_stream", "formats/gzip_stream", "formats/plain_stream",
     "formats/xz_stream", "formats/zlib_stream", "formats/zstd_stream"},
    {"tokenizer/byte_tokenizer", "tokenizer/sentencepiece_tokenizer",
     "tokenizer/tiktoken", "tokenizer/tokenizer_json"},
    {"tokenizer/literal_pattern", "tokenizer/pcre2_pattern",
     "tokenizer/re2_pattern", "tokenizer/scanner_pattern"},
    {"tokenizer/gpt2_scanner", "tokenizer/cl100k_scanner",
     "tokenizer/o200k_scanner"},
    {"pipeline/planned", "pipeline/streamed"},
    {"pipeline/indexed_rounds", "pipeline/sequential_rounds"},
};

// Our own includes of every file of the floors, by path.
std::map<std::string, std::vector<std::string>> ReadIncludes() {
  std::map<std::string, std::vector<std::string>> includes;
  const std::filesystem::path root = PENSTOCK_SOURCE_DIR;
  for (const std::string& floor : kFloors) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(root / floor)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc") continue;
      std::ifstream in(entry.path());
      std::vector<std::string>& list =
          includes[std::filesystem::relative(entry.path(), root)];
      for (std::string line; std::getline(in, line);) {
        if (line.rfind("#include \"", 0) != 0) continue;
        const std::string path = line.substr(10, line.rfind('"') - 10);
        if (!path.starts_with("absl/")) list.push_back(path);
      }
    }
  }
  return includes;
}

std::string FirstPart(const std::string& path) {
  return path.substr(0, path.find('/'));
}

size_t FloorOf(const std::string& path) {
  return std::find(kFloors.begin(), kFloors.end(), FirstPart(path)) -
         kFloors.begin();
}

std::string WithoutExtension(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

TEST(LayersTest, AFloorIncludesOnlyItselfAndTheFloorsUnderIt) {
  std::vector<std::string> wrong;
  const auto includes = ReadIncludes();
  ASSERT_GT(includes.size(), 20u) << "the sources were not found";
  for (const auto& [file, list] : includes) {
    for (const std::string& included : list) {
      if (FloorOf(included) > FloorOf(file)) {
        wrong.push_back(file + " includes " + included);
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(LayersTest, ImplementationsOfOneInterfaceDoNotIncludeEachOther) {
  std::vector<std::string> wrong;
  const auto includes = ReadIncludes();
  for (const std::vector<std::string>& star : kStars) {
    for (const std::string& one : star) {
      EXPECT_TRUE(includes.contains(one + ".h")) << one << " is gone";
      for (const auto& [file, list] : includes) {
        if (WithoutExtension(file) != one) continue;
        for (const std::string& included : list) {
          const std::string other = WithoutExtension(included);
          if (other != one &&
              std::find(star.begin(), star.end(), other) != star.end()) {
            wrong.push_back(file + " includes " + included);
          }
        }
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(LayersTest, HeadersHaveNoCycle) {
  const auto includes = ReadIncludes();
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
        if (const auto found = includes.find(file); found != includes.end()) {
          for (const std::string& included : found->second) visit(included);
        }
        path.pop_back();
        done.insert(file);
      };
  for (const auto& [file, list] : includes) {
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
