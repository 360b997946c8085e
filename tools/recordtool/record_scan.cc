#include "tools/recordtool/record_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <new>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/streams/file_kind.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "formats/tfrecord/tfrecord_reader.h"
#include "pipeline/tasks/task_queue.h"
#include "tools/recordtool/file_compression.h"
#include "tools/recordtool/record_spans.h"

namespace penstock {
namespace {

// How far all files together are.
struct Done {
  std::atomic<uint64_t> bytes = 0;
  std::atomic<uint64_t> records = 0;
};

// Reads one file in sequence, but passes over spans that are right.
class FileReader {
 public:
  // `done` counts what is in `spans` already.
  FileReader(FileScan& scan, std::vector<RecordSpan> spans, Done& done,
             Progress& progress)
      : scan_(scan),
        spans_(std::move(spans)),
        done_(done),
        progress_(progress) {
    for (const RecordSpan& span : spans_) {
      counted_bytes_ += span.end - span.begin;
      counted_records_ += span.records;
    }
  }

  void Read(FileSystem& files, Compression compression,
            const ScanOptions& options) {
    chained_ = options.chain;
    scan_.status = ReadAll(files, compression, options);
    const uint64_t bytes = scan_.status.ok() ? scan_.file_bytes : FramedBytes();
    done_.bytes += bytes - counted_bytes_;
    done_.records += scan_.records - counted_records_;
  }

 private:
  Status ReadAll(FileSystem& files, Compression compression,
                 const ScanOptions& options) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const auto reader,
        OpenTfRecord(files, scan_.path,
                     {.compression = compression,
                      .recovery = {.on_corruption = options.on_corruption,
                                   .on_skipped = [this](const auto& region) {
                                     scan_.skipped.push_back(region);
                                     position_ = region.end;
                                   }}}));
    while (true) {
      PENSTOCK_RETURN_IF_ERROR(PassSpans(*reader, position_).status());
      PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                                reader->NextBlock());
      if (!block.has_value()) return OkStatus();
      PENSTOCK_RETURN_IF_ERROR(Take(*reader, *block));
      Tell();
    }
  }

  Status Take(TfRecordSequence& reader, const RecordBlock& block) {
    uint64_t block_end = position_;
    for (const std::string_view record : block.records) {
      block_end += record.size() + kTfRecordFramingBytes;
    }
    number_ = block.first;
    for (const std::string_view record : block.records) {
      PENSTOCK_ASSIGN_OR_RETURN(const bool passed,
                                PassSpans(reader, block_end));
      if (passed) break;  // the rest of the block, too
      if (chained_) scan_.chain.Add(record);
      Count(1, record.size() + kTfRecordFramingBytes);
    }
    return OkStatus();
  }

  // Passes the spans that begin here one after the other and reach beyond
  // `read_end`, up to where the reader has read.
  StatusOr<bool> PassSpans(TfRecordSequence& reader, uint64_t read_end) {
    const uint64_t begin = position_;
    for (; next_ < spans_.size(); ++next_) {
      const RecordSpan& span = spans_[next_];
      if (span.begin > position_) break;
      if (span.begin < position_ || span.end <= read_end) continue;
      scan_.chain.Append(span.chain);
      Count(span.records, span.end - span.begin);
    }
    if (position_ == begin) return false;
    PENSTOCK_RETURN_IF_ERROR(reader.GoTo(position_, number_));
    return true;
  }

  // Records that follow each other from here on.
  void Count(uint64_t records, uint64_t framed_bytes) {
    position_ += framed_bytes;
    number_ += records;
    scan_.records += records;
    scan_.record_bytes += framed_bytes - records * kTfRecordFramingBytes;
  }

  void Tell() {
    const uint64_t bytes = std::max(FramedBytes(), counted_bytes_);
    const uint64_t records = std::max(scan_.records, counted_records_);
    done_.bytes += bytes - counted_bytes_;
    done_.records += records - counted_records_;
    counted_bytes_ = bytes;
    counted_records_ = records;
    progress_.Update(done_.bytes, done_.records);
  }

  // What is unpacked may be more than the file.
  uint64_t FramedBytes() const {
    return std::min(scan_.file_bytes,
                    scan_.record_bytes + scan_.records * kTfRecordFramingBytes);
  }

  FileScan& scan_;
  const std::vector<RecordSpan> spans_;
  Done& done_;
  Progress& progress_;
  uint64_t counted_bytes_ = 0;  // of this file in done_
  uint64_t counted_records_ = 0;
  bool chained_ = false;
  size_t next_ = 0;        // of spans_
  uint64_t position_ = 0;  // where the next record begins
  uint64_t number_ = 0;    // of that record
};

// The work on one file.
struct FileJob {
  explicit FileJob(FileScan& scan) : scan(scan) {}

  FileScan& scan;
  FileInfo info;  // before the first part was read
  Compression compression = Compression::kNone;
  std::vector<std::vector<RecordSpan>> parts;
  std::atomic<size_t> parts_left = 0;  // the last one sees the others' spans
};

