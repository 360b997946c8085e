// Random numbers that are a function of a seed and a text, and what is drawn by
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/interface/sampling.h"

namespace penstock {

// Stable: the same on every machine and in every release.
//
// Cost:    about 1 ns a byte of the text, then 1 ns a draw.
// Source:  SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom
//          number generators", 2014.
// Threads: one at a time.
class Draws {
 public:
  Draws(uint64_t seed, std::string_view text)
      : state_(Fingerprinter().Add("draws").Add(seed).Add(text).Finish()) {}

  // Uniform in [0, 1).
  double Next() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

// What Sampling says, once checked.
struct Drawing {
  double alpha;
  size_t best;
  Draws& draws;
};

// Of n best ways: `least` to 512, as many as sentencepiece gives.
// Errors:  kInvalidArgument.
Status CheckBest(size_t count, size_t least);

// What a unigram model multiplies scores with: `sampling.alpha`, else 0.1.
// Errors:  kInvalidArgument for an alpha that is no number.
StatusOr<double> ScoreFactor(const Sampling& sampling);

}  // namespace penstock
