#include "formats/tfrecord/salvage_stream.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/gzip_stream.h"
#include "formats/streams/open_stream.h"
#include "formats/streams/plain_stream.h"
#include "formats/tfrecord/gzip_member_search.h"

namespace penstock {
namespace {

// The stored bytes; remembers whether it was they that failed.
class WatchedStream final : public ByteStream {
 public:
  explicit WatchedStream(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)) {}

  StatusOr<size_t> Read(std::span<char> out) override {
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

class Salvage final : public SalvageStream {
 public:
  Salvage(FileSystem& files, std::string path, Compression compression)
      : files_(files),
        path_(std::move(path)),
        compression_(compression),
        search_(files, path_) {}

  Status Open(GzipStart start) {
    PENSTOCK_ASSIGN_OR_RETURN(auto plain, OpenPlainStream(files_, path_));
    PENSTOCK_RETURN_IF_ERROR(CheckSize(*plain->size_bytes()));
    PENSTOCK_RETURN_IF_ERROR(plain->Skip(start.offset));
    auto watched = std::make_unique<WatchedStream>(std::move(plain));
    stored_ = watched.get();
    gzip_ = nullptr;
    if (compression_ == Compression::kGzip) {
      auto gzip = MakeGzipStream(std::move(watched), start);
      gzip_ = gzip.get();
      unpacked_ = std::move(gzip);
    } else {
      unpacked_ = Unwrap(std::move(watched), compression_);
    }
    return OkStatus();
  }

  StatusOr<size_t> Read(std::span<char> out) override {
    if (ended_ || !damage_.ok()) return 0;
    auto got = unpacked_->Read(out);
    if (got.ok() || stored_->failed() || !IsDataLoss(got.status())) {
      return got;
    }
    damage_ = got.status();
    return 0;
  }

  StatusOr<std::string> Resume() override {
    std::string what(damage_.message());
    damage_ = OkStatus();
    ended_ = true;
    if (gzip_ == nullptr) return what;
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<uint64_t> next,
                              search_.FindBehind(gzip_->member_offset()));
    if (!next.has_value()) return what + "; no gzip member follows";
    PENSTOCK_RETURN_IF_ERROR(
        Open({.offset = *next, .member = gzip_->member() + 1}));
    ended_ = false;
    return fmt::format(
        "{}; the next gzip member was found at compressed offset {}", what,
        *next);
  }

  std::optional<uint64_t> size_bytes() const override { return std::nullopt; }
  const std::string& path() const override { return path_; }
  const Status& damage() const override { return damage_; }

 private:
  // The file is opened once more for each part.
  Status CheckSize(uint64_t size_bytes) {
    if (!size_bytes_.has_value()) size_bytes_ = size_bytes;
    if (*size_bytes_ == size_bytes) return OkStatus();
    return FailedPreconditionError(
        fmt::format("{}: file changed while reading (size {} -> {})", path_,
                    *size_bytes_, size_bytes));
  }

  FileSystem& files_;
  const std::string path_;
  const Compression compression_;
  GzipMemberSearch search_;
  std::optional<uint64_t> size_bytes_;  // when it was opened first
  std::unique_ptr<ByteStream> unpacked_;
  const WatchedStream* stored_ = nullptr;  // inside unpacked_
  const GzipStream* gzip_ = nullptr;       // unpacked_, where it is gzip
  Status damage_;
  bool ended_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<SalvageStream>> OpenSalvageStream(
    FileSystem& files, const std::string& path, Compression compression) {
  auto salvage = std::make_unique<Salvage>(files, path, compression);
  PENSTOCK_RETURN_IF_ERROR(salvage->Open({}));
  return salvage;
}

}  // namespace penstock
