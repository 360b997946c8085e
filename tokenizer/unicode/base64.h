// Base64 as RFC 4648 has it, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock {

// Nullopt for a character outside the alphabet, wrong padding, or bits after
// the last byte that are not zero.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace penstock
