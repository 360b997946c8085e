// Pages of 2 MiB for memory that is large.
#pragma once

#include <cstddef>

namespace penstock {

inline constexpr size_t kHugePageBytes = 2 << 20;

// Asks for huge pages where all of one lies in the memory: the system then has
// one place to find where it had 512, and is asked once for what it would be
// asked for page by page. It may refuse, which changes nothing.
void PreferHugePages(void* memory, size_t size_bytes);

}  // namespace penstock
