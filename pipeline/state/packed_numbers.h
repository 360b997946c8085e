// Lists of numbers in the text of a state: "4:BASE64", so many bytes each,
// little-endian, as few as the largest needs. Thousands of rows may wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

// Zeros take no bytes; more of them than this do, so that no text asks for more
// memory than it is long.
inline constexpr uint64_t kMostFreeZeros = 1 << 20;

std::string PackNumbers(const std::vector<uint64_t>& numbers);

// Nullopt for text that is not made of `count` numbers, or of more than
// `most_free_zeros` zeros without bytes: as many as another list of the same
// length, which has been read, proves.
std::optional<std::vector<uint64_t>> UnpackNumbers(
    std::string_view text, uint64_t count,
    uint64_t most_free_zeros = kMostFreeZeros);

}  // namespace penstock
