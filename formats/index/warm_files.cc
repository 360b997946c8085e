#include "formats/index/warm_files.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

constexpr uint64_t kPageBytes = WarmFile::kPageBytes;
constexpr uint64_t kWordBits = 64;
constexpr uint64_t kWordBytes = kWordBits * kPageBytes;

// The bits of [begin, end) that lie in the word with that number.
uint64_t BitsIn(uint64_t word, uint64_t begin, uint64_t end) {
  const uint64_t first_page = begin / kPageBytes;
  const uint64_t last_page = (end - 1) / kPageBytes;
  uint64_t bits = ~uint64_t{0};
  if (word == first_page / kWordBits) bits <<= first_page % kWordBits;
  if (word == last_page / kWordBits) {
    bits &= ~uint64_t{0} >> (kWordBits - 1 - last_page % kWordBits);
  }
  return bits;
}

}  // namespace

uint64_t MostMappedBytes(uint64_t files_bytes, uint64_t memory_bytes) {
  constexpr uint64_t kOfMore = 1 << 30;
  return files_bytes <= memory_bytes / 2 ? files_bytes
                                         : std::min(files_bytes, kOfMore);
}

bool WarmFile::WereRead(uint64_t begin, uint64_t end) const {
  for (uint64_t word = begin / kWordBytes; word <= (end - 1) / kWordBytes;
       ++word) {
    const uint64_t bits = BitsIn(word, begin, end);
    if ((read_pages_[word].load(std::memory_order_relaxed) & bits) != bits) {
      return false;
    }
  }
  return true;
}

WarmFile WarmFiles::Get(size_t file) const {
  const Mapped* const mapped =
      files_[file].mapped.load(std::memory_order_acquire);
  if (mapped == nullptr || !mapped->bytes->intact()) return {};
  return {mapped->bytes->bytes(), mapped->read_pages.data()};
}

void WarmFiles::WasRead(size_t file, const ReadableFile& open, uint64_t begin,
                        uint64_t end) {
  File& one = files_[file];
  if (!one.tried.load(std::memory_order_relaxed)) Map(one, open);
  // Null also while another thread maps it: then this is not remembered.
  Mapped* const mapped = one.mapped.load(std::memory_order_acquire);
  if (mapped == nullptr) return;
  for (uint64_t word = begin / kWordBytes; word <= (end - 1) / kWordBytes;
       ++word) {
    mapped->read_pages[word].fetch_or(BitsIn(word, begin, end),
                                      std::memory_order_relaxed);
  }
}

void WarmFiles::Map(File& file, const ReadableFile& open) {
  if (file.tried.exchange(true, std::memory_order_relaxed)) return;
  if (!Take(file.size_bytes)) return;
  auto bytes = open.Map(0, file.size_bytes);
  if (bytes == nullptr) {
    left_bytes_.fetch_add(file.size_bytes, std::memory_order_relaxed);
    return;
  }
  file.kept = std::make_unique<Mapped>();
  file.kept->bytes = std::move(bytes);
  file.kept->read_pages =
      std::vector<std::atomic<uint64_t>>(file.size_bytes / kWordBytes + 1);
  file.mapped.store(file.kept.get(), std::memory_order_release);
}

bool WarmFiles::Take(uint64_t size_bytes) {
  uint64_t left = left_bytes_.load(std::memory_order_relaxed);
  while (left >= size_bytes) {
    if (left_bytes_.compare_exchange_weak(left, left - size_bytes,
                                          std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

}  // namespace penstock
