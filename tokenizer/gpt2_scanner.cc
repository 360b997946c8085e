#include "tokenizer/gpt2_scanner.h"

#include "tokenizer/char_scan.h"

namespace penstock {
namespace {

// As SkipContraction, but small ASCII letters only: this pattern has no (?i).
size_t SkipSmallContraction(std::string_view text, size_t pos) {
  const std::string_view rest = text.substr(pos + 1, 2);
  if (rest.empty()) return pos;
  if (std::string_view("sdmt").find(rest[0]) != std::string_view::npos) {
    return pos + 2;
  }
  return rest == "ll" || rest == "ve" || rest == "re" ? pos + 3 : pos;
}

size_t NextEnd(std::string_view text, size_t pos) {
  if (const size_t end = SkipWord(text, pos); end > pos) return end;
  if (text[pos] == '\'') {
    if (const size_t end = SkipSmallContraction(text, pos); end > pos) {
      return end;
    }
  }
  // Of ` ?` before a letter, number or other only the space itself is optional.
  size_t start = pos;
  if (text[pos] == ' ' && pos + 1 < text.size()) ++start;
  const Char c = CharAt(text, start);
  if (c.char_class & kNumber) return SkipNumbers(text, start + c.size_bytes);
  if (!(c.char_class & kSpace)) return SkipOthers(text, start + c.size_bytes);
  return EndOfSpaces(text, pos, SpaceRunAt(text, pos));
}

}  // namespace

size_t Gpt2Scanner::Split(std::string_view text, size_t begin,
                          std::span<size_t> ends) const {
  return SplitWith(text, begin, ends, NextEnd);
}

}  // namespace penstock
