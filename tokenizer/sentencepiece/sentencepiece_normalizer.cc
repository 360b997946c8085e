#include "tokenizer/sentencepiece/sentencepiece_normalizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

// As kSpaceSymbol, with four bytes that may be read.
constexpr std::string_view kPlainSpace = std::string_view("    ").substr(0, 1);

// The most that is written past what counts: so many bytes are copied at a
// time, or four. As many behind what is copied are read.
constexpr size_t kCopied = 16;
constexpr size_t kWriteSlack = kCopied;

char* AppendWord(const char* from, size_t size, char* to) {
  char* const end = to + size;
  // Most are short.
  std::memcpy(to, from, kCopied);
  while ((to += kCopied) < end) std::memcpy(to, from += kCopied, kCopied);
  return end;
}

}  // namespace

SentencePieceNormalizer::SentencePieceNormalizer(
    const SentencePieceNormalization& flags, Charsmap charsmap,
    bool whitespace_is_suffix, const UserDefinedSymbols& symbols)
    : charsmap_(std::move(charsmap)),
      symbols_(symbols),
      space_(flags.escape_whitespaces ? kSpaceSymbol : kPlainSpace),
      add_prefix_(flags.add_dummy_prefix && !whitespace_is_suffix),
      add_suffix_(flags.add_dummy_prefix && whitespace_is_suffix),
      remove_extra_(flags.remove_extra_whitespaces),
      quick_chars_(charsmap_, symbols) {}

SentencePieceNormalizer::SentencePieceNormalizer(
    TableReader& from, const UserDefinedSymbols& symbols)
    : charsmap_(Charsmap::Load(from)),
      symbols_(symbols),
      space_(from.Number() != 0 ? kSpaceSymbol : kPlainSpace),
      add_prefix_(from.Number() != 0),
      add_suffix_(from.Number() != 0),
      remove_extra_(from.Number() != 0),
      quick_chars_(QuickChars::Load(from)) {}

void SentencePieceNormalizer::Save(TableWriter& to) const {
  charsmap_.Save(to);
  to.PutNumber(space_ == kSpaceSymbol);
  to.PutNumber(add_prefix_);
  to.PutNumber(add_suffix_);
  to.PutNumber(remove_extra_);
  quick_chars_.Save(to);
}

SentencePieceNormalizer::Prefix SentencePieceNormalizer::NormalizePrefix(
    const char* at, const char* end) const {
  if (const size_t size = symbols_.Longest(at, end)) return {size, {at, size}};
  const Charsmap::Match match = charsmap_.Longest(at, end);
  if (match.size != 0) return {match.size, match.out};
  if (const size_t size = Utf8SizeOfChar(at, end)) return {size, {at, size}};
  return {1, kReplacementChar};
}

const char* SentencePieceNormalizer::SkipSpaces(const char* at,
                                                const char* end) const {
  while (at != end) {
    const Prefix prefix = NormalizePrefix(at, end);
    if (prefix.out != " ") break;
    at += prefix.size;
  }
  return at;
}

size_t SentencePieceNormalizer::NormalizeRun(const char* at, const char* end,
                                             bool& after_space,
                                             char*& to) const {
  constexpr size_t kRead = QuickChars::kLooked + kCopied;
  std::array<char, kRead> last;
  if (end - at < ptrdiff_t{kRead}) {
    last = {};
    std::copy(at, end, last.begin());
    at = last.data();
  }
  const QuickChars::Run run = quick_chars_.RunAt(at);
  const auto spaces_from = [&](size_t place) -> size_t {
    if (!remove_extra_) return 1;
    return std::countr_one(run.spaces >> place);
  };
  const auto behind = [](size_t place) {
    return place < QuickChars::kLooked ? ~uint64_t{0} << place : 0;
  };
  size_t begin = 0;  // of a word
  if (after_space && (run.spaces & 1) != 0) begin = spaces_from(0);
  for (uint64_t left = run.spaces & behind(begin); left != 0;
       left &= behind(begin)) {
    const size_t place = std::countr_zero(left);
    to = AppendWord(at + begin, place - begin, to);
    to = AppendSpace(to);
    begin = place + spaces_from(place);
  }
  if (run.size == 0) return 0;
  to = AppendWord(at + begin, run.size - begin, to);
  after_space = remove_extra_ && begin == run.size;
  return run.size;
}

