#include "tools/programs/document_chunks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/records/recovery.h"
#include "formats/streams/file_kind.h"

namespace penstock {
namespace {

constexpr size_t kChunkBytes = 1 << 20;
// What a document takes beside its text, here and when it is written.
constexpr size_t kDocumentBytes = 64;

}  // namespace

DocumentReader::DocumentReader(FileSystem& files, const InputFiles& input,
                               OpenOptions options)
    : files_(files), input_(input), options_(std::move(options)) {
  if (options_.recovery.on_corruption == OnCorruption::kFail) {
    options_.on_bad_line = nullptr;
    return;
  }
  options_.recovery.on_skipped =
      [this, tell = std::move(options_.recovery.on_skipped)](
          const SkippedRegion& region) {
        ++losses_.places;
        losses_.bytes += region.end - region.begin;
        tell(region);
      };
  if (!options_.on_bad_line) return;
  options_.on_bad_line =
      [this, tell = std::move(options_.on_bad_line)](const Status& why) {
        if (bad_line_.ok()) bad_line_ = SkipLine(why);
        if (!bad_line_.ok()) return;
        ++losses_.places;
        tell(why);
      };
}

StatusOr<DocumentChunk> DocumentReader::Next() {
  DocumentChunk chunk;
  while (chunk.text.size() + kDocumentBytes * chunk.size() < kChunkBytes) {
    if (reader_ == nullptr) {
      if (next_file_ == input_.paths.size()) break;
      PENSTOCK_RETURN_IF_ERROR(OpenNext());
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader_->NextBlock());
    PENSTOCK_RETURN_IF_ERROR(bad_line_);
    if (!block.has_value()) {
      EndFile();
      continue;
    }
    file_has_documents_ = true;
    for (size_t i = 0; i < block->records.size(); ++i) {
      chunk.text += block->records[i];
      chunk.ends.push_back(chunk.text.size());
      chunk.origins.push_back({next_file_ - 1, block->first + i});
      read_bytes_ += block->records[i].size();
    }
  }
  // Compressed files give more than they hold.
  chunk.input_bytes_done = finished_bytes_ + std::min(read_bytes_, file_bytes_);
  return chunk;
}

Status DocumentReader::OpenNext() {
  const std::string& path = input_.paths[next_file_++];
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(path));
  file_bytes_ = info.size_bytes;
  OpenOptions options = options_;
  // Nothing else has checksums to find the next record by.
  const bool is_tfrecord =
      options.kind.value_or(KnownKindOfFile(path).value_or(FileKind::kText)) ==
      FileKind::kTfRecord;
  if (!is_tfrecord) options.recovery = {};
  PENSTOCK_ASSIGN_OR_RETURN(reader_,
                            OpenRecords(files_, path, std::move(options)));
  return OkStatus();
}

void DocumentReader::EndFile() {
  if (!file_has_documents_ && losses_.places == file_begin_) {
    if (losses_.empty_files++ == 0) {
      losses_.first_empty = input_.paths[next_file_ - 1];
    }
  }
  finished_bytes_ += file_bytes_;
  file_bytes_ = read_bytes_ = 0;
  file_begin_ = losses_.places;
  file_has_documents_ = false;
  reader_.reset();
}

Status DocumentReader::SkipLine(const Status& why) {
  if (!IsDataLoss(why)) return why;
  if (options_.recovery.total == nullptr) return OkStatus();
  const Status over = options_.recovery.total->Take(0);
  if (over.ok()) return over;
  return Annotate(over, std::string(why.message()));
}

}  // namespace penstock
