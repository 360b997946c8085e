// Files of tables that are mapped and used in place, and know what they were
// made from. docs/formats/compiled_tokenizer.md has the layout.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/file.h"
#include "formats/files/status.h"

namespace penstock {

// To be raised with every change of what the tables hold or how they are made,
// and with every change of the loaders that gives a source other ids or another
// kind of tokenizer, or the slower one would stay:
// DamagedCompiledTest.TablesAreThoseOfTheirVersion tells of the former.
inline constexpr uint32_t kCompiledVersion = 19;

// What a file was made from. Size, time and inode tell quickly that a source is
// unchanged; the checksum tells it of one that was copied or touched.
struct CompiledSource {
  uint64_t size_bytes = 0;
  int64_t mtime_ns = 0;
  uint64_t inode = 0;
  uint32_t checksum = 0;  // CRC-32C
  uint32_t zero = 0;
};

struct CompiledFile {
  // Where the others look.
  std::shared_ptr<const FileBytes> bytes;
  std::string_view soon;  // is what was written
  // Is what was written only if this is its CRC-32C.
  std::string_view later;
  uint32_t later_checksum = 0;
  CompiledSource source;
  int64_t written_ns = 0;
};

// Nullopt where there is no such file, or one that is damaged, cut, of another
// version or of a machine of the other byte order.
//
// Cost:    a pass over `soon`.
std::optional<CompiledFile> OpenCompiled(FileSystem& files,
                                         const std::string& path);

// Whether a file of now is `made.source`. A source that was changed less than
// two seconds before the compiled file was made is known by its checksum alone,
// because it may have changed again without another time.
//
// Cost:    nothing, or a pass over the source.
bool IsMadeFrom(FileSystem& files, const std::string& source,
                const FileInfo& info, const CompiledFile& made);

// Whole or not at all.
Status WriteCompiled(FileSystem& files, const std::string& path,
                     std::string_view soon, std::string_view later,
                     const CompiledSource& source, int64_t written_ns);

}  // namespace penstock
