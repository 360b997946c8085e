// Text from a file, made fit for a message.
#pragma once

#include <string>
#include <string_view>

namespace penstock {

// "text" in double quotes, escaped as in C and cut after 64 bytes with "...".
// For names, never for payload.
std::string Quoted(std::string_view text);

}  // namespace penstock
