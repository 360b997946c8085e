// Gzip files that are read in sequence, and graphs over them.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tokenizer/load.h"

namespace penstock::testing {

inline constexpr SequenceReading kShared[] = {SequenceReading::kOneDecodes,
                                              SequenceReading::kOneReads};

class SharedFilesTest : public ::testing::Test {
 protected:
  // Gzip files with so many records each.
  std::string Write(std::vector<uint64_t> records, uint32_t longest = 40) {
    const uint64_t all =
        std::accumulate(records.begin(), records.end(), uint64_t{0});
    return WriteDataset(
        folder_, RandomLengths(all, longest, 1),
        {.compression = Compression::kGzip, .records = std::move(records)});
  }
  static Dataset Bucketed(const Dataset& dataset) {
    return dataset.Parse({{.name = "id", .length = 1}, {.name = "tokens"}})
        .Bucket({.by = "tokens", .lengths = {8, 16, 40}})
        .Batch({.size = 12});
  }

  ScratchFolder folder_;
};

struct SharedGraph {
  const char* name;
  Dataset dataset;
};

inline std::vector<SharedGraph> GraphsOver(const std::string& pattern) {
  const Dataset files = Dataset::TfRecords(pattern).Repeat({.epochs = 2});
  const auto bucket = [](const Dataset& dataset) {
    return dataset.Parse({{.name = "id", .length = 1}, {.name = "tokens"}})
        .Bucket({.by = "tokens",
                 .lengths = {8, 16, 32},
                 .too_long = TooLong::kDrop})
        .Batch({.size = 12});
  };
  return {
      {"bucket", bucket(files)},
      {"windows", bucket(files.Shuffle({.seed = 3, .window_records = 29}))},
      {"fixed", files.Parse({{.name = "id", .length = 1}})
                    .Shuffle({.seed = 3, .window_records = 64})
                    .Batch({.size = 12})},
      {"packed", files.Pack({.by = "tokens", .length = 50})
                     .Batch({.size = 12, .leftover = Leftover::kDrop})},
      {"tokenized",
       files.Parse({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
           .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
           .Bucket({.by = "tokens", .lengths = {16, 40}})
           .Batch({.size = 12})}};
}

}  // namespace penstock::testing
