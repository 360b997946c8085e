#include "pipeline/arrange/arranger.h"

#include <algorithm>
#include <utility>

namespace penstock {

uint64_t PackRule::MostHeldBytes(uint64_t rows,
                                 const ArrangeOptions& options) const {
  const auto length = static_cast<uint64_t>(options.lengths.back());
  const uint64_t full =
      rows * (length * value_bytes + max_segments * record_bytes);
  // The record that passes the limit is held for a moment.
  return options.held_bytes < full
             ? std::min(full, options.held_bytes + BytesOf(length))
             : full;
}

uint64_t ShareRule::MostRowsOf(size_t host) const {
  uint64_t most = 0;
  for (const auto& of_queue : rows[host]) {
    most = std::max<uint64_t>(most, of_queue.size());
  }
  return most;
}

bool Arranger::FlushFull(Assignment&) { return false; }

std::unique_ptr<Arranger> MakeArranger(ArrangeOptions options) {
  if (options.shares) return MakeShardedArranger(std::move(options));
  if (options.balance) {
    const BalanceRule rule = *std::exchange(options.balance, std::nullopt);
    return MakeBalancedArranger(MakeArranger(std::move(options)), rule);
  }
  if (!options.pack) {
    return options.one_queue ? MakePadArranger(std::move(options))
                             : MakeBucketArranger(std::move(options));
  }
  switch (options.pack->kind) {
    case PackKind::kFirstFit:
      return MakeFirstFitArranger(std::move(options));
    case PackKind::kBestFit:
      return MakeBestFitArranger(std::move(options));
    case PackKind::kChunk:
    case PackKind::kMegatron:  // whose rows are cut already
      break;
  }
  return MakeChunkArranger(std::move(options));
}

}  // namespace penstock
