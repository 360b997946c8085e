// The parts of a zip file that are read (PKWARE APPNOTE 6.3, section 4.3).
//
//   local header     0 "PK\3\4"  6 flags  8 method  14 crc-32  18 packed size
//                    22 size  26 name size  28 extra size  30 name, extra, data
//   directory entry  0 "PK\1\2"  8 flags  10 method  16 crc-32  20 packed size
//                    24 size  28 name size  30 extra size  32 comment size
//                    34 disk  42 offset of local header  46 name ...
//   end              0 "PK\5\6"  4 disk  6 first disk  8, 10 entries
//                    12 directory size  16 its offset  20 comment size
//   zip64 locator    0 "PK\6\7"  4 disk  8 offset of zip64 end  16 disks
//   zip64 end        0 "PK\6\6"  24, 32 entries  40 directory size  48 offset
//
// Numbers are little endian. A field of 0xffff or 0xffffffff stands in the
// zip64 extra field (id 1) or zip64 end instead.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace penstock::zip {

static_assert(std::endian::native == std::endian::little);

template <typename T>
T Load(std::string_view bytes, size_t at) {
  T value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

constexpr std::string_view kLocalMagic = "PK\3\4";
constexpr std::string_view kEntryMagic = "PK\1\2";
constexpr std::string_view kEndMagic = "PK\5\6";
constexpr std::string_view kLocator64Magic = "PK\6\7";
constexpr std::string_view kEnd64Magic = "PK\6\6";

constexpr size_t kLocalBytes = 30;
constexpr size_t kEntryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kLocator64Bytes = 20;
constexpr size_t kEnd64Bytes = 56;

constexpr uint16_t kIn64Short = 0xffff;
constexpr uint32_t kIn64 = 0xffffffff;

constexpr uint16_t kEncryptedFlags = 1 | 1 << 6 | 1 << 13;
constexpr uint16_t kSizesFollowFlag = 1 << 3;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;

}  // namespace penstock::zip
