// Files of one or more compressed streams that follow each other: bzip2, xz and
// zstd. Gzip keeps more in mind and stands for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "formats/streams/byte_stream.h"
#include "formats/streams/compressed_input.h"

namespace penstock {

// Goes from part to part; an implementation decodes one at a time. Behind the
// last one nothing but zero bytes may stand.
//
// Threads: one at a time.
class JoinedStream : public ByteStream {
 public:
  StatusOr<size_t> Read(std::span<char> out) final;
  std::optional<uint64_t> size_bytes() const final { return std::nullopt; }
  const std::string& path() const final { return input_.path(); }

 protected:
  // What one call of Decode() did.
  struct Decoded {
    size_t used = 0;  // bytes of the input
    size_t made = 0;  // bytes of the output
    bool ended = false;
  };

  // For messages: "xz", "stream".
  struct Names {
    std::string_view format;
    std::string_view part;
    // Another part may follow zero bytes, of which there are a multiple of
    // this many, at the end too; 0 where none may follow any.
    size_t padding_unit = 0;
  };

  // A part begins with `magic_bytes` bytes that Starts() knows.
  JoinedStream(std::unique_ptr<ByteStream> source, Names names,
               size_t magic_bytes);

  virtual bool Starts(std::string_view bytes) const = 0;
  // Whether `bytes`, which are fewer than magic_bytes, may be cut off a start.
  virtual bool MayStart(std::string_view bytes) const = 0;
  virtual Status Begin() = 0;
  // `in` is empty at the end of the file.
  virtual StatusOr<Decoded> Decode(std::string_view in,
                                   std::span<char> out) = 0;

  Status Truncated() const;
  Status Corrupt() const;
  Status NoMemory() const;

  // Of the compressed bytes that come next.
  uint64_t offset() const { return input_.offset(); }
  // Of the part that is being decoded, from 0 on.
  uint64_t part() const { return parts_; }

 private:
  Status Enter();
  // Zero bytes between two parts, or behind the last.
  Status SkipPadding();
  Status Step(std::span<char> out, size_t& filled);

  CompressedInput input_;
  const Names names_;
  const size_t magic_bytes_;
  uint64_t parts_ = 0;  // finished ones
  bool in_part_ = false;
  bool ended_ = false;
  Status failed_;
};

}  // namespace penstock
