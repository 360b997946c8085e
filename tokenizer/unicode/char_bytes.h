// Which bytes tell that a text may have some characters.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace penstock {

// ASCII characters themselves, of wide ones the first byte; a text has one of
// the characters only where it has one of the bytes. A byte that is not UTF-8
// is U+FFFD.
using CharBytes = std::bitset<256>;

// Those of the characters of which `is(code point)` holds, and of all from
// U+10000 on.
template <typename Is>
CharBytes BytesOfChars(Is is) {
  CharBytes bytes;
  for (uint32_t c = 0; c < 0x80; ++c) bytes[c] = is(c);
  constexpr uint32_t kReplacement = 0xfffd;
  if (is(kReplacement)) return bytes | ~CharBytes{} << 0x80;
  for (uint32_t first = 0x80; first < 0x10000;) {
    const size_t lead = first < 0x800 ? 0xc0 | first >> 6 : 0xe0 | first >> 12;
    const uint32_t end =
        first < 0x800 ? first + 64 : (first & ~uint32_t{0xfff}) + 0x1000;
    for (uint32_t c = first; c < end && !bytes[lead]; ++c) bytes[lead] = is(c);
    first = end;
  }
  for (size_t lead = 0xf0; lead < 0xf5; ++lead) bytes.set(lead);
  return bytes;
}

}  // namespace penstock
