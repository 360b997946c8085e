#include "tokenizer/cl100k_scanner.h"

#include "tokenizer/char_scan.h"

namespace penstock {
namespace {

size_t OthersThenNewlines(std::string_view text, size_t pos) {
  pos = SkipOthers(text, pos);
  while (pos < text.size() && IsNewline(text[pos])) ++pos;
  return pos;
}

template <Cl100kSpelling kSpelling>
size_t NextEnd(std::string_view text, size_t pos) {
  if (const size_t end = SkipWord(text, pos); end > pos) return end;
  const Char c = CharAt(text, pos);
  const size_t next = pos + c.size_bytes;
  if (c.char_class & kNumber) {
    return kSpelling == Cl100kSpelling::kQwen2
               ? next
               : SkipUpToThreeNumbers(text, pos);
  }
  if (c.code_point == '\'') {
    if (const size_t end = SkipContraction(text, pos); end > pos) return end;
  }
  if (next < text.size() && !IsNewline(c.code_point)) {
    // Any one character may lead a word; only a space may lead others.
    const Char second = CharAt(text, next);
    if (second.char_class & kLetter) {
      return SkipLetters(text, next + second.size_bytes);
    }
    if (c.code_point == ' ' &&
        !(second.char_class & (kSpace | kLetter | kNumber))) {
      return OthersThenNewlines(text, next);
    }
  }
  if (!(c.char_class & kSpace)) return OthersThenNewlines(text, next);
  const SpaceRun run = SpaceRunAt(text, pos);
  if (kSpelling == Cl100kSpelling::kTiktoken && run.end == text.size()) {
    return run.end;
  }
  if (run.after_newline > 0) return run.after_newline;
  return EndOfSpaces(text, pos, run);
}

}  // namespace

size_t Cl100kScanner::Split(std::string_view text, size_t begin,
                            std::span<size_t> ends) const {
  switch (spelling_) {
    case Cl100kSpelling::kTiktoken:
      return SplitWith(text, begin, ends, NextEnd<Cl100kSpelling::kTiktoken>);
    case Cl100kSpelling::kLlama3:
      return SplitWith(text, begin, ends, NextEnd<Cl100kSpelling::kLlama3>);
    case Cl100kSpelling::kQwen2:
      return SplitWith(text, begin, ends, NextEnd<Cl100kSpelling::kQwen2>);
  }
  return 0;
}

std::string_view Cl100kScanner::name() const {
  switch (spelling_) {
    case Cl100kSpelling::kTiktoken:
      return "cl100k";
    case Cl100kSpelling::kLlama3:
      return "llama3";
    case Cl100kSpelling::kQwen2:
      return "qwen2";
  }
  return "";
}

}  // namespace penstock
