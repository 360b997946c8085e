#include "formats/index/record_index_pages.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/crc32c.h"
#include "formats/files/status.h"
#include "formats/index/record_index_layout.h"

namespace penstock {

RecordIndexPages::RecordIndexPages(std::unique_ptr<const FileBytes> bytes,
                                   std::string_view data,
                                   std::vector<uint32_t> checksums,
                                   std::string path)
    : bytes_(std::move(bytes)),
      data_(data),
      checksums_(std::move(checksums)),
      path_(std::move(path)),
      verified_(std::make_unique<std::atomic<uint64_t>[]>(
          (checksums_.size() + 63) / 64)) {
  static_assert(kPageBytes == kIndexPageBytes);
}

Status RecordIndexPages::VerifyPage(uint64_t page) const {
  const std::string_view bytes = data_.substr(page * kPageBytes, kPageBytes);
  const uint32_t computed = Crc32c(bytes);
  PENSTOCK_RETURN_IF_ERROR(CheckIntact());
  if (computed != checksums_[page]) {
    return Damaged(fmt::format(
        "page {} of {}: checksum 0x{:08x} is stored, 0x{:08x} computed", page,
        checksums_.size(), checksums_[page], computed));
  }
  verified_[page / 64].fetch_or(uint64_t{1} << (page % 64),
                                std::memory_order_relaxed);
  return OkStatus();
}

Status RecordIndexPages::CutOff() const {
  return FailedPreconditionError(fmt::format(
      "{}: the index was cut off while in use; put another in its place by "
      "renaming, as recordtool index does",
      path_));
}

Status RecordIndexPages::Damaged(std::string_view why) const {
  return DamagedRecordIndex(path_, why);
}

Status DamagedRecordIndex(std::string_view path, std::string_view why) {
  return DataLossError(fmt::format(
      "{}: damaged record index: {}; make it anew with recordtool index", path,
      why));
}

}  // namespace penstock
