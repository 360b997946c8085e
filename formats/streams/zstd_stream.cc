#include "formats/streams/zstd_stream.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/joined_stream.h"

namespace penstock {
namespace {

// What zstd itself accepts without being told to take more.
constexpr int kWindowLogMax = 27;

constexpr size_t kMagicBytes = 4;
constexpr size_t kMaxHeaderBytes = 18;  // RFC 8878, section 3.1.1.1

// RFC 8878, sections 3.1.1 and 3.1.2.
bool StartsFrame(std::string_view bytes) {
  if (bytes.size() < kMagicBytes) return false;
  uint32_t magic;
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  return magic == 0xfd2fb528u || (magic & 0xfffffff0u) == 0x184d2a50u;
}

class ZstdStream final : public JoinedStream {
 public:
  explicit ZstdStream(std::unique_ptr<ByteStream> source)
      : JoinedStream(std::move(source), {"zstd", "frame"}, kMagicBytes),
        state_(ZSTD_createDCtx()) {
    if (state_ == nullptr) return;
    ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, kWindowLogMax);
  }
  ~ZstdStream() override { ZSTD_freeDCtx(state_); }

 private:
  bool Starts(std::string_view bytes) const override {
    return StartsFrame(bytes);
  }
  bool MayStart(std::string_view bytes) const override { return bytes.empty(); }
  Status Begin() override {
    header_.clear();
    made_ = 0;
    return state_ == nullptr ? NoMemory() : OkStatus();
  }

  StatusOr<Decoded> Decode(std::string_view bytes,
                           std::span<char> out) override {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer to = {out.data(), out.size(), 0};
    const size_t left = ZSTD_decompressStream(state_, &to, &in);
    if (ZSTD_isError(left)) return Refused(left);
    const size_t missing = kMaxHeaderBytes - header_.size();
    header_.append(bytes.substr(0, std::min(missing, in.pos)));
    made_ += to.pos;
    if (left == 0) PENSTOCK_RETURN_IF_ERROR(CheckSize());
    return Decoded{.used = in.pos, .made = to.pos, .ended = left == 0};
  }

  // libzstd does not look at what the frame says of its size where the last
  // block is empty, unless it has all of the frame at once.
  Status CheckSize() const {
    const unsigned long long told =
        ZSTD_getFrameContentSize(header_.data(), header_.size());
    if (told == ZSTD_CONTENTSIZE_UNKNOWN || told == made_) return OkStatus();
    return DataLossError(fmt::format(
        "{}: corrupted zstd data in frame {} before compressed offset {}: it "
        "says that it has {} bytes and has {}",
        path(), part(), offset(), told, made_));
  }

  Status Refused(size_t result) const {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_frameParameter_windowTooLarge) {
      return ResourceExhaustedError(fmt::format(
          "{}: zstd frame {} needs a window over {} MiB; compress it again "
          "without --long or --ultra",
          path(), part(), 1 << (kWindowLogMax - 20)));
    }
    if (code == ZSTD_error_memory_allocation) return NoMemory();
    if (code == ZSTD_error_checksum_wrong) {
      return DataLossError(fmt::format(
          "{}: zstd checksum mismatch in frame {} near compressed offset {}",
          path(), part(), offset()));
    }
    return DataLossError(fmt::format(
        "{}: corrupted zstd data in frame {} near compressed offset {}: {}",
        path(), part(), offset(), ZSTD_getErrorString(code)));
  }

  ZSTD_DCtx* const state_;  // null: no memory
  std::string header_;      // of the frame, and maybe bytes behind it
  uint64_t made_ = 0;       // bytes of the frame
};

}  // namespace

std::unique_ptr<ByteStream> MakeZstdStream(std::unique_ptr<ByteStream> source) {
  return std::make_unique<ZstdStream>(std::move(source));
}

}  // namespace penstock
