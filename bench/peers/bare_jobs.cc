#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <google/protobuf/arena.h>
#include <isa-l/igzip_lib.h>
#include <simdjson.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "bench/peers/worker.h"
#include "formats/example/example.pb.h"
#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "formats/tfrecord/tfrecord_reader.h"

namespace penstock::peers {
namespace {

int Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) Fail(path + ": " + std::strerror(errno));
  return file;
}

// The file's bytes, kept for the job that asked last.
std::string& Contents(const std::string& path) {
  static std::string kept_path, kept;
  if (path != kept_path) {
    kept = *ReadWholeFile(LocalFiles(), path);
    kept.reserve(kept.size() + simdjson::SIMDJSON_PADDING);
    kept_path = path;
  }
  return kept;
}

Work ReadLoop(const std::string& path) {
  static std::vector<char> buffer(1 << 20);
  const int file = Open(path);
  Work work;
  for (ssize_t got; (got = read(file, buffer.data(), buffer.size())) > 0;) {
    work.bytes += got;
  }
  close(file);
  return work;
}

// `path` is "from:to". A new file takes the place of the old one, unsynced.
Work WriteLoop(const std::string& path) {
  const size_t colon = path.find(':');
  const std::string to = path.substr(colon + 1);
  std::string_view rest = Contents(path.substr(0, colon));
  Work work = {.bytes = rest.size()};
  const int file = open((to + ".new").c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  while (!rest.empty()) {
    const ssize_t put =
        write(file, rest.data(), std::min<size_t>(rest.size(), 1 << 20));
    if (put <= 0) Fail(to + ": " + std::strerror(errno));
    rest.remove_prefix(put);
  }
  close(file);
  rename((to + ".new").c_str(), to.c_str());
  return work;
}

Work Igzip(const std::string& path) {
  static std::vector<uint8_t> out(1 << 20);
  static const auto state = std::make_unique<inflate_state>();
  std::string& in = Contents(path);
  isal_inflate_init(state.get());
  state->next_in = reinterpret_cast<uint8_t*>(in.data());
  state->avail_in = in.size();
  Work work;
  while (state->avail_in > 0) {  // a member
    isal_inflate_reset(state.get());
    state->crc_flag = ISAL_GZIP;
    while (state->block_state != ISAL_BLOCK_FINISH) {
      state->next_out = out.data();
      state->avail_out = out.size();
      if (isal_inflate(state.get()) != ISAL_DECOMP_OK) Fail(path + ": igzip");
      work.bytes += state->next_out - out.data();
    }
  }
  return work;
}

Work PreadLoop(const std::string& path) {
  static const RecordIndex index = *BuildRecordIndex(LocalFiles(), path);
  static const int file = Open(path);
  static std::mt19937_64 random(3);
  static std::vector<char> out(1 << 20);
  Work work;
  for (size_t i = 0; i < kGathered; ++i) {
    const uint64_t id = random() % index.records();
    const RecordPlace place = *index.Find(id);
    const size_t size = place.size_bytes + kTfRecordFramingBytes;
    if (out.size() < work.bytes + size) out.resize(2 * (work.bytes + size));
    if (pread(file, out.data() + work.bytes, size, place.offset) !=
        static_cast<ssize_t>(size)) {
      Fail(path + ": pread");
    }
    work.bytes += size;
  }
  work.records = kGathered;
  return work;
}

Work Protobuf(const std::string& path) {
  static std::vector<char> first(1 << 20);
  google::protobuf::ArenaOptions options;
  options.initial_block = first.data();
  options.initial_block_size = first.size();
  google::protobuf::Arena arena(options);
  std::string_view rest = Contents(path);
  Work work;
  while (work.records < kParsed) {
    uint64_t size = 0;
    std::memcpy(&size, rest.data(), sizeof(size));
    auto* message =
        google::protobuf::Arena::CreateMessage<wire::Example>(&arena);
    if (!message->ParseFromArray(rest.data() + kTfRecordHeaderBytes,
                                 static_cast<int>(size))) {
      Fail(path + ": protobuf");
    }
    arena.Reset();
    rest.remove_prefix(size + kTfRecordFramingBytes);
    work.bytes += size;
    ++work.records;
  }
  return work;
}

// The text field of each line.
Work Simdjson(const std::string& path) {
  static simdjson::dom::parser parser;
  std::string_view rest = Contents(path);
  Work work;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    std::string_view text;
    if (parser.parse(rest.data(), end, /*realloc_if_needed=*/false)["text"].get(
            text) != simdjson::SUCCESS) {
      Fail(path + ": simdjson");
    }
    rest.remove_prefix(end + 1);
    work.bytes += text.size();
    ++work.records;
  }
  return work;
}

Work Libarchive(const std::string& path) {
  archive* a = archive_read_new();
  archive_read_support_filter_zstd(a);
  archive_read_support_format_tar(a);
  archive_read_open_filename(a, path.c_str(), 256 << 10);
  archive_entry* entry = nullptr;
  Work work;
  while (archive_read_next_header(a, &entry) == ARCHIVE_OK) {
    const void* data = nullptr;
    size_t size = 0;
    la_int64_t offset = 0;
    while (archive_read_data_block(a, &data, &size, &offset) == ARCHIVE_OK) {
      work.bytes += size;
    }
    ++work.records;
  }
  archive_read_free(a);
  return work;
}

}  // namespace

Jobs BareJobs() {
  return {{"bare_read", ReadLoop},        {"bare_write", WriteLoop},
          {"bare_igzip", Igzip},          {"bare_pread", PreadLoop},
          {"bare_protobuf", Protobuf},    {"bare_simdjson", Simdjson},
          {"bare_libarchive", Libarchive}};
}

}  // namespace penstock::peers
