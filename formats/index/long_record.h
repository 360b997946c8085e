// A record that is proven once all of it was copied.
#pragma once

#include <cstdint>
#include <span>

#include "formats/files/file.h"
#include "formats/files/function_ref.h"

namespace penstock {

// The bytes of one record of a plain TFRecord file, in order, each read once
// and checksummed as it is copied. None is proven before Finish().
//
// Threads: one at a time.
class LongRecord {
 public:
  // The record whose header is at `mapped`, where the file is mapped up to its
  // last byte.
  explicit LongRecord(const char* mapped) : mapped_(mapped) {}
  // The record at `offset`. All are borrowed; `awaits` is called once, before
  // the first wait for the device.
  LongRecord(const ReadableFile& file, uint64_t offset,
             const FunctionRef<void()>& awaits)
      : file_(&file), offset_(offset), awaits_(&awaits) {}

  // False for a header that is not right or says another size.
  bool Begin(uint64_t size_bytes);
  // The next bytes of its data. False where the file ends or the device fails.
  bool Take(std::span<char> to);
  // Behind the last of them: whether all were right.
  bool Finish();

 private:
  bool Read(std::span<char> to);

  const char* mapped_ = nullptr;
  const ReadableFile* file_ = nullptr;
  uint64_t offset_ = 0;  // of the file's next byte
  const FunctionRef<void()>* awaits_ = nullptr;
  uint32_t crc_ = 0;
};

}  // namespace penstock
