// The file whose index is fuzzed.
#pragma once

#include <string_view>

namespace penstock::testing {

using std::string_view_literals::operator""sv;

// The records "", "foo", "bar" and "xxxx", as docs/formats/tfrecord.md has
// them.
inline constexpr std::string_view kIndexedFile =
    "\0\0\0\0\0\0\0\0\x29\x03\x98\x07\xd8\xea\x82\xa2"
    "\3\0\0\0\0\0\0\0\xb0\x99\x49\x0e\x66\x6f\x6f\x61\x8a\xbe\xfe"
    "\3\0\0\0\0\0\0\0\xb0\x99\x49\x0e\x62\x61\x72\x46\0\xe5\xc8"
    "\4\0\0\0\0\0\0\0\x42\x45\x52\x04\x78\x78\x78\x78\x0d\x23\xa2\x84"sv;
inline constexpr std::string_view kIndexedFileText =
    "0 16\n16 19\n35 19\n54 20\n";

}  // namespace penstock::testing
