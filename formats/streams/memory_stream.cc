#include "formats/streams/memory_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace penstock {
namespace {

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::string path, std::string_view bytes)
      : path_(std::move(path)), size_bytes_(bytes.size()), left_(bytes) {}

  StatusOr<size_t> Read(std::span<char> out) override {
    const size_t count = std::min(out.size(), left_.size());
    if (count > 0) std::memcpy(out.data(), left_.data(), count);
    left_.remove_prefix(count);
    return count;
  }

  std::optional<uint64_t> size_bytes() const override { return size_bytes_; }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const uint64_t size_bytes_;
  std::string_view left_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeMemoryStream(std::string path,
                                             std::string_view bytes) {
  return std::make_unique<MemoryStream>(std::move(path), bytes);
}

}  // namespace penstock
