#include "formats/record_index_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "formats/gzip_member.h"
#include "formats/memory_guard.h"
#include "formats/status.h"
#include "formats/tfrecord_errors.h"
#include "formats/tfrecord_framing.h"
#include "formats/tfrecord_reader.h"

namespace penstock {
namespace {

constexpr uint64_t kWindowBytes = 256 << 10;
// From here on reading a header by itself costs less than copying the record.
constexpr uint64_t kSmallRecordBytes = 4 << 10;

// Small pieces of a file in rising order: one by one where they are far apart,
// from a window where they are near.
class Hopper {
 public:
  explicit Hopper(const ReadableFile& file)
      : file_(file),
        window_(std::make_unique_for_overwrite<char[]>(kWindowBytes)) {}

  // `size` bytes from `offset`, or as many as the file has.
  absl::StatusOr<std::string_view> At(uint64_t offset, uint64_t size) {
    if (offset < begin_ || offset + size > begin_ + filled_) {
      const uint64_t mean = offset / std::max<uint64_t>(pieces_, 1);
      const uint64_t want = mean < kSmallRecordBytes ? kWindowBytes : size;
      begin_ = offset;
      filled_ = 0;
      PENSTOCK_ASSIGN_OR_RETURN(filled_,
                                file_.ReadAt(offset, {window_.get(), want}));
    }
    ++pieces_;
    return std::string_view(window_.get() + (offset - begin_),
                            std::min(size, begin_ + filled_ - offset));
  }

 private:
  const ReadableFile& file_;
  const std::unique_ptr<char[]> window_;
  uint64_t begin_ = 0;  // in the file
  uint64_t filled_ = 0;
  uint64_t pieces_ = 0;
};

absl::StatusOr<std::vector<uint64_t>> HopHeaders(const ReadableFile& file,
                                                 uint64_t size_bytes) {
  constexpr uint64_t kAnyLength = std::numeric_limits<int64_t>::max();
  Hopper hopper(file);
  std::vector<uint64_t> offsets;
  for (uint64_t offset = 0; offset < size_bytes;) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view bytes,
                              hopper.At(offset, kTfRecordHeaderBytes));
    const TfRecordPlace place = {
        .path = file.path(), .offset = offset, .record = offsets.size()};
    if (bytes.size() < kTfRecordHeaderBytes) {
      return TruncatedHeader(place, bytes);
    }
    const TfRecordHeader header = LoadTfRecordHeader(bytes.data());
    if (!header.valid()) return BadLengthChecksum(place, header, bytes);
    const uint64_t left = size_bytes - offset;
    if (left < kTfRecordFramingBytes ||
        header.length > left - kTfRecordFramingBytes) {
      PENSTOCK_RETURN_IF_ERROR(
          CheckLength(place, header.length, kAnyLength, left));
    }
    offsets.push_back(offset);
    offset += header.length + kTfRecordFramingBytes;
  }
  return offsets;
}

absl::StatusOr<std::vector<uint64_t>> ReadRecords(FileSystem& files,
                                                  const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecord(files, path));
  std::vector<uint64_t> offsets;
  uint64_t offset = 0;
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto block, reader->NextBlock());
    if (!block.has_value()) return offsets;
    for (const std::string_view record : block->records) {
      offsets.push_back(offset);
      offset += kTfRecordFramingBytes + record.size();
    }
  }
}

absl::Status NotInMembers(const std::string& path, uint64_t offset) {
  return absl::FailedPreconditionError(fmt::format(
      "{}: has no header that tells of whole records at compressed offset {}, "
      "as files written by datagen have, so its records cannot be reached by "
      "number: read it in sequence, or unpack it (gzip -d) and index that",
      path, offset));
}

