// Verbs for tests that write and read TFRecord files.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/tfrecord/tfrecord_reader.h"
#include "formats/tfrecord/tfrecord_writer.h"

namespace penstock::testing {

inline constexpr Compression kCompressions[] = {
    Compression::kNone, Compression::kGzip, Compression::kZlib};

struct ReadResult {
  std::vector<std::string> records;
  Status status;
};

// Everything a reader still gives until its end or its error.
inline ReadResult ReadAll(RecordReader& reader) {
  ReadResult result;
  std::optional<uint64_t> next;
  while (true) {
    auto block = reader.NextBlock();
    result.status = block.status();
    if (!block.ok() || !block->has_value()) return result;
    EXPECT_EQ((*block)->first, next.value_or((*block)->first));
    next = (*block)->first + (*block)->records.size();
    EXPECT_FALSE((*block)->records.empty());
    for (const std::string_view record : (*block)->records) {
      result.records.emplace_back(record);
    }
  }
}

inline ReadResult ReadTfRecord(FileSystem& files, const std::string& path,
                               TfRecordReadOptions options = {}) {
  auto reader = OpenTfRecord(files, path, options);
  if (!reader.ok()) return {.records = {}, .status = reader.status()};
  return ReadAll(**reader);
}

inline Status WriteTfRecord(FileSystem& files, const std::string& path,
                            const std::vector<std::string>& records,
                            TfRecordWriteOptions options = {}) {
  auto writer = CreateTfRecord(files, path, options);
  if (!writer.ok()) return writer.status();
  for (const std::string& record : records) {
    const Status status = (*writer)->Append(record);
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

// Records of every size around the places where code changes its way: empty,
// shorter and longer than the CRC's threshold and than a small buffer.
inline std::vector<std::string> MixedRecords() {
  std::vector<std::string> records;
  for (const size_t size : {0, 1, 7, 8, 100, 127, 128, 129, 1000, 0, 5000, 3}) {
    std::string record;
    for (size_t i = 0; i < size; ++i) {
      record += static_cast<char>((i * 131 + size) % 251);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace penstock::testing
