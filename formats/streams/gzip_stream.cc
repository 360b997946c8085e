#include "formats/streams/gzip_stream.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/compressed_input.h"

namespace penstock {
namespace {

class IgzipStream final : public GzipStream {
 public:
  IgzipStream(std::unique_ptr<ByteStream> source, GzipStart start)
      : input_(std::move(source), start.offset),
        state_(std::make_unique_for_overwrite<inflate_state>()),
        member_(start.member),
        member_offset_(start.offset) {
    isal_inflate_init(state_.get());
  }

  StatusOr<size_t> Read(std::span<char> out) override {
    size_t filled = 0;
    while (filled < out.size() && !ended_ && failed_.ok()) {
      failed_ = in_member_ ? Inflate(out, filled) : StartMember();
    }
    if (filled == 0 && !failed_.ok()) return failed_;
    return filled;
  }

  std::optional<uint64_t> size_bytes() const override { return std::nullopt; }
  const std::string& path() const override { return input_.path(); }
  uint64_t member() const override { return member_; }
  uint64_t member_offset() const override { return member_offset_; }

 private:
  Status StartMember() {
    PENSTOCK_RETURN_IF_ERROR(input_.Want(2));
    member_offset_ = input_.offset();
    given_bytes_ = 0;
    const std::string_view header = input_.bytes().substr(0, 2);
    if (header != "\x1f\x8b") {
      if (member_ > 0) {
        ended_ = true;
        return input_.ExpectOnlyPadding("gzip");
      }
      if (header.empty() || header == "\x1f") return Truncated();
      return input_.NotWrapped("gzip");
    }
    isal_inflate_reset(state_.get());
    PENSTOCK_RETURN_IF_ERROR(SkipHeader());
    state_->crc_flag = ISAL_GZIP_NO_HDR_VER;  // the reset forgets it
    in_member_ = true;
    return OkStatus();
  }

  // isal_inflate can read headers, too, but forgets which fields follow where
  // the input stops inside one.
  Status SkipHeader() {
    isal_gzip_header header;
    isal_gzip_header_init(&header);
    while (true) {
      PENSTOCK_RETURN_IF_ERROR(input_.Want(1));
      if (input_.bytes().empty()) return Truncated();
      OfferInput();
      const int result = isal_read_gzip_header(state_.get(), &header);
      TakeUsedInput();
      if (result == ISAL_DECOMP_OK) return OkStatus();
      if (result != ISAL_END_INPUT) {
        return Corrupt(result == ISAL_INCORRECT_CHECKSUM ? ISAL_INVALID_WRAPPER
                                                         : result);
      }
    }
  }

  // Decodes what fits into `out` from `filled` on. igzip reports cut off input
  // as success, so the end of the member must be seen.
  Status Inflate(std::span<char> out, size_t& filled) {
    constexpr size_t kMost = std::numeric_limits<uint32_t>::max();
    auto* const place = reinterpret_cast<uint8_t*>(out.data() + filled);
    OfferInput();
    state_->next_out = place;
    state_->avail_out = std::min(out.size() - filled, kMost);
    const int result = isal_inflate(state_.get());
    const size_t made = state_->next_out - place;
    const size_t used = TakeUsedInput();
    // What was made is not to be trusted: igzip counts the bytes of a match
    // that is wrong without writing them.
    if (result != ISAL_DECOMP_OK) return Corrupt(result);
    filled += made;
    given_bytes_ += made;
    if (state_->block_state == ISAL_BLOCK_FINISH) {
      in_member_ = false;
      ++member_;
    } else if (made == 0 && used == 0) {
      if (!input_.bytes().empty()) return Corrupt(ISAL_INVALID_BLOCK);
      PENSTOCK_RETURN_IF_ERROR(input_.Want(1));
      if (input_.bytes().empty()) return Truncated();
    }
    return OkStatus();
  }

  void OfferInput() {
    const std::string_view in = input_.bytes();
    // igzip only reads its input, although its pointer is not const.
    state_->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
    state_->avail_in = in.size();
  }
  size_t TakeUsedInput() {
    const size_t used = input_.bytes().size() - state_->avail_in;
    input_.Consume(used);
    return used;
  }

  Status Truncated() const {
    return DataLossError(
        fmt::format("{}: gzip stream ended before its trailer at compressed "
                    "offset {} (member {}); the file is cut off",
                    path(), input_.offset_of_end(), member_));
  }

  Status Corrupt(int result) const {
    if (result == ISAL_INCORRECT_CHECKSUM) {
      return DataLossError(fmt::format(
          "{}: gzip CRC mismatch in member {}, which ends near compressed "
          "offset {}; {} bytes of it were given before, unverified",
          path(), member_, input_.offset(), given_bytes_));
    }
    return DataLossError(fmt::format(
        "{}: corrupted gzip {} in member {} near compressed offset {}", path(),
        result == ISAL_INVALID_WRAPPER || result == ISAL_UNSUPPORTED_METHOD
            ? "header"
            : "data",
        member_, input_.offset()));
  }

  CompressedInput input_;
  const std::unique_ptr<inflate_state> state_;
  uint64_t member_;
  uint64_t member_offset_;
  uint64_t given_bytes_ = 0;  // of the member
  bool in_member_ = false;
  bool ended_ = false;
  Status failed_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeGzipStream(std::unique_ptr<ByteStream> source) {
  return MakeGzipStream(std::move(source), GzipStart{});
}

std::unique_ptr<GzipStream> MakeGzipStream(std::unique_ptr<ByteStream> source,
                                           GzipStart start) {
  return std::make_unique<IgzipStream>(std::move(source), start);
}

}  // namespace penstock
