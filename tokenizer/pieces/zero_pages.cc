#include "tokenizer/pieces/zero_pages.h"

#include <sys/mman.h>

#include <memory>
#include <new>
#include <utility>

#include "formats/memory/huge_pages.h"

namespace penstock {

ZeroPages::ZeroPages(size_t size_bytes, size_t most_bytes)
    : mapping_bytes_(most_bytes +
                     (most_bytes < kHugePageBytes ? 0 : kHugePageBytes)) {
  mapping_ = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  data_ = mapping_;
  size_t space = mapping_bytes_;
  if (most_bytes >= kHugePageBytes) {
    std::align(kHugePageBytes, most_bytes, data_, space);
  }
  GrowTo(size_bytes);
}

void ZeroPages::GrowTo(size_t size_bytes) {
  size_bytes_ = size_bytes;
  PreferHugePages(data_, size_bytes);
}

void ZeroPages::Take(size_t begin, size_t size_bytes) {
  // Of Linux 5.14 on; others refuse, which changes nothing.
  (void)madvise(static_cast<char*>(data_) + begin, size_bytes,
                MADV_POPULATE_WRITE);
}

void ZeroPages::Clear(size_t size_bytes) {
  // Anonymous and private: what was there is gone, zeros are next.
  madvise(data_, size_bytes_, MADV_DONTNEED);
  size_bytes_ = size_bytes;
}

ZeroPages::~ZeroPages() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

ZeroPages::ZeroPages(ZeroPages&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_bytes_(other.mapping_bytes_),
      data_(other.data_),
      size_bytes_(other.size_bytes_) {}

ZeroPages& ZeroPages::operator=(ZeroPages&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

}  // namespace penstock
