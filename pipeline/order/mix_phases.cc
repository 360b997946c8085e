#include "pipeline/order/mix_phases.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace penstock {
namespace {

bool IsThrough(const MixPart& part, uint64_t rows) {
  return part.order->records() != kEndless && rows >= part.order->records();
}

// After how many of its positions a phase ends.
uint64_t EndOf(const MixPhase& phase, std::span<const MixPart> parts,
               MixStop stop) {
  std::vector<uint64_t> wanted;
  std::vector<bool> counts;
  for (size_t i = 0; i < phase.parts.size(); ++i) {
    const MixPart& part = parts[phase.parts[i]];
    const bool through = IsThrough(part, phase.first[i]);
    const bool endless = part.order->records() == kEndless;
    // Under kFirst the first row that is not there, otherwise the last one that
    // is.
    counts.push_back(!endless && (stop == MixStop::kFirst || !through));
    wanted.push_back(endless || through
                         ? 1
                         : part.order->records() - phase.first[i] +
                               (stop == MixStop::kFirst ? 1 : 0));
  }
  const std::vector<uint64_t> ends = phase.schedule.EndsOf(wanted);
  uint64_t end = stop == MixStop::kRepeat ? 0 : kEndless;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (!counts[i]) continue;
    end = stop == MixStop::kRepeat ? std::max(end, ends[i])
                                   : std::min(end, ends[i]);
  }
  if (end == kEndless) return kEndless;
  return stop == MixStop::kFirst ? end - 1 : end;
}

}  // namespace

std::vector<MixPhase> MakeMixPhases(std::span<const MixPart> parts,
                                    MixStop stop, std::span<uint64_t> rows) {
  std::vector<MixPhase> phases;
  std::vector<uint32_t> left(parts.size());
  std::iota(left.begin(), left.end(), 0);
  const auto leave = [&] {
    if (stop != MixStop::kLast) return;
    std::erase_if(left, [&](uint32_t part) {
      return IsThrough(parts[part], rows[part]);
    });
  };
  leave();
  // Where none is left the epoch has an end all the same: that of one.
  const bool over = left.empty();
  if (over) left.push_back(0);
  const bool endless = stop != MixStop::kLast &&
                       std::ranges::all_of(parts, [](const MixPart& part) {
                         return part.order->records() == kEndless;
                       });
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
    const uint64_t end = over ? 0 : EndOf(phase, parts, stop);
    if (endless) {
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
    leave();
    if (left.empty() || over) return phases;
  }
}

}  // namespace penstock
