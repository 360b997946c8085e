#include "tokenizer/sentencepiece/charsmap.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

constexpr size_t kHeaderBytes = 4;
constexpr size_t kBlockBytes = 1024;
constexpr uint32_t kValueBit = 0x80000000;
constexpr int kMaxRules = 32;

uint32_t ReadUint32(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) {
    value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return value;
}

}  // namespace

StatusOr<Charsmap> Charsmap::Parse(std::string_view blob) {
  if (blob.size() <= kHeaderBytes) {
    return DataLossError(fmt::format(
        "the precompiled charsmap is cut off: it has {} bytes", blob.size()));
  }
  const size_t trie_bytes = ReadUint32(blob, 0);
  blob.remove_prefix(kHeaderBytes);
  if (trie_bytes >= blob.size()) {
    return DataLossError(
        fmt::format("the precompiled charsmap is cut off: {} bytes follow, its "
                    "trie alone has {}",
                    blob.size(), trie_bytes));
  }
  if (trie_bytes == 0 || trie_bytes % kBlockBytes != 0) {
    return DataLossError(
        fmt::format("the precompiled charsmap's trie has {} bytes, which is no "
                    "multiple of {}",
                    trie_bytes, kBlockBytes));
  }
  if (blob.back() != '\0') {
    return DataLossError("the precompiled charsmap's last text does not end");
  }
  Charsmap map;
  HugePageVector<uint32_t> units(trie_bytes / 4);
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(units.data(), blob.data(), trie_bytes);
  } else {
    for (size_t i = 0; i < units.size(); ++i) {
      units[i] = ReadUint32(blob, 4 * i);
    }
  }
  map.units_ = Table<uint32_t>(std::move(units));
  map.texts_.Append(blob.substr(trie_bytes));
  if (!map.IsSound()) {
    return DataLossError(
        "the precompiled charsmap's trie points outside of itself");
  }
  return map;
}

// sentencepiece 0.2.3 makes the same demands.
bool Charsmap::IsSound() {
  const size_t size = units_.size();
  const uint32_t root = units_[0];
  if (LabelOf(root) != 0 || HasRule(root) || OffsetOf(root) == 0 ||
      (OffsetOf(root) | 0xff) >= size) {
    return false;
  }
  gives_utf8_ = IsUtf8({texts_.data(), texts_.size()});
  for (size_t i = 1; i < size; ++i) {
    const uint32_t unit = units_[i];
    if ((unit & kValueBit) != 0) {
      const uint32_t value = unit & ~kValueBit;
      if (value >= texts_.size()) return false;
      gives_utf8_ &= (texts_[value] & 0xc0) != 0x80;  // in a character
      continue;
    }
    const size_t children = i ^ OffsetOf(unit);
    if ((children | 0xff) >= size) return false;
    if (HasRule(unit) && (units_[children] & kValueBit) == 0) return false;
  }
  return true;
}

void Charsmap::Save(TableWriter& to) const {
  to.PutTable(units_);
  to.PutTable(texts_);
  to.PutNumber(gives_utf8_);
}

Charsmap Charsmap::Load(TableReader& from) {
  Charsmap map;
  map.units_ = from.TakeTable<uint32_t>();
  map.texts_ = from.TakeTable<char>();
  map.gives_utf8_ = from.Number() != 0;
  from.Expect(map.units_.empty() ||
              (map.units_.size() >= 256 && !map.texts_.empty()));
  return map;
}

Charsmap::Match Charsmap::Longest(const char* at, const char* end) const {
  Match match;
  if (units_.empty()) return match;
  const char* const begin = at;
  uint32_t node = OffsetOf(units_[0]);
  uint32_t value = 0;
  int rules = 0;
  while (at != end) {
    const auto byte = static_cast<unsigned char>(*at);
    node ^= byte;
    const uint32_t unit = units_[node];
    if (LabelOf(unit) != byte) break;
    node ^= OffsetOf(unit);
    ++at;
    if (HasRule(unit)) {
      value = units_[node] & ~kValueBit;
      match.size = at - begin;
      if (++rules == kMaxRules) break;
    }
  }
  if (match.size != 0) match.out = texts_.data() + value;
  return match;
}

}  // namespace penstock
