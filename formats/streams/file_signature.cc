#include "formats/streams/file_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "formats/files/crc32c.h"

namespace penstock {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view bytes;
  std::string_view name;
};

constexpr Signature kSignatures[] = {
    {"\x1f\x8b"sv, "gzip (1f 8b)"},
    {"\x28\xb5\x2f\xfd"sv, "zstd (28 b5 2f fd)"},
    {"BZh"sv, "bzip2 (BZh)"},
    {"\xfd\x37zXZ\0"sv, "xz"},
    {"PAR1"sv, "Parquet (PAR1)"},
    {"ARROW1"sv, "an Arrow file (ARROW1)"},
    {"PK\x03\x04"sv, "a zip archive (PK)"},
    {"\x89HDF"sv, "HDF5"},
    {"\x7f"
     "ELF"sv,
     "an ELF program"},
    {"MZ"sv, "a Windows program (MZ)"},
    {"\xcf\xfa\xed\xfe"sv, "a Mach-O program"},
    {"\xca\xfe\xba\xbe"sv, "a Java class or a Mach-O program"},
    {"\0asm"sv, "WebAssembly"},
    {"\x89PNG"sv, "a PNG picture"},
    {"\xff\xd8\xff"sv, "a JPEG picture"},
    {"GIF87a"sv, "a GIF picture"},
    {"GIF89a"sv, "a GIF picture"},
    {"II*\0"sv, "a TIFF picture"},
    {"MM\0*"sv, "a TIFF picture"},
    {"RIFF"sv, "sound or pictures (RIFF)"},
    {"OggS"sv, "sound (Ogg)"},
    {"fLaC"sv, "sound (FLAC)"},
    {"ID3"sv, "sound (MP3)"},
    {"%PDF-"sv, "a PDF document"},
    {"\xd0\xcf\x11\xe0"sv, "an old Office document"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    {"Rar!\x1a\x07"sv, "a RAR archive"},
    {"!<arch>\n"sv, "an ar archive or a library"},
    {"\x93NUMPY"sv, "a NumPy array"},
    {"Obj\x01"sv, "an Avro file"},
    {"ORC"sv, "an ORC file"},
    {"\x04\x22\x4d\x18"sv, "lz4"},
    {"\x83\xaf\x70\xd1"sv, "Riegeli or ArrayRecord"},
    {"PSTKIDX1"sv, "a record index, the sidecar of a TFRecord file"},
    {"version https://git-lfs"sv, "a Git LFS pointer, not the data"},
    {"<!DOCTYPE"sv, "an HTML page"},
    {"<!doctype"sv, "an HTML page"},
    {"<html"sv, "an HTML page"},
    {"<?xml"sv, "XML text"},
    {"{\""sv, "JSON text"},
    {"{\n"sv, "JSON text"},
    {"[{"sv, "JSON text"},
};

// "ustar" where POSIX.1-1988 tars have it.
bool IsTar(std::string_view bytes) {
  return bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
}

bool IsTfRecord(std::string_view bytes) {
  if (bytes.size() < 12) return false;
  uint32_t stored;
  std::memcpy(&stored, bytes.data() + 8, sizeof(stored));
  return stored == MaskCrc32c(Crc32c(bytes.substr(0, 8)));
}

// RFC 1950, section 2.2: deflate, and a multiple of 31. A damaged TFRecord of
// 40056 bytes begins so, too, but has four zero bytes where zlib has data.
bool IsZlib(std::string_view bytes) {
  if (bytes.size() < 2 ||
      bytes.substr(std::min<size_t>(4, bytes.size()), 4) == "\0\0\0\0"sv) {
    return false;
  }
  const auto method = static_cast<uint8_t>(bytes[0]);
  const auto flags = static_cast<uint8_t>(bytes[1]);
  return method == 0x78 && (method * 256 + flags) % 31 == 0;
}

bool IsText(std::string_view bytes) {
  if (bytes.size() < 8) return false;
  for (const char c : bytes) {
    const bool space = c == '\n' || c == '\r' || c == '\t';
    if (!space && (c < ' ' || c > '~')) return false;
  }
  return true;
}

}  // namespace

std::string_view LooksLike(std::string_view first_bytes) {
  for (const Signature& signature : kSignatures) {
    if (first_bytes.starts_with(signature.bytes)) return signature.name;
  }
  if (IsTar(first_bytes)) return "a tar archive";
  if (IsTfRecord(first_bytes)) return "an uncompressed TFRecord file";
  if (IsZlib(first_bytes)) return "zlib (78)";
  if (IsText(first_bytes)) return "text";
  return {};
}

std::string FirstBytesText(std::string_view first_bytes) {
  std::string text;
  for (const char c : first_bytes.substr(0, 4)) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ",
                        static_cast<uint8_t>(c));
  }
  return text;
}

}  // namespace penstock
