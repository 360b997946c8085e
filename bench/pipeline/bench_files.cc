#include "bench/pipeline/bench_files.h"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "pipeline/order/seed.h"

namespace penstock {

void CheckOk(const Status& status) {
  if (status.ok()) return;
  std::cerr << status << "\n";
  std::exit(1);
}

uint32_t BenchLength(uint64_t record, uint32_t longest) {
  return static_cast<uint32_t>(1 + MixKeys({1, record}) % longest);
}

uint32_t DocumentLength(uint64_t record, uint32_t longest) {
  const auto uniform = [&](uint64_t which) {
    return (static_cast<double>(MixKeys({2, record, which}) >> 11) + 0.5) *
           0x1p-53;
  };
  const double normal = std::sqrt(-2 * std::log(uniform(0))) *
                        std::cos(2 * std::numbers::pi * uniform(1));
  return static_cast<uint32_t>(
      std::clamp(std::exp(5.5 + normal), 1.0, static_cast<double>(longest)));
}

BenchFile::BenchFile(BenchFileOptions options) : records_(options.records) {
  folder_ = (std::filesystem::temp_directory_path() / "penstock_bench.XXXXXX")
                .string();
  if (mkdtemp(folder_.data()) == nullptr) {
    CheckOk(InternalError("cannot make " + folder_));
  }
  path_ = folder_ + "/bench.tfrecord";
  if (options.compression != Compression::kNone) path_ += ".gz";
  auto writer =
      CreateTfRecord(LocalFiles(), path_, {.compression = options.compression});
  CheckOk(writer.status());
  std::vector<uint64_t> offsets;
  LengthColumn column = {"tokens", {}};
  for (uint64_t record = 0; record < records_; ++record) {
    ExampleWriter example;
    std::vector<int64_t> tokens;
    if (options.longest > 0) {
      tokens.resize(options.documents ? DocumentLength(record, options.longest)
                                      : BenchLength(record, options.longest));
      for (size_t j = 0; j < tokens.size(); ++j) {
        tokens[j] = static_cast<int64_t>(MixKeys({record, j}) % 50257);
      }
      example.SetInts("tokens", tokens);
    }
    if (options.text_bytes > 0) {
      std::string text;
      while (text.size() < options.text_bytes) {
        text += std::to_string(MixKeys({record, text.size()})) + " ";
      }
      example.SetBytes("text", text);
    }
    tokens_ += tokens.size();
    column.lengths.push_back(static_cast<uint32_t>(tokens.size()));
    std::string bytes;
    example.Finish(bytes);
    offsets.push_back((*writer)->framed_bytes());
    CheckOk((*writer)->Append(bytes));
  }
  CheckOk((*writer)->Finish());
  bytes_ = (*writer)->framed_bytes();
  if (options.compression != Compression::kNone) return;
  const auto info = LocalFiles().Stat(path_);
  CheckOk(info.status());
  CheckOk(RecordIndex(std::move(offsets), {column}, *info)
              .Save(LocalFiles(), path_));
}

BenchFile::~BenchFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace penstock
