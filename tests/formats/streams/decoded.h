// What a stream of bytes gives, until it ends or fails.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "formats/streams/byte_stream.h"

namespace penstock::testing {

struct Decoded {
  std::string bytes;
  Status status;  // OK at the end
};

inline Decoded Decode(ByteStream& stream, size_t out_bytes) {
  Decoded decoded;
  std::string buffer(out_bytes, '\0');
  while (true) {
    const auto got = stream.Read(buffer);
    decoded.status = got.status();
    if (!got.ok() || *got == 0) break;
    decoded.bytes.append(buffer, 0, *got);
  }
  // Both an end and an error are for ever.
  const auto again = stream.Read(buffer);
  EXPECT_EQ(again.status(), decoded.status);
  EXPECT_EQ(again.value_or(0), 0u);
  return decoded;
}

// At least so many bytes that can be packed.
inline std::string SomeText(size_t size_bytes) {
  std::string text;
  for (int i = 0; text.size() < size_bytes; ++i) {
    text += "line " + std::to_string(i * i) + (i % 7 == 0 ? "\n" : " and ");
  }
  return text;
}

}  // namespace penstock::testing
