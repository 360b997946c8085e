// Rewrites text before it is cut: lowercase, Unicode forms, accents.
//
// Implementations form a star around this header: bert_normalizer,
// text_normalizers, pattern_normalizer, charsmap_normalizer.
#pragma once

#include <memory>
#include <vector>

#include "tokenizer/aligned_text.h"

namespace penstock {

// Threads: any number at a time.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  virtual void Normalize(AlignedText& text) const = 0;
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

 private:
  const std::vector<std::unique_ptr<const Normalizer>> steps_;
};

}  // namespace penstock
