#include "formats/streams/zlib_compressor.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>

#include "formats/files/status.h"

namespace penstock {
namespace {

class ZlibCompressor final : public Compressor {
 public:
  ZlibCompressor() : ready_(deflateInit(&state_, Z_BEST_SPEED) == Z_OK) {}
  ~ZlibCompressor() override { deflateEnd(&state_); }

  Status Add(std::string_view bytes, std::string& out) override {
    // zlib counts in 32 bits.
    constexpr size_t kMost = size_t{1} << 30;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMost))) {
      PENSTOCK_RETURN_IF_ERROR(
          Deflate(bytes.substr(0, kMost), Z_NO_FLUSH, out));
    }
    return OkStatus();
  }

  Status Finish(std::string& out) override {
    return Deflate({}, Z_FINISH, out);
  }

 private:
  Status Deflate(std::string_view bytes, int flush, std::string& out) {
    if (!ready_) return ResourceExhaustedError("no memory for zlib");
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    state_.avail_in = bytes.size();
    do {
      const size_t before = out.size();
      out.resize(before + kCompressorStepBytes);
      state_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      state_.avail_out = kCompressorStepBytes;
      // Z_BUF_ERROR only says that there was nothing to do.
      deflate(&state_, flush);
      out.resize(out.size() - state_.avail_out);
    } while (state_.avail_out == 0);
    return OkStatus();
  }

  z_stream state_ = {};
  const bool ready_;
};

}  // namespace

std::unique_ptr<Compressor> MakeZlibCompressor() {
  return std::make_unique<ZlibCompressor>();
}

}  // namespace penstock
