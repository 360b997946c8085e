#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string_view>
#include <vector>

#include "bench/peers/worker.h"
#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/tfrecord/tfrecord_writer.h"

namespace penstock::peers {
namespace {

constexpr uint64_t kFileBytes = 128 << 20;
constexpr size_t kTextBytes = 2048;

// Words of a Zipf distribution, which compress to about a third.
class Texts {
 public:
  Texts() {
    std::mt19937 random(17);
    std::vector<std::string> words(20'000);
    for (std::string& word : words) {
      const size_t size = 2 + random() % 8;
      for (size_t i = 0; i < size; ++i) word += 'a' + random() % 26;
    }
    for (size_t column = 0; pool_.size() < 16 << 20;) {
      const double at = static_cast<double>(random()) / std::mt19937::max();
      // 1 / rank: the inverse of the logarithm.
      pool_ += words[static_cast<size_t>(std::pow(words.size(), at)) - 1];
      pool_ += ++column % 12 == 0 ? '\n' : ' ';
    }
  }

  std::string_view Next(size_t size) {
    at_ = (at_ + 65'537) % (pool_.size() - size);
    return std::string_view(pool_).substr(at_, size);
  }

 private:
  std::string pool_;
  size_t at_ = 0;
};

// Writes records of `next` until the file is large enough.
template <typename Next>
void MakeTfRecord(const std::string& path, Next next) {
  if (std::filesystem::exists(path)) return;
  auto writer = CreateTfRecord(LocalFiles(), path);
  if (!writer.ok()) Fail(std::string(writer.status().message()));
  while ((*writer)->framed_bytes() < kFileBytes) {
    if (!(*writer)->Append(next()).ok()) Fail("cannot write " + path);
  }
  if (!(*writer)->Finish().ok()) Fail("cannot write " + path);
}

void MakeJsonl(const std::string& path, Texts& texts) {
  if (std::filesystem::exists(path)) return;
  std::ofstream out(path, std::ios::binary);
  uint64_t bytes = 0;
  for (size_t i = 0; bytes < kFileBytes; ++i) {
    std::string line =
        fmt::format(R"({{"id": {}, "url": "https://example.org/{}", "text": ")",
                    i, i * 7919);
    for (const char c : texts.Next(kTextBytes)) {
      if (c == '\n') {
        line += "\\n";
      } else {
        line += c;
      }
    }
    line += fmt::format(R"(", "meta": {{"score": 0.{}, "lang": "en"}}}})", i);
    out << line << '\n';
    bytes += line.size() + 1;
  }
}

void MakeTarZst(const std::string& path, Texts& texts) {
  if (std::filesystem::exists(path)) return;
  archive* a = archive_write_new();
  archive_write_add_filter_zstd(a);
  archive_write_set_format_ustar(a);
  archive_write_open_filename(a, path.c_str());
  for (size_t i = 0; i * kTextBytes < kFileBytes; ++i) {
    const std::string_view text = texts.Next(kTextBytes);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, fmt::format("d/{:06}", i).c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, text.size());
    archive_write_header(a, entry);
    archive_write_data(a, text.data(), text.size());
    archive_entry_free(entry);
  }
  archive_write_close(a);
  archive_write_free(a);
}

}  // namespace

void MakeFiles(const std::string& folder) {
  Texts texts;
  for (const size_t size : {300, 2048, 100'000}) {
    MakeTfRecord(fmt::format("{}/plain-{}.tfrecord", folder, size),
                 [&] { return texts.Next(size); });
  }
  ExampleWriter writer;
  std::string record;
  int64_t label = 0;
  MakeTfRecord(folder + "/text.tfrecord", [&] {
    record.clear();
    writer.SetBytes("text", texts.Next(kTextBytes));
    writer.SetBytes("id", fmt::format("document-{:07}", label));
    writer.SetInts("label", std::vector<int64_t>{label++ % 1000});
    writer.Finish(record);
    return std::string_view(record);
  });
  std::mt19937_64 random(1);
  std::vector<int64_t> ids(2048);
  MakeTfRecord(folder + "/tokens.tfrecord", [&] {
    record.clear();
    for (int64_t& id : ids) id = static_cast<int64_t>(random() % 100'277);
    writer.SetInts("tokens", ids);
    writer.Finish(record);
    return std::string_view(record);
  });
  MakeJsonl(folder + "/documents.jsonl", texts);
  MakeTarZst(folder + "/members.tar.zst", texts);
}

}  // namespace penstock::peers
