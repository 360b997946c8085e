#include "tokenizer/files/compiled_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "formats/files/atomic_file.h"
#include "formats/files/crc32c.h"
#include "formats/files/status_or.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {
namespace {

constexpr std::array<char, 8> kMagic = {'P', 'E', 'N', 'S', 'T', 'O', 'K', 'C'};
constexpr uint32_t kByteOrder = 0x01020304;
constexpr int64_t kSettledNs = 2'000'000'000;

struct Header {
  std::array<char, 8> magic = kMagic;
  uint32_t byte_order = kByteOrder;
  uint32_t version = kCompiledVersion;
  uint64_t size_bytes = 0;  // of the file
  uint64_t soon_bytes = 0;  // behind the header
  uint64_t later_begin = 0;
  uint64_t later_bytes = 0;
  uint32_t soon_checksum = 0;
  uint32_t later_checksum = 0;
  CompiledSource source;
  int64_t written_ns = 0;
  std::array<char, 28> zeros = {};
  uint32_t checksum = 0;  // of the bytes before
};
static_assert(sizeof(Header) == 128);
static_assert(std::has_unique_object_representations_v<Header>);

uint32_t ChecksumOf(const Header& header) {
  return Crc32c(
      {reinterpret_cast<const char*>(&header), offsetof(Header, checksum)});
}

bool IsSound(const Header& header, size_t size_bytes) {
  return header.magic == kMagic && header.byte_order == kByteOrder &&
         header.version == kCompiledVersion &&
         header.checksum == ChecksumOf(header) &&
         header.size_bytes == size_bytes &&
         header.later_begin % TableWriter::kAlignment == 0 &&
         header.later_begin >= sizeof(Header) &&
         header.later_begin <= size_bytes &&
         header.soon_bytes <= header.later_begin - sizeof(Header) &&
         header.later_bytes == size_bytes - header.later_begin;
}

// Null where it cannot be mapped.
std::shared_ptr<const FileBytes> Map(FileSystem& files,
                                     const std::string& path) {
  const auto file = files.OpenForRead(path);
  if (!file.ok()) return nullptr;
  const auto info = (*file)->Stat();
  if (!info.ok() || info->is_stream) return nullptr;
  return (*file)->Map(0, info->size_bytes);
}

}  // namespace

std::optional<CompiledFile> OpenCompiled(FileSystem& files,
                                         const std::string& path) {
  CompiledFile file;
  file.bytes = Map(files, path);
  if (file.bytes == nullptr) return std::nullopt;
  const std::string_view bytes = file.bytes->bytes();
  Header header;
  if (bytes.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (!IsSound(header, bytes.size())) return std::nullopt;
  file.soon = bytes.substr(sizeof(header), header.soon_bytes);
  file.later = bytes.substr(header.later_begin, header.later_bytes);
  file.later_checksum = header.later_checksum;
  file.source = header.source;
  file.written_ns = header.written_ns;
  if (Crc32c(file.soon) != header.soon_checksum || !file.bytes->intact()) {
    return std::nullopt;
  }
  return file;
}

bool IsMadeFrom(FileSystem& files, const std::string& source,
                const FileInfo& info, const CompiledFile& made) {
  const CompiledSource& then = made.source;
  if (info.size_bytes != then.size_bytes) return false;
  const bool settled = then.mtime_ns <= made.written_ns - kSettledNs;
  if (settled && info.inode != 0 && info.inode == then.inode &&
      info.mtime_ns == then.mtime_ns) {
    return true;
  }
  const auto bytes = Map(files, source);
  return bytes != nullptr && bytes->bytes().size() == then.size_bytes &&
         Crc32c(bytes->bytes()) == then.checksum && bytes->intact();
}

Status WriteCompiled(FileSystem& files, const std::string& path,
                     std::string_view soon, std::string_view later,
                     const CompiledSource& source, int64_t written_ns) {
  constexpr size_t kAlignment = TableWriter::kAlignment;
  const size_t soon_end = sizeof(Header) + soon.size();
  Header header;
  header.soon_bytes = soon.size();
  header.later_begin = (soon_end + kAlignment - 1) / kAlignment * kAlignment;
  header.later_bytes = later.size();
  header.size_bytes = header.later_begin + later.size();
  header.soon_checksum = Crc32c(soon);
  header.later_checksum = Crc32c(later);
  header.source = source;
  header.written_ns = written_ns;
  header.checksum = ChecksumOf(header);
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(files, path));
  PENSTOCK_RETURN_IF_ERROR(
      file->Append({reinterpret_cast<const char*>(&header), sizeof(header)}));
  PENSTOCK_RETURN_IF_ERROR(file->Append(soon));
  PENSTOCK_RETURN_IF_ERROR(
      file->Append(std::string(header.later_begin - soon_end, '\0')));
  PENSTOCK_RETURN_IF_ERROR(file->Append(later));
  return file->Commit();
}

}  // namespace penstock
