#include "formats/wire/packed_varints.h"

#include <bit>
#include <cstring>

#include "formats/wire/one_varint.h"
#include "formats/wire/packed_varints_avx512.h"
#include "formats/wire/packed_varints_sse4.h"

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little,
              "eight bytes are loaded as one little-endian number");

constexpr uint64_t kHighBits = 0x8080808080808080;
constexpr size_t kMaxVarintBytes = 10;

uint64_t Load8(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}

// A bit for each of 64 bytes, set where a value ends. The product moves the
// eight high bits of a word side by side.
uint64_t EndsIn64(const char* at) {
  uint64_t ends = 0;
  for (int i = 0; i < 8; ++i) {
    const uint64_t word = (~Load8(at + 8 * i) & kHighBits) >> 7;
    ends |= ((word * 0x0102040810204080) >> 56) << (8 * i);
  }
  return ends;
}

// Up to four bytes of a value.
uint64_t LoadValue(const char* at, ptrdiff_t size) {
  constexpr uint32_t kMasks[] = {0, 0x7f, 0x7f7f, 0x7f7f7f, 0x7f7f7f7f};
  uint32_t word;
  std::memcpy(&word, at, 4);
  return word & kMasks[size];
}

// Closes the gaps of the high bits in two 4-byte halves: 7-bit groups -> 14
// -> 28.
uint64_t CloseUpHalves(uint64_t halves) {
  halves = (halves & 0x007f007f007f007f) | ((halves & 0x7f007f007f007f00) >> 1);
  return (halves & 0x00003fff00003fff) | ((halves & 0x3fff00003fff0000) >> 2);
}

// Moves `out` behind what was decoded.
template <typename T>
const char* DecodePairs(std::string_view chunk, T*& out) {
  const char* at = chunk.data();  // the value that comes next
  const char* const end = at + chunk.size();
  // The ends in 64 bytes are found first, so that where one value begins does
  // not have to wait for the value before it. Four bytes are loaded at once.
  for (const char* block = at; end - block >= 64 + 4; block += 64) {
    uint64_t ends = EndsIn64(block);
    if (ends == ~uint64_t{0} && at == block) {
      for (int i = 0; i < 64; ++i) out[i] = at[i];
      at += 64;
      out += 64;
      continue;
    }
    while (ends != 0) {
      const char* const next = block + std::countr_zero(ends) + 1;
      ends &= ends - 1;
      const char* const after = block + std::countr_zero(ends) + 1;
      if (ends != 0 && next - at <= 4 && after - next <= 4) [[likely]] {
        ends &= ends - 1;
        const uint64_t both = CloseUpHalves(
            LoadValue(at, next - at) | LoadValue(next, after - next) << 32);
        out[0] = static_cast<T>(static_cast<uint32_t>(both));
        out[1] = static_cast<T>(both >> 32);
        out += 2;
        at = after;
      } else {
        if (DecodeOneVarint(at, next, out++) == nullptr) return at;
        at = next;
      }
    }
  }
  while (at != end) {
    const char* const next = DecodeOneVarint(at, end, out);
    if (next == nullptr) return at;
    at = next;
    ++out;
  }
  return nullptr;
}

}  // namespace

size_t CountVarints(std::string_view chunk) {
  if (HasAvx512Varints()) return CountVarintsAvx512(chunk);
  size_t count = 0;
  for (const char c : chunk) count += c >= 0;
  return count;
}

const char* DecodeVarints(std::string_view chunk, int64_t* out) {
  if (HasAvx512Varints()) return DecodeVarintsAvx512(chunk, out);
  return HasSse4Varints() ? DecodeVarintsSse4(chunk, out)
                          : DecodeVarintsPortable(chunk, out);
}

const char* DecodeVarintsPortable(std::string_view chunk, int64_t* out) {
  return DecodePairs(chunk, out);
}

ptrdiff_t DecodeVarints32(std::string_view chunk, int32_t* out) {
  if (HasAvx512Varints()) return DecodeVarints32Avx512(chunk, out);
  return HasSse4Varints() ? DecodeVarints32Sse4(chunk, out)
                          : DecodeVarints32Portable(chunk, out);
}

ptrdiff_t DecodeVarints32Portable(std::string_view chunk, int32_t* out) {
  const int32_t* const begin = out;
  if (DecodePairs(chunk, out) != nullptr) return -1;
  return out - begin;
}

const char* CheckVarints(std::string_view chunk) {
  const char* begin = chunk.data();  // of the value we are in
  const char* at = begin;
  const char* const end = at + chunk.size();
  while (end - at >= 8) {
    // Where every 8 bytes hold an end, a value may be too long only across two
    // words; `begin` is exact, so the size test below sees it.
    const uint64_t ends = ~Load8(at) & kHighBits;
    if (ends != 0) {
      const size_t first_end = std::countr_zero(ends) / 8;
      if (at + first_end + 1 - begin > ptrdiff_t{kMaxVarintBytes}) return begin;
      begin = at + 8 - std::countl_zero(ends) / 8;
    }
    at += 8;
  }
  for (; at != end; ++at) {
    if (static_cast<uint8_t>(*at) >= 0x80) continue;
    if (at + 1 - begin > ptrdiff_t{kMaxVarintBytes}) return begin;
    begin = at + 1;
  }
  return begin == end ? nullptr : begin;
}

}  // namespace penstock
