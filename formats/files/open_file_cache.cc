#include "formats/files/open_file_cache.h"

#include <fmt/format.h>

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

}  // namespace

void OpenFileCache::Add(std::string path, FileInfo expected) {
  slots_.push_back({std::move(path), expected, nullptr});
}

StatusOr<std::shared_ptr<const ReadableFile>> OpenFileCache::Get(size_t file) {
  Slot& slot = slots_[file];
  {
    std::lock_guard lock(mutex_);
    if (slot.open != nullptr) return slot.open;
    CloseDownTo(most_open_ - 1);
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
  }
}

Status OpenFileCache::CheckUnchanged(size_t file) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto open, Get(file));
  return CompareInfo(*open, slots_[file].expected);
}

}  // namespace penstock
