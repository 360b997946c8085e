#include "pipeline/order/block_order.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "pipeline/order/permutation.h"
#include "pipeline/order/seed.h"

namespace penstock {
namespace {

constexpr uint64_t kBlocksOfWindow = 16;

// Of one epoch. The full blocks are permuted; the last block, where it is
// shorter, stands between any two of them: so each order of blocks is as likely
// as any other, and a position finds its block without a search.
class BlockPlaces {
 public:
  BlockPlaces(uint64_t records, uint64_t block_records, uint64_t key)
      : block_records_(block_records),
        full_(records / block_records),
        short_records_(records % block_records),
        short_begin_(short_records_ == 0
                         ? records
                         : MixKeys({key, 1}) % (full_ + 1) * block_records),
        blocks_(std::max<uint64_t>(1, full_), key) {}

  // The record at `position`, and how many follow each other from it on.
  uint64_t operator()(uint64_t position, uint64_t& together) const {
    if (position >= short_begin_) {
      const uint64_t inside = position - short_begin_;
      if (inside < short_records_) {
        together = short_records_ - inside;
        return full_ * block_records_ + inside;
      }
      position -= short_records_;
    }
    const uint64_t inside = position % block_records_;
    together = block_records_ - inside;
    return blocks_(position / block_records_) * block_records_ + inside;
  }

 private:
  const uint64_t block_records_;
  const uint64_t full_;
  const uint64_t short_records_;
  const uint64_t short_begin_;
  const Permutation blocks_;
};

class Blocked final : public Order {
 public:
  Blocked(std::shared_ptr<const Order> of, uint64_t block_records,
          ShuffleKey key)
      : of_(std::move(of)), block_records_(block_records), key_(key) {
    assert(of_->records() != kEndless && block_records > 0);
  }

  uint64_t records() const override { return of_->records(); }
  uint64_t id_limit() const override { return of_->id_limit(); }
  bool whole() const override { return of_->whole(); }
  bool distinct() const override { return of_->distinct(); }
  InCommon epochs_share() const override {
    return std::min(of_->epochs_share(), InCommon::kRecords);
  }
  uint64_t table_bytes() const override { return of_->table_bytes(); }

  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override {
    const BlockPlaces places = PlacesOf(epoch);
    for (size_t done = 0; done < ids.size();) {
      uint64_t together = 0;
      const uint64_t record = places(first + done, together);
      const auto run =
          ids.subspan(done, std::min<uint64_t>(together, ids.size() - done));
      std::iota(run.begin(), run.end(), record);
      done += run.size();
    }
    of_->Look(epoch, ids);
  }
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override {
    const BlockPlaces places = PlacesOf(epoch);
    uint64_t together = 0;
    for (uint64_t& position : positions) position = places(position, together);
    of_->Look(epoch, positions);
  }

 private:
  BlockPlaces PlacesOf(uint64_t epoch) const {
    return {records(), block_records_,
            HashSeed(key_.seed, epoch, SeedStage::kBlock, key_.dataset)};
  }

  const std::shared_ptr<const Order> of_;
  const uint64_t block_records_;
  const ShuffleKey key_;
};

}  // namespace

std::unique_ptr<const Order> BlockOrder(std::shared_ptr<const Order> of,
                                        uint64_t block_records,
                                        ShuffleKey key) {
  return std::make_unique<Blocked>(std::move(of), block_records, key);
}

std::unique_ptr<const Order> ShuffledBlocks(std::shared_ptr<const Order> of,
                                            uint64_t block_records,
                                            uint64_t window_records,
                                            ShuffleKey key) {
  return WindowOrder(BlockOrder(std::move(of), block_records, key),
                     WindowOfBlocks(block_records, window_records), key);
}

uint64_t WindowOfBlocks(uint64_t block_records, uint64_t window_records) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  if (window_records > 0) return window_records;
  return block_records > kMost / kBlocksOfWindow
             ? kMost
             : block_records * kBlocksOfWindow;
}

}  // namespace penstock
