// Gathering from files of gzip members.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/index/record_gather.h"
#include "formats/streams/gzip_member.h"
#include "formats/tfrecord/tfrecord_errors.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// How many members the device is told of before they are read.
constexpr size_t kMembersAhead = 8;

// One member, with the records [first, last) of `wanted` in it.
struct MemberRead {
  size_t file = 0;
  GzipMemberRange member;
  size_t first = 0;
  size_t last = 0;
};

StatusOr<std::vector<MemberRead>> PlanMembers(
    std::span<const RecordIndex> indexes,
    std::span<const WantedRecord> wanted) {
  std::vector<MemberRead> reads;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const WantedRecord& record = wanted[i];
    if (reads.empty() || reads.back().file != record.file ||
        reads.back().member.end.first_record <= record.number) {
      PENSTOCK_ASSIGN_OR_RETURN(const GzipMemberRange member,
                                indexes[record.file].FindMember(record.number));
      reads.push_back(
          {.file = record.file, .member = member, .first = i, .last = i});
    }
    reads.back().last = i + 1;
  }
  return reads;
}

Status InMember(const ReadableFile& file, const MemberRead& read,
                std::string_view what) {
  return DataLossError(fmt::format(
      "{}: {} in the gzip member at compressed offset {}, which "
      "holds records {} to {}",
      file.path(), what, read.member.begin.offset,
      read.member.begin.first_record, read.member.end.first_record - 1));
}

Status ReadMember(const ReadableFile& file, const MemberRead& read,
                  MemberBuffers& buffers) {
  const auto& [begin, end] = read.member;
  const uint64_t size = end.offset - begin.offset;
  if (buffers.packed.size() < size) buffers.packed.resize(size);
  PENSTOCK_ASSIGN_OR_RETURN(
      const size_t got,
      file.ReadAt(begin.offset, {buffers.packed.data(), size}));
  if (got < size) return InMember(file, read, "the file ends");
  const std::string_view packed =
      std::string_view(buffers.packed).substr(0, size);
  const auto member = ReadGzipMemberHeader(packed);
  if (!member.has_value()) return InMember(file, read, "corrupted gzip header");
  if (member->size_bytes != size ||
      member->framed_bytes != end.framed_offset - begin.framed_offset ||
      member->records != end.first_record - begin.first_record) {
    return InMember(file, read,
                    "other sizes than the index has (run: recordtool index)");
  }
  const Status status =
      UnpackGzipMember(packed, member->framed_bytes, buffers.framed);
  if (status.ok()) return status;
  return InMember(file, read, std::string(status.message()));
}

// Walks the records of a member, appending those wanted.
Status TakeRecords(const ReadableFile& file, const MemberRead& read,
                   std::string_view framed, std::span<WantedRecord> wanted,
                   std::vector<char>& bytes, size_t& end) {
  uint64_t number = read.member.begin.first_record;
  uint64_t at = 0;
  for (size_t i = read.first; i < read.last; ++number) {
    const TfRecordPlace place = {.path = file.path(),
                                 .offset = read.member.begin.framed_offset + at,
                                 .record = number,
                                 .compression = Compression::kGzip};
    if (framed.size() - at < kTfRecordFramingBytes) {
      return InMember(file, read, "fewer records than it says");
    }
    const TfRecordHeader header = LoadTfRecordHeader(framed.data() + at);
    if (!header.valid()) return BadLengthChecksum(place, header, {});
    if (header.length > framed.size() - at - kTfRecordFramingBytes) {
      return TruncatedRecord(place, header.length, framed.size() - at);
    }
    const std::string_view data =
        framed.substr(at + kTfRecordHeaderBytes, header.length);
    at += header.length + kTfRecordFramingBytes;
    if (number != wanted[i].number) continue;
    const uint32_t stored = LoadChecksum(data.data() + data.size());
    const uint32_t computed = MaskCrc32c(Crc32c(data));
    if (stored != computed) {
      return BadDataChecksum(place, header.length, stored, computed);
    }
    if (bytes.size() < end + data.size()) {
      bytes.resize(std::max(end + data.size(), bytes.size() * 2));
    }
    std::memcpy(bytes.data() + end, data.data(), data.size());
    for (; i < read.last && wanted[i].number == number; ++i) {
      wanted[i].place = end;
      wanted[i].size_bytes = data.size();
    }
    end += data.size();
  }
  return OkStatus();
}

}  // namespace

Status GatherFromMembers(OpenFileCache& open,
                         std::span<const RecordIndex> indexes,
                         std::span<WantedRecord> wanted, MemberBuffers& buffers,
                         std::vector<char>& bytes, size_t& end) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<MemberRead> reads,
                            PlanMembers(indexes, wanted));
  size_t hinted = 0;
  for (size_t r = 0; r < reads.size(); ++r) {
    for (; hinted < std::min(r + kMembersAhead, reads.size()); ++hinted) {
      const auto& [begin, after] = reads[hinted].member;
      PENSTOCK_ASSIGN_OR_RETURN(const auto file, open.Get(reads[hinted].file));
      file->WillRead(begin.offset, after.offset - begin.offset);
    }
    PENSTOCK_ASSIGN_OR_RETURN(const auto file, open.Get(reads[r].file));
    Status status = ReadMember(*file, reads[r], buffers);
    if (status.ok()) {
      status = TakeRecords(*file, reads[r], buffers.framed, wanted, bytes, end);
    }
    if (!status.ok()) {
      // A file that was rewritten says so rather than that it is damaged.
      PENSTOCK_RETURN_IF_ERROR(open.CheckUnchanged(reads[r].file));
      return status;
    }
  }
  return OkStatus();
}

}  // namespace penstock
