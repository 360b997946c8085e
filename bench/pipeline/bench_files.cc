#include "bench/pipeline/bench_files.h"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numbers>
#include <utility>
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

BenchFolder::BenchFolder()
    : path_((std::filesystem::temp_directory_path() / "penstock_bench.XXXXXX")
                .string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    CheckOk(InternalError("cannot make " + path_));
  }
}

BenchFolder::~BenchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

BenchLengths::BenchLengths(std::vector<uint32_t> lengths) {
  constexpr uint64_t kRecordBytes = 20;  // with their framing
  const std::string path = folder_.path() + "/bench.tfrecord";
  std::vector<uint64_t> offsets(lengths.size());
  for (uint64_t i = 0; i < offsets.size(); ++i) offsets[i] = i * kRecordBytes;
  std::ofstream(path).close();
  std::filesystem::resize_file(path, offsets.size() * kRecordBytes);
  const auto info = LocalFiles().Stat(path);
  CheckOk(info.status());
  CheckOk(
      RecordIndex(std::move(offsets), {{"tokens", std::move(lengths)}}, *info)
          .Save(LocalFiles(), path));
  auto index = RecordIndex::Load(LocalFiles(), path);
  CheckOk(index.status());
  index_ = *std::move(index);
  const auto loaded = index_->Lengths("tokens");
  CheckOk(loaded.status());
  lengths_ = *loaded;
}

BenchFile::BenchFile(BenchFileOptions options) : records_(options.records) {
  path_ = folder_.path() + "/bench.tfrecord";
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

}  // namespace penstock
