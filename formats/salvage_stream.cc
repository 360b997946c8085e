#include "formats/salvage_stream.h"

#include <utility>

#include "formats/open_stream.h"
#include "formats/plain_stream.h"
#include "formats/status.h"

namespace penstock {
namespace {

// The stored bytes; remembers whether it was they that failed.
class WatchedStream final : public ByteStream {
 public:
  explicit WatchedStream(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)) {}

  absl::StatusOr<size_t> Read(std::span<char> out) override {
    auto got = stream_->Read(out);
    failed_ = !got.ok();
    return got;
  }
  std::optional<uint64_t> size_bytes() const override {
    return stream_->size_bytes();
  }
  const std::string& path() const override { return stream_->path(); }

  bool failed() const { return failed_; }

 private:
  const std::unique_ptr<ByteStream> stream_;
  bool failed_ = false;
};

class Salvage final : public ByteStream {
 public:
  // `stored` is inside `unpacked`.
  Salvage(std::unique_ptr<ByteStream> unpacked, const WatchedStream& stored)
      : unpacked_(std::move(unpacked)), stored_(stored) {}

  absl::StatusOr<size_t> Read(std::span<char> out) override {
    if (!damage_.ok()) return 0;
    auto got = unpacked_->Read(out);
    if (got.ok() || stored_.failed() || !absl::IsDataLoss(got.status())) {
      return got;
    }
    damage_ = got.status();
    return 0;
  }
  std::optional<uint64_t> size_bytes() const override {
    return unpacked_->size_bytes();
  }
  const std::string& path() const override { return unpacked_->path(); }

  const absl::Status& damage() const { return damage_; }

 private:
  const std::unique_ptr<ByteStream> unpacked_;
  const WatchedStream& stored_;
  absl::Status damage_;
};

}  // namespace

absl::StatusOr<SalvageStream> OpenSalvageStream(FileSystem& files,
                                                const std::string& path,
                                                Compression compression) {
  PENSTOCK_ASSIGN_OR_RETURN(auto plain, OpenPlainStream(files, path));
  auto watched = std::make_unique<WatchedStream>(std::move(plain));
  const WatchedStream& stored = *watched;
  auto salvage = std::make_unique<Salvage>(
      Unwrap(std::move(watched), compression), stored);
  const absl::Status* const damage = &salvage->damage();
  return SalvageStream{std::move(salvage), damage};
}

}  // namespace penstock
