#include "formats/tfrecord/tfrecord_frames.h"

#include "formats/files/crc32c.h"
#include "formats/files/crc32c_folding.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// `Checksums` is inlined: a record of 300 bytes leaves no time for a call.
template <typename Checksums>
inline size_t Take(std::string_view bytes, uint64_t max_record_bytes,
                   std::vector<std::string_view>& records) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (static_cast<size_t>(end - at) >= kTfRecordFramingBytes) {
    uint64_t length;
    std::memcpy(&length, at, sizeof(length));
    if (LoadChecksum(at + sizeof(length)) !=
        MaskCrc32c(Checksums::OfLength(length))) {
      break;
    }
    // Compared so that no length can overflow.
    if (length > end - at - kTfRecordFramingBytes ||
        length > max_record_bytes) {
      break;
    }
    const std::string_view data(at + kTfRecordHeaderBytes, length);
    if (LoadChecksum(data.data() + length) !=
        MaskCrc32c(Checksums::OfData(data))) {
      break;
    }
    records.push_back(data);
    at += kTfRecordFramingBytes + length;
  }
  return at - bytes.data();
}

struct AnyChecksums {
  static uint32_t OfLength(uint64_t length) {
    return Crc32c({reinterpret_cast<const char*>(&length), sizeof(length)});
  }
  static uint32_t OfData(std::string_view data) { return Crc32c(data); }
};

#if defined(PENSTOCK_CRC32C_FOLDING)
struct FoldingChecksums {
  [[gnu::target(PENSTOCK_CRC32C_FOLDING_TARGET)]] static uint32_t OfLength(
      uint64_t length) {
    return Crc32cOfWord(length);
  }
  [[gnu::target(PENSTOCK_CRC32C_FOLDING_TARGET)]] static uint32_t OfData(
      std::string_view data) {
    return FoldCrc32c(data.data(), data.size());
  }
};

[[gnu::target(PENSTOCK_CRC32C_FOLDING_TARGET), gnu::flatten]] size_t
TakeByFolding(std::string_view bytes, uint64_t max_record_bytes,
              std::vector<std::string_view>& records) {
  return Take<FoldingChecksums>(bytes, max_record_bytes, records);
}
#endif

}  // namespace

size_t TakeRightRecords(std::string_view bytes, uint64_t max_record_bytes,
                        std::vector<std::string_view>& records) {
#if defined(PENSTOCK_CRC32C_FOLDING)
  if (CanFoldCrc32c()) return TakeByFolding(bytes, max_record_bytes, records);
#endif
  return Take<AnyChecksums>(bytes, max_record_bytes, records);
}

}  // namespace penstock
