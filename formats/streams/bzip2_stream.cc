#include "formats/streams/bzip2_stream.h"

#include <bzlib.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/compressed_input.h"

namespace penstock {
namespace {

class Bzip2Stream final : public ByteStream {
 public:
  explicit Bzip2Stream(std::unique_ptr<ByteStream> source)
      : input_(std::move(source)) {}
  ~Bzip2Stream() override { Leave(); }

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
    constexpr std::string_view kMagic = "BZh";
    PENSTOCK_RETURN_IF_ERROR(input_.Want(kMagic.size()));
    const std::string_view in = input_.bytes();
    if (!in.starts_with(kMagic)) {
      if (streams_ > 0) {
        ended_ = true;
        return input_.ExpectOnlyPadding("bzip2");
      }
      return kMagic.starts_with(in) ? Truncated() : input_.NotWrapped("bzip2");
    }
    state_ = {};
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) {
      return ResourceExhaustedError(
          fmt::format("{}: no memory to decode bzip2", path()));
    }
    in_stream_ = true;
    return OkStatus();
  }

  void Leave() {
    if (in_stream_) BZ2_bzDecompressEnd(&state_);
    in_stream_ = false;
  }

  Status Decode(std::span<char> out, size_t& filled) {
    constexpr size_t kMost = std::numeric_limits<unsigned>::max();
    PENSTOCK_RETURN_IF_ERROR(input_.Want(1));
    const std::string_view in = input_.bytes();
    const unsigned room = std::min(out.size() - filled, kMost);
    state_.next_in = const_cast<char*>(in.data());  // only read
    state_.avail_in = in.size();
    state_.next_out = out.data() + filled;
    state_.avail_out = room;
    const int result = BZ2_bzDecompress(&state_);
    if (result != BZ_OK && result != BZ_STREAM_END) return Corrupt();
    const size_t made = room - state_.avail_out;
    input_.Consume(in.size() - state_.avail_in);
    filled += made;
    if (result == BZ_STREAM_END) {
      Leave();
      ++streams_;
    } else if (in.empty() && made == 0) {
      return Truncated();
    }
    return OkStatus();
  }

  Status Truncated() const {
    return DataLossError(
        fmt::format("{}: bzip2 stream ended before its end at compressed "
                    "offset {} (stream {}); the file is cut off",
                    path(), input_.offset(), streams_));
  }

  Status Corrupt() const {
    return DataLossError(fmt::format(
        "{}: corrupted bzip2 data in stream {} near compressed offset {}",
        path(), streams_, input_.offset()));
  }

  CompressedInput input_;
  bz_stream state_ = {};
  uint64_t streams_ = 0;  // finished ones
  bool in_stream_ = false;
  bool ended_ = false;
  Status failed_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeBzip2Stream(
    std::unique_ptr<ByteStream> source) {
  return std::make_unique<Bzip2Stream>(std::move(source));
}

}  // namespace penstock
