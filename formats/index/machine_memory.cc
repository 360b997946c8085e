#include "formats/index/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace penstock {

uint64_t MachineMemoryBytes() {
  uint64_t bytes =
      static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) *
      static_cast<uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  // Of version 2 and of version 1; the first says "max" where there is none.
  for (const char* const path :
       {"/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    uint64_t limit = 0;
    if (file >> limit) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace penstock
