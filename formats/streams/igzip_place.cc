#include "formats/streams/igzip_place.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "formats/files/crc32c.h"

namespace penstock {
namespace {

// Of four bytes: the low bits of a CRC that begins with 0 and is not inverted.
uint32_t SlotOf(std::string_view bytes) {
  constexpr uint32_t kSlots = 8192;
  static const uint32_t of_zeros = Crc32c(std::string_view("\0\0\0\0", 4));
  return (Crc32c(bytes) ^ of_zeros) % kSlots;
}

}  // namespace

bool IgzipMayLieAt(const void* address, std::string_view first) {
  const auto hashed =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) >> 16);
  std::array<char, sizeof(hashed)> bytes;
  std::memcpy(bytes.data(), &hashed, sizeof(hashed));
  const uint32_t slot = SlotOf({bytes.data(), bytes.size()});
  return slot != SlotOf(first.substr(0, 4)) &&
         slot != SlotOf(first.substr(1, 4)) &&
         slot != SlotOf(first.substr(2, 4));
}

}  // namespace penstock
