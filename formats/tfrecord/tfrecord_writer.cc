#include "formats/tfrecord/tfrecord_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "formats/files/atomic_file.h"
#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "formats/streams/zlib_compressor.h"
#include "formats/tfrecord/gzip_tfrecord_writer.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "formats/tfrecord/tfrecord_sink.h"

namespace penstock {
namespace {

// What is gathered before it is written or compressed. It stays in the cache of
// a core: 1 MiB takes 4 % more processor time, into files in memory.
constexpr size_t kBufferBytes = 256 << 10;

// Records in one run of bytes, compressed or not.
class StreamSink final : public TfRecordSink {
 public:
  StreamSink(AtomicFile& file, std::unique_ptr<Compressor> compressor)
      : file_(file), compressor_(std::move(compressor)) {
    buffer_.reserve(kBufferBytes);
  }

  Status Append(std::string_view record) override {
    char header[kTfRecordHeaderBytes];
    char footer[kTfRecordFooterBytes];
    StoreTfRecordHeader(record.size(), header);
    StoreTfRecordFooter(record, footer);
    PENSTOCK_RETURN_IF_ERROR(Put({header, sizeof(header)}));
    PENSTOCK_RETURN_IF_ERROR(Put(record));
    return Put({footer, sizeof(footer)});
  }

  Status Finish() override {
    PENSTOCK_RETURN_IF_ERROR(Flush());
    if (compressor_ == nullptr) return OkStatus();
    PENSTOCK_RETURN_IF_ERROR(compressor_->Finish(compressed_));
    return file_.Append(compressed_);
  }

 private:
  // Blocks are written whole, so that they begin where blocks of the file do.
  Status Put(std::string_view bytes) {
    while (bytes.size() >= kBufferBytes - buffer_.size()) {
      if (buffer_.empty()) {
        PENSTOCK_RETURN_IF_ERROR(Write(bytes.substr(0, kBufferBytes)));
        bytes.remove_prefix(kBufferBytes);
      } else {
        const size_t fits = kBufferBytes - buffer_.size();
        buffer_.append(bytes.substr(0, fits));
        bytes.remove_prefix(fits);
        PENSTOCK_RETURN_IF_ERROR(Flush());
      }
    }
    buffer_.append(bytes);
    return OkStatus();
  }

  Status Flush() {
    PENSTOCK_RETURN_IF_ERROR(Write(buffer_));
    buffer_.clear();
    return OkStatus();
  }

  Status Write(std::string_view bytes) {
    if (compressor_ == nullptr) return file_.Append(bytes);
    for (; !bytes.empty();
         bytes.remove_prefix(std::min(bytes.size(), kBufferBytes))) {
      PENSTOCK_RETURN_IF_ERROR(
          compressor_->Add(bytes.substr(0, kBufferBytes), compressed_));
      PENSTOCK_RETURN_IF_ERROR(file_.Append(compressed_));
      compressed_.clear();
    }
    return OkStatus();
  }

  AtomicFile& file_;
  const std::unique_ptr<Compressor> compressor_;  // null for none
  std::string buffer_;
  std::string compressed_;
};

// Counts records and stops at the first error.
class SinkWriter final : public TfRecordWriter {
 public:
  SinkWriter(std::string path, Status no_memory,
             std::unique_ptr<AtomicFile> file,
             std::unique_ptr<TfRecordSink> sink)
      : path_(std::move(path)),
        no_memory_(std::move(no_memory)),
        file_(std::move(file)),
        sink_(std::move(sink)) {}

  Status Append(std::string_view record) override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    assert(!rest_written_);
    failed_ = GuardMemory(no_memory_, [&] { return sink_->Append(record); });
    ++records_;
    framed_bytes_ += record.size() + kTfRecordFramingBytes;
    return failed_;
  }

  Status WriteRest() override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    if (rest_written_) return OkStatus();
    rest_written_ = true;
    failed_ = GuardMemory(no_memory_, [&] { return sink_->Finish(); });
    return failed_;
  }

  Status Finish() override {
    PENSTOCK_RETURN_IF_ERROR(WriteRest());
    failed_ = GuardMemory(no_memory_, [&] { return file_->Commit(); });
    finished_ = failed_.ok();
    return failed_;
  }

  uint64_t records() const override { return records_; }
  uint64_t framed_bytes() const override { return framed_bytes_; }

 private:
  Status Ready() const {
    if (!failed_.ok() || !finished_) return failed_;
    return GuardMemory(no_memory_, [&] {
      return FailedPreconditionError(
          fmt::format("{}: is finished already", path_));
    });
  }

  const std::string path_;
  const Status no_memory_;
  const std::unique_ptr<AtomicFile> file_;
  const std::unique_ptr<TfRecordSink> sink_;
  uint64_t records_ = 0;
  uint64_t framed_bytes_ = 0;
  bool rest_written_ = false;
  bool finished_ = false;
  Status failed_;
};

// Null for none.
StatusOr<std::unique_ptr<Compressor>> MakeCompressor(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return nullptr;
    case Compression::kZlib:
      return MakeZlibCompressor();
    case Compression::kGzip:  // has a writer of its own
    case Compression::kZstd:
    case Compression::kXz:
    case Compression::kBzip2:
      break;
  }
  return InvalidArgumentError(
      fmt::format("TFRecord files are written with none, gzip or zlib: "
                  "TensorFlow does not read {}",
                  CompressionName(compression)));
}

}  // namespace

StatusOr<std::unique_ptr<TfRecordWriter>> CreateTfRecord(
    FileSystem& files, const std::string& path, TfRecordWriteOptions options) {
  const Status no_memory = NoMemory(path, "write it");
  using Writer = StatusOr<std::unique_ptr<TfRecordWriter>>;
  return GuardMemory(no_memory, [&]() -> Writer {
    std::unique_ptr<Compressor> compressor;
    if (options.compression != Compression::kGzip) {
      PENSTOCK_ASSIGN_OR_RETURN(compressor,
                                MakeCompressor(options.compression));
    }
    PENSTOCK_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(files, path));
    std::unique_ptr<TfRecordSink> sink =
        options.compression == Compression::kGzip
            ? MakeGzipTfRecordSink(*file, std::move(options.gzip), no_memory)
            : std::make_unique<StreamSink>(*file, std::move(compressor));
    return std::make_unique<SinkWriter>(path, no_memory, std::move(file),
                                        std::move(sink));
  });
}

}  // namespace penstock
