#include "formats/example/long_values.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "formats/example/feature_bytes.h"
#include "formats/example/feature_map_walk.h"
#include "formats/example/feature_tags.h"

namespace penstock {
namespace {

using feature_tags::kBytesList;
using feature_tags::kChunk;
using feature_tags::kEntry;
using feature_tags::kFeatures;
using feature_tags::kKey;
using feature_tags::kValue;

// What is taken at once before it is known what it is.
constexpr size_t kBlockBytes = 1 << 10;
// How an entry begins, up to its value, where its name is not very long.
constexpr size_t kMostBeginBytes = 512;
constexpr size_t kMostLengthBytes = 5;
// The features in the rest have a size of always three bytes.
constexpr size_t kRestBeginBytes = 4;
static_assert(ExampleRest::kMostBytes < size_t{1} << 21);

// A Feature of one empty value.
constexpr std::string_view kEmptyValue("\x0a\x02\x0a\x00", 4);

// Steps over the tag and the length of a field at the front of `bytes`.
bool EnterField(std::string_view& bytes, char tag, uint64_t& size) {
  if (bytes.empty() || bytes[0] != tag) return false;
  size = 0;
  for (size_t i = 0; i < kMostLengthBytes && i + 1 < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i + 1]);
    size |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte >= 0x80) continue;
    bytes.remove_prefix(i + 2);
    return size <= INT_MAX;
  }
  return false;
}

class LongValueWalk {
 public:
  LongValueWalk(uint64_t size_bytes, std::span<LongValue> values, TakeNext take,
                ExampleRest& rest)
      : left_(size_bytes),
        values_(values),
        take_(take),
        rest_(rest.example),
        block_(rest.block) {}

  bool Walk() {
    block_.clear();
    rest_.assign(kRestBeginBytes, '\0');
    uint64_t size = 0;
    if (left_ > INT_MAX || !Enter(kFeatures, size) || size != Unread()) {
      return false;
    }
    while (Unread() > 0) {
      if (!TakeEntry()) return false;
    }
    const size_t features = rest_.size() - kRestBeginBytes;
    rest_[0] = kFeatures;
    rest_[1] = static_cast<char>(features | 0x80);
    rest_[2] = static_cast<char>(features >> 7 | 0x80);
    rest_[3] = static_cast<char>(features >> 14);
    return true;
  }

 private:
  uint64_t Unread() const { return block_.size() - at_ + left_; }
  std::string_view Block() const {
    return std::string_view(block_).substr(at_);
  }

  // Makes Block() have `size` bytes, or all that there are.
  bool Fill(uint64_t size) {
    size = std::min(size, Unread());
    if (Block().size() >= size) return true;
    block_.erase(0, at_);
    at_ = 0;
    const size_t has = block_.size();
    const uint64_t more =
        std::min(left_, std::max<uint64_t>(size, kBlockBytes) - has);
    block_.resize(has + more);
    left_ -= more;
    return take_(std::span(block_).subspan(has));
  }

  // Steps over the beginning of a field that lies inside of what is left.
  bool Enter(char tag, uint64_t& size) {
    if (!Fill(1 + kMostLengthBytes)) return false;
    std::string_view bytes = Block();
    if (!EnterField(bytes, tag, size)) return false;
    at_ = block_.size() - bytes.size();
    return size <= Unread();
  }

  bool TakeEntry() {
    uint64_t size = 0;
    if (!Enter(kEntry, size)) return false;
    if (size >= kLongValueBytes) {
      if (!Fill(kMostBeginBytes)) return false;
      std::string_view begin = Block();
      if (LongValue* const value = BeginsValue(size, begin)) {
        at_ = block_.size() - begin.size();
        return TakeValue(*value);
      }
    }
    return TakeWhole(size);
  }

  // The value that fills the entry of `size` at the front of `begin`, which
  // begins with its bytes then.
  LongValue* BeginsValue(uint64_t size, std::string_view& begin) const {
    const size_t before = begin.size();
    uint64_t part = 0;
    if (!EnterField(begin, kKey, part) || part > begin.size()) return nullptr;
    const std::string_view name = begin.substr(0, part);
    begin.remove_prefix(part);
    for (const char tag : {kValue, kBytesList, kChunk}) {
      if (!EnterField(begin, tag, part) ||
          before - begin.size() + part != size) {
        return nullptr;
      }
    }
    const auto value = std::ranges::find(values_, name, &LongValue::name);
    return value != values_.end() && value->to.size() == part ? &*value
                                                              : nullptr;
  }

  bool TakeValue(LongValue& value) {
    if (value.found || !HasRoom(kMostBeginBytes)) return false;
    value.found = true;
    const std::string_view here = Block().substr(0, value.to.size());
    std::memcpy(value.to.data(), here.data(), here.size());
    at_ += here.size();
    left_ -= value.to.size() - here.size();
    AppendEntryField(value.name, kEmptyValue, rest_);
    return take_(value.to.subspan(here.size()));
  }

  // Of an entry that is left to the parser only the name is looked at.
  bool TakeWhole(uint64_t size) {
    if (!HasRoom(size) || !Fill(size)) return false;
    const std::string_view entry = Block().substr(0, size);
    at_ += size;
    WireDefect defect;
    std::string_view name;
    if (!ReadKey(entry, {ExampleMode::kLax, defect}, name) ||
        std::ranges::find(values_, name, &LongValue::name) != values_.end()) {
      return false;
    }
    AppendField(kEntry, entry, rest_);
    return true;
  }

  bool HasRoom(uint64_t size) const {
    return rest_.size() + size <= ExampleRest::kMostBytes;
  }

  uint64_t left_;  // of the record, behind the block
  const std::span<LongValue> values_;
  const TakeNext take_;
  std::string& rest_;
  std::string& block_;
  size_t at_ = 0;  // of the block
};

}  // namespace

bool TakeLongValues(uint64_t size_bytes, std::span<LongValue> values,
                    TakeNext take, ExampleRest& rest) {
  for (LongValue& value : values) value.found = false;
  return LongValueWalk(size_bytes, values, take, rest).Walk();
}

}  // namespace penstock
