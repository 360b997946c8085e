#include "formats/streams/xz_stream.h"

#include <fmt/format.h>
#include <lzma.h>

#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/joined_stream.h"

namespace penstock {
namespace {

using std::string_view_literals::operator""sv;

constexpr uint64_t kMemoryBytes = 256 << 20;

class XzStream final : public JoinedStream {
 public:
  explicit XzStream(std::unique_ptr<ByteStream> source)
      : JoinedStream(
            std::move(source),
            {.format = "xz", .part = "stream", .padding_unit = kPaddingUnit},
            kMagic.size()) {}
  ~XzStream() override { lzma_end(&state_); }

 private:
  // The .xz file format 1.2.1, section 2.2: stream padding.
  static constexpr size_t kPaddingUnit = 4;
  static constexpr std::string_view kMagic = "\xfd\x37zXZ\0"sv;

  bool Starts(std::string_view bytes) const override {
    return bytes.starts_with(kMagic);
  }
  bool MayStart(std::string_view bytes) const override {
    return kMagic.starts_with(bytes);
  }

  Status Begin() override {
    const lzma_ret result =
        lzma_stream_decoder(&state_, kMemoryBytes, LZMA_TELL_UNSUPPORTED_CHECK);
    return result == LZMA_OK ? OkStatus() : Refused(result);
  }

  StatusOr<Decoded> Decode(std::string_view in, std::span<char> out) override {
    state_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<uint8_t*>(out.data());
    state_.avail_out = out.size();
    const lzma_ret result =
        lzma_code(&state_, in.empty() ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_BUF_ERROR && in.empty()) return Truncated();
    if (result != LZMA_OK && result != LZMA_STREAM_END) return Refused(result);
    return Decoded{.used = in.size() - state_.avail_in,
                   .made = out.size() - state_.avail_out,
                   .ended = result == LZMA_STREAM_END};
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
            path(), offset()));
      default:
        return Corrupt();
    }
  }

  lzma_stream state_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<ByteStream> MakeXzStream(std::unique_ptr<ByteStream> source) {
  return std::make_unique<XzStream>(std::move(source));
}

}  // namespace penstock
