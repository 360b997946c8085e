#include "tokenizer/normalizers/charsmap_normalizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tokenizer/unicode/graphemes.h"
#include "tokenizer/unicode/hf_unicode.h"

namespace penstock {
namespace {

// From a node to its children.
uint32_t OffsetOf(uint32_t unit) {
  return (unit >> 10) << ((unit & (1u << 9)) >> 6);
}

// Longer graphemes are looked up one character at a time.
constexpr size_t kLongGrapheme = 6;

struct Change {
  uint32_t code_point;
  int change;  // as TextEdit::Apply takes it
};

size_t CountChars(std::string_view text) {
  size_t count = 0;
  for (const char byte : text) count += !IsUtf8Continuation(byte);
  return count;
}

// Writes changes one behind, since the last may still come to more. The text
// is copied as it is up to the first replacement.
class ChangeWriter {
 public:
  explicit ChangeWriter(AlignedText& text)
      : text_(text), source_(text.text()) {}

  // Characters [begin, end) that stay, not none.
  void KeepAll(size_t begin, size_t end) {
    const size_t last = PreviousChar(source_, end);
    if (edit_) {
      Flush();
      // It may stand elsewhere: see Replace.
      if (edit_->position() == begin) {
        edit_->Copy(last);
      } else {
        while (begin < last) edit_->Put(NextChar(source_, begin));
      }
    }
    last_begin_ = last;
    size_t pos = last;
    last_ = Change{NextChar(source_, pos), 0};
  }

  // A character at `begin` that stays.
  void Keep(uint32_t c, size_t begin) {
    if (edit_) {
      Push(c, 0);
    } else {
      last_ = Change{c, 0};
      last_begin_ = begin;
    }
  }

  // The reference's account of what stands for what, its oddities included:
  // characters that become nothing are put down to the one before them.
  void Replace(std::string_view old_text, std::string_view new_text) {
    if (!edit_) {
      edit_.emplace(text_);
      edit_->Copy(last_begin_);
    }
    const size_t old_chars = CountChars(old_text);
    size_t new_chars = 0;
    for (size_t pos = 0; pos < new_text.size(); ++new_chars) {
      const uint32_t c = NextChar(new_text, pos);
      Push(c, new_chars < old_chars ? 0 : 1);
    }
    if (new_chars < old_chars && last_) {
      last_->change -= static_cast<int>(old_chars - new_chars);
    }
  }

  void Finish() {
    if (!edit_) return;
    Flush();
    edit_->Finish();
  }

 private:
  void Push(uint32_t c, int change) {
    Flush();
    last_ = Change{c, change};
  }
  void Flush() {
    if (last_) edit_->Apply(last_->code_point, last_->change);
  }

  AlignedText& text_;
  const std::string_view source_;
  std::optional<TextEdit> edit_;  // from the first replacement on
  std::optional<Change> last_;
  size_t last_begin_ = 0;
};

// By word of 64: characters that are a grapheme of their own before each other
// and before white space, wherever one begins with them. Surrogates are none,
// as the table has them for controls.
using CharBits = std::array<uint64_t, 0x10000 / 64>;

uint64_t OwnGraphemesFrom(uint32_t first) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < 64; ++i) {
    const int kind =
        hf_unicode::GraphemeOf(first + i) & hf_unicode::kGraphemeMask;
    const bool is_own = kind == hf_unicode::kGraphemeOther ||
                        kind == hf_unicode::kGraphemeLv ||
                        kind == hf_unicode::kGraphemeLvt;
    bits |= uint64_t{is_own} << i;
  }
  return bits;
}

const CharBits& OwnGraphemes() {
  static const CharBits bits = [] {
    constexpr size_t kWords = hf_unicode::kBlockSize / 64;
    CharBits made{};
    for (uint32_t word = 0; word < made.size(); ++word) {
      const uint32_t first = word * 64;
      // Most blocks are what the one before them is.
      const bool is_as_before =
          word >= kWords &&
          hf_unicode::PlaceOf(hf_unicode::kGraphemeBlock, first) ==
              hf_unicode::PlaceOf(hf_unicode::kGraphemeBlock,
                                  first - hf_unicode::kBlockSize);
      made[word] = is_as_before ? made[word - kWords] : OwnGraphemesFrom(first);
    }
    return made;
  }();
  return bits;
}

}  // namespace

