#include "pipeline/order/mix_phases.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace penstock {
namespace {

// After how many of its positions a phase ends.
uint64_t EndOf(const MixPhase& phase, std::span<const MixPart> parts,
               MixStop stop) {
  std::vector<uint64_t> wanted;
  for (size_t i = 0; i < phase.parts.size(); ++i) {
    const uint64_t records = parts[phase.parts[i]].order->records();
    if (records == kEndless) {
      wanted.push_back(1);
    } else {
      // The first row that is not there, or the last one that is.
      wanted.push_back(records - phase.first[i] +
                       (stop == MixStop::kFirst ? 1 : 0));
    }
  }
  const std::vector<uint64_t> ends = phase.schedule.EndsOf(wanted);
  uint64_t end = stop == MixStop::kRepeat ? 0 : kEndless;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (parts[phase.parts[i]].order->records() == kEndless) continue;
    end = stop == MixStop::kRepeat ? std::max(end, ends[i])
                                   : std::min(end, ends[i]);
  }
  if (end == 0 || end == kEndless) return kEndless;
  return stop == MixStop::kFirst ? end - 1 : end;
}

}  // namespace

std::vector<MixPhase> MakeMixPhases(std::span<const MixPart> parts,
                                    MixStop stop, std::span<uint64_t> rows) {
  std::ranges::fill(rows, 0);
  std::vector<MixPhase> phases;
  std::vector<uint32_t> left(parts.size());
  std::iota(left.begin(), left.end(), 0);
  // Tables of all phases together stay small.
  const auto most = static_cast<uint32_t>(std::clamp<size_t>(
      (size_t{1} << 20) / (stop == MixStop::kLast ? parts.size() : 1), 4096,
      Schedule::kMostTurns));
  for (uint64_t begin = 0;;) {
    std::vector<double> weights;
    std::vector<uint64_t> first;
    for (const uint32_t part : left) {
      weights.push_back(parts[part].weight);
      first.push_back(rows[part]);
    }
    MixPhase phase = {.begin = begin,
                      .schedule = Schedule(RoundWeights(weights, most)),
                      .parts = left,
                      .first = std::move(first)};
    const uint64_t end = EndOf(phase, parts, stop);
    if (end == kEndless) {
      phases.push_back(std::move(phase));
      std::ranges::fill(rows, 0);  // there is no other epoch
      return phases;
    }
    phase.end = begin + end;
    const std::vector<uint64_t> had = phase.schedule.RowsIn(end);
    for (size_t i = 0; i < left.size(); ++i) rows[left[i]] += had[i];
    begin = phase.end;
    phases.push_back(std::move(phase));
    if (stop != MixStop::kLast) return phases;
    std::erase_if(left, [&](uint32_t part) {
      return rows[part] == parts[part].order->records();
    });
    if (left.empty()) return phases;
  }
}

}  // namespace penstock
