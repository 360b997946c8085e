#include "formats/streams/xz_stream.h"

#include <fmt/format.h>
#include <lzma.h>

#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/compressed_input.h"

namespace penstock {
namespace {

using std::string_view_literals::operator""sv;

constexpr uint64_t kMemoryBytes = 256 << 20;
constexpr std::string_view kMagic = "\xfd\x37zXZ\0"sv;

class XzStream final : public ByteStream {
 public:
  explicit XzStream(std::unique_ptr<ByteStream> source)
      : input_(std::move(source)) {}
  ~XzStream() override { lzma_end(&state_); }

  StatusOr<size_t> Read(std::span<char> out) override {
    size_t filled = 0;
    while (filled < out.size() && !ended_ && failed_.ok()) {
      failed_ = in_stream_ ? Decode(out, filled) : Enter();
    }
    if (filled == 0 && !failed_.ok()) return failed_;
    return filled;
  }

  std::optional<uint64_t> size_bytes() const override { return std::nullopt; }
  const std::string& path() const override { return input_.path(); }

 private:
  Status Enter() {
    PENSTOCK_RETURN_IF_ERROR(input_.Want(kMagic.size()));
    const std::string_view in = input_.bytes();
    if (!in.starts_with(kMagic)) {
      if (streams_ > 0) {
        ended_ = true;
        return input_.ExpectOnlyPadding("xz");
      }
      return kMagic.starts_with(in) ? Truncated() : input_.NotWrapped("xz");
    }
    const lzma_ret result =
        lzma_stream_decoder(&state_, kMemoryBytes, LZMA_TELL_UNSUPPORTED_CHECK);
    if (result != LZMA_OK) return Refused(result);
    in_stream_ = true;
    return OkStatus();
  }

  Status Decode(std::span<char> out, size_t& filled) {
    PENSTOCK_RETURN_IF_ERROR(input_.Want(1));
    const std::string_view in = input_.bytes();
    state_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<uint8_t*>(out.data() + filled);
    state_.avail_out = out.size() - filled;
    const lzma_ret result =
        lzma_code(&state_, in.empty() ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_BUF_ERROR && in.empty()) return Truncated();
    if (result != LZMA_OK && result != LZMA_STREAM_END) return Refused(result);
    input_.Consume(in.size() - state_.avail_in);
    filled = out.size() - state_.avail_out;
    if (result == LZMA_STREAM_END) {
      in_stream_ = false;
      ++streams_;
    }
    return OkStatus();
  }

  Status Truncated() const {
    return DataLossError(
        fmt::format("{}: xz stream ended before its end at compressed offset "
                    "{} (stream {}); the file is cut off",
                    path(), input_.offset(), streams_));
  }

  Status Refused(lzma_ret result) const {
    switch (result) {
      case LZMA_MEMLIMIT_ERROR:
      case LZMA_MEM_ERROR:
        return ResourceExhaustedError(fmt::format(
            "{}: xz data needs {} MiB to decode, the limit is {} MiB; compress "
            "it again with a smaller dictionary",
            path(), lzma_memusage(&state_) >> 20, kMemoryBytes >> 20));
      case LZMA_UNSUPPORTED_CHECK:
      case LZMA_OPTIONS_ERROR:
        return UnimplementedError(fmt::format(
            "{}: xz data with a filter or check that is not known, near "
            "compressed offset {}",
            path(), input_.offset()));
      default:
        return DataLossError(fmt::format(
            "{}: corrupted xz data in stream {} near compressed offset {}",
            path(), streams_, input_.offset()));
    }
  }

  CompressedInput input_;
  lzma_stream state_ = LZMA_STREAM_INIT;
  uint64_t streams_ = 0;  // finished ones
  bool in_stream_ = false;
  bool ended_ = false;
  Status failed_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeXzStream(std::unique_ptr<ByteStream> source) {
  return std::make_unique<XzStream>(std::move(source));
}

}  // namespace penstock
