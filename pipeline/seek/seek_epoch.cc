#include "pipeline/seek/seek_epoch.h"

#include <cmath>
#include <mutex>

#include "pipeline/tasks/parallel_for.h"

namespace penstock {

Status SeekEpoch::LookUntil(const SoughtStep& sought,
                            FunctionRef<void(uint64_t)> look,
                            FunctionRef<bool(uint64_t)> found, TaskQueue& tasks,
                            const SeekOptions& options) const {
  // Where steps are spread evenly, which shuffled ones are nearly.
  const double share = sought.of == 0
                           ? 1
                           : std::min(1.0, static_cast<double>(sought.done) /
                                               static_cast<double>(sought.of));
  uint64_t end = std::min(
      parts(), 1 + static_cast<uint64_t>(
                       std::ceil(static_cast<double>(parts()) * share)));
  // So that no thread waits long for the last of them.
  const uint64_t more = 8 * static_cast<uint64_t>(tasks.threads());
  std::mutex mutex;
  uint64_t done = 0;
  for (uint64_t begin = 0;;) {
    PENSTOCK_RETURN_IF_ERROR(
        ParallelFor(tasks, end - begin, options.stop, [&](uint64_t i) {
          const uint64_t part = begin + i;
          look(part);
          if (!options.progress) return;
          const std::lock_guard lock(mutex);
          done += BeginOf(part + 1) - BeginOf(part);
          options.progress(done, BeginOf(end));
        }));
    if (found(end) || end == parts()) return OkStatus();
    begin = end;
    end = std::min(parts(), end + more);
  }
}

}  // namespace penstock
