#include "tokenizer/interface/huge_pages.h"

#include <sys/mman.h>

#include <memory>

namespace penstock {

void PreferHugePages(void* memory, size_t size_bytes) {
  if (std::align(kHugePageBytes, kHugePageBytes, memory, size_bytes) ==
      nullptr) {
    return;
  }
  (void)madvise(memory, size_bytes / kHugePageBytes * kHugePageBytes,
                MADV_HUGEPAGE);
}

}  // namespace penstock
