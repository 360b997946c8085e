// The bytes that libarchive is fed with.
//
// Two implementations: a stream, for tar, and a file with places to go to, for
// zip and 7z, whose directories stand at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

// Threads: one at a time.
class ArchiveSource {
 public:
  virtual ~ArchiveSource() = default;

  // The next bytes, alive until the next call where they are not held; empty at
  // the proven end.
  virtual StatusOr<std::string_view> Next() = 0;

  // Bytes that Next() gives from here on live until `let_go` is called, which
  // happens once at most, or until this is called again; null holds nothing. A
  // source may hold nothing at all.
  virtual void Hold(Callback<void()> let_go) {}
  // Whether the bytes at `bytes` are held.
  virtual bool Holds(const char* bytes) const { return false; }

  // Goes to `offset`, where that is possible.
  virtual bool CanSeek() const { return false; }
  virtual void Seek(uint64_t offset) {}
  virtual uint64_t position() const = 0;
  virtual uint64_t size_bytes() const = 0;  // 0 where not known

  // Reads what libarchive left and says whether the archive is whole, given
  // that its last entry ends at `end`.
  virtual Status CheckEnd(uint64_t end, bool tar_end_required) = 0;

  // The first bytes, for messages; at most 512.
  virtual std::string_view first_bytes() const = 0;
  virtual const std::string& path() const = 0;
};

std::unique_ptr<ArchiveSource> MakeStreamSource(
    std::unique_ptr<ByteStream> stream);

// Errors:  those of ReadableFile::Stat.
StatusOr<std::unique_ptr<ArchiveSource>> MakeFileSource(
    std::unique_ptr<ReadableFile> file);

}  // namespace penstock
