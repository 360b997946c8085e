#include "formats/tfrecord/tfrecord_reader.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/streams/byte_stream.h"
#include "formats/streams/open_stream.h"
#include "formats/streams/stream_window.h"
#include "formats/tfrecord/salvage_stream.h"
#include "formats/tfrecord/tfrecord_errors.h"
#include "formats/tfrecord/tfrecord_frames.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "formats/tfrecord/tfrecord_search.h"

namespace penstock {
namespace {

// That a file's type is told by.
constexpr size_t kTellBytes = 64;

// The records of a block are views into the window. What is left of a record
// that is not whole yet moves to its front before more is read.
class TfRecordReader final : public TfRecordSequence {
 public:
  // `salvage` is null or `stream`.
  TfRecordReader(std::unique_ptr<ByteStream> stream, SalvageStream* salvage,
                 TfRecordReadOptions options)
      : salvage_(salvage),
        compression_(options.compression),
        max_record_bytes_(options.max_record_bytes),
        window_(std::move(stream), options.buffer_bytes),
        search_(options.max_record_bytes),
        meter_(std::move(options.recovery)) {}

  StatusOr<std::optional<RecordBlock>> NextBlock() override {
    PENSTOCK_RETURN_IF_ERROR(failed_);
    first_ += records_.size();
    records_.clear();
    while (true) {
      window_.Consume(
          TakeRightRecords(window_.bytes(), max_record_bytes_, records_));
      if (!records_.empty()) return RecordBlock{records_, first_};
      const StatusOr<bool> more = Advance();
      failed_ = more.status();
      PENSTOCK_RETURN_IF_ERROR(failed_);
      if (!*more) return std::nullopt;
    }
  }

  Status GoTo(uint64_t offset, uint64_t record) override {
    records_.clear();
    first_ = record;
    return window_.SkipTo(offset);
  }

  std::string Locate(size_t i) const override {
    return fmt::format(
        "{}: record {} at {}offset {}", path(), first_ + i,
        compression_ == Compression::kNone ? "" : "uncompressed ",
        window_.OffsetOf(records_[i].data()) - kTfRecordHeaderBytes);
  }

  const std::string& path() const override { return window_.path(); }

 private:
  // Where no whole and right record is at the front: reads more of it, or gets
  // past the damage. False at the end.
  StatusOr<bool> Advance() {
    const std::string_view left = window_.bytes();
    size_t needed = kTfRecordHeaderBytes;
    if (left.size() >= kTfRecordHeaderBytes) {
      const TfRecordHeader header = LoadTfRecordHeader(left.data());
      if (!header.valid()) {
        PENSTOCK_RETURN_IF_ERROR(ReadBytesThatTell());
        return Resync(BadLengthChecksum(Place(), header,
                                        window_.bytes().substr(0, kTellBytes)));
      }
      const Status fits = CheckLength(Place(), header.length, max_record_bytes_,
                                      window_.remaining_bytes());
      if (!fits.ok()) return Resync(fits);
      needed = header.length + kTfRecordFramingBytes;
      if (left.size() >= needed) return SkipRecord(needed);
    }
    PENSTOCK_ASSIGN_OR_RETURN(const bool more, window_.ReadMore(needed));
    if (more) return true;
    if (!left.empty()) return Resync(Truncated(needed));
    if (salvage_ == nullptr || salvage_->damage().ok()) return false;
    PENSTOCK_ASSIGN_OR_RETURN(const std::string reason, salvage_->Resume());
    return Skipped(window_.offset(), DataLossError(reason));
  }

  // What the file is of, if it is no TFRecord file, must not depend on how much
  // of it happens to be there.
  Status ReadBytesThatTell() {
    while (window_.offset() == 0 && window_.bytes().size() < kTellBytes) {
      PENSTOCK_ASSIGN_OR_RETURN(const bool more, window_.ReadMore(kTellBytes));
      if (!more) break;
    }
    return OkStatus();
  }

  Status Truncated(size_t needed) const {
    const std::string_view left = window_.bytes();
    return needed == kTfRecordHeaderBytes
               ? TruncatedHeader(Place(), left)
               : TruncatedRecord(Place(), needed - kTfRecordFramingBytes,
                                 left.size());
  }

  // Past the record at the front, whose data is wrong.
  StatusOr<bool> SkipRecord(size_t size) {
    const uint64_t length = size - kTfRecordFramingBytes;
    const std::string_view data =
        window_.bytes().substr(kTfRecordHeaderBytes, length);
    const Status damage =
        BadDataChecksum(Place(), length, LoadChecksum(data.data() + length),
                        MaskCrc32c(Crc32c(data)));
    if (meter_.on_corruption() == OnCorruption::kFail) return damage;
    const uint64_t begin = window_.offset();
    window_.Consume(size);
    return Skipped(begin, damage);
  }

  // To the next record behind the front, or to the end.
  StatusOr<bool> Resync(const Status& damage) {
    if (meter_.on_corruption() != OnCorruption::kResync ||
        !IsDataLoss(damage)) {
      return damage;
    }
    const uint64_t begin = window_.offset();
    window_.Consume(1);
    PENSTOCK_RETURN_IF_ERROR(search_.FindNext(window_));
    return Skipped(begin, damage);
  }

  StatusOr<bool> Skipped(uint64_t begin, const Status& damage) {
    // What was lost is taken for one record: mostly it is one, and then the
    // others keep their numbers.
    ++first_;
    PENSTOCK_RETURN_IF_ERROR(
        meter_.Skip({.file = path(),
                     .begin = begin,
                     .end = window_.offset(),
                     .reason = std::string(damage.message())}));
    return true;
  }

  TfRecordPlace Place() const {
    return {.path = path(),
            .offset = window_.offset(),
            .record = first_,
            .compression = compression_};
  }

  SalvageStream* const salvage_;  // null where the stream is none
  const Compression compression_;
  const uint64_t max_record_bytes_;
  StreamWindow window_;
  TfRecordSearch search_;
  SkipMeter meter_;
  std::vector<std::string_view> records_;  // the block given last
  uint64_t first_ = 0;                     // number of records_[0]
  Status failed_;
};

}  // namespace

StatusOr<std::unique_ptr<TfRecordSequence>> OpenTfRecord(
    FileSystem& files, const std::string& path, TfRecordReadOptions options) {
  constexpr uint64_t kLargestRecord =
      std::numeric_limits<ptrdiff_t>::max() - kTfRecordFramingBytes;
  if (options.buffer_bytes == 0 || options.max_record_bytes > kLargestRecord) {
    return InvalidArgumentError(fmt::format(
        "{}: buffer_bytes must be above 0 and max_record_bytes at most {}",
        path, kLargestRecord));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckRecovery(path, options.recovery));
  // What follows damage in a plain file needs no stream that survives it.
  if (options.compression == Compression::kNone ||
      options.recovery.on_corruption != OnCorruption::kResync) {
    PENSTOCK_ASSIGN_OR_RETURN(auto stream,
                              OpenStream(files, path, options.compression));
    return std::make_unique<TfRecordReader>(std::move(stream), nullptr,
                                            std::move(options));
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      auto salvage, OpenSalvageStream(files, path, options.compression));
  SalvageStream* const borrowed = salvage.get();
  return std::make_unique<TfRecordReader>(std::move(salvage), borrowed,
                                          std::move(options));
}

}  // namespace penstock