class Scanner {
 public:
  Scanner(FileSystem& files, const ScanOptions& options, Done& done,
          Progress& progress, std::unique_ptr<TaskQueue> tasks)
      : files_(files),
        options_(options),
        done_(done),
        progress_(progress),
        tasks_(std::move(tasks)) {}

  void Start(FileScan& scan) {
    FileJob& job = jobs_.emplace_back(scan);
    const StatusOr<FileInfo> info = files_.Stat(scan.path);
    scan.status = info.status();
    if (!info.ok()) return;
    job.info = *info;
    scan.file_bytes = info->size_bytes;
    job.compression = FindCompression(files_, scan.path, options_.compression);
    const size_t parts = PartsOf(job);
    if (parts < 2) {
      tasks_->Run([this, &job] { ReadInSequence(job); });
      return;
    }
    job.parts.resize(parts);
    job.parts_left = parts;
    for (size_t part = 0; part < parts; ++part) {
      tasks_->Run([this, &job, part] {
        FindSpans(job, part);
        if (--job.parts_left == 0) ReadInSequence(job);
      });
    }
  }

 private:
  // Only of a file whose records can be found without what lies before them.
  size_t PartsOf(const FileJob& job) const {
    const bool plain = job.compression == Compression::kNone;
    return plain && tasks_->threads() > 1 ? job.scan.file_bytes / part_bytes()
                                          : 1;
  }
  uint64_t part_bytes() const { return options_.part_bytes; }

  void FindSpans(FileJob& job, size_t part) {
    const bool last = part + 1 == job.parts.size();
    std::vector<RecordSpan>& spans = job.parts[part];
    try {
      spans = FindRecordSpans(
          files_, job.scan.path, part * part_bytes(),
          last ? job.scan.file_bytes : (part + 1) * part_bytes(),
          {.chain = options_.chain});
    } catch (const std::bad_alloc&) {
      spans.clear();
    }
    for (const RecordSpan& span : spans) {
      done_.bytes += span.end - span.begin;
      done_.records += span.records;
    }
    progress_.Update(done_.bytes, done_.records);
  }

  void ReadInSequence(FileJob& job) {
    FileScan& scan = job.scan;
    try {
      std::vector<RecordSpan> spans;
      for (const std::vector<RecordSpan>& part : job.parts) {
        spans.insert(spans.end(), part.begin(), part.end());
      }
      FileReader reader(scan, std::move(spans), done_, progress_);
      reader.Read(files_, job.compression, options_);
      CheckUnchanged(job);
    } catch (const std::bad_alloc&) {
      scan.status = ResourceExhaustedError(
          fmt::format("{}: not enough memory to read it", scan.path));
    }
  }

  // The reader in sequence sees another size alone, and only of its own time.
  void CheckUnchanged(FileJob& job) {
    if (!job.scan.status.ok()) return;
    const StatusOr<FileInfo> now = files_.Stat(job.scan.path);
    if (!now.ok()) {
      job.scan.status = now.status();
    } else if (now->size_bytes != job.info.size_bytes ||
               now->mtime_ns != job.info.mtime_ns) {
      job.scan.status = FailedPreconditionError(
          fmt::format("{}: file changed while reading (size {} -> {})",
                      job.scan.path, job.info.size_bytes, now->size_bytes));
    }
  }

  FileSystem& files_;
  const ScanOptions& options_;
  Done& done_;
  Progress& progress_;
  std::deque<FileJob> jobs_;
  // Last: it waits for what uses the others.
  const std::unique_ptr<TaskQueue> tasks_;
};

}  // namespace

StatusOr<std::unique_ptr<RecordReader>> OpenTfRecordFile(
    FileSystem& files, const std::string& path,
    std::optional<Compression> compression, RecoveryOptions recovery,
    uint64_t max_record_bytes) {
  return OpenRecords(files, path,
                     {.kind = FileKind::kTfRecord,
                      .compression = FindCompression(files, path, compression),
                      .max_record_bytes = max_record_bytes,
                      .recovery = std::move(recovery)});
}

std::vector<FileScan> ScanFiles(FileSystem& files,
                                const std::vector<std::string>& paths,
                                const ScanOptions& options,
                                Progress& progress) {
  std::vector<FileScan> scans(paths.size());
  Done done;
  auto tasks = TaskQueue::Create(options.threads);
  if (!tasks.ok()) {
    for (FileScan& scan : scans) scan.status = tasks.status();
    return scans;
  }
  {
    Scanner scanner(files, options, done, progress, *std::move(tasks));
    for (size_t i = 0; i < paths.size(); ++i) {
      scans[i].path = paths[i];
      scanner.Start(scans[i]);
    }
  }  // waits for all of them
  progress.Finish(done.bytes, done.records);
  return scans;
}

uint64_t SizeOfFiles(FileSystem& files, const std::vector<std::string>& paths) {
  uint64_t bytes = 0;
  for (const std::string& path : paths) {
    const StatusOr<FileInfo> info = files.Stat(path);
    if (info.ok()) bytes += info->size_bytes;
  }
  return bytes;
}

}  // namespace penstock
