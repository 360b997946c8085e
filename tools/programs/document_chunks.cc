#include "tools/programs/document_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/corpora/utf8_check.h"
#include "formats/files/status_or.h"
#include "formats/records/recovery.h"
#include "formats/streams/file_kind.h"
#include "tools/programs/flag_words.h"
#include "tools/programs/program.h"

namespace penstock {
namespace {

constexpr size_t kChunkBytes = 1 << 20;
// What a document takes beside its text, here and when it is written.
constexpr size_t kDocumentBytes = 64;

// No fault of the input.
bool IsOurs(const Status& why) {
  return why.code() == StatusCode::kCancelled ||
         why.message().find("not enough memory to") != std::string_view::npos;
}

}  // namespace

DocumentReader::DocumentReader(FileSystem& files, const InputFiles& input,
                               Corpus corpus)
    : input_(input),
      files_(files, input.streams),
      options_(std::move(corpus.open)),
      bad_input_(std::move(corpus.bad_input)) {
  if (!options_.text_unit) options_.text_unit = input.text_unit;
  options_.look_for_examples = true;
  options_.other_members = OtherMembers::kSkip;
  options_.wants_member =
      [choices = std::move(corpus.choices)](std::string_view name) {
        return choices.Takes(name);
      };
  options_.on_skipped_member = [this](std::string_view member,
                                      std::string_view what) {
    InputLosses::Kind& kind = losses_.left_out[std::string(what)];
    if (kind.count++ > 0) return;
    kind.first = fmt::format("{}!{}", input_.paths[next_file_ - 1], member);
  };
  options_.on_repeated_field = [this](std::string_view place) {
    if (losses_.repeated_fields.count++ == 0) {
      losses_.repeated_fields.first = place;
    }
  };
  options_.on_bad_part = [this](BadPart part, const Status& why) {
    return LeaveOut(part, why);
  };
  if (options_.recovery.on_corruption == OnCorruption::kFail) return;
  options_.recovery.on_skipped =
      [this, tell = std::move(options_.recovery.on_skipped)](
          const SkippedRegion& region) {
        Count(SkippedText(region));
        losses_.bytes += region.end - region.begin;
        tell(region);
      };
}

StatusOr<DocumentChunk> DocumentReader::Next() {
  auto chunk = Fill();
  if (!chunk.ok()) return WithFlagWords(chunk.status());
  return chunk;
}

StatusOr<DocumentChunk> DocumentReader::Fill() {
  while (next_bad_ < input_.bad.size()) {
    PENSTOCK_RETURN_IF_ERROR(LeaveOut(BadPart::kFile, input_.bad[next_bad_++]));
  }
  DocumentChunk chunk;
  while (chunk.text.size() + kDocumentBytes * chunk.size() < kChunkBytes) {
    if (reader_ == nullptr) {
      if (next_file_ == input_.paths.size()) break;
      const Status opened = OpenNext();
      if (!opened.ok()) {
        PENSTOCK_RETURN_IF_ERROR(LeaveOut(BadPart::kFile, opened));
        EndFile();
      }
      continue;
    }
    const auto block = reader_->NextBlock();
    if (!block.ok()) {
      PENSTOCK_RETURN_IF_ERROR(LeaveOut(BadPart::kFile, block.status()));
    }
    if (!block.ok() || !block->has_value()) {
      EndFile();
      continue;
    }
    file_has_documents_ = true;
    const RecordBlock& records = **block;
    for (size_t i = 0; i < records.records.size(); ++i) {
      chunk.text += records.records[i];
      chunk.ends.push_back(chunk.text.size());
      chunk.origins.push_back({next_file_ - 1, records.first + i});
    }
    documents_ += records.records.size();
  }
  chunk.input_bytes_done =
      finished_bytes_ +
      std::min(files_.read_bytes() - read_before_, file_bytes_);
  if (chunk.size() == 0) PENSTOCK_RETURN_IF_ERROR(CheckShare());
  return chunk;
}

Status DocumentReader::OpenNext() {
  const size_t file = next_file_++;
  const std::string& path = input_.paths[file];
  read_before_ = files_.read_bytes();
  places_before_ = losses_.places;
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(path));
  file_bytes_ = info.size_bytes;
  OpenOptions options = options_;
  options.kind = input_.kinds[file];
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
  if (!file_has_documents_ && losses_.places == places_before_) {
    if (losses_.empty_files++ == 0) {
      losses_.first_empty = input_.paths[next_file_ - 1];
    }
  }
  finished_bytes_ += file_bytes_;
  file_bytes_ = 0;
  read_before_ = files_.read_bytes();
  file_has_documents_ = false;
  reader_.reset();
}

Status DocumentReader::LeaveOut(BadPart part, const Status& why) {
  if (!over_limit_.ok()) return over_limit_;
  const bool is_damaged_line =
      part == BadPart::kLine && IsDataLoss(why) &&
      options_.recovery.on_corruption != OnCorruption::kFail;
  if (IsOurs(why) || !(bad_input_.leave_out || is_damaged_line)) return why;
  const Status words = WithFlagWords(why);
  if (options_.recovery.total != nullptr) {
    over_limit_ = Annotate(options_.recovery.total->Take(0),
                           std::string(words.message()));
    PENSTOCK_RETURN_IF_ERROR(over_limit_);
  }
  Count(fmt::format("{}: {}", BadPartName(part), std::string(words.message())));
  if (bad_input_.on_left_out) bad_input_.on_left_out(part, words);
  return OkStatus();
}

void DocumentReader::Count(const std::string& what) {
  if (losses_.places++ < InputLosses::kMostNamed) {
    // Names of files are any bytes, and these go to JSON.
    losses_.named.push_back(ReplaceInvalidUtf8(what));
  }
}

Status DocumentReader::CheckShare() const {
  const auto places = static_cast<double>(losses_.places);
  const double all = places + static_cast<double>(documents_);
  if (places <= bad_input_.max_share * all) return OkStatus();
  return ResourceExhaustedError(
      fmt::format("{} places were skipped beside {} documents, {:.3g} of all; "
                  "--max-skipped-share allows {}",
                  WithCommas(losses_.places), WithCommas(documents_),
                  places / all, bad_input_.max_share));
}

}  // namespace penstock
