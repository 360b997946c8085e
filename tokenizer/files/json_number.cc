#include "tokenizer/files/json_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace penstock {
namespace {

// The nearest double.
double PowerOfTen(int power) {
  const std::string text = fmt::format("1e{}", power);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

double AsReferenceReads(double exact) {
  if (exact == 0 || !std::isfinite(exact)) return exact;
  char shortest[40];  // d.ddde[+-]dd
  const char* end =
      std::to_chars(shortest, shortest + sizeof shortest, std::abs(exact),
                    std::chars_format::scientific)
          .ptr;
  uint64_t digits = 0;
  int exponent = 0;
  bool fraction = false;
  const char* p = shortest;
  for (; p != end && *p != 'e'; ++p) {
    if (*p == '.') {
      fraction = true;
      continue;
    }
    digits = digits * 10 + static_cast<uint64_t>(*p - '0');
    if (fraction) --exponent;
  }
  int power = 0;
  if (p != end) std::from_chars(p[1] == '+' ? p + 2 : p + 1, end, power);
  exponent += power;
  double value = static_cast<double>(digits);
  constexpr int kMaxPower = 308;
  for (; exponent < -kMaxPower; exponent += kMaxPower) value /= 1e308;
  const double scale = PowerOfTen(std::abs(exponent));
  value = exponent < 0 ? value / scale : value * scale;
  return exact < 0 ? -value : value;
}

}  // namespace penstock
