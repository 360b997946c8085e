// Cuts out numbers: the Digits of a tokenizer.json.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "tokenizer/patterns/pretokenizer.h"

namespace penstock {

class NumberPreTokenizer final : public PreTokenizer {
 public:
  enum class Runs { kSplit, kKept };
  // Numbers of any kind, each alone or in runs. What is between them is a
  // piece.
  explicit NumberPreTokenizer(Runs runs) : runs_(runs) {}

  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override;
  bool EndsBehindLetters() const override { return false; }
  std::bitset<256> CutChars() const override;
  std::string_view name() const override {
    return runs_ == Runs::kSplit ? "numbers" : "runs of numbers";
  }

  Runs runs() const { return runs_; }

 private:
  const Runs runs_;
};

}  // namespace penstock