StatusOr<std::unique_ptr<const CharsmapNormalizer>> CharsmapNormalizer::Parse(
    std::string bytes) {
  uint32_t trie_bytes = 0;
  if (bytes.size() < sizeof trie_bytes) {
    return DataLossError("the character map ends before its size");
  }
  std::memcpy(&trie_bytes, bytes.data(), sizeof trie_bytes);
  const size_t rest = bytes.size() - sizeof trie_bytes;
  if (trie_bytes > rest || trie_bytes % kUnitBytes != 0 || trie_bytes == 0) {
    return DataLossError(fmt::format(
        "the character map has a trie of {} bytes in {}", trie_bytes, rest));
  }
  auto map = std::unique_ptr<CharsmapNormalizer>(new CharsmapNormalizer);
  map->bytes_ = std::move(bytes);
  map->unit_count_ = trie_bytes / kUnitBytes;
  if (!IsValidUtf8(map->Replacements())) {
    return DataLossError("the character map's replacements are not UTF-8");
  }
  map->FindLoneChars();
  return map;
}

void CharsmapNormalizer::FindLoneChars() {
  const CharBits& own = OwnGraphemes();
  std::string text;
  for (uint32_t word = 0; word < kEndOfWords; ++word) {
    // All of a word begin with the same bytes but the last.
    text.clear();
    AppendChar(word * 64, text);
    lone_[word] = own[word];
    if (word > 0 && own[word] != 0 &&
        !Begins(std::string_view(text).substr(0, text.size() - 1))) {
      continue;
    }
    const char first = text.back();
    for (uint64_t left = own[word]; left != 0; left &= left - 1) {
      const int bit = std::countr_zero(left);
      text.back() = static_cast<char>(first + bit);
      if (Find(text)) lone_[word] &= ~(uint64_t{1} << bit);
    }
  }
  // All that end among so many bytes are passed over together.
  constexpr size_t kMany = 65;
  for (std::string_view rest = Replacements(); rest.size() >= kMany;) {
    const size_t end = rest.rfind('\0', kMany - 1);
    multiplies_ |= end == rest.npos;
    rest.remove_prefix(end == rest.npos ? kMany : end + 1);
  }
  if (!Begins(" ")) space_becomes_ = ' ';
  // Nothing is of a grapheme with it.
  if (const auto becomes = Find("\n"); !becomes) {
    newline_becomes_ = '\n';
  } else if (*becomes == " ") {
    newline_becomes_ = ' ';
  }
}

uint32_t CharsmapNormalizer::BlankBehind(uint32_t c, uint32_t blank) const {
  if (multiplies_ || !IsLone(c)) return 0;
  return blank == ' ' ? space_becomes_ : newline_becomes_;
}

bool CharsmapNormalizer::Begins(std::string_view key) const {
  size_t node = OffsetOf(Unit(0));
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    node ^= byte;
    if (node >= unit_count_) return false;
    const uint32_t unit = Unit(node);
    if ((unit & ((1u << 31) | 0xff)) != byte) return false;
    node ^= OffsetOf(unit);
  }
  return true;
}

std::optional<std::string_view> CharsmapNormalizer::Find(
    std::string_view key) const {
  size_t node = OffsetOf(Unit(0));
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) break;
    node ^= byte;
    if (node >= unit_count_) return std::nullopt;
    const uint32_t unit = Unit(node);
    if ((unit & ((1u << 31) | 0xff)) != byte) return std::nullopt;
    node ^= OffsetOf(unit);
    if (!(unit >> 8 & 1)) continue;
    if (node >= unit_count_) return std::nullopt;
    const uint32_t begin = Unit(node) & 0x7fffffff;
    const std::string_view replacements = Replacements();
    if (begin >= replacements.size()) return std::string_view();
    const std::string_view rest = replacements.substr(begin);
    if (IsUtf8Continuation(rest[0])) return std::nullopt;
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

size_t CharsmapNormalizer::SkipLone(std::string_view text, size_t begin) const {
  size_t last = begin;  // where the last of them begins
  for (size_t pos = begin; pos < text.size();) {
    const size_t at = pos;
    if (!IsLone(NextChar(text, pos))) return last;
    last = at;
  }
  return text.size();
}

Status CharsmapNormalizer::Edit(AlignedText& text) const {
  const std::string_view source = text.text();
  ChangeWriter writer(text);
  for (size_t pos = 0; pos < source.size();) {
    if (const size_t behind = SkipLone(source, pos); behind > pos) {
      writer.KeepAll(pos, behind);
      pos = behind;
      continue;
    }
    const size_t end = GraphemeEnd(source, pos);
    const std::string_view grapheme = source.substr(pos, end - pos);
    if (grapheme.size() < kLongGrapheme) {
      if (const auto replacement = Find(grapheme)) {
        writer.Replace(grapheme, *replacement);
        pos = end;
        continue;
      }
    }
    while (pos < end) {
      const size_t begin = pos;
      const uint32_t c = NextChar(source, pos);
      const std::string_view one = source.substr(begin, pos - begin);
      if (const auto replacement = Find(one)) {
        writer.Replace(one, *replacement);
      } else {
        writer.Keep(c, begin);
      }
    }
  }
  writer.Finish();
  return OkStatus();
}

}  // namespace penstock
