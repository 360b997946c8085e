#include "formats/example_lists.h"

#include <cstddef>
#include <cstring>
#include <vector>

#include "formats/packed_varints.h"

namespace penstock {
namespace {

constexpr uint32_t kChunk = 0x0a;  // a bytes value, or packed values
constexpr uint32_t kSingleFloat = 0x0d;
constexpr uint32_t kSingleInt64 = 0x08;

}  // namespace

bool TakeBytes(std::string_view message, Column* column, uint64_t& values,
               WireDefect& defect) {
  WireReader in(message, defect);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag != kChunk) {
      if (!in.Skip(tag, kGroupsInList)) return false;
      continue;
    }
    std::string_view value;
    if (!in.ReadChunk(value)) return false;
    ++values;
    if (column == nullptr) continue;
    column->bytes.append(value);
    column->byte_offsets.push_back(column->bytes.size());
  }
  return defect.what == nullptr;
}

bool TakeFloats(std::string_view message, Column* column, uint64_t& values,
                WireDefect& defect) {
  WireReader in(message, defect);
  for (uint32_t tag; in.NextTag(tag);) {
    std::string_view chunk;
    if (tag == kChunk) {
      if (!in.ReadChunk(chunk)) return false;
      if (chunk.size() % sizeof(float) != 0) {
        return in.Fail("packed floats of a size that is no multiple of 4",
                       chunk.data());
      }
    } else if (tag == kSingleFloat) {
      if (!in.ReadFixed32(chunk)) return false;
    } else {
      if (!in.Skip(tag, kGroupsInList)) return false;
      continue;
    }
    const size_t count = chunk.size() / sizeof(float);
    values += count;
    if (column == nullptr || count == 0) continue;
    std::vector<float>& floats = column->floats;
    floats.resize(floats.size() + count);
    std::memcpy(floats.data() + floats.size() - count, chunk.data(),
                chunk.size());
  }
  return defect.what == nullptr;
}

bool TakeInts(std::string_view message, Column* column, uint64_t& values,
              WireDefect& defect) {
  WireReader in(message, defect);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kChunk) {
      std::string_view chunk;
      if (!in.ReadChunk(chunk)) return false;
      const size_t count = CountVarints(chunk);
      values += count;
      const char* bad;
      if (column == nullptr) {
        bad = CheckVarints(chunk);
      } else {
        std::vector<int64_t>& ints = column->ints;
        ints.resize(ints.size() + count);
        bad = DecodeVarints(chunk, ints.data() + ints.size() - count);
      }
      if (bad != nullptr) {
        return in.Fail("a packed varint that is cut off or over 10 bytes", bad);
      }
    } else if (tag == kSingleInt64) {
      uint64_t value;
      if (!in.ReadVarint(value)) return false;
      ++values;
      if (column != nullptr) {
        column->ints.push_back(static_cast<int64_t>(value));
      }
    } else if (!in.Skip(tag, kGroupsInList)) {
      return false;
    }
  }
  return defect.what == nullptr;
}

}  // namespace penstock
