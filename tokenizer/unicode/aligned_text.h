// Text under way from what the user gave to what the model sees, with where
// each byte came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {

// Bytes [begin, end) of the text that the user gave.
struct ByteSpan {
  uint32_t begin = 0;
  uint32_t end = 0;

  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

// Where bytes came from is only kept where asked for: the ids of most
// tokenizers do not depend on it, and it costs eight bytes for each byte.
enum class Alignment { kKept, kDropped };

// What all edits of a text together may write: a file's components can make
// 2^40 bytes of one.
constexpr size_t EditableBytes(size_t text_bytes) {
  return (size_t{4} << 20) + 64 * text_bytes;
}

// Valid UTF-8, always.
class AlignedText {
 public:
  explicit AlignedText(Alignment alignment) : alignment_(alignment) {}

  // `text` as it stands at `begin` of the user's text.
  void Assign(std::string_view text, uint32_t begin);
  void Clear() { Assign({}, 0); }

  const std::string& text() const { return text_; }
  Alignment alignment() const { return alignment_; }

  // Where text()[begin, end), not empty, came from. Nothing sensible of a text
  // that was edited, unless alignment is kept.
  ByteSpan OriginOf(size_t begin, size_t end) const;

  // Edits the text into another that it is not aligned with.
  void Rewrite(std::string text);
  // Whether edits may write so many more.
  bool MayWrite(size_t bytes) const { return bytes <= left_bytes_; }
  // Whether edits wrote more than they may: EditableBytes. The text is then cut
  // off, and good for nothing.
  bool is_exhausted() const { return is_exhausted_; }

  // Makes the part [begin, end) of `whole` this text.
  void AssignPart(const AlignedText& whole, size_t begin, size_t end);

 private:
  friend class TextEdit;

  // Whether an edit may, and does.
  bool Take(size_t bytes) {
    if (!MayWrite(bytes)) is_exhausted_ = true;
    if (is_exhausted_) return false;
    left_bytes_ -= bytes;
    return true;
  }

  const Alignment alignment_;
  std::string text_;
  // Empty while text_ is still as it was given, from begin_ on.
  std::vector<ByteSpan> spans_;
  uint32_t begin_ = 0;
  size_t left_bytes_ = EditableBytes(0);
  bool is_exhausted_ = false;
};

// Places in a text are numbers of 32 bits.
// Errors:  kInvalidArgument from 4 GiB less a byte on.
Status CheckTextSize(size_t bytes);

// Errors:  kResourceExhausted for a text that is exhausted; those of
//          CheckTextSize.
Status CheckEdits(const AlignedText& text);

// Writes a text anew, from its first character to its last, saying of each new
// character which old one it stands for. Characters that the edit does not come
// to are dropped. Nothing changes before Finish.
//
//   TextEdit edit(text);
//   edit.Copy(3);             // bytes 0..2 stay
//   edit.Put('x');            // the next character becomes x
//   edit.Insert('y');         // one more, from where x came
//   edit.SkipChar();          // the next is dropped
//   edit.Finish();
class TextEdit {
 public:
  explicit TextEdit(AlignedText& text);

  size_t position() const { return pos_; }
  // Of the new text so far.
  size_t size() const { return new_text_.size(); }
  // The old text.
  std::string_view source() const { return text_.text_; }

  // The bytes up to `end`, a character boundary, stay.
  void Copy(size_t end);
  // Drops the bytes up to `end`, a character boundary.
  void SkipTo(size_t end) { pos_ = end; }
  void SkipChar();

  void Put(uint32_t c);
  void Insert(uint32_t c);
  void Insert(std::string_view chars);
  // Hugging Face's description of a change: > 0 inserts; <= 0 puts and skips
  // as many more.
  void Apply(uint32_t c, int change);

  void Finish();

 private:
  ByteSpan SpanAt(size_t pos) const;
  void Align(ByteSpan span, size_t bytes) {
    if (kept_) spans_.insert(spans_.end(), bytes, span);
  }

  AlignedText& text_;
  const bool kept_;
  size_t pos_ = 0;
  std::string new_text_;
  std::vector<ByteSpan> spans_;
};

}  // namespace penstock
