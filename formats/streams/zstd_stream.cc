#include "formats/streams/zstd_stream.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/compressed_input.h"

namespace penstock {
namespace {

// What zstd itself accepts without being told to take more.
constexpr int kWindowLogMax = 27;

constexpr size_t kMagicBytes = 4;

// RFC 8878, sections 3.1.1 and 3.1.2.
bool StartsFrame(std::string_view bytes) {
  if (bytes.size() < kMagicBytes) return false;
  uint32_t magic;
  std::memcpy(&magic, bytes.data(), sizeof(magic));
  return magic == 0xfd2fb528u || (magic & 0xfffffff0u) == 0x184d2a50u;
}

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(std::unique_ptr<ByteStream> source)
      : input_(std::move(source)), state_(ZSTD_createDCtx()) {
    if (state_ == nullptr) {
      failed_ = ResourceExhaustedError(
          fmt::format("{}: no memory to decode zstd", path()));
      return;
    }
    ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, kWindowLogMax);
  }
  ~ZstdStream() override { ZSTD_freeDCtx(state_); }

  StatusOr<size_t> Read(std::span<char> out) override {
    size_t filled = 0;
    while (filled < out.size() && !ended_ && failed_.ok()) {
      failed_ = in_frame_ ? Decode(out, filled) : StartFrame();
    }
    if (filled == 0 && !failed_.ok()) return failed_;
    return filled;
  }

  std::optional<uint64_t> size_bytes() const override { return std::nullopt; }
  const std::string& path() const override { return input_.path(); }

 private:
  Status StartFrame() {
    PENSTOCK_RETURN_IF_ERROR(input_.Want(kMagicBytes));
    const std::string_view in = input_.bytes();
    if (StartsFrame(in)) {
      in_frame_ = true;
      return OkStatus();
    }
    if (frames_ > 0) {
      ended_ = true;
      return input_.ExpectOnlyPadding("zstd");
    }
    return in.empty() ? Truncated() : input_.NotWrapped("zstd");
  }

  Status Decode(std::span<char> out, size_t& filled) {
    PENSTOCK_RETURN_IF_ERROR(input_.Want(1));
    const std::string_view bytes = input_.bytes();
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer to = {out.data(), out.size(), filled};
    const size_t left = ZSTD_decompressStream(state_, &to, &in);
    if (ZSTD_isError(left)) return Refused(left);
    input_.Consume(in.pos);
    const bool moved = in.pos > 0 || to.pos > filled;
    filled = to.pos;
    if (left == 0) {
      in_frame_ = false;
      ++frames_;
    } else if (!moved) {
      return bytes.empty() ? Truncated() : Refused(left);
    }
    return OkStatus();
  }

  Status Truncated() const {
    return DataLossError(
        fmt::format("{}: zstd stream ended before its end at compressed offset "
                    "{} (frame {}); the file is cut off",
                    path(), input_.offset(), frames_));
  }

  Status Refused(size_t result) const {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_frameParameter_windowTooLarge) {
      return ResourceExhaustedError(fmt::format(
          "{}: zstd frame {} needs a window over {} MiB; compress it again "
          "without --long or --ultra",
          path(), frames_, 1 << (kWindowLogMax - 20)));
    }
    if (code == ZSTD_error_memory_allocation) {
      return ResourceExhaustedError(
          fmt::format("{}: no memory to decode zstd", path()));
    }
    if (code == ZSTD_error_checksum_wrong) {
      return DataLossError(fmt::format(
          "{}: zstd checksum mismatch in frame {} near compressed offset {}",
          path(), frames_, input_.offset()));
    }
    return DataLossError(fmt::format(
        "{}: corrupted zstd data in frame {} near compressed offset {}: {}",
        path(), frames_, input_.offset(), ZSTD_getErrorString(code)));
  }

  CompressedInput input_;
  ZSTD_DCtx* const state_;
  uint64_t frames_ = 0;  // finished ones
  bool in_frame_ = false;
  bool ended_ = false;
  Status failed_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeZstdStream(std::unique_ptr<ByteStream> source) {
  return std::make_unique<ZstdStream>(std::move(source));
}

}  // namespace penstock
