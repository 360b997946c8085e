// Releases of sentencepiece whose unigram models give different ids.
#pragma once

#include <type_traits>

namespace penstock {

enum class UnigramRules {
  // 0.2.2 and later: sums are float and moved back to 0 beyond 100,000; a
  // user-defined symbol of n bytes has 0.1 * (n - 1).
  kSince022,
  // 0.1.9x to 0.2.1: a sum is compared in double with the best so far rounded
  // to float; a user-defined symbol has -0.1 and n times the largest score, if
  // that is positive.
  kUntil021,
};

// UnigramSegmenter's type of a sum is what tells the rules apart.
template <typename Real>
constexpr bool kIsSince022 = std::is_same_v<Real, float>;

// Beyond it kSince022 moves sums back to 0.
inline constexpr float kUnigramResetScore = 100000.0f;

}  // namespace penstock
