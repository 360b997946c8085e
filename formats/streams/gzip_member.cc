#include "formats/streams/gzip_member.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>

#include "formats/files/crc32c.h"
#include "formats/files/status.h"
#include "formats/streams/gzip_compressor.h"

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little);

using std::string_view_literals::operator""sv;

constexpr std::string_view kStart =
    "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x20\0PS\x1c\0"sv;
constexpr size_t kPlainHeaderBytes = 10;  // what MakeGzipCompressor writes
constexpr size_t kTrailerBytes = 8;
// Deflate cannot shrink bytes to less than this part of them.
constexpr uint64_t kMostRatio = 1032;

static_assert(sizeof(GzipMember) == 24);
static_assert(kGzipMemberHeaderBytes ==
              kStart.size() + sizeof(GzipMember) + sizeof(uint32_t));

uint32_t ChecksumOf(const GzipMember& member) {
  return Crc32c({reinterpret_cast<const char*>(&member), sizeof(member)});
}

void StoreHeader(const GzipMember& member, char* to) {
  std::memcpy(to, kStart.data(), kStart.size());
  std::memcpy(to + kStart.size(), &member, sizeof(member));
  const uint32_t checksum = ChecksumOf(member);
  std::memcpy(to + kStart.size() + sizeof(member), &checksum, sizeof(checksum));
}

}  // namespace

Status PackGzipMember(std::string_view framed, uint64_t records,
                      std::string& out) {
  // The header of the compressor is overwritten by the end of a longer one.
  out.assign(kGzipMemberHeaderBytes - kPlainHeaderBytes, '\0');
  const std::unique_ptr<Compressor> compressor = MakeGzipCompressor();
  PENSTOCK_RETURN_IF_ERROR(compressor->Add(framed, out));
  PENSTOCK_RETURN_IF_ERROR(compressor->Finish(out));
  StoreHeader({.size_bytes = out.size(),
               .framed_bytes = framed.size(),
               .records = records},
              out.data());
  return OkStatus();
}

std::optional<GzipMember> ReadGzipMemberHeader(std::string_view bytes) {
  if (bytes.size() < kGzipMemberHeaderBytes || !bytes.starts_with(kStart)) {
    return std::nullopt;
  }
  GzipMember member;
  uint32_t checksum = 0;
  std::memcpy(&member, bytes.data() + kStart.size(), sizeof(member));
  std::memcpy(&checksum, bytes.data() + kStart.size() + sizeof(member),
              sizeof(checksum));
  if (checksum != ChecksumOf(member) ||
      member.size_bytes < kGzipMemberHeaderBytes + kTrailerBytes) {
    return std::nullopt;
  }
  return member;
}

Status UnpackGzipMember(std::string_view packed, uint64_t framed_bytes,
                        std::string& framed) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  if (packed.size() < kGzipMemberHeaderBytes + kTrailerBytes ||
      framed_bytes / kMostRatio > packed.size()) {
    return DataLossError("corrupted gzip data: shorter than its records");
  }
  if (framed.size() < framed_bytes) framed.resize(framed_bytes);
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP_NO_HDR_VER;
  uint64_t used = kGzipMemberHeaderBytes;
  uint64_t made = 0;
  // igzip counts in 32 bits, and reports cut off input as success.
  while (state.block_state != ISAL_BLOCK_FINISH) {
    const auto in =
        static_cast<uint32_t>(std::min(packed.size() - used, kMost));
    const auto room =
        static_cast<uint32_t>(std::min(framed_bytes - made, kMost));
    // igzip only reads its input, although its pointer is not const.
    state.next_in =
        reinterpret_cast<uint8_t*>(const_cast<char*>(packed.data() + used));
    state.avail_in = in;
    state.next_out = reinterpret_cast<uint8_t*>(framed.data() + made);
    state.avail_out = room;
    const int result = isal_inflate(&state);
    used += in - state.avail_in;
    made += room - state.avail_out;
    if (result == ISAL_INCORRECT_CHECKSUM) {
      return DataLossError("gzip CRC mismatch");
    }
    const bool stuck = in == state.avail_in && room == state.avail_out;
    if (result != ISAL_DECOMP_OK ||
        (stuck && state.block_state != ISAL_BLOCK_FINISH)) {
      return DataLossError("corrupted gzip data");
    }
  }
  if (used != packed.size() || made != framed_bytes) {
    return DataLossError(
        fmt::format("corrupted gzip data: {} of {} bytes, which hold {} bytes "
                    "of records instead of {}",
                    used, packed.size(), made, framed_bytes));
  }
  framed.resize(framed_bytes);
  return OkStatus();
}

}  // namespace penstock