void SentencePieceNormalizer::Normalize(std::string_view text,
                                        TextBuffer& out) const {
  using Ascii = QuickChars::Ascii;
  out.Clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  if (remove_extra_) at = SkipSpaces(at, end);
  if (at == end) return;

  // Room for the rest is kept at three bytes for each: a space or a bad byte
  // becomes as many. Only what a rule gives can need more.
  out.Reserve(3 * (end - at) + 2 * space_.size() + kWriteSlack);
  char* to = out.end();
  if (add_prefix_) to = AppendSpace(to);
  bool after_space = remove_extra_;
  while (at != end) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x80 &&
        (at + 1 == end || static_cast<signed char>(at[1]) >= 0)) {
      if (const size_t size = NormalizeRun(at, end, after_space, to)) {
        at += size;
        continue;
      }
      if (quick_chars_.OfAscii(byte) == Ascii::kCopy) {
        *to++ = *at++;
        after_space = false;
        continue;
      }
      if (quick_chars_.OfAscii(byte) == Ascii::kSpace) {
        if (!after_space) to = AppendSpace(to);
        after_space = remove_extra_;
        ++at;
        continue;
      }
    } else if (byte >= 0xc2 && byte < 0xf0) {
      const size_t size = Utf8SizeOfChar(at, end);
      if (size != 0 && quick_chars_.Stays(at, size, end)) {
        to = end - at >= 4 ? Append4(at, size, to)
                           : std::copy(at, at + size, to);
        after_space = false;
        at += size;
        continue;
      }
    }

    Prefix prefix = NormalizePrefix(at, end);
    at += prefix.size;
    if (after_space) {
      while (prefix.out.starts_with(' ')) prefix.out.remove_prefix(1);
    }
    if (prefix.out.empty()) continue;
    after_space = remove_extra_ && prefix.out.back() == ' ';
    out.SetEnd(to);
    out.Reserve(3 * (prefix.out.size() + (end - at)) + space_.size() +
                kWriteSlack);
    to = out.end();
    for (const char c : prefix.out) {
      if (c == ' ') {
        to = AppendSpace(to);
      } else {
        *to++ = c;
      }
    }
  }
  out.SetEnd(to);
  if (remove_extra_) {
    while (out.text().ends_with(space_)) out.Shrink(out.size() - space_.size());
  }
  if (add_suffix_) out.SetEnd(AppendSpace(out.end()));
}

void SentencePieceNormalizer::NormalizeWithOrigins(
    std::string_view text, TextBuffer& out,
    std::vector<uint32_t>& origins) const {
  std::string made;
  origins.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto place = [&] { return static_cast<uint32_t>(at - text.data()); };
  const auto put = [&](std::string_view bytes) {
    made += bytes;
    origins.insert(origins.end(), bytes.size(), place());
  };
  if (remove_extra_) at = SkipSpaces(at, end);
  const bool has_text = at != end;
  if (has_text && add_prefix_) put(space_);
  bool after_space = remove_extra_;
  while (at != end) {
    Prefix prefix = NormalizePrefix(at, end);
    while (after_space && prefix.out.starts_with(' ')) {
      prefix.out.remove_prefix(1);
    }
    for (const char& c : prefix.out) {
      put(c == ' ' ? space_ : std::string_view(&c, 1));
    }
    if (!prefix.out.empty()) after_space = prefix.out.back() == ' ';
    after_space &= remove_extra_;
    at += prefix.size;
  }
  while (remove_extra_ && made.ends_with(space_)) {
    made.resize(made.size() - space_.size());
    at = text.data() + origins[made.size()];
    origins.resize(made.size());
  }
  if (has_text && add_suffix_) put(space_);
  origins.push_back(place());
  out.Clear();
  out.Reserve(made.size());
  out.SetEnd(std::copy(made.begin(), made.end(), out.end()));
}

}  // namespace penstock
