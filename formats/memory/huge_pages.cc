#include "formats/memory/huge_pages.h"

#include <sys/mman.h>

#include <memory>

namespace penstock {

void PreferHugePages(const void* memory, size_t size_bytes) {
  void* first = const_cast<void*>(memory);
  if (std::align(kHugePageBytes, kHugePageBytes, first, size_bytes) ==
      nullptr) {
    return;
  }
  (void)madvise(first, size_bytes / kHugePageBytes * kHugePageBytes,
                MADV_HUGEPAGE);
}

}  // namespace penstock
