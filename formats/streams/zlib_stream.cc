#include "formats/streams/zlib_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/compressed_input.h"

namespace penstock {
namespace {

class ZlibStream final : public ByteStream {
 public:
  explicit ZlibStream(std::unique_ptr<ByteStream> source)
      : input_(std::move(source)) {
    if (inflateInit(&state_) != Z_OK) {
      failed_ = ResourceExhaustedError(
          fmt::format("{}: no memory to decode zlib", path()));
    }
  }
  ~ZlibStream() override { inflateEnd(&state_); }

  StatusOr<size_t> Read(std::span<char> out) override {
    size_t filled = 0;
    while (filled < out.size() && !ended_ && failed_.ok()) {
      failed_ = Inflate(out, filled);
    }
    if (filled == 0 && !failed_.ok()) return failed_;
    return filled;
  }

  std::optional<uint64_t> size_bytes() const override { return std::nullopt; }
  const std::string& path() const override { return input_.path(); }

 private:
  Status Inflate(std::span<char> out, size_t& filled) {
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    PENSTOCK_RETURN_IF_ERROR(input_.Want(input_.offset() == 0 ? 2 : 1));
    const std::string_view in = input_.bytes();
    if (input_.offset() == 0 && !StartsAsZlib(in)) {
      return in.empty() ? Truncated() : input_.NotWrapped("zlib");
    }
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    state_.avail_out = std::min(out.size() - filled, kMost);
    const uInt room = state_.avail_out;
    const int result = inflate(&state_, Z_NO_FLUSH);
    const size_t made = room - state_.avail_out;
    input_.Consume(in.size() - state_.avail_in);
    if (result == Z_STREAM_END) {
      filled += made;
      ended_ = true;
      return input_.ExpectOnlyPadding("zlib");
    }
    if (result == Z_BUF_ERROR && in.empty()) return Truncated();
    if (result != Z_OK) return Corrupt();
    filled += made;
    return OkStatus();
  }

  static bool StartsAsZlib(std::string_view in) {
    if (in.empty()) return false;
    const auto method = static_cast<uint8_t>(in[0]);
    if ((method & 0x0f) != 8) return false;
    if (in.size() == 1) return true;  // cut off, as inflate will find
    return (method * 256 + static_cast<uint8_t>(in[1])) % 31 == 0;
  }

  Status Truncated() const {
    return DataLossError(
        fmt::format("{}: zlib stream ended before its trailer at compressed "
                    "offset {}; the file is cut off",
                    path(), input_.offset_of_end()));
  }

  Status Corrupt() const {
    return DataLossError(fmt::format(
        "{}: corrupted zlib data near compressed offset {}: {}", path(),
        input_.offset(), state_.msg != nullptr ? state_.msg : "not decodable"));
  }

  CompressedInput input_;
  z_stream state_ = {};
  bool ended_ = false;
  Status failed_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeZlibStream(std::unique_ptr<ByteStream> source) {
  return std::make_unique<ZlibStream>(std::move(source));
}

}  // namespace penstock
