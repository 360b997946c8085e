#include "formats/xz_stream.h"

#include <fmt/format.h>
#include <lzma.h>

#include <string_view>
#include <utility>

#include "formats/compressed_input.h"
#include "formats/status.h"

namespace penstock {
namespace {

constexpr uint64_t kMemoryBytes = 256 << 20;

class XzStream final : public ByteStream {
 public:
  explicit XzStream(std::unique_ptr<ByteStream> source)
      : input_(std::move(source)) {
    const lzma_ret result = lzma_stream_decoder(
        &state_, kMemoryBytes, LZMA_CONCATENATED | LZMA_TELL_UNSUPPORTED_CHECK);
    if (result != LZMA_OK) failed_ = Refused(result);
  }
  ~XzStream() override { lzma_end(&state_); }

  absl::StatusOr<size_t> Read(std::span<char> out) override {
    size_t filled = 0;
    while (filled < out.size() && !ended_ && failed_.ok()) {
      failed_ = Decode(out, filled);
    }
    if (filled == 0 && !failed_.ok()) return failed_;
    return filled;
  }

  std::optional<uint64_t> size_bytes() const override { return std::nullopt; }
  const std::string& path() const override { return input_.path(); }

 private:
  absl::Status Decode(std::span<char> out, size_t& filled) {
    PENSTOCK_RETURN_IF_ERROR(input_.Want(1));
    const std::string_view in = input_.bytes();
    state_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<uint8_t*>(out.data() + filled);
    state_.avail_out = out.size() - filled;
    const lzma_ret result =
        lzma_code(&state_, in.empty() ? LZMA_FINISH : LZMA_RUN);
    if (result != LZMA_OK && result != LZMA_STREAM_END) return Refused(result);
    input_.Consume(in.size() - state_.avail_in);
    filled = out.size() - state_.avail_out;
    ended_ = result == LZMA_STREAM_END;
    return absl::OkStatus();
  }

  absl::Status Refused(lzma_ret result) {
    const uint64_t offset = input_.offset();
    switch (result) {
      case LZMA_FORMAT_ERROR:
        // Also said of what follows a stream and is none.
        if (state_.total_in == 0) return input_.NotWrapped("xz");
        return absl::DataLossError(
            fmt::format("{}: bytes that are no xz data after a stream, near "
                        "compressed offset {}",
                        path(), offset));
      case LZMA_BUF_ERROR:
        return absl::DataLossError(
            fmt::format("{}: xz stream ended before its end at compressed "
                        "offset {}; the file is cut off",
                        path(), offset));
      case LZMA_MEMLIMIT_ERROR:
      case LZMA_MEM_ERROR:
        return absl::ResourceExhaustedError(fmt::format(
            "{}: xz data needs {} MiB to decode, the limit is {} MiB; compress "
            "it again with a smaller dictionary",
            path(), lzma_memusage(&state_) >> 20, kMemoryBytes >> 20));
      case LZMA_UNSUPPORTED_CHECK:
      case LZMA_OPTIONS_ERROR:
        return absl::UnimplementedError(fmt::format(
            "{}: xz data with a filter or check that is not known, near "
            "compressed offset {}",
            path(), offset));
      default:
        return absl::DataLossError(fmt::format(
            "{}: corrupted xz data near compressed offset {}", path(), offset));
    }
  }

  CompressedInput input_;
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ended_ = false;
  absl::Status failed_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeXzStream(std::unique_ptr<ByteStream> source) {
  return std::make_unique<XzStream>(std::move(source));
}

}  // namespace penstock
