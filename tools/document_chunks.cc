#include "tools/document_chunks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/status.h"

namespace penstock {
namespace {

constexpr size_t kChunkBytes = 1 << 20;

}  // namespace

DocumentReader::DocumentReader(FileSystem& files, const InputFiles& input,
                               OpenOptions options)
    : files_(files), input_(input), options_(std::move(options)) {}

absl::StatusOr<DocumentChunk> DocumentReader::Next() {
  DocumentChunk chunk;
  while (chunk.text.size() < kChunkBytes) {
    if (reader_ == nullptr) {
      if (next_file_ == input_.paths.size()) break;
      PENSTOCK_RETURN_IF_ERROR(OpenNext());
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader_->NextBlock());
    if (!block.has_value()) {
      finished_bytes_ += file_bytes_;
      file_bytes_ = read_bytes_ = 0;
      reader_.reset();
      continue;
    }
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

absl::Status DocumentReader::OpenNext() {
  const std::string& path = input_.paths[next_file_++];
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(path));
  file_bytes_ = info.size_bytes;
  PENSTOCK_ASSIGN_OR_RETURN(reader_, OpenRecords(files_, path, options_));
  return absl::OkStatus();
}

}  // namespace penstock
