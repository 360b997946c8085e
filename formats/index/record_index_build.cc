#include "formats/index/record_index_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "formats/streams/gzip_member.h"
#include "formats/tfrecord/header_hops.h"
#include "formats/tfrecord/tfrecord_errors.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "formats/tfrecord/tfrecord_reader.h"

namespace penstock {
namespace {

constexpr uint64_t kWindowBytes = 256 << 10;
// From here on reading a header by itself costs less than copying the record.
constexpr uint64_t kSmallRecordBytes = 4 << 10;
// Up to here copying the record costs less than waiting for its header.
constexpr uint64_t kTinyRecordBytes = 1 << 10;
// What is mapped at once: little memory, but worth the calls.
constexpr uint64_t kSpanBytes = 8 << 20;
constexpr uint64_t kShortestSpanBytes = 1 << 20;

// Brings what is in memory of the system to its address. One access lets Linux
// map all of a step around it, at a tenth of the cost of one for each page.
void Touch(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size(); at += kMapStepBytes) {
    static_cast<void>(*static_cast<const volatile char*>(&bytes[at]));
  }
}

// Over a span that is in memory: looks at the headers alone, where reading
// copies all between them. Does nothing where it is not, or cannot be mapped.
// What is cut off meanwhile reads as zero, which is no right header.
void HopMapped(const ReadableFile& file, uint64_t size_bytes,
               HeaderHops& hops) {
  const uint64_t begin = hops.offset() / kMapStepBytes * kMapStepBytes;
  const uint64_t span = std::min(kSpanBytes, size_bytes - begin);
  if (span < kShortestSpanBytes) return;
  char last;
  if (file.ReadCached(begin + span - 1, {&last, 1}) != 1) return;
  const auto mapped = file.Map(begin, span);
  if (mapped == nullptr) return;
  Touch(mapped->bytes());
  hops.HopInManyPlaces(mapped->bytes().substr(hops.offset() - begin));
}

Status WrongHeader(const ReadableFile& file, uint64_t size_bytes,
                   const HeaderHops& hops, uint64_t record) {
  constexpr uint64_t kAnyLength = std::numeric_limits<int64_t>::max();
  const TfRecordPlace place = {
      .path = file.path(), .offset = hops.offset(), .record = record};
  char buffer[kTfRecordHeaderBytes];
  PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                            file.ReadAt(hops.offset(), buffer));
  const std::string_view bytes(buffer, got);
  if (got < kTfRecordHeaderBytes) return TruncatedHeader(place, bytes);
  const TfRecordHeader header = LoadTfRecordHeader(buffer);
  if (!header.valid()) return BadLengthChecksum(place, header, bytes);
  return CheckLength(place, header.length, kAnyLength,
                     size_bytes - hops.offset());
}

StatusOr<std::vector<uint64_t>> HopHeaders(const ReadableFile& file,
                                           uint64_t size_bytes) {
  HeaderHops hops(size_bytes);
  const auto window = std::make_unique_for_overwrite<char[]>(kWindowBytes);
  while (hops.offset() < size_bytes) {
    const uint64_t offset = hops.offset();
    const uint64_t records = hops.offsets().size();
    const uint64_t mean = offset / std::max<uint64_t>(records, 1);
    const bool one_by_one = mean >= kSmallRecordBytes;
    if (mean > kTinyRecordBytes && !one_by_one) {
      HopMapped(file, size_bytes, hops);
      if (hops.offset() != offset) continue;
    }
    const uint64_t want = std::min(
        one_by_one ? kTfRecordHeaderBytes : kWindowBytes, size_bytes - offset);
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                              file.ReadAt(offset, {window.get(), want}));
    hops.Hop({window.get(), got});
    if (hops.offset() != offset) continue;
    PENSTOCK_RETURN_IF_ERROR(WrongHeader(file, size_bytes, hops, records));
  }
  return std::move(hops.offsets());
}

StatusOr<std::vector<uint64_t>> ReadRecords(FileSystem& files,
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

Status NotInMembers(const std::string& path, uint64_t offset) {
  return FailedPreconditionError(fmt::format(
      "{}: has no header that tells of whole records at compressed offset {}, "
      "as files written by datagen have, so its records cannot be reached by "
      "number: read it in sequence, or unpack it (gzip -d) and index that",
      path, offset));
}

StatusOr<std::vector<GzipMemberPlace>> HopMembers(const ReadableFile& file,
                                                  uint64_t size_bytes) {
  std::vector<GzipMemberPlace> members = {{}};
  while (members.back().offset < size_bytes || members.size() == 1) {
    const GzipMemberPlace& last = members.back();
    char header[kGzipMemberHeaderBytes];
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                              file.ReadAt(last.offset, header));
    const auto member = ReadGzipMemberHeader({header, got});
    if (!member.has_value()) return NotInMembers(file.path(), last.offset);
    if (member->size_bytes > size_bytes - last.offset) {
      return DataLossError(fmt::format(
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
Status CheckMembers(FileSystem& files, const std::string& path,
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
  if (next == members.size()) return OkStatus();
  return DataLossError(
      fmt::format("{}: the header of the gzip member at compressed offset {} "
                  "tells of other "
                  "records than it holds",
                  path, members[next > 0 ? next - 1 : 0].offset));
}

StatusOr<RecordIndex> Build(FileSystem& files, const std::string& path,
                            const ReadableFile& file, const FileInfo& info,
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

StatusOr<std::vector<GzipMemberPlace>> FindGzipMembers(
    FileSystem& files, const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForRead(path));
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file->Stat());
  return HopMembers(*file, info.size_bytes);
}

StatusOr<RecordIndex> BuildRecordIndex(FileSystem& files,
                                       const std::string& path,
                                       IndexBuildOptions options) {
  return GuardMemory(
      NoMemory(path, "index it"), [&]() -> StatusOr<RecordIndex> {
        if (options.compression != Compression::kNone &&
            options.compression != Compression::kGzip) {
          return InvalidArgumentError(
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
          return FailedPreconditionError(
              fmt::format("{}: file changed while reading (size {} -> {})",
                          path, info.size_bytes, now.size_bytes));
        }
        return index;
      });
}

}  // namespace penstock
