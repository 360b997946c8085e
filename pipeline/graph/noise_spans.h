// How many tokens of a row are left out under SpanCorruption: a function of the
// row's length, so that shapes are known before any data is read.
#pragma once

#include <cstdint>

#include "pipeline/objective.h"

namespace penstock {

// Spans that stay and spans that are left out take turns, and a row begins with
// one that stays.
//
// Source:  random_spans_noise_mask and random_spans_helper of T5's code.
struct NoiseCounts {
  int64_t noise = 0;   // tokens that are left out
  int64_t spans = 0;   // of them
  int64_t inputs = 0;  // tokens that come out, `eos` included
  int64_t targets = 0;
};

// Rises with `length`, in inputs and in targets.
NoiseCounts CountNoise(const SpanCorruption& options, int64_t length);

}  // namespace penstock
