#include "formats/files/mapped_bytes.h"

#include <fmt/format.h>

#include <new>
#include <optional>
#include <utility>

#include "formats/files/sigbus_guard.h"
#include "formats/files/status_or.h"
#include "formats/memory/huge_pages.h"

namespace penstock {
namespace {

class MappedBytes final : public FileBytes {
 public:
  MappedBytes(PosixCalls& calls, void* begin, size_t size_bytes)
      : calls_(calls), begin_(begin), size_bytes_(size_bytes) {
    guard_.emplace(begin, size_bytes);
  }
  ~MappedBytes() override {
    guard_.reset();
    calls_.Munmap(begin_, size_bytes_);
  }

  std::string_view bytes() const override {
    return {static_cast<const char*>(begin_), size_bytes_};
  }
  bool intact() const override { return !guard_->hit(); }

 private:
  PosixCalls& calls_;
  void* const begin_;
  const size_t size_bytes_;
  std::optional<SigbusGuard> guard_;  // ends before the mapping does
};

class CopiedBytes final : public FileBytes {
 public:
  CopiedBytes(std::unique_ptr<char[]> copy, size_t size_bytes)
      : copy_(std::move(copy)), size_bytes_(size_bytes) {}

  std::string_view bytes() const override { return {copy_.get(), size_bytes_}; }
  bool intact() const override { return true; }

 private:
  const std::unique_ptr<char[]> copy_;
  const size_t size_bytes_;
};

}  // namespace

std::unique_ptr<FileBytes> MapFile(PosixCalls& calls, int fd, uint64_t offset,
                                   size_t size_bytes) {
  if (size_bytes == 0) return nullptr;
  void* const begin = calls.Mmap(fd, size_bytes, offset);
  if (begin == nullptr) return nullptr;
  return std::make_unique<MappedBytes>(calls, begin, size_bytes);
}

StatusOr<std::unique_ptr<FileBytes>> MapOrCopy(const ReadableFile& file) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file.Stat());
  if (auto mapped = file.Map(0, info.size_bytes)) {
    PreferHugePages(mapped->bytes().data(), info.size_bytes);
    return mapped;
  }
  std::unique_ptr<char[]> copy(new (std::nothrow) char[info.size_bytes]);
  if (copy == nullptr) {
    return ResourceExhaustedError(fmt::format("{}: no memory for {} bytes",
                                              file.path(), info.size_bytes));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                            file.ReadAt(0, {copy.get(), info.size_bytes}));
  if (got < info.size_bytes) {
    return FailedPreconditionError(
        fmt::format("{}: file changed while reading (size {} -> {})",
                    file.path(), info.size_bytes, got));
  }
  return std::make_unique<CopiedBytes>(std::move(copy), info.size_bytes);
}

}  // namespace penstock
