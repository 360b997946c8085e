// Says what a file that is not what was expected may be.
#pragma once

#include <string>
#include <string_view>

namespace penstock {

// "gzip (1f 8b)", "a Git LFS pointer, not the data", "JSON text" ... by the
// first bytes of a file; empty where they tell nothing. 64 bytes are enough but
// for a tar, which takes 512. For messages, and to refuse what is no text:
// nothing is ever opened by what this says.
std::string_view LooksLike(std::string_view first_bytes);

// "1f 8b 08 00" for at most four bytes, for messages.
std::string FirstBytesText(std::string_view first_bytes);

}  // namespace penstock
