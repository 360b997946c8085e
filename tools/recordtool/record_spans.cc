#include "tools/recordtool/record_spans.h"

#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/plain_stream.h"
#include "formats/streams/stream_window.h"
#include "formats/tfrecord/tfrecord_frames.h"
#include "formats/tfrecord/tfrecord_reader.h"
#include "formats/tfrecord/tfrecord_search.h"

namespace penstock {
namespace {

// The part of `window` up to `end`.
class SpanFinder {
 public:
  SpanFinder(StreamWindow& window, uint64_t end, SpanOptions options)
      : window_(window),
        end_(end),
        chain_(options.chain),
        search_(max_record_bytes_) {}

  Status Find(std::vector<RecordSpan>& spans) {
    while (true) {
      // At the file's start a record begins, whatever it looks like.
      if (window_.offset() > 0) {
        PENSTOCK_RETURN_IF_ERROR(search_.FindNext(window_, end_));
      }
      if (window_.offset() >= end_) return OkStatus();
      spans.push_back({.begin = window_.offset(), .end = window_.offset()});
      PENSTOCK_RETURN_IF_ERROR(Extend(spans.back()));
      if (spans.back().records == 0) spans.pop_back();
      if (window_.offset() >= end_) return OkStatus();
      // Damage.
      if (window_.bytes().empty()) {
        PENSTOCK_ASSIGN_OR_RETURN(const bool more, window_.ReadMore(1));
        if (!more) return OkStatus();
      }
      window_.Consume(1);
    }
  }

 private:
  // By all right records that follow and begin before the end of the part.
  Status Extend(RecordSpan& span) {
    while (span.end < end_) {
      records_.clear();
      TakeRightRecords(window_.bytes(), max_record_bytes_, records_);
      for (const std::string_view record : records_) {
        if (span.end >= end_) break;
        const uint64_t framed = record.size() + kTfRecordFramingBytes;
        if (chain_) {
          span.chain.AddStored(LoadChecksum(record.data() + record.size()));
        }
        window_.Consume(framed);
        span.end += framed;
        ++span.records;
      }
      if (!records_.empty()) continue;
      PENSTOCK_ASSIGN_OR_RETURN(const bool more, ReadRecord());
      if (!more) break;
    }
    return OkStatus();
  }

  // More of the record at the front; false where it is whole already, and so
  // wrong, or cannot be.
  StatusOr<bool> ReadRecord() {
    const std::string_view left = window_.bytes();
    if (left.size() < kTfRecordHeaderBytes) {
      return window_.ReadMore(kTfRecordHeaderBytes);
    }
    const TfRecordHeader header = LoadTfRecordHeader(left.data());
    if (!header.valid() || header.length > max_record_bytes_) return false;
    const size_t needed = header.length + kTfRecordFramingBytes;
    if (left.size() >= needed || needed > window_.remaining_bytes()) {
      return false;
    }
    return window_.ReadMore(needed);
  }

  StreamWindow& window_;
  const uint64_t end_;
  const bool chain_;
  const uint64_t max_record_bytes_ = TfRecordReadOptions().max_record_bytes;
  TfRecordSearch search_;
  std::vector<std::string_view> records_;
};

}  // namespace

std::vector<RecordSpan> FindRecordSpans(FileSystem& files,
                                        const std::string& path, uint64_t begin,
                                        uint64_t end, SpanOptions options) {
  std::vector<RecordSpan> spans;
  auto stream = OpenPlainStream(files, path);
  if (!stream.ok()) return spans;
  StreamWindow window(*std::move(stream), TfRecordReadOptions().buffer_bytes);
  if (!window.SkipTo(begin).ok()) return spans;
  // What was found before an error still stands.
  SpanFinder(window, end, options).Find(spans).IgnoreError();
  return spans;
}

}  // namespace penstock
