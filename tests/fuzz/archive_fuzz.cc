// Any bytes, read as each archive, end or fail with a name, in bounded memory,
// and the same however they are wrapped.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "formats/open.h"
#include "tests/formats/archives/archive_fixture.h"
#include "tests/support/memory_files.h"

namespace penstock::testing {
namespace {

constexpr uint64_t kMemberBytes = 1 << 20;

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "archive_fuzz: %s\n", what);
  std::abort();
}

ReadOut Read(std::string_view bytes, const std::string& name,
             OpenOptions options = {}) {
  MemoryFiles files(bytes);
  options.archive_limits.max_member_bytes = kMemberBytes;
  options.unpack.max_total_bytes = 16 * kMemberBytes;
  options.on_bad_part = [](BadPart, const Status&) { return OkStatus(); };
  ReadOut out = ReadAll(OpenRecords(files, name, options));
  Require(out.status.code() != StatusCode::kInternal, "a broken promise");
  Require(out.status.ok() ||
              out.status.message().find(name) != std::string_view::npos,
          "an error without the file");
  for (const std::string& record : out.records) {
    Require(record.size() <= kMemberBytes, "a record over the limit");
  }
  for (const std::string& place : out.places) {
    Require(place.starts_with(name + "!"), "a record without its member");
  }
  return out;
}

void TestOneInput(std::string_view bytes) {
  const ReadOut tar = Read(bytes, "f.tar");
  Read(bytes, "f.zip");
  Read(bytes, "f.7z");
  Read(bytes, "f.tar.gz");
  Read(bytes, "f.tar.zst");
  Read(bytes, "f.tar", {.kind = FileKind::kWebDataset});
  const ReadOut wrapped = Read(Zstd(bytes), "f.tar.zst");
  Require(wrapped.records == tar.records, "other records out of zstd");
  Require(wrapped.status.code() == tar.status.code(), "another end in zstd");
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  penstock::testing::TestOneInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
