#include "formats/streams/gzip_compressor.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "formats/files/status.h"
#include "formats/streams/igzip_place.h"

namespace penstock {
namespace {

class GzipCompressor final : public Compressor {
 public:
  GzipCompressor()
      : level_buffer_(
            std::make_unique_for_overwrite<uint8_t[]>(ISAL_DEF_LVL1_DEFAULT)) {}

  Status Add(std::string_view bytes, std::string& out) override {
    if (state_ == nullptr) {
      if (first_.size() + bytes.size() < kIgzipFirstBytes) {
        first_ += bytes;
        return OkStatus();
      }
      PENSTOCK_RETURN_IF_ERROR(
          Begin(first_ + std::string(bytes.substr(0, kIgzipFirstBytes)), out));
    }
    // igzip counts in 32 bits.
    constexpr size_t kMost = size_t{1} << 30;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMost))) {
      PENSTOCK_RETURN_IF_ERROR(Deflate(bytes.substr(0, kMost), out));
    }
    return OkStatus();
  }

  Status Finish(std::string& out) override {
    if (state_ == nullptr) {
      PENSTOCK_RETURN_IF_ERROR(
          Begin(first_ + std::string(kIgzipFirstBytes, '\0'), out));
    }
    state_->end_of_stream = 1;
    return Deflate({}, out);
  }

 private:
  // With a text that begins so.
  Status Begin(std::string_view text, std::string& out) {
    std::vector<std::unique_ptr<isal_zstream>> refused;
    state_ = std::make_unique_for_overwrite<isal_zstream>();
    while (!IgzipMayLieAt(state_.get(), text.substr(0, kIgzipFirstBytes))) {
      refused.push_back(std::move(state_));
      state_ = std::make_unique_for_overwrite<isal_zstream>();
    }
    isal_deflate_init(state_.get());
    state_->level = 1;
    state_->level_buf = level_buffer_.get();
    state_->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    state_->gzip_flag = IGZIP_GZIP;
    return first_.empty() ? OkStatus() : Deflate(first_, out);
  }

  Status Deflate(std::string_view bytes, std::string& out) {
    // igzip only reads its input, although its pointer is not const.
    state_->next_in =
        reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    state_->avail_in = bytes.size();
    do {
      const size_t before = out.size();
      out.resize(before + kCompressorStepBytes);
      state_->next_out = reinterpret_cast<uint8_t*>(out.data() + before);
      state_->avail_out = kCompressorStepBytes;
      const int result = isal_deflate(state_.get());
      out.resize(out.size() - state_->avail_out);
      if (result != COMP_OK) {
        return InternalError(fmt::format("igzip failed: {}", result));
      }
    } while (state_->avail_in > 0 || state_->avail_out == 0);
    return OkStatus();
  }

  const std::unique_ptr<uint8_t[]> level_buffer_;
  std::string first_;  // what was added before there was a state
  std::unique_ptr<isal_zstream> state_;
};

}  // namespace

std::unique_ptr<Compressor> MakeGzipCompressor() {
  return std::make_unique<GzipCompressor>();
}

}  // namespace penstock
