#include "tokenizer/normalizers/charsmap_normalizer.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "tokenizer/unicode/graphemes.h"

namespace penstock {
namespace {

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
  explicit ChangeWriter(AlignedText& text) : text_(text) {}

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
    if (last_) edit_->Apply(last_->code_point, last_->change);
    edit_->Finish();
  }

 private:
  void Push(uint32_t c, int change) {
    if (last_) edit_->Apply(last_->code_point, last_->change);
    last_ = Change{c, change};
  }

  AlignedText& text_;
  std::optional<TextEdit> edit_;  // from the first replacement on
  std::optional<Change> last_;
  size_t last_begin_ = 0;
};

}  // namespace

StatusOr<std::unique_ptr<const CharsmapNormalizer>> CharsmapNormalizer::Parse(
    std::string_view bytes) {
  uint32_t trie_bytes = 0;
  if (bytes.size() < sizeof trie_bytes) {
    return DataLossError("the character map ends before its size");
  }
  std::memcpy(&trie_bytes, bytes.data(), sizeof trie_bytes);
  bytes.remove_prefix(sizeof trie_bytes);
  if (trie_bytes > bytes.size() || trie_bytes % 4 != 0 || trie_bytes == 0) {
    return DataLossError(
        fmt::format("the character map has a trie of {} bytes in {}",
                    trie_bytes, bytes.size()));
  }
  auto map = std::unique_ptr<CharsmapNormalizer>(new CharsmapNormalizer);
  map->units_.resize(trie_bytes / 4);
  std::memcpy(map->units_.data(), bytes.data(), trie_bytes);
  map->replacements_ = bytes.substr(trie_bytes);
  if (!IsValidUtf8(map->replacements_)) {
    return DataLossError("the character map's replacements are not UTF-8");
  }
  return map;
}

std::optional<std::string_view> CharsmapNormalizer::Find(
    std::string_view key) const {
  const auto offset_of = [](uint32_t unit) {
    return (unit >> 10) << ((unit & (1u << 9)) >> 6);
  };
  size_t node = offset_of(units_[0]);
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) break;
    node ^= byte;
    if (node >= units_.size()) return std::nullopt;
    const uint32_t unit = units_[node];
    if ((unit & ((1u << 31) | 0xff)) != byte) return std::nullopt;
    node ^= offset_of(unit);
    if (!(unit >> 8 & 1)) continue;
    if (node >= units_.size()) return std::nullopt;
    const uint32_t begin = units_[node] & 0x7fffffff;
    if (begin >= replacements_.size()) return std::string_view();
    const std::string_view rest = std::string_view(replacements_).substr(begin);
    if (IsUtf8Continuation(rest[0])) return std::nullopt;
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

Status CharsmapNormalizer::Edit(AlignedText& text) const {
  const std::string_view source = text.text();
  ChangeWriter writer(text);
  for (size_t pos = 0; pos < source.size();) {
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
