#include "formats/tfrecord/gzip_member_search.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/gzip_member.h"
#include "formats/streams/gzip_stream.h"
#include "formats/streams/plain_stream.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kMagic = "\x1f\x8b\x08"sv;
constexpr uint8_t kReservedFlags = 0xe0;
constexpr size_t kWindowBytes = 256 << 10;
// A member that begins inside of a record must end this soon.
constexpr uint64_t kMostTrialBytes = 16 << 20;
// By chance one place in 2^27 has such a header. A file made to be slow gets
// this many trials; then only members of gzip_member.h are looked for.
constexpr int kMostWrongMembers = 256;

// Reads on until `size` bytes are there, or as many as the file has.
Status Want(StreamWindow& window, size_t size) {
  while (window.bytes().size() < size) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool more, window.ReadMore(size));
    if (!more) break;
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::optional<uint64_t>> GzipMemberSearch::FindBehind(
    uint64_t damaged) {
  PENSTOCK_ASSIGN_OR_RETURN(auto stream, OpenPlainStream(files_, path_));
  StreamWindow window(std::move(stream), kWindowBytes);
  const uint64_t size_bytes = *window.remaining_bytes();
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t end,
                            EndByHeader(damaged, size_bytes));
  if (end == size_bytes) return std::nullopt;
  PENSTOCK_RETURN_IF_ERROR(window.SkipTo(end));
  while (true) {
    PENSTOCK_RETURN_IF_ERROR(Want(window, kGzipMemberHeaderBytes));
    const std::string_view bytes = window.bytes();
    if (bytes.size() < kMagic.size()) return std::nullopt;
    const size_t place = bytes.find(kMagic);
    if (place == std::string_view::npos) {
      window.Consume(bytes.size() - kMagic.size() + 1);
      continue;
    }
    window.Consume(place);
    PENSTOCK_RETURN_IF_ERROR(Want(window, kGzipMemberHeaderBytes));
    PENSTOCK_ASSIGN_OR_RETURN(const bool begins, MemberBegins(window));
    if (begins) return window.offset();
    window.Consume(1);
  }
}

// Where the member at `damaged` ends if its header is right and nothing was put
// in or taken out of it; otherwise the place behind its first byte.
StatusOr<uint64_t> GzipMemberSearch::EndByHeader(uint64_t damaged,
                                                 uint64_t size_bytes) {
  const uint64_t behind = std::min(damaged + 1, size_bytes);
  PENSTOCK_ASSIGN_OR_RETURN(const std::string header, BytesAt(damaged));
  const std::optional<GzipMember> known = ReadGzipMemberHeader(header);
  if (!known.has_value() || known->size_bytes > size_bytes - damaged) {
    return behind;
  }
  const uint64_t end = damaged + known->size_bytes;
  if (end == size_bytes) return end;
  PENSTOCK_ASSIGN_OR_RETURN(const std::string next, BytesAt(end));
  return next.starts_with(kMagic) ? end : behind;
}

StatusOr<bool> GzipMemberSearch::MemberBegins(StreamWindow& window) {
  const std::string_view bytes = window.bytes();
  if (ReadGzipMemberHeader(bytes).has_value()) return true;
  const bool possible =
      bytes.size() > kMagic.size() &&
      (static_cast<uint8_t>(bytes[kMagic.size()]) & kReservedFlags) == 0;
  if (!possible || wrong_headers_ == kMostWrongMembers) return false;
  PENSTOCK_ASSIGN_OR_RETURN(const bool decodes, Decodes(window.offset()));
  wrong_headers_ += decodes ? 0 : 1;
  return decodes;
}

// As many as a header has, or the file.
StatusOr<std::string> GzipMemberSearch::BytesAt(uint64_t offset) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, files_.OpenForRead(path_));
  std::string bytes(kGzipMemberHeaderBytes, '\0');
  PENSTOCK_ASSIGN_OR_RETURN(const size_t got, file->ReadAt(offset, bytes));
  bytes.resize(got);
  return bytes;
}

StatusOr<bool> GzipMemberSearch::Decodes(uint64_t offset) {
  PENSTOCK_ASSIGN_OR_RETURN(auto stored, OpenPlainStream(files_, path_));
  PENSTOCK_RETURN_IF_ERROR(stored->Skip(offset));
  const auto stream = MakeGzipStream(std::move(stored), GzipStart{});
  std::string out(kWindowBytes, '\0');
  size_t size = kTfRecordHeaderBytes;
  for (uint64_t made = 0; made < kMostTrialBytes; size = out.size()) {
    const auto got = stream->Read({out.data(), size});
    if (stream->member() > 0) return true;
    if (!got.ok() && !IsDataLoss(got.status())) return got.status();
    if (!got.ok()) return false;
    if (made == 0 && *got == kTfRecordHeaderBytes &&
        LoadTfRecordHeader(out.data()).valid()) {
      return true;
    }
    made += *got;
  }
  return false;
}

}  // namespace penstock
