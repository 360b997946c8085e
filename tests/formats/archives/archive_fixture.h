// Archives made in memory, by libarchive's writer and by hand.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/open.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/memory_files.h"
#include "tests/support/scratch_folder.h"

namespace penstock::testing {

// An entry to write: a file unless `type` says otherwise.
struct PackedFile {
  std::string name;
  std::string content;
  mode_t type = AE_IFREG;
  std::string link = "";       // target of a symbolic link
  std::string hard_link = "";  // target of a hard link
};

using SetFormat = int (*)(archive*);

// What libarchive writes for `entries`.
inline std::string Pack(SetFormat format,
                        const std::vector<PackedFile>& entries,
                        const char* options = nullptr) {
  std::string out(1 << 22, '\0');
  size_t used = 0;
  archive* a = archive_write_new();
  EXPECT_EQ(format(a), ARCHIVE_OK);
  archive_write_set_bytes_in_last_block(a, 1);
  if (options != nullptr) {
    EXPECT_EQ(archive_write_set_options(a, options), ARCHIVE_OK)
        << archive_error_string(a);
  }
  EXPECT_EQ(archive_write_open_memory(a, out.data(), out.size(), &used),
            ARCHIVE_OK);
  for (const PackedFile& entry : entries) {
    archive_entry* header = archive_entry_new();
    archive_entry_set_pathname(header, entry.name.c_str());
    archive_entry_set_filetype(header, entry.type);
    archive_entry_set_perm(header, 0644);
    archive_entry_set_size(header, entry.content.size());
    if (!entry.link.empty()) {
      archive_entry_set_symlink(header, entry.link.c_str());
    }
    if (!entry.hard_link.empty()) {
      archive_entry_set_hardlink(header, entry.hard_link.c_str());
    }
    EXPECT_GE(archive_write_header(a, header), ARCHIVE_WARN)
        << archive_error_string(a);
    if (!entry.content.empty()) {
      EXPECT_EQ(
          archive_write_data(a, entry.content.data(), entry.content.size()),
          static_cast<la_ssize_t>(entry.content.size()));
    }
    archive_entry_free(header);
  }
  EXPECT_EQ(archive_write_close(a), ARCHIVE_OK) << archive_error_string(a);
  archive_write_free(a);
  out.resize(used);
  return out;
}

inline std::string Tar(const std::vector<PackedFile>& entries) {
  return Pack(archive_write_set_format_pax_restricted, entries);
}
inline std::string Zip(const std::vector<PackedFile>& entries,
                       const char* options = nullptr) {
  return Pack(archive_write_set_format_zip, entries, options);
}
inline std::string SevenZip(const std::vector<PackedFile>& entries,
                            const char* options = nullptr) {
  return Pack(archive_write_set_format_7zip, entries, options);
}

// One frame with a checksum.
inline std::string Zstd(std::string_view bytes) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress2(context, out.data(), out.size(),
                                     bytes.data(), bytes.size());
  EXPECT_FALSE(ZSTD_isError(size));
  ZSTD_freeCCtx(context);
  out.resize(size);
  return out;
}

// The 512 bytes of a ustar header, for what no writer would write.
inline std::string TarHeader(std::string_view name, std::string_view size_field,
                             char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  header.replace(108, 7, "0000000");
  header.replace(116, 7, "0000000");
  header.replace(124, size_field.size(), size_field);
  header.replace(136, 11, "00000000000");
  header.replace(148, 8, "        ");
  header[156] = type;
  header.replace(257, 8, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char field[8];
  std::snprintf(field, sizeof(field), "%06o", sum);
  header.replace(148, 7, field, 7);
  return header;
}

// Puts `value` where a little endian number stands.
template <typename T>
void Store(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

// All records of a file of that name with these bytes.
inline ReadOut ReadAs(const std::string& name, std::string_view bytes,
                      OpenOptions options = {}) {
  MemoryFiles files(bytes);
  return ReadAll(OpenRecords(files, name, std::move(options)));
}

// `place` without the folder it is in.
inline std::string Base(const std::string& place) {
  const size_t name = place.substr(0, place.find('!')).rfind('/') + 1;
  return place.substr(name);
}

}  // namespace penstock::testing
