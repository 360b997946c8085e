#include "pipeline/state/packed_numbers.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace penstock {

std::string PackNumbers(const std::vector<uint64_t>& numbers) {
  uint64_t all = 0;
  for (const uint64_t number : numbers) all |= number;
  size_t width = (static_cast<size_t>(std::bit_width(all)) + 7) / 8;
  if (numbers.size() > kMostFreeZeros) width = std::max<size_t>(width, 1);
  std::string bytes;
  bytes.reserve(width * numbers.size());
  for (const uint64_t number : numbers) {
    for (size_t i = 0; i < width; ++i) {
      bytes.push_back(static_cast<char>(number >> 8 * i));
    }
  }
  return fmt::format("{}:{}", width, absl::Base64Escape(bytes));
}

std::optional<std::vector<uint64_t>> UnpackNumbers(std::string_view text,
                                                   uint64_t count,
                                                   uint64_t most_free_zeros) {
  if (text.size() < 2 || text[0] < '0' || text[0] > '8' || text[1] != ':') {
    return std::nullopt;
  }
  const auto width = static_cast<size_t>(text[0] - '0');
  if (count > (width == 0 ? most_free_zeros : text.size())) return std::nullopt;
  std::string bytes;
  if (!absl::Base64Unescape({text.data() + 2, text.size() - 2}, &bytes) ||
      bytes.size() != width * count) {
    return std::nullopt;
  }
  std::vector<uint64_t> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t b = 0; b < width; ++b) {
      numbers[i] |= uint64_t{static_cast<unsigned char>(bytes[i * width + b])}
                    << 8 * b;
    }
  }
  return numbers;
}

}  // namespace penstock
