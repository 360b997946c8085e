#include "formats/example/example_lists.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "formats/example/feature_tags.h"
#include "formats/wire/packed_varints.h"

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

using feature_tags::kChunk;
constexpr uint32_t kSingleFloat = 0x0d;
constexpr uint32_t kSingleInt64 = 0x08;

constexpr char kUnknown[] = "an unknown field in a list";

// Which parts a list of numbers has had. TensorFlow reads the first packed part
// and nothing else.
class Parts {
 public:
  // False for a part that must not be there.
  bool Add(uint32_t tag, const char* at, const WireRules& rules) {
    const bool alone = first_ == 0 || (first_ == tag && tag != kChunk);
    if (first_ == 0) first_ = tag;
    if (alone || !rules.strict()) return true;
    return rules.defect.Refuse(first_ == tag
                                   ? "values in several packed parts"
                                   : "packed values beside single ones",
                               at);
  }

 private:
  uint32_t first_ = 0;
};

// Whether there is one value of up to 3 bytes and nothing else, as a label.
bool IsOneSmall(std::string_view packed, uint64_t& value) {
  if (packed.size() - 1 >= 3) return false;  // an empty one too
  const auto* bytes = reinterpret_cast<const uint8_t*>(packed.data());
  const size_t last = packed.size() - 1;
  if (bytes[last] >= 0x80) return false;
  value = bytes[last];
  for (size_t i = last; i-- > 0;) {
    if (bytes[i] < 0x80) return false;
    value = value << 7 | (bytes[i] & 0x7f);
  }
  return true;
}

// Appends one value.
void AppendInt(int64_t value, Column& column) {
  if (column.narrow && static_cast<int32_t>(value) != value) column.Widen();
  if (column.narrow) {
    column.narrow_ints.push_back(static_cast<int32_t>(value));
  } else {
    column.ints.push_back(value);
  }
}

// Appends all of them, or none.
bool AppendNarrow(std::string_view packed, Column& column, uint64_t& values) {
  auto& ints = column.narrow_ints;
  const size_t before = ints.size();
  // Every byte may end a value. They are counted only where so many have no
  // room yet.
  const bool roomy = ints.capacity() - before >= packed.size() + kVarintSlack;
  ints.resize(before + (roomy ? packed.size() : CountVarints(packed)) +
              kVarintSlack);
  const ptrdiff_t count = DecodeVarints32(packed, ints.data() + before);
  const size_t decoded = count < 0 ? 0 : static_cast<size_t>(count);
  ints.resize(before + decoded);
  values += decoded;
  return count >= 0;
}

template <typename T>
void Append(std::string_view bytes, std::vector<int64_t>& out) {
  const size_t count = bytes.size() / sizeof(T);
  const size_t before = out.size();
  out.resize(before + count);
  for (size_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, bytes.data() + i * sizeof(T), sizeof(T));
    out[before + i] = number;
  }
}

}  // namespace

void AppendNumbers(std::string_view bytes, int number_bytes,
                   std::vector<int64_t>& out) {
  if (number_bytes == 2) {
    Append<uint16_t>(bytes, out);
  } else {
    Append<uint32_t>(bytes, out);
  }
}

bool TakeBytes(std::string_view message, Column* column, int number_bytes,
               uint64_t& values, uint64_t& odd_size, int group_limit,
               const WireRules& rules) {
  WireReader in(message, rules.defect);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag != kChunk) {
      if (!rules.SkipUnknown(in, tag, group_limit, kUnknown)) return false;
      continue;
    }
    std::string_view value;
    if (!in.ReadChunk(value)) return false;
    TakeBytesValue(value, column, number_bytes, values, odd_size);
  }
  return rules.defect.what == nullptr;
}

bool TakeFloatBytes(std::string_view packed, Column* column, uint64_t& values,
                    WireDefect& defect) {
  if (packed.size() % sizeof(float) != 0) {
    defect = {"packed floats of a size that is no multiple of 4",
              packed.data()};
    return false;
  }
  const size_t count = packed.size() / sizeof(float);
  values += count;
  if (column == nullptr || count == 0) return true;
  std::vector<float>& floats = column->floats;
  floats.resize(floats.size() + count);
  std::memcpy(floats.data() + floats.size() - count, packed.data(),
              packed.size());
  return true;
}

bool TakePackedInts(std::string_view packed, Column* column, uint64_t& values,
                    WireDefect& defect) {
  uint64_t alone;
  if (IsOneSmall(packed, alone)) {
    ++values;
    if (column != nullptr) AppendInt(static_cast<int64_t>(alone), *column);
    return true;
  }
  if (column != nullptr && column->narrow) {
    if (AppendNarrow(packed, *column, values)) return true;
    column->Widen();
  }
  const char* bad;
  const size_t count = CountVarints(packed);
  values += count;
  if (column == nullptr) {
    bad = CheckVarints(packed);
  } else {
    std::vector<int64_t>& ints = column->ints;
    const size_t before = ints.size();
    ints.resize(before + count + kVarintSlack);
    bad = DecodeVarints(packed, ints.data() + before);
    ints.resize(before + count);
  }
  if (bad == nullptr) return true;
  defect = {"a packed varint that is cut off or over 10 bytes", bad};
  return false;
}

bool TakeFloats(std::string_view message, Column* column, uint64_t& values,
                int group_limit, const WireRules& rules) {
  WireReader in(message, rules.defect);
  Parts parts;
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag != kChunk && tag != kSingleFloat) {
      if (!rules.SkipUnknown(in, tag, group_limit, kUnknown)) return false;
      continue;
    }
    std::string_view part;
    if (!parts.Add(tag, in.at(), rules) ||
        !(tag == kChunk ? in.ReadChunk(part) : in.ReadFixed32(part)) ||
        !TakeFloatBytes(part, column, values, rules.defect)) {
      return false;
    }
  }
  return rules.defect.what == nullptr;
}

bool TakeInts(std::string_view message, Column* column, uint64_t& values,
              int group_limit, const WireRules& rules) {
  WireReader in(message, rules.defect);
  Parts parts;
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag != kChunk && tag != kSingleInt64) {
      if (!rules.SkipUnknown(in, tag, group_limit, kUnknown)) return false;
      continue;
    }
    if (!parts.Add(tag, in.at(), rules)) return false;
    if (tag == kSingleInt64) {
      uint64_t value;
      if (!in.ReadVarint(value)) return false;
      ++values;
      if (column != nullptr) AppendInt(static_cast<int64_t>(value), *column);
      continue;
    }
    std::string_view part;
    if (!in.ReadChunk(part) ||
        !TakePackedInts(part, column, values, rules.defect)) {
      return false;
    }
  }
  return rules.defect.what == nullptr;
}

}  // namespace penstock
