// The values of one BytesList, FloatList or Int64List of an Example.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/examples.h"
#include "formats/wire/wire_format.h"

namespace penstock {

// What holds for all messages of a record.
struct WireRules {
  ExampleMode mode = ExampleMode::kLax;
  WireDefect& defect;

  bool strict() const { return mode == ExampleMode::kStrict; }
  // Steps over a field nobody knows; `strict_reason` says what it is.
  bool SkipUnknown(WireReader& in, uint32_t tag, int group_limit,
                   const char* strict_reason) const {
    if (strict()) return defect.Refuse(strict_reason, in.at());
    return in.Skip(tag, group_limit);
  }
};

// Each puts the values of a list behind those in `column` and adds their number
// to `values`; a null column only counts them. False with the defect set for
// bytes that are no such list; then a part of the values is there. Unknown
// groups may be nested `group_limit` deep.
//
// With `number_bytes` 2 or 4 each bytes value is an array of little-endian
// unsigned numbers of that size for `column->ints`. If its size is no multiple
// of that its last bytes are left out, and the size is put into `odd_size`.
bool TakeBytes(std::string_view message, Column* column, int number_bytes,
               uint64_t& values, uint64_t& odd_size, int group_limit,
               const WireRules& rules);
bool TakeFloats(std::string_view message, Column* column, uint64_t& values,
                int group_limit, const WireRules& rules);
bool TakeInts(std::string_view message, Column* column, uint64_t& values,
              int group_limit, const WireRules& rules);

// Appends as many whole numbers of 2 or 4 bytes as there are.
void AppendNumbers(std::string_view bytes, int number_bytes,
                   std::vector<int64_t>& out);

// The same for the one value or packed part that a list mostly has.
inline void TakeBytesValue(std::string_view value, Column* column,
                           int number_bytes, uint64_t& values,
                           uint64_t& odd_size) {
  ++values;
  if (column == nullptr) return;
  if (number_bytes != 0) {
    if (value.size() % number_bytes != 0) odd_size = value.size();
    AppendNumbers(value, number_bytes, column->ints);
    return;
  }
  column->bytes.append(value);
  column->byte_offsets.push_back(column->bytes.size());
}
bool TakeFloatBytes(std::string_view packed, Column* column, uint64_t& values,
                    WireDefect& defect);
bool TakePackedInts(std::string_view packed, Column* column, uint64_t& values,
                    WireDefect& defect);

}  // namespace penstock
