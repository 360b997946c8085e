#include "tokenizer/vocabulary/zero_pages.h"

#include <sys/mman.h>

#include <memory>
#include <new>
#include <utility>

namespace penstock {
namespace {

constexpr size_t kHugePageBytes = 2 << 20;

}  // namespace

ZeroPages::ZeroPages(size_t size_bytes)
    : mapping_bytes_(size_bytes +
                     (size_bytes < kHugePageBytes ? 0 : kHugePageBytes)),
      size_bytes_(size_bytes) {
  mapping_ = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  data_ = mapping_;
  if (size_bytes < kHugePageBytes) return;
  size_t space = mapping_bytes_;
  std::align(kHugePageBytes, size_bytes, data_, space);
  // A system without huge pages refuses, and that is fine.
  (void)madvise(data_, size_bytes, MADV_HUGEPAGE);
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
