// Examples of an int64 feature "x", byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/formats/wire/wire_builder.h"

namespace penstock::testing {

using Ints = std::vector<int64_t>;

inline std::string Packed(const Ints& values) {
  std::string packed;
  for (const int64_t v : values) packed += Varint(v);
  return Chunk(1, packed);
}

inline std::string IntX(std::string_view list) {
  return Entry("x", Int64List(list));
}

}  // namespace penstock::testing
