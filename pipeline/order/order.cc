#include "pipeline/order/order.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "pipeline/order/permutation.h"
#include "pipeline/order/seed.h"

namespace penstock {
namespace {

class Unshuffled final : public Order {
 public:
  Unshuffled(uint64_t records, uint64_t first_id)
      : records_(records), first_id_(first_id) {}

  uint64_t records() const override { return records_; }
  uint64_t id_limit() const override { return first_id_ + records_; }
  bool whole() const override { return true; }
  bool distinct() const override { return true; }
  InCommon epochs_share() const override { return InCommon::kPositions; }
  void Fill(uint64_t, uint64_t first, std::span<uint64_t> ids) const override {
    std::iota(ids.begin(), ids.end(), first_id_ + first);
  }
  void Look(uint64_t, std::span<uint64_t> positions) const override {
    if (first_id_ == 0) return;
    for (uint64_t& position : positions) position += first_id_;
  }

 private:
  const uint64_t records_;
  const uint64_t first_id_;
};

// Has the positions of another order, elsewhere.
class Reordered : public Order {
 public:
  explicit Reordered(std::shared_ptr<const Order> of)
      : of_(std::move(of)), records_(of_->records()) {}

  uint64_t records() const final { return records_; }
  uint64_t id_limit() const final { return of_->id_limit(); }
  bool whole() const final { return of_->whole(); }
  bool distinct() const final { return of_->distinct(); }
  InCommon epochs_share() const final {
    return std::min(of_->epochs_share(), InCommon::kRecords);
  }
  uint64_t table_bytes() const final { return of_->table_bytes(); }

 protected:
  const Order& of() const { return *of_; }

 private:
  const std::shared_ptr<const Order> of_;
  const uint64_t records_;
};

class Shuffled final : public Reordered {
 public:
  Shuffled(std::shared_ptr<const Order> of, ShuffleKey key)
      : Reordered(std::move(of)), key_(key) {}

  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override {
    assert(first + ids.size() <= records());
    if (ids.empty()) return;
    PermutationOf(epoch).Fill(first, ids);
    of().Look(epoch, ids);
  }
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override {
    if (positions.empty()) return;
    const Permutation permutation = PermutationOf(epoch);
    for (uint64_t& position : positions) position = permutation(position);
    of().Look(epoch, positions);
  }

 private:
  Permutation PermutationOf(uint64_t epoch) const {
    return {records(),
            HashSeed(key_.seed, epoch, SeedStage::kShuffle, key_.dataset)};
  }

  const ShuffleKey key_;
};

class Windowed final : public Reordered {
 public:
  Windowed(std::shared_ptr<const Order> of, uint64_t window_records,
           ShuffleKey key)
      : Reordered(std::move(of)), window_records_(window_records), key_(key) {}

  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override {
    assert(first + ids.size() <= records());
    for (size_t done = 0; done < ids.size();) {
      const uint64_t inside = (first + done) % window_records_;
      const uint64_t begin = first + done - inside;
      const uint64_t size = std::min(window_records_, records() - begin);
      const auto part = ids.subspan(
          done, std::min<uint64_t>(size - inside, ids.size() - done));
      FillWindow(key_, epoch, begin, size, inside, part);
      for (uint64_t& id : part) id += begin;
      done += part.size();
    }
    of().Look(epoch, ids);
  }
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override {
    for (uint64_t& position : positions) {
      const uint64_t inside = position % window_records_;
      const uint64_t begin = position - inside;
      FillWindow(key_, epoch, begin,
                 std::min(window_records_, records() - begin), inside,
                 std::span(&position, 1));
      position += begin;
    }
    of().Look(epoch, positions);
  }

 private:
  const uint64_t window_records_;
  const ShuffleKey key_;
};

}  // namespace

std::unique_ptr<const Order> FileOrder(uint64_t records, uint64_t first_id) {
  return std::make_unique<Unshuffled>(records, first_id);
}

std::unique_ptr<const Order> ShuffledOrder(std::shared_ptr<const Order> of,
                                           ShuffleKey key) {
  return std::make_unique<Shuffled>(std::move(of), key);
}

std::unique_ptr<const Order> ShuffledOrder(uint64_t records, ShuffleKey key) {
  return ShuffledOrder(FileOrder(records), key);
}

std::unique_ptr<const Order> WindowOrder(std::shared_ptr<const Order> of,
                                         uint64_t window_records,
                                         ShuffleKey key) {
  return std::make_unique<Windowed>(std::move(of), window_records, key);
}

std::unique_ptr<const Order> WindowOrder(uint64_t records,
                                         uint64_t window_records,
                                         ShuffleKey key) {
  return WindowOrder(FileOrder(records), window_records, key);
}

void FillWindow(ShuffleKey key, uint64_t epoch, uint64_t begin, uint64_t size,
                uint64_t first, std::span<uint64_t> ids) {
  const uint64_t of_epoch =
      HashSeed(key.seed, epoch, SeedStage::kWindow, key.dataset);
  Permutation(size, MixKeys({of_epoch, begin})).Fill(first, ids);
}

}  // namespace penstock
