// The parts of files that are known to be in memory, at an address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "formats/files/file.h"

namespace penstock {

// How much is mapped of files of so many bytes, where nobody says: all of what
// is no more than half of the memory there is, and may stay there. Of more
// 1 GiB, as the system takes pages back then, and touching these again waits
// for the device.
uint64_t MostMappedBytes(uint64_t files_bytes, uint64_t memory_bytes);

// One file. Borrowed from WarmFiles.
class WarmFile {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  WarmFile() = default;
  // `read_pages` has a bit of each page.
  WarmFile(std::string_view bytes, const std::atomic<uint64_t>* read_pages)
      : bytes_(bytes), read_pages_(read_pages) {}

  // The bytes from `begin`, null unless all of [begin, end), one at least, was
  // read before. What they are is to be proven on a copy: a file that is
  // rewritten changes under the reader, and one that is cut off reads as zero.
  const char* Find(uint64_t begin, uint64_t end) const {
    if (end > bytes_.size()) return nullptr;
    const uint64_t page = begin / kPageBytes;
    const bool was_read =
        page == (end - 1) / kPageBytes
            ? (read_pages_[page / 64].load(std::memory_order_relaxed) >>
               page % 64) &
                  1
            : WereRead(begin, end);
    return was_read ? bytes_.data() + begin : nullptr;
  }

 private:
  bool WereRead(uint64_t begin, uint64_t end) const;

  std::string_view bytes_;  // none of a file that is not mapped
  const std::atomic<uint64_t>* read_pages_ = nullptr;  // relaxed
};

// Reading a piece of a file that the system has in memory costs a call for each
// time; at an address it costs a copy. But touching a page that is not in
// memory waits for the device, so only pages that were read before are given.
// Files are mapped when they are first read, as long as the mapped ones have at
// most `most_mapped_bytes` together; the others are never given.
//
// Threads: any number at a time.
// Cost:    a bit of memory for each 4 KiB of a mapped file. Mapped pages count
//          as memory of the process while the system leaves them there.
class WarmFiles {
 public:
  explicit WarmFiles(uint64_t most_mapped_bytes = 0)
      : left_bytes_(most_mapped_bytes) {}

  // Adds the next file. To be called before anything else.
  void Add(uint64_t size_bytes) { files_.emplace_back(size_bytes); }
  // Another limit. To be called before anything but Add().
  void Allow(uint64_t most_mapped_bytes) { left_bytes_ = most_mapped_bytes; }

  // A file as it is now, to look at several places of it.
  WarmFile Get(size_t file) const;
  // As WarmFile has it.
  const char* Find(size_t file, uint64_t begin, uint64_t end) const {
    return Get(file).Find(begin, end);
  }

  // Says that [begin, end) of that file, which is `open`, was read just now.
  void WasRead(size_t file, const ReadableFile& open, uint64_t begin,
               uint64_t end);

 private:
  struct Mapped {
    std::unique_ptr<const FileBytes> bytes;
    std::vector<std::atomic<uint64_t>> read_pages;  // as WarmFile has them
  };
  struct File {
    explicit File(uint64_t size) : size_bytes(size) {}

    const uint64_t size_bytes;
    std::unique_ptr<Mapped> kept;     // of the thread that set `tried`
    std::atomic<bool> tried = false;  // relaxed: only picks that thread
    // `kept`, released when it is whole; null where there is none.
    std::atomic<Mapped*> mapped = nullptr;
  };

  void Map(File& file, const ReadableFile& open);
  // Takes that many of what may still be mapped.
  bool Take(uint64_t size_bytes);

  std::deque<File> files_;
  std::atomic<uint64_t> left_bytes_;  // relaxed
};

}  // namespace penstock
