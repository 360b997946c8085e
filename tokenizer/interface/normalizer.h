// Rewrites text before it is cut: lowercase, Unicode forms, accents.
//
// Implementations form a star around this header: bert_normalizer,
// text_normalizers, pattern_normalizer, charsmap_normalizer.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/unicode/aligned_text.h"
#include "tokenizer/unicode/replace_byte.h"

namespace penstock {

// Threads: any number at a time.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  // Errors:  kResourceExhausted beyond EditableBytes of aligned_text.h; those
  //          of TextPattern::Find, where there is one. `text` is then good for
  //          nothing.
  Status Normalize(AlignedText& text) const;
  // The same of what goes on a text, behind a place of BlankBehind.
  Status NormalizeLater(AlignedText& text) const;

  // Whether NormalizeLater may differ.
  virtual bool ActsAtBegin() const { return false; }

  // True only where Normalize would change nothing of `text`, valid UTF-8: soon
  // found out, or not at all.
  virtual bool Keeps(std::string_view text) const { return false; }

  // Whether each U+0020 stays where it is, and what stands before it and what
  // begins with it become the same apart as together.
  virtual bool IsLocalAtSpaces() const { return false; }

  // Of text that ends with `c`, not U+0020, and what begins behind it with
  // `blank`, U+0020 or a line feed: whether they become the same apart as
  // together, the first ends with `c` as it did, and the second begins with one
  // of the two or becomes nothing: then which. Or with U+0020 or some other
  // character: then that. Else 0.
  virtual uint32_t BlankBehind(uint32_t /*c*/, uint32_t /*blank*/) const {
    return 0;
  }

  // What stands for one character of ASCII, where nothing else becomes other.
  virtual std::optional<ByteReplacement> OneByte() const {
    return std::nullopt;
  }

  // Around which characters text becomes the same apart as together, where they
  // stay what they are or become a space: ASCII white space and punctuation but
  // controls, wide ones without a decomposition, and Han, which it then puts
  // spaces around.
  enum class Breaks { kNone, kPunctuation, kPunctuationAndHan };
  virtual Breaks breaks() const { return Breaks::kNone; }

 protected:
  // Errors:  those of TextPattern::Find.
  virtual Status Edit(AlignedText& text) const = 0;
  virtual Status EditLater(AlignedText& text) const { return Edit(text); }
};

// One after the other.
class NormalizerSequence final : public Normalizer {
 public:
  explicit NormalizerSequence(
      std::vector<std::unique_ptr<const Normalizer>> steps)
      : steps_(std::move(steps)) {}

  bool ActsAtBegin() const override {
    return std::any_of(steps_.begin(), steps_.end(),
                       [](const auto& step) { return step->ActsAtBegin(); });
  }
  bool IsLocalAtSpaces() const override {
    return std::all_of(steps_.begin(), steps_.end(), [](const auto& step) {
      return step->IsLocalAtSpaces();
    });
  }
  uint32_t BlankBehind(uint32_t c, uint32_t blank) const override {
    for (const auto& step : steps_) {
      if (blank != ' ' && blank != '\n') return 0;
      blank = step->BlankBehind(c, blank);
    }
    return blank;
  }

 private:
  Status Edit(AlignedText& text) const override;
  Status EditLater(AlignedText& text) const override;

  const std::vector<std::unique_ptr<const Normalizer>> steps_;
};

}  // namespace penstock
