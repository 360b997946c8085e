// Rewrites text before it is cut: lowercase, Unicode forms, accents.
//
// Implementations form a star around this header: bert_normalizer,
// text_normalizers, pattern_normalizer, charsmap_normalizer.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tokenizer/unicode/aligned_text.h"

namespace penstock {

// Threads: any number at a time.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  virtual void Normalize(AlignedText& text) const = 0;

  // Whether each U+0020 stays where it is, and what stands before it and what
  // begins with it become the same apart as together.
  virtual bool IsLocalAtSpaces() const { return false; }
};

// One after the other.
class NormalizerSequence final : public Normalizer {
 public:
  explicit NormalizerSequence(
      std::vector<std::unique_ptr<const Normalizer>> steps)
      : steps_(std::move(steps)) {}

  void Normalize(AlignedText& text) const override {
    for (const auto& step : steps_) step->Normalize(text);
  }
  bool IsLocalAtSpaces() const override {
    return std::all_of(steps_.begin(), steps_.end(), [](const auto& step) {
      return step->IsLocalAtSpaces();
    });
  }

 private:
  const std::vector<std::unique_ptr<const Normalizer>> steps_;
};

}  // namespace penstock
