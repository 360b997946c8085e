#include "formats/tfrecord_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/atomic_file.h"
#include "formats/gzip_tfrecord_writer.h"
#include "formats/status.h"
#include "formats/tfrecord_framing.h"
#include "formats/zlib_compressor.h"

namespace penstock {
namespace {

// What is gathered before it is written or compressed.
constexpr size_t kBufferBytes = 1 << 20;

class FileTfRecordWriter final : public TfRecordWriter {
 public:
  FileTfRecordWriter(std::string path, std::unique_ptr<AtomicFile> file,
                     std::unique_ptr<Compressor> compressor)
      : path_(std::move(path)),
        file_(std::move(file)),
        compressor_(std::move(compressor)) {
    buffer_.reserve(kBufferBytes);
  }

  absl::Status Append(std::string_view record) override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    char header[kTfRecordHeaderBytes];
    char footer[kTfRecordFooterBytes];
    StoreTfRecordHeader(record.size(), header);
    StoreTfRecordFooter(record, footer);
    PENSTOCK_RETURN_IF_ERROR(Put({header, sizeof(header)}));
    PENSTOCK_RETURN_IF_ERROR(Put(record));
    PENSTOCK_RETURN_IF_ERROR(Put({footer, sizeof(footer)}));
    ++records_;
    framed_bytes_ += record.size() + kTfRecordFramingBytes;
    return absl::OkStatus();
  }

  absl::Status Finish() override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    failed_ = Flush();
    if (failed_.ok() && compressor_ != nullptr) {
      failed_ = compressor_->Finish(compressed_);
      if (failed_.ok()) failed_ = file_->Append(compressed_);
    }
    if (failed_.ok()) failed_ = file_->Commit();
    PENSTOCK_RETURN_IF_ERROR(failed_);
    file_ = nullptr;
    return absl::OkStatus();
  }

  uint64_t records() const override { return records_; }
  uint64_t framed_bytes() const override { return framed_bytes_; }

 private:
  absl::Status Ready() const {
    if (!failed_.ok() || file_ != nullptr) return failed_;
    return absl::FailedPreconditionError(
        fmt::format("{}: is finished already", path_));
  }

  // Blocks are written whole, so that they begin where blocks of the file do.
  absl::Status Put(std::string_view bytes) {
    while (failed_.ok() && bytes.size() >= kBufferBytes - buffer_.size()) {
      if (buffer_.empty()) {
        failed_ = Write(bytes.substr(0, kBufferBytes));
        bytes.remove_prefix(kBufferBytes);
      } else {
        const size_t fits = kBufferBytes - buffer_.size();
        buffer_.append(bytes.substr(0, fits));
        bytes.remove_prefix(fits);
        failed_ = Flush();
      }
    }
    if (failed_.ok()) buffer_.append(bytes);
    return failed_;
  }

  absl::Status Flush() {
    PENSTOCK_RETURN_IF_ERROR(Write(buffer_));
    buffer_.clear();
    return absl::OkStatus();
  }

  absl::Status Write(std::string_view bytes) {
    if (compressor_ == nullptr) return file_->Append(bytes);
    for (; !bytes.empty();
         bytes.remove_prefix(std::min(bytes.size(), kBufferBytes))) {
      PENSTOCK_RETURN_IF_ERROR(
          compressor_->Add(bytes.substr(0, kBufferBytes), compressed_));
      PENSTOCK_RETURN_IF_ERROR(file_->Append(compressed_));
      compressed_.clear();
    }
    return absl::OkStatus();
  }

  const std::string path_;
  std::unique_ptr<AtomicFile> file_;              // null after Finish()
  const std::unique_ptr<Compressor> compressor_;  // null for none
  std::string buffer_;
  std::string compressed_;
  uint64_t records_ = 0;
  uint64_t framed_bytes_ = 0;
  absl::Status failed_;
};

// Null for none.
absl::StatusOr<std::unique_ptr<Compressor>> MakeCompressor(
    Compression compression) {
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
  return absl::InvalidArgumentError(
      fmt::format("TFRecord files are written with none, gzip or zlib: "
                  "TensorFlow does not read {}",
                  CompressionName(compression)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TfRecordWriter>> CreateTfRecord(
    FileSystem& files, const std::string& path, TfRecordWriteOptions options) {
  if (options.compression == Compression::kGzip) {
    PENSTOCK_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(files, path));
    return MakeGzipTfRecordWriter(path, std::move(file),
                                  std::move(options.gzip));
  }
  PENSTOCK_ASSIGN_OR_RETURN(auto compressor,
                            MakeCompressor(options.compression));
  PENSTOCK_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(files, path));
  return std::make_unique<FileTfRecordWriter>(path, std::move(file),
                                              std::move(compressor));
}

}  // namespace penstock
