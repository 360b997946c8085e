// A tar.zst corpus against bare libarchive, and CSV against reading its bytes,
// on the same files in the same run.
//
//   2 KB      64 MB of text in members of about 2 KB, as documents
//   100 KB    the same in members of about 100 KB
//
// The text is words of a Zipf distribution: zstd takes it to about a third.
// bytes_per_second counts unpacked content.
#include <archive.h>
#include <archive_entry.h>
#include <benchmark/benchmark.h>
#include <zstd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "formats/open.h"

namespace penstock {
namespace {

constexpr size_t kContentBytes = 64 << 20;

std::string Text(size_t size_bytes, std::mt19937& random) {
  static const std::vector<std::string>& words =
      *new std::vector<std::string>([] {
        std::mt19937 letters(1);
        std::vector<std::string> made(20'000);
        for (std::string& word : made) {
          const size_t size = 2 + letters() % 8;
          for (size_t i = 0; i < size; ++i) word += 'a' + letters() % 26;
          word += ' ';
        }
        return made;
      }());
  std::string text;
  while (text.size() < size_bytes) {
    // 1 / rank: the inverse of the logarithm.
    const double at = static_cast<double>(random()) / std::mt19937::max();
    text += words[static_cast<size_t>(std::pow(words.size(), at)) - 1];
  }
  return text;
}

void Put(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string Tar(size_t member_bytes) {
  std::mt19937 random(17);
  std::string out(kContentBytes * 2 + (1 << 20), '\0');
  size_t used = 0;
  archive* a = archive_write_new();
  archive_write_set_format_ustar(a);
  archive_write_open_memory(a, out.data(), out.size(), &used);
  for (size_t i = 0, done = 0; done < kContentBytes; ++i) {
    const std::string text = Text(member_bytes, random);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, ("d/" + std::to_string(i)).c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, text.size());
    archive_write_header(a, entry);
    archive_write_data(a, text.data(), text.size());
    archive_entry_free(entry);
    done += text.size();
  }
  archive_write_close(a);
  archive_write_free(a);
  out.resize(used);
  return out;
}

// The path of a tar.zst with members of that size; made once.
std::string TarZst(size_t member_bytes) {
  static std::map<size_t, std::string>& made =
      *new std::map<size_t, std::string>();
  std::string& path = made[member_bytes];
  if (!path.empty()) return path;
  path = std::filesystem::temp_directory_path() /
         ("penstock_bench_" + std::to_string(member_bytes) + ".tar.zst");
  const std::string tar = Tar(member_bytes);
  std::string packed(ZSTD_compressBound(tar.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(),
                               tar.data(), tar.size()));
  ZSTD_freeCCtx(context);
  Put(path, packed);
  return path;
}

void BM_TarZstOurs(benchmark::State& state) {
  const std::string path = TarZst(state.range(0));
  uint64_t bytes = 0;
  uint64_t records = 0;
  for (auto _ : state) {
    auto reader = OpenRecords(LocalFiles(), path);
    while (reader.ok()) {
      const auto block = (*reader)->NextBlock();
      if (!block.ok()) state.SkipWithError("not read");
      if (!block.ok() || !*block) break;
      for (const std::string_view record : (*block)->records) {
        bytes += record.size();
      }
      records += (*block)->records.size();
    }
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(records);
}

void BM_TarZstLibarchive(benchmark::State& state) {
  const std::string path = TarZst(state.range(0));
  uint64_t bytes = 0;
  uint64_t records = 0;
  for (auto _ : state) {
    archive* a = archive_read_new();
    archive_read_support_filter_zstd(a);
    archive_read_support_format_tar(a);
    archive_read_open_filename(a, path.c_str(), 256 << 10);
    archive_entry* entry = nullptr;
    while (archive_read_next_header(a, &entry) == ARCHIVE_OK) {
      const void* data = nullptr;
      size_t size = 0;
      la_int64_t offset = 0;
      while (archive_read_data_block(a, &data, &size, &offset) == ARCHIVE_OK) {
        bytes += size;
      }
      ++records;
    }
    archive_read_free(a);
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(records);
}

BENCHMARK(BM_TarZstOurs)->Arg(2 << 10)->Arg(100 << 10);
BENCHMARK(BM_TarZstLibarchive)->Arg(2 << 10)->Arg(100 << 10);

std::string CsvPath(bool quoted) {
  const std::string path =
      std::filesystem::temp_directory_path() /
      (quoted ? "penstock_bench_quoted.csv" : "penstock_bench_plain.csv");
  std::mt19937 random(17);
  std::string csv = "id,text,label\n";
  for (size_t row = 0; csv.size() < kContentBytes; ++row) {
    const char* const quote = quoted ? "\"" : "";
    csv +=
        std::to_string(row) + "," + quote + Text(500, random) + quote + ",7\n";
  }
  Put(path, csv);
  return path;
}

void BM_Csv(benchmark::State& state) {
  static const std::string paths[] = {CsvPath(false), CsvPath(true)};
  const std::string& path = paths[state.range(0)];
  uint64_t records = 0;
  for (auto _ : state) {
    auto reader = OpenRecords(LocalFiles(), path);
    while (reader.ok()) {
      const auto block = (*reader)->NextBlock();
      if (!block.ok()) state.SkipWithError("not read");
      if (!block.ok() || !*block) break;
      records += (*block)->records.size();
    }
  }
  state.SetBytesProcessed(std::filesystem::file_size(path) *
                          state.iterations());
  state.SetItemsProcessed(records);
}

BENCHMARK(BM_Csv)->ArgName("quoted")->Arg(0)->Arg(1);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
