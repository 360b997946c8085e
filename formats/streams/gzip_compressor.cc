#include "formats/streams/gzip_compressor.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "formats/files/status.h"

namespace penstock {
namespace {

class GzipCompressor final : public Compressor {
 public:
  GzipCompressor()
      : level_buffer_(
            std::make_unique_for_overwrite<uint8_t[]>(ISAL_DEF_LVL1_DEFAULT)) {
    isal_deflate_init(&state_);
    state_.level = 1;
    state_.level_buf = level_buffer_.get();
    state_.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    state_.gzip_flag = IGZIP_GZIP;
  }

  Status Add(std::string_view bytes, std::string& out) override {
    // igzip counts in 32 bits.
    constexpr size_t kMost = size_t{1} << 30;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMost))) {
      PENSTOCK_RETURN_IF_ERROR(Deflate(bytes.substr(0, kMost), out));
    }
    return OkStatus();
  }

  Status Finish(std::string& out) override {
    state_.end_of_stream = 1;
    return Deflate({}, out);
  }

 private:
  Status Deflate(std::string_view bytes, std::string& out) {
    // igzip only reads its input, although its pointer is not const.
    state_.next_in =
        reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    state_.avail_in = bytes.size();
    do {
      const size_t before = out.size();
      out.resize(before + kCompressorStepBytes);
      state_.next_out = reinterpret_cast<uint8_t*>(out.data() + before);
      state_.avail_out = kCompressorStepBytes;
      const int result = isal_deflate(&state_);
      out.resize(out.size() - state_.avail_out);
      if (result != COMP_OK) {
        return InternalError(fmt::format("igzip failed: {}", result));
      }
    } while (state_.avail_in > 0 || state_.avail_out == 0);
    return OkStatus();
  }

  const std::unique_ptr<uint8_t[]> level_buffer_;
  isal_zstream state_;
};

}  // namespace

std::unique_ptr<Compressor> MakeGzipCompressor() {
  return std::make_unique<GzipCompressor>();
}

}  // namespace penstock
