#include "tokenizer/unicode/aligned_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace penstock {

void AlignedText::Assign(std::string_view text, uint32_t begin) {
  text_.assign(text);
  spans_.clear();
  begin_ = begin;
  left_bytes_ = EditableBytes(text.size());
  is_exhausted_ = false;
}

void AlignedText::Rewrite(std::string text) {
  if (!Take(text.size())) return;
  text_ = std::move(text);
  spans_.clear();
  begin_ = 0;
}

ByteSpan AlignedText::OriginOf(size_t begin, size_t end) const {
  if (!spans_.empty()) return {spans_[begin].begin, spans_[end - 1].end};
  // Untouched text aligns by whole characters.
  while (begin > 0 && IsUtf8Continuation(text_[begin])) --begin;
  while (end < text_.size() && IsUtf8Continuation(text_[end])) ++end;
  return {static_cast<uint32_t>(begin_ + begin),
          static_cast<uint32_t>(begin_ + end)};
}

void AlignedText::AssignPart(const AlignedText& whole, size_t begin,
                             size_t end) {
  text_.assign(whole.text_, begin, end - begin);
  begin_ = whole.begin_ + static_cast<uint32_t>(begin);
  left_bytes_ = EditableBytes(text_.size());
  is_exhausted_ = false;
  spans_.clear();
  if (whole.spans_.empty()) return;
  spans_.assign(whole.spans_.begin() + begin, whole.spans_.begin() + end);
}

Status CheckTextSize(size_t bytes) {
  if (bytes < 0xffffffff) return OkStatus();
  return InvalidArgumentError(
      fmt::format("{} bytes of text; split texts of 4 GiB or more", bytes));
}

Status CheckEdits(const AlignedText& text) {
  if (!text.is_exhausted()) return CheckTextSize(text.text().size());
  return ResourceExhaustedError(
      "writes more than 4 MiB and 64 times the text; give it shorter texts, "
      "or "
      "a file whose components do not multiply them");
}

TextEdit::TextEdit(AlignedText& text)
    : text_(text), kept_(text.alignment_ == Alignment::kKept) {
  new_text_.reserve(text.text_.size() + text.text_.size() / 8 + 16);
  if (kept_) spans_.reserve(new_text_.capacity());
}

ByteSpan TextEdit::SpanAt(size_t pos) const {
  // An edit that asks for more than there is stands at the end.
  if (text_.text_.empty()) return {text_.begin_, text_.begin_};
  pos = std::min(pos, text_.text_.size() - 1);
  return text_.OriginOf(pos, pos + 1);
}

void TextEdit::Copy(size_t end) {
  if (!text_.Take(end - pos_)) return SkipTo(end);
  new_text_.append(text_.text_, pos_, end - pos_);
  if (kept_) {
    if (!text_.spans_.empty()) {
      spans_.insert(spans_.end(), text_.spans_.begin() + pos_,
                    text_.spans_.begin() + end);
    } else {
      for (size_t i = pos_; i < end; ++i) spans_.push_back(SpanAt(i));
    }
  }
  pos_ = end;
}

void TextEdit::SkipChar() {
  if (pos_ < text_.text_.size()) pos_ += Utf8Size(text_.text_[pos_]);
}

void TextEdit::Put(uint32_t c) {
  if (text_.is_exhausted_) return SkipChar();
  const size_t bytes = AppendChar(c, new_text_);
  text_.Take(bytes);
  if (kept_) Align(SpanAt(pos_), bytes);
  SkipChar();
}

void TextEdit::Insert(uint32_t c) {
  if (text_.is_exhausted_) return;
  const size_t bytes = AppendChar(c, new_text_);
  text_.Take(bytes);
  if (!kept_) return;
  if (pos_ > 0) return Align(SpanAt(pos_ - 1), bytes);
  const uint32_t begin = SpanAt(0).begin;
  Align({begin, begin}, bytes);
}

void TextEdit::Insert(std::string_view chars) {
  for (size_t pos = 0; pos < chars.size();) Insert(NextChar(chars, pos));
}

void TextEdit::Apply(uint32_t c, int change) {
  if (change > 0) return Insert(c);
  Put(c);
  for (; change < 0; ++change) SkipChar();
}

void TextEdit::Finish() {
  text_.text_ = std::move(new_text_);
  text_.spans_ = std::move(spans_);
  if (kept_ && !text_.text_.empty()) return;
  text_.spans_.clear();
}

}  // namespace penstock
