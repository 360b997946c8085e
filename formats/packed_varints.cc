#include "formats/packed_varints.h"

#include <bit>
#include <cstring>

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

// One value of any size. Null if it is cut off or too long.
const char* DecodeOne(const char* at, const char* end, int64_t& out) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at == end) return nullptr;
    const auto byte = static_cast<uint8_t>(*at++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      out = static_cast<int64_t>(value);
      return at;
    }
  }
  return nullptr;
}

// Takes the high bit out of each byte of two 4-byte halves and closes up the
// gaps: 7-bit groups -> 14 -> 28.
uint64_t CloseUpHalves(uint64_t halves) {
  halves &= ~kHighBits;
  halves = (halves & 0x007f007f007f007f) | ((halves & 0x7f007f007f007f00) >> 1);
  return (halves & 0x00003fff00003fff) | ((halves & 0x3fff00003fff0000) >> 2);
}

}  // namespace

size_t CountVarints(std::string_view chunk) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  size_t count = 0;
  for (; end - at >= 8; at += 8) {
    count += std::popcount(~Load8(at) & kHighBits);
  }
  for (; at != end; ++at) count += static_cast<uint8_t>(*at) < 0x80;
  return count;
}

const char* DecodeVarints(std::string_view chunk, int64_t* out) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  while (end - at >= 8) {
    const uint64_t word = Load8(at);
    const uint64_t ends = ~word & kHighBits;  // last bytes of values
    if (ends == kHighBits) {
      for (int i = 0; i < 8; ++i) out[i] = (word >> (8 * i)) & 0x7f;
      at += 8;
      out += 8;
      continue;
    }
    const uint64_t later_ends = ends & (ends - 1);
    const int bits1 = std::countr_zero(ends) + 1;
    const int bits2 = std::countr_zero(later_ends) + 1 - bits1;
    if (later_ends != 0 && bits1 <= 32 && bits2 <= 32) [[likely]] {
      const uint64_t first = word & (~uint64_t{0} >> (64 - bits1));
      const uint64_t second = (word >> bits1) & (~uint64_t{0} >> (64 - bits2));
      const uint64_t both = CloseUpHalves(first | second << 32);
      out[0] = static_cast<uint32_t>(both);
      out[1] = both >> 32;
      at += (bits1 + bits2) / 8;
      out += 2;
      continue;
    }
    const char* const next = DecodeOne(at, end, *out);
    if (next == nullptr) return at;
    at = next;
    ++out;
  }
  while (at != end) {
    const char* const next = DecodeOne(at, end, *out);
    if (next == nullptr) return at;
    at = next;
    ++out;
  }
  return nullptr;
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
