#include "formats/streams/bounded_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr uint64_t kAlwaysAllowedBytes = 16 << 20;

class BoundedStream final : public ByteStream {
 public:
  BoundedStream(std::unique_ptr<ByteStream> unpacked, uint64_t packed_bytes,
                UnpackLimits limits)
      : unpacked_(std::move(unpacked)),
        packed_bytes_(packed_bytes),
        limits_(limits) {}

  StatusOr<size_t> Read(std::span<char> out) override {
    PENSTOCK_RETURN_IF_ERROR(failed_);
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got, unpacked_->Read(out));
    total_bytes_ += got;
    failed_ = CheckUnpacked(path(), total_bytes_, packed_bytes_, limits_);
    PENSTOCK_RETURN_IF_ERROR(failed_);
    return got;
  }

  std::optional<uint64_t> size_bytes() const override {
    return unpacked_->size_bytes();
  }
  const std::string& path() const override { return unpacked_->path(); }

 private:
  const std::unique_ptr<ByteStream> unpacked_;
  const uint64_t packed_bytes_;
  const UnpackLimits limits_;
  uint64_t total_bytes_ = 0;
  Status failed_;
};

}  // namespace

Status CheckUnpacked(const std::string& path, uint64_t unpacked_bytes,
                     uint64_t packed_bytes, const UnpackLimits& limits) {
  if (unpacked_bytes > limits.max_total_bytes) {
    return ResourceExhaustedError(
        fmt::format("{}: unpacks to more than {} bytes; raise max_total_bytes",
                    path, limits.max_total_bytes));
  }
  const uint64_t ratio = unpacked_bytes / std::max<uint64_t>(packed_bytes, 1);
  if (unpacked_bytes > kAlwaysAllowedBytes && ratio > limits.max_ratio) {
    return ResourceExhaustedError(fmt::format(
        "{}: {} bytes unpack to {} and more (ratio {} > {}); raise max_ratio "
        "if the file can be trusted",
        path, packed_bytes, unpacked_bytes, ratio, limits.max_ratio));
  }
  return OkStatus();
}

std::unique_ptr<ByteStream> MakeBoundedStream(
    std::unique_ptr<ByteStream> unpacked, uint64_t packed_bytes,
    UnpackLimits limits) {
  return std::make_unique<BoundedStream>(std::move(unpacked), packed_bytes,
                                         limits);
}

}  // namespace penstock
