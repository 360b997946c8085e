#include "tools/programs/text_input.h"

#include <cstdint>
#include <cstdio>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr size_t kReadBytes = 1 << 20;

// Calls `each` with every piece of a file or, for "-", of standard input.
Status ReadPieces(const std::string& path, const Document& each) {
  std::string buffer(kReadBytes, '\0');
  if (path == "-") {
    while (const size_t got =
               std::fread(buffer.data(), 1, buffer.size(), stdin)) {
      PENSTOCK_RETURN_IF_ERROR(each({buffer.data(), got}));
    }
    if (std::ferror(stdin) == 0) return OkStatus();
    return UnavailableError("cannot read the standard input");
  }
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, LocalFiles().OpenForRead(path));
  for (uint64_t offset = 0;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got, file->ReadAt(offset, buffer));
    if (got == 0) return OkStatus();
    PENSTOCK_RETURN_IF_ERROR(each({buffer.data(), got}));
    offset += got;
  }
}

}  // namespace

Status ReadSeparated(const std::string& path, char separator,
                     const Document& each) {
  std::string kept;
  PENSTOCK_RETURN_IF_ERROR(ReadPieces(path, [&](std::string_view piece) {
    while (true) {
      const size_t end = piece.find(separator);
      kept.append(piece.substr(0, end));
      if (end == std::string_view::npos) return OkStatus();
      PENSTOCK_RETURN_IF_ERROR(each(kept));
      kept.clear();
      piece.remove_prefix(end + 1);
    }
  }));
  return kept.empty() ? OkStatus() : each(kept);
}

Status ReadWhole(const std::string& path, const Document& each) {
  std::string whole;
  PENSTOCK_RETURN_IF_ERROR(ReadPieces(path, [&](std::string_view piece) {
    whole.append(piece);
    return OkStatus();
  }));
  return each(whole);
}

}  // namespace penstock
