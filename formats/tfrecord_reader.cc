#include "formats/tfrecord_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "formats/byte_stream.h"
#include "formats/open_stream.h"
#include "formats/status.h"
#include "formats/tfrecord_errors.h"
#include "formats/tfrecord_framing.h"

namespace penstock {
namespace {

// Bytes of the file [base_offset_, base_offset_ + end_) lie in the buffer; the
// records of a block are views into it. What is left of a record that is not
// whole yet moves to the front before more is read.
class TfRecordReader final : public RecordReader {
 public:
  TfRecordReader(std::unique_ptr<ByteStream> stream,
                 TfRecordReadOptions options)
      : stream_(std::move(stream)), options_(options) {}

  absl::StatusOr<std::optional<RecordBlock>> NextBlock() override {
    PENSTOCK_RETURN_IF_ERROR(failed_);
    first_ += records_.size();
    records_.clear();
    while (true) {
      failed_ = TakeWholeRecords();
      if (!records_.empty()) return RecordBlock{records_, first_};
      PENSTOCK_RETURN_IF_ERROR(failed_);
      auto got = Fill();
      failed_ = got.ok() && *got == 0 ? CheckEnd() : got.status();
      PENSTOCK_RETURN_IF_ERROR(failed_);
      if (*got == 0) return std::nullopt;
    }
  }

  std::string Locate(size_t i) const override {
    const uint64_t place = records_[i].data() - buffer_.get();
    return fmt::format(
        "{}: record {} at {}offset {}", path(), first_ + i,
        options_.compression == Compression::kNone ? "" : "uncompressed ",
        base_offset_ + place - kTfRecordHeaderBytes);
  }

  const std::string& path() const override { return stream_->path(); }

 private:
  absl::Status TakeWholeRecords() {
    needed_ = kTfRecordHeaderBytes;
    while (end_ - begin_ >= kTfRecordHeaderBytes) {
      const char* const at = buffer_.get() + begin_;
      const size_t have = end_ - begin_;
      const TfRecordHeader header = LoadTfRecordHeader(at);
      if (!header.valid()) {
        return BadLengthChecksum(Place(), header, Left(64));
      }
      // Compared so that no length can overflow.
      if (have < kTfRecordFramingBytes ||
          header.length > have - kTfRecordFramingBytes ||
          header.length > options_.max_record_bytes) {
        PENSTOCK_RETURN_IF_ERROR(CheckLength(Place(), header.length,
                                             options_.max_record_bytes,
                                             RemainingBytes()));
        needed_ = header.length + kTfRecordFramingBytes;
        break;
      }
      const std::string_view data(at + kTfRecordHeaderBytes, header.length);
      const uint32_t computed = MaskCrc32c(Crc32c(data));
      const uint32_t stored = LoadChecksum(data.data() + data.size());
      if (stored != computed) {
        return BadDataChecksum(Place(), header.length, stored, computed);
      }
      records_.push_back(data);
      begin_ += kTfRecordFramingBytes + header.length;
    }
    return absl::OkStatus();
  }

  // Reads more behind what is left of the record at begin_, which has to be
  // needed_ bytes; 0 at the end.
  absl::StatusOr<size_t> Fill() {
    size_t capacity = std::max(capacity_, options_.buffer_bytes);
    if (needed_ > capacity) {
      // Where the file's size is not known the length is believed only as far
      // as bytes really came.
      const bool known = stream_->size_bytes().has_value();
      const size_t proven = known || end_ - begin_ < capacity_ ? 0 : capacity_;
      capacity = known ? needed_ : std::min(needed_, capacity + proven);
    }
    PENSTOCK_RETURN_IF_ERROR(MoveLeftToFront(capacity));
    PENSTOCK_ASSIGN_OR_RETURN(
        const size_t got,
        stream_->Read({buffer_.get() + end_, capacity_ - end_}));
    end_ += got;
    return got;
  }

  absl::Status MoveLeftToFront(size_t capacity) {
    const size_t left = end_ - begin_;
    if (capacity > capacity_) {
      std::unique_ptr<char[]> larger(new (std::nothrow) char[capacity]);
      if (larger == nullptr) {
        return absl::ResourceExhaustedError(
            fmt::format("{}: no memory for {} bytes", path(), capacity));
      }
      if (left > 0) std::memcpy(larger.get(), buffer_.get() + begin_, left);
      buffer_ = std::move(larger);
      capacity_ = capacity;
    } else if (left > 0) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, left);
    }
    base_offset_ += begin_;
    begin_ = 0;
    end_ = left;
    return absl::OkStatus();
  }

  absl::Status CheckEnd() const {
    if (begin_ == end_) return absl::OkStatus();
    if (end_ - begin_ < kTfRecordHeaderBytes) {
      return TruncatedHeader(Place(), Left(kTfRecordHeaderBytes));
    }
    return TruncatedRecord(Place(), needed_ - kTfRecordFramingBytes,
                           end_ - begin_);
  }

  TfRecordPlace Place() const {
    return {.path = path(),
            .offset = base_offset_ + begin_,
            .record = first_ + records_.size(),
            .compression = options_.compression};
  }
  std::string_view Left(size_t most) const {
    return {buffer_.get() + begin_, std::min(most, end_ - begin_)};
  }
  std::optional<uint64_t> RemainingBytes() const {
    const auto size_bytes = stream_->size_bytes();
    if (!size_bytes.has_value()) return std::nullopt;
    return *size_bytes - (base_offset_ + begin_);
  }

  const std::unique_ptr<ByteStream> stream_;
  const TfRecordReadOptions options_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;  // of what is not yet taken
  size_t end_ = 0;    // of what is filled
  size_t needed_ = kTfRecordHeaderBytes;
  uint64_t base_offset_ = 0;               // of buffer_[0] in the file
  std::vector<std::string_view> records_;  // the block given last
  uint64_t first_ = 0;                     // number of records_[0]
  absl::Status failed_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> OpenTfRecord(
    FileSystem& files, const std::string& path, TfRecordReadOptions options) {
  constexpr uint64_t kLargestRecord =
      std::numeric_limits<ptrdiff_t>::max() - kTfRecordFramingBytes;
  if (options.buffer_bytes == 0 || options.max_record_bytes > kLargestRecord) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: buffer_bytes must be above 0 and max_record_bytes at most {}",
        path, kLargestRecord));
  }
  PENSTOCK_ASSIGN_OR_RETURN(auto stream,
                            OpenStream(files, path, options.compression));
  // A small file needs no large buffer.
  options.buffer_bytes = std::min<uint64_t>(
      options.buffer_bytes,
      std::max<uint64_t>(stream->size_bytes().value_or(~0ull), 1));
  return std::make_unique<TfRecordReader>(std::move(stream), options);
}

}  // namespace penstock
