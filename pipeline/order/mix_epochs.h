// The epochs of a run's mix, which may have begun anew in one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "pipeline/order/mix_order.h"

namespace penstock {

// Threads: any number at a time, but for BeginAnew().
class MixEpochs {
 public:
  MixEpochs() = default;  // of an order that is no mix
  explicit MixEpochs(std::shared_ptr<const MixOrder> mix)
      : mix_(std::move(mix)), later_(mix_) {}

  // Of an epoch that is not before the last BeginAnew(); null where the order
  // is no mix.
  const MixOrder* Of(uint64_t epoch) const {
    return rest_ != nullptr && epoch == rest_epoch_ ? rest_.get()
                                                    : later_.get();
  }

  // Positions of begin.epoch are counted from there.
  void BeginAnew(const MixOrder::Begin& begin) {
    rest_epoch_ = begin.epoch;
    rest_ = mix_->RestOf(begin);
    later_ = mix_->After(begin);
  }

 private:
  std::shared_ptr<const MixOrder> mix_;
  std::shared_ptr<const MixOrder> later_;
  std::shared_ptr<const MixOrder> rest_;
  uint64_t rest_epoch_ = 0;
};

}  // namespace penstock
