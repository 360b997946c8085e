// Any bytes, read as the index of a small file, in the binary and in the text
// form.

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/index/record_index.h"
#include "formats/index/record_index_text.h"
#include "tests/fuzz/indexed_file.h"
#include "tests/support/memory_files.h"

namespace penstock::testing {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "record_index_fuzz: %s\n", what);
  std::abort();
}

void ReadBinary(std::string_view bytes) {
  MemoryFiles files(kIndexedFile, ".index", bytes);
  const auto index = RecordIndex::Load(files, "a.tfrecord");
  if (!index.ok()) return;
  Require(index->records() <= bytes.size() / sizeof(uint64_t) ||
              index->in_gzip_members(),
          "more records than bytes");
  for (uint64_t i = 0; i < index->records() && i < 100; ++i) {
    if (index->in_gzip_members()) {
      const auto member = index->FindMember(i);
      Require(!member.ok() || (member->begin.first_record <= i &&
                               member->end.first_record > i &&
                               member->end.offset <= kIndexedFile.size()),
              "a member outside the file");
    } else {
      const auto place = index->Find(i);
      Require(!place.ok() ||
                  place->offset + place->size_bytes + 16 <= kIndexedFile.size(),
              "a record outside the file");
    }
  }
  for (const std::string& name : index->column_names()) {
    const auto lengths = index->Lengths(name);
    Require(!lengths.ok() || lengths->size() == index->records(),
            "other lengths than records");
  }
}

// The text without zeros before numbers.
std::string Plain(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || std::isdigit(text[i - 1]) == 0;
    size_t digits = i;
    while (begins && digits + 1 < text.size() && text[digits] == '0' &&
           std::isdigit(text[digits + 1]) != 0) {
      ++digits;
    }
    i = digits;
    plain += text[i];
  }
  return plain;
}

void ReadText(std::string_view bytes) {
  MemoryFiles files(kIndexedFile, ".idx", bytes);
  const auto index = ReadIndexText(files, "a.idx", "a.tfrecord");
  const std::string plain = Plain(bytes);
  const bool right =
      plain == kIndexedFileText || plain + "\n" == kIndexedFileText;
  Require(index.ok() == right, "another text than that of the file");
  if (index.ok()) return;
  const std::string message(index.status().message());
  Require(message.starts_with("a.idx:"), "no line is named");
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  penstock::testing::ReadBinary(bytes);
  penstock::testing::ReadText(bytes);
  return 0;
}
