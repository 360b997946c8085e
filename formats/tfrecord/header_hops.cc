#include "formats/tfrecord/header_hops.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "formats/files/crc32c_folding.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

using Chain = HeaderHops::Chain;

// Shorter pieces are not worth the search for their first header.
constexpr uint64_t kShortestPiece = 64 << 10;

struct AnyChecksum {
  static uint32_t OfLength(uint64_t length) {
    return Crc32c({reinterpret_cast<const char*>(&length), sizeof(length)});
  }
};

#if defined(PENSTOCK_CRC32C_FOLDING)
struct InlineChecksum {
  [[gnu::target(PENSTOCK_CRC32C_FOLDING_TARGET)]] static uint32_t OfLength(
      uint64_t length) {
    return Crc32cOfWord(length);
  }
};
#endif

// `Checksum` is inlined into all of these: a hop leaves no time for a call.
template <typename Checksum>
struct Hopping {
  const std::string_view bytes;
  const uint64_t left_bytes;  // of the file, from bytes[0] on

  // The length with its framing of the record from `at` on; 0 where a hop
  // cannot be made.
  uint64_t FramedBytes(uint64_t at) const {
    if (at + kTfRecordHeaderBytes > bytes.size()) return 0;
    uint64_t length;
    std::memcpy(&length, bytes.data() + at, sizeof(length));
    // Compared so that no length can overflow, and before the checksum, which
    // most places that are no header spare.
    if (at + kTfRecordFramingBytes > left_bytes ||
        length > left_bytes - at - kTfRecordFramingBytes ||
        LoadChecksum(bytes.data() + at + sizeof(length)) !=
            MaskCrc32c(Checksum::OfLength(length))) {
      return 0;
    }
    return length + kTfRecordFramingBytes;
  }

  // The first place from `from` on that looks like a header followed by
  // another; where none is near, the end.
  uint64_t FindHeader(uint64_t from) const {
    const uint64_t last =
        std::min<uint64_t>(from + kShortestPiece, bytes.size());
    for (uint64_t at = from; at < last; ++at) {
      const uint64_t size = FramedBytes(at);
      if (size > 0 && FramedBytes(at + size) > 0) return at;
    }
    return bytes.size();
  }

  // One from the front, the others from where they find a header.
  size_t Start(std::span<Chain> chains) const {
    const uint64_t step =
        std::max<uint64_t>(bytes.size() / chains.size() + 1, kShortestPiece);
    size_t count = 0;
    for (uint64_t from = 0; from < bytes.size(); from += step) {
      const uint64_t begin = from == 0 ? 0 : FindHeader(from);
      if (begin == bytes.size()) continue;
      if (count > 0) chains[count - 1].end = begin;
      Chain& chain = chains[count++];
      chain.begin = chain.next = begin;
      chain.end = bytes.size();
      chain.begins.clear();
    }
    return count;
  }

  void Hop(std::span<Chain> chains) const {
    for (bool more = true; more;) {
      more = false;
      for (Chain& chain : chains) {
        if (chain.next >= chain.end) continue;
        const uint64_t size = FramedBytes(chain.next);
        if (size == 0) {
          chain.end = 0;
          continue;
        }
        chain.begins.push_back(chain.next);
        chain.next += size;
        __builtin_prefetch(bytes.data() + chain.next);
        more = true;
      }
    }
  }
};

#if defined(PENSTOCK_CRC32C_FOLDING)
[[gnu::target(PENSTOCK_CRC32C_FOLDING_TARGET), gnu::flatten]] size_t
StartAndHopInline(std::string_view bytes, uint64_t left_bytes,
                  std::span<Chain> chains) {
  const Hopping<InlineChecksum> hopping = {bytes, left_bytes};
  const size_t count = hopping.Start(chains);
  hopping.Hop(chains.first(count));
  return count;
}
#endif

size_t StartAndHop(std::string_view bytes, uint64_t left_bytes,
                   std::span<Chain> chains) {
#if defined(PENSTOCK_CRC32C_FOLDING)
  if (CanFoldCrc32c()) return StartAndHopInline(bytes, left_bytes, chains);
#endif
  const Hopping<AnyChecksum> hopping = {bytes, left_bytes};
  const size_t count = hopping.Start(chains);
  hopping.Hop(chains.first(count));
  return count;
}

}  // namespace

void HeaderHops::Hop(std::string_view bytes) {
  HopAlong(bytes, std::span(chains_).first(1));
}

void HeaderHops::HopInManyPlaces(std::string_view bytes) {
  HopAlong(bytes, chains_);
}

void HeaderHops::HopAlong(std::string_view bytes, std::span<Chain> chains) {
  const size_t count = StartAndHop(bytes, file_bytes_ - offset_, chains);
  // A chain began where something looked like a header. That it is one is
  // proven by the chain before, which ends there.
  uint64_t proven = 0;
  for (const Chain& chain : chains.first(count)) {
    if (chain.begin != proven) break;
    for (const uint64_t begin : chain.begins) {
      offsets_.push_back(offset_ + begin);
    }
    proven = chain.next;
  }
  offset_ += proven;
}

}  // namespace penstock
