// TFRecord files for benchmarks, made once and left for the next run in the
// folder PENSTOCK_BENCH_FOLDER, by default that for temporary files.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"
#include "formats/tfrecord/tfrecord_writer.h"

namespace penstock {

inline constexpr uint64_t kFileBytes = 256 << 20;

// Words, so that compression has something to do.
inline std::string Text(size_t size) {
  static constexpr const char* kWords[] = {"the ",    "pen",  "stock ", "of ",
                                           "water ",  "turn", "s, ",    "and ",
                                           "turbine", " is ", "fed\n",  "by "};
  static std::mt19937 random(7);
  std::string text;
  while (text.size() < size) text += kWords[random() % 12];
  text.resize(size);
  return text;
}

inline std::string BenchFolder() {
  const char* folder = getenv("PENSTOCK_BENCH_FOLDER");
  return folder != nullptr ? folder : "/tmp";
}

// A file of records of one size, with its index, made once.
inline std::string MakeFile(size_t record_bytes, Compression compression,
                            uint64_t file_bytes) {
  const std::string path = BenchFolder() + "/penstock_bench_" +
                           std::to_string(record_bytes) + "." +
                           std::string(CompressionName(compression));
  if (std::filesystem::exists(path)) return path;
  const std::string text = Text(8 << 20);
  auto writer =
      CreateTfRecord(LocalFiles(), path, {.compression = compression});
  for (uint64_t i = 0; (*writer)->framed_bytes() < file_bytes; ++i) {
    const size_t at = i * 4093 % (text.size() - record_bytes);
    (*writer)
        ->Append(std::string_view(text).substr(at, record_bytes))
        .IgnoreError();
  }
  if (!(*writer)->Finish().ok()) abort();
  if (!BuildRecordIndex(LocalFiles(), path, {.compression = compression})
           ->Save(LocalFiles(), path)
           .ok()) {
    abort();
  }
  return path;
}

}  // namespace penstock
