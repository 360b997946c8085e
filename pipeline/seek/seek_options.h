// How a step that was never visited is looked for.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "formats/files/callback.h"
#include "pipeline/state.h"

namespace penstock {

struct SeekOptions {
  // Goes on from here instead of the start, as a run that changed has to: by
  // the arithmetic of each step, and to none that lies before.
  std::optional<State> from = {};
  std::stop_token stop = {};
  // Told how many of how many records were looked at, by one thread at a time;
  // `of` is an estimate until the last call.
  Callback<void(uint64_t done, uint64_t of)> progress = {};
};

}  // namespace penstock