absl::StatusOr<std::vector<GzipMemberPlace>> HopMembers(
    const ReadableFile& file, uint64_t size_bytes) {
  Hopper hopper(file);
  std::vector<GzipMemberPlace> members = {{}};
  while (members.back().offset < size_bytes || members.size() == 1) {
    const GzipMemberPlace& last = members.back();
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view bytes,
                              hopper.At(last.offset, kGzipMemberHeaderBytes));
    const auto member = ReadGzipMemberHeader(bytes);
    if (!member.has_value()) return NotInMembers(file.path(), last.offset);
    if (member->size_bytes > size_bytes - last.offset) {
      return absl::DataLossError(fmt::format(
          "{}: gzip stream ended before its trailer at compressed offset {} "
          "(member {} needs {} bytes from {} on); the file is cut off",
          file.path(), size_bytes, members.size() - 1, member->size_bytes,
          last.offset));
    }
    // Forged sums could only overflow with more members than any file has.
    members.push_back(
        {.offset = last.offset + member->size_bytes,
         .framed_offset = last.framed_offset + member->framed_bytes,
         .first_record = last.first_record + member->records});
  }
  return members;
}

// What the headers of the members say must be what is in them.
absl::Status CheckMembers(FileSystem& files, const std::string& path,
                          std::span<const GzipMemberPlace> members) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const auto reader,
      OpenTfRecord(files, path, {.compression = Compression::kGzip}));
  uint64_t records = 0;
  uint64_t framed_offset = 0;
  size_t next = 0;
  const auto pass = [&] {  // members that begin here
    for (; next < members.size() && members[next].first_record == records &&
           members[next].framed_offset == framed_offset;
         ++next) {
    }
  };
  pass();
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto block, reader->NextBlock());
    if (!block.has_value()) break;
    for (const std::string_view record : block->records) {
      ++records;
      framed_offset += record.size() + kTfRecordFramingBytes;
      pass();
    }
  }
  if (next == members.size()) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("{}: the header of the gzip member at compressed offset {} "
                  "tells of other "
                  "records than it holds",
                  path, members[next > 0 ? next - 1 : 0].offset));
}

absl::StatusOr<RecordIndex> Build(FileSystem& files, const std::string& path,
                                  const ReadableFile& file,
                                  const FileInfo& info,
                                  const IndexBuildOptions& options) {
  const bool all = options.check == IndexCheck::kAll;
  if (options.compression == Compression::kGzip) {
    PENSTOCK_ASSIGN_OR_RETURN(std::vector<GzipMemberPlace> members,
                              HopMembers(file, info.size_bytes));
    if (all) PENSTOCK_RETURN_IF_ERROR(CheckMembers(files, path, members));
    return RecordIndex(std::move(members), {}, info);
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      std::vector<uint64_t> offsets,
      all ? ReadRecords(files, path) : HopHeaders(file, info.size_bytes));
  return RecordIndex(std::move(offsets), {}, info);
}

}  // namespace

absl::StatusOr<RecordIndex> BuildRecordIndex(FileSystem& files,
                                             const std::string& path,
                                             IndexBuildOptions options) {
  return GuardMemory(
      NoMemory(path, "index it"), [&]() -> absl::StatusOr<RecordIndex> {
        if (options.compression != Compression::kNone &&
            options.compression != Compression::kGzip) {
          return absl::InvalidArgumentError(
              fmt::format("{}: {} files have no index; only plain and gzip "
                          "TFRecord files do",
                          path, CompressionName(options.compression)));
        }
        PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForRead(path));
        // Taken before the first byte is read: a later change makes the index
        // stale.
        PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file->Stat());
        auto index = Build(files, path, *file, info, options);
        PENSTOCK_ASSIGN_OR_RETURN(const FileInfo now, files.Stat(path));
        if (now.size_bytes != info.size_bytes ||
            now.mtime_ns != info.mtime_ns) {
          return absl::FailedPreconditionError(
              fmt::format("{}: file changed while reading (size {} -> {})",
                          path, info.size_bytes, now.size_bytes));
        }
        return index;
      });
}

}  // namespace penstock
