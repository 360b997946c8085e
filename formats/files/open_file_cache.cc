#include "formats/files/open_file_cache.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

Status CompareInfo(const ReadableFile& file, const FileInfo& expected) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo now, file.Stat());
  if (now.size_bytes != expected.size_bytes) {
    return FailedPreconditionError(
        fmt::format("{}: file changed since its index was made (size {} -> {})",
                    file.path(), expected.size_bytes, now.size_bytes));
  }
  if (now.mtime_ns != expected.mtime_ns) {
    return FailedPreconditionError(fmt::format(
        "{}: file changed since its index was made (another modification "
        "time)",
        file.path()));
  }
  return OkStatus();
}

// Of all caches: hosts that are threads of one process have one each. Relaxed:
// near enough is good enough.
std::atomic<size_t> all_open = 0;

}  // namespace

size_t OpenFileBudget() {
  constexpr size_t kLeft = 512;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kLeft / 4;
  const size_t most = limit.rlim_cur;
  return std::max({most / 4, most > kLeft ? most - kLeft : 0, size_t{1}});
}

OpenFileCache::~OpenFileCache() { CloseDownTo(0); }

void OpenFileCache::Add(std::string path, FileInfo expected) {
  slots_.push_back({std::move(path), expected, nullptr});
}

StatusOr<std::shared_ptr<const ReadableFile>> OpenFileCache::Get(size_t file) {
  Slot& slot = slots_[file];
  {
    std::lock_guard lock(mutex_);
    if (slot.open != nullptr) return slot.open;
    const size_t others =
        all_open.load(std::memory_order_relaxed) - opened_.size();
    CloseDownTo(others < most_open_ ? most_open_ - others - 1 : 0);
  }
  auto opened = Open(slot);
  if (IsResourceExhausted(opened.status())) {
    {
      std::lock_guard lock(mutex_);
      CloseDownTo(0);
    }
    opened = Open(slot);
  }
  PENSTOCK_RETURN_IF_ERROR(opened.status());
  std::lock_guard lock(mutex_);
  if (slot.open == nullptr) {  // no other thread was faster
    slot.open = *std::move(opened);
    opened_.push_back(file);
    all_open.fetch_add(1, std::memory_order_relaxed);
  }
  return slot.open;
}

StatusOr<std::shared_ptr<const ReadableFile>> OpenFileCache::Open(
    const Slot& slot) {
  PENSTOCK_ASSIGN_OR_RETURN(std::shared_ptr<const ReadableFile> file,
                            files_.OpenForRead(slot.path));
  PENSTOCK_RETURN_IF_ERROR(CompareInfo(*file, slot.expected));
  return file;
}

void OpenFileCache::CloseDownTo(size_t count) {
  while (opened_.size() > count) {
    slots_[opened_.front()].open = nullptr;
    opened_.pop_front();
    all_open.fetch_sub(1, std::memory_order_relaxed);
  }
}

Status OpenFileCache::CheckUnchanged(size_t file) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto open, Get(file));
  return CompareInfo(*open, slots_[file].expected);
}

}  // namespace penstock
