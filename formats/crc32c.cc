#include "formats/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kReflectedPolynomial = 0x82f63b78;

// Below this ISA-L's set-up costs more than its wide folding gains.
constexpr size_t kIsalFromBytes = 128;
// ISA-L counts bytes in an int.
constexpr size_t kIsalMostBytes = size_t{1} << 30;

// kTables[k][b]: the CRC state after byte b and then k zero bytes.
using Tables = std::array<std::array<uint32_t, 256>, 8>;
constexpr Tables MakeTables() {
  Tables tables = {};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    }
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (uint32_t b = 0; b < 256; ++b) {
      const uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = MakeTables();

uint64_t Load64(const char* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

#if defined(__x86_64__)
[[gnu::target("sse4.2")]] uint32_t ExtendWithInstruction(
    uint32_t crc, std::string_view bytes) {
  uint64_t state = ~crc;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    state = _mm_crc32_u64(state, Load64(at));
  }
  auto narrow = static_cast<uint32_t>(state);
  for (; left > 0; --left, ++at) {
    narrow = _mm_crc32_u8(narrow, static_cast<uint8_t>(*at));
  }
  return ~narrow;
}

const bool kHasInstruction = __builtin_cpu_supports("sse4.2");
#endif

uint32_t ExtendShort(uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  if (kHasInstruction) return ExtendWithInstruction(crc, bytes);
#endif
  return ExtendCrc32cPortable(crc, bytes);
}

}  // namespace

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
  if (bytes.size() < kIsalFromBytes) return ExtendShort(crc, bytes);
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), kIsalMostBytes);
    // ISA-L only reads, although its pointer is not const.
    auto* data =
        reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    crc = ~crc32_iscsi(data, static_cast<int>(size), ~crc);
    bytes.remove_prefix(size);
  }
  return crc;
}

uint32_t ExtendCrc32cPortable(uint32_t crc, std::string_view bytes) {
  uint32_t state = ~crc;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    const uint64_t word = Load64(at) ^ state;
    state = 0;
    for (size_t k = 0; k < 8; ++k) {
      state ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
    }
  }
  for (; left > 0; --left, ++at) {
    state =
        (state >> 8) ^ kTables[0][(state ^ static_cast<uint8_t>(*at)) & 0xff];
  }
  return ~state;
}

}  // namespace penstock
