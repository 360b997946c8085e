#include "pipeline/order/order.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>

#include "pipeline/order/permutation.h"
#include "pipeline/order/seed.h"

namespace penstock {

Order::Order(uint64_t records, OrderOptions options)
    : records_(records), options_(options) {}

void Order::Fill(uint64_t epoch, uint64_t first,
                 std::span<uint64_t> ids) const {
  assert(first + ids.size() <= records_);
  if (ids.empty()) return;
  if (!options_.shuffle) {
    std::iota(ids.begin(), ids.end(), first);
    return;
  }
  if (options_.window_records == 0) {
    const Permutation permutation(
        records_, HashSeed(options_.seed, epoch, SeedStage::kShuffle,
                           options_.dataset_fingerprint));
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = permutation(first + i);
    return;
  }
  const uint64_t window_records = options_.window_records;
  for (size_t done = 0; done < ids.size();) {
    const uint64_t window = (first + done) / window_records;
    const uint64_t begin = window * window_records;
    const uint64_t size = std::min(window_records, records_ - begin);
    const uint64_t inside = first + done - begin;
    const auto part =
        ids.subspan(done, std::min<uint64_t>(size - inside, ids.size() - done));
    FillWindow(options_, epoch, window, size, inside, part);
    for (uint64_t& id : part) id += begin;
    done += part.size();
  }
}

uint64_t Order::RecordAt(uint64_t epoch, uint64_t position) const {
  uint64_t id = 0;
  Fill(epoch, position, std::span(&id, 1));
  return id;
}

void FillWindow(const OrderOptions& options, uint64_t epoch, uint64_t window,
                uint64_t size, uint64_t first, std::span<uint64_t> ids) {
  const uint64_t key = HashSeed(options.seed, epoch, SeedStage::kWindow,
                                options.dataset_fingerprint);
  const Permutation permutation(size, MixKeys({key, window}));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = permutation(first + i);
}

}  // namespace penstock
