// Any bytes, read as a TFRecord file in each compression, against a reader so
// simple that it is plainly right.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/crc32c.h"
#include "formats/tfrecord/tfrecord_reader.h"
#include "tests/support/memory_files.h"

namespace penstock::testing {
namespace {

struct Walked {
  std::vector<std::string> records;
  bool whole = false;  // the file ends where its last record does
};

template <typename T>
T Load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

Walked Walk(std::string_view bytes) {
  Walked walked;
  while (bytes.size() >= 16) {
    const auto length = Load<uint64_t>(bytes, 0);
    const uint32_t header = ExtendCrc32cPortable(0, bytes.substr(0, 8));
    if (MaskCrc32c(header) != Load<uint32_t>(bytes, 8)) break;
    if (length > bytes.size() - 16) break;
    const std::string_view data = bytes.substr(12, length);
    const uint32_t footer = ExtendCrc32cPortable(0, data);
    if (MaskCrc32c(footer) != Load<uint32_t>(bytes, 12 + length)) break;
    walked.records.emplace_back(data);
    bytes.remove_prefix(16 + length);
  }
  walked.whole = bytes.empty();
  return walked;
}

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "tfrecord_fuzz: %s\n", what);
  std::abort();
}

Walked Read(std::string_view bytes, TfRecordReadOptions options) {
  MemoryFiles files(bytes);
  auto reader = OpenTfRecord(files, "fuzz.tfrecord", options);
  Require(reader.ok(), "cannot open");
  Walked read;
  while (true) {
    const auto block = (*reader)->NextBlock();
    if (!block.ok()) break;
    read.whole = !block->has_value();
    if (read.whole) break;
    Require(!(*block)->records.empty(), "an empty block");
    Require((*block)->first == read.records.size(), "a wrong number");
    for (size_t i = 0; i < (*block)->records.size(); ++i) {
      read.records.emplace_back((*block)->records[i]);
      Require(!(*reader)->Locate(i).empty(), "no place");
    }
  }
  return read;
}

// Every byte is in one record or in one region, and each record's own bytes
// are where it says.
Walked Resync(std::string_view bytes, size_t buffer_bytes) {
  MemoryFiles files(bytes);
  uint64_t at = 0;
  uint64_t regions = 0;
  const auto skipped = [&](const SkippedRegion& region) {
    Require(region.begin == at && region.end > at, "a gap before a region");
    at = region.end;
    ++regions;
  };
  auto reader = OpenTfRecord(files, "fuzz.tfrecord",
                             {.buffer_bytes = buffer_bytes,
                              .recovery = {OnCorruption::kResync, skipped}});
  Require(reader.ok(), "cannot open");
  Walked read;
  while (true) {
    const auto block = (*reader)->NextBlock();
    if (!block.ok()) return read;  // of another type
    read.whole = !block->has_value();
    if (read.whole) break;
    Require((*block)->first == read.records.size() + regions, "a number");
    for (const std::string_view record : (*block)->records) {
      const Walked one = Walk(bytes.substr(at, record.size() + 16));
      Require(one.whole && one.records.size() == 1 && one.records[0] == record,
              "a record that is none");
      at += record.size() + 16;
      read.records.emplace_back(record);
    }
  }
  Require(at == bytes.size(), "bytes are lost");
  return read;
}

void TestOneInput(std::string_view bytes) {
  const Walked expected = Walk(bytes);
  const Walked salvaged = Resync(bytes, 1 << 20);
  Require(salvaged.records.size() >= expected.records.size(), "too few");
  for (const size_t buffer_bytes : {1, 64}) {
    const Walked same = Resync(bytes, buffer_bytes);
    Require(same.records == salvaged.records, "other salvaged records");
    Require(same.whole == salvaged.whole, "another salvaged end");
  }
  for (const size_t buffer_bytes : {1, 64, 1 << 20}) {
    const Walked read = Read(bytes, {.buffer_bytes = buffer_bytes});
    Require(read.records == expected.records, "other records");
    Require(read.whole == expected.whole, "another end");
  }
  for (const Compression compression :
       {Compression::kGzip, Compression::kZlib}) {
    const TfRecordReadOptions small = {.compression = compression,
                                       .buffer_bytes = 32};
    const TfRecordReadOptions large = {.compression = compression};
    const Walked a = Read(bytes, small);
    const Walked b = Read(bytes, large);
    // Where decoding fails a larger buffer may have got less far.
    Require(a.whole == b.whole, "the end depends on the buffer");
    Require(!a.whole || a.records == b.records, "records depend on it");
  }
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  penstock::testing::TestOneInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
