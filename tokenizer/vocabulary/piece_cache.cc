#include "tokenizer/vocabulary/piece_cache.h"

#include <sys/mman.h>

#include <memory>
#include <new>

namespace penstock {
namespace {

constexpr size_t kHugePageBytes = 2 << 20;

// Zeros that the system gives page by page once they are asked for.
void* MapZeros(size_t size_bytes) {
  void* const memory = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void* AlignToHugePage(void* memory, size_t size_bytes) {
  size_t space = size_bytes + kHugePageBytes;
  return std::align(kHugePageBytes, size_bytes, memory, space);
}

}  // namespace

PieceCache::PieceCache()
    : memory_(MapZeros(kTableBytes + kHugePageBytes)),
      lines_(static_cast<TwoEntries*>(AlignToHugePage(memory_, kTableBytes))) {
  // The first pieces go all over the table: with small pages each of them would
  // wait for its own. A system without huge pages refuses, and that is fine.
  (void)madvise(lines_, kTableBytes, MADV_HUGEPAGE);
}

PieceCache::~PieceCache() { munmap(memory_, kTableBytes + kHugePageBytes); }

}  // namespace penstock
