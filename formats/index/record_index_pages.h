// The pages of a sidecar, each verified when it is first looked at.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status.h"

namespace penstock {

// Threads: any number at a time.
// Cost:    4 bytes and a bit for each page of 64 KiB; verifying one takes about
//          5 us, once.
class RecordIndexPages {
 public:
  // `data` is a part of `bytes`, cut into as many pages as there are
  // `checksums`. `path` is the sidecar's.
  RecordIndexPages(std::unique_ptr<const FileBytes> bytes,
                   std::string_view data, std::vector<uint32_t> checksums,
                   std::string path);

  std::string_view data() const { return data_; }

  // Whether all between these, in one or two pages, was verified before.
  bool AreVerified(const void* begin, const void* end) const {
    const char* const data = data_.data();
    return IsVerified((static_cast<const char*>(begin) - data) / kPageBytes) &&
           IsVerified((static_cast<const char*>(end) - 1 - data) / kPageBytes);
  }
  // OK where all of [begin, end) of the data is as it was written.
  Status Verify(uint64_t begin, uint64_t end) const {
    for (uint64_t page = begin / kPageBytes; page * kPageBytes < end; ++page) {
      if (IsVerified(page)) continue;
      Status status = VerifyPage(page);
      if (!status.ok()) return status;
    }
    return OkStatus();
  }

  // To be asked after reading: OK unless the sidecar was cut off meanwhile.
  Status CheckIntact() const { return intact() ? OkStatus() : CutOff(); }
  bool intact() const { return bytes_->intact(); }

  Status Damaged(std::string_view why) const;

 private:
  static constexpr uint64_t kPageBytes = 64 << 10;

  bool IsVerified(uint64_t page) const {
    // The bytes never change, so nothing has to be seen before the bit is.
    return (verified_[page / 64].load(std::memory_order_relaxed) >>
            (page % 64)) &
           1;
  }
  Status VerifyPage(uint64_t page) const;
  Status CutOff() const;

  const std::unique_ptr<const FileBytes> bytes_;
  const std::string_view data_;
  const std::vector<uint32_t> checksums_;
  const std::string path_;
  const std::unique_ptr<std::atomic<uint64_t>[]> verified_;  // bits; relaxed
};

// "damaged record index: `why`; make it anew ..."
Status DamagedRecordIndex(std::string_view path, std::string_view why);

}  // namespace penstock
