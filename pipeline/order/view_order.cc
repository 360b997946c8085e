#include "pipeline/order/view_order.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "pipeline/order/epochs_of_order.h"

namespace penstock {
namespace {

class Slice final : public Order {
 public:
  Slice(std::shared_ptr<const Order> of, uint64_t begin, uint64_t records)
      : of_(std::move(of)), begin_(begin), records_(records) {}

  uint64_t records() const override { return records_; }
  uint64_t id_limit() const override { return of_->id_limit(); }
  bool whole() const override {
    return records_ == of_->records() && of_->whole();
  }
  bool distinct() const override { return of_->distinct(); }
  InCommon epochs_share() const override {
    const InCommon below = of_->epochs_share();
    return below == InCommon::kPositions || records_ == of_->records()
               ? below
               : InCommon::kNothing;
  }
  uint64_t table_bytes() const override { return of_->table_bytes(); }
  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override {
    of_->Fill(epoch, begin_ + first, ids);
  }
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override {
    for (uint64_t& position : positions) position += begin_;
    of_->Look(epoch, positions);
  }

 private:
  const std::shared_ptr<const Order> of_;
  const uint64_t begin_;
  const uint64_t records_;
};

class Repeated final : public Order {
 public:
  Repeated(std::shared_ptr<const Order> of, uint64_t epochs)
      : of_(std::move(of)),
        epochs_(epochs),
        records_(epochs == 0 ? kEndless : of_->records() * epochs) {}

  uint64_t records() const override { return records_; }
  uint64_t id_limit() const override { return of_->id_limit(); }
  bool whole() const override { return epochs_ == 1 && of_->whole(); }
  bool distinct() const override { return epochs_ == 1 && of_->distinct(); }
  InCommon epochs_share() const override {
    return epochs_ == 0 ? InCommon::kNothing
                        : std::min(of_->epochs_share(), InCommon::kRecords);
  }
  uint64_t table_bytes() const override { return of_->table_bytes(); }
  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override {
    FillRows(*of_, FirstEpoch(epoch), first, ids);
  }
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override {
    LookRows(*of_, FirstEpoch(epoch), positions);
  }

 private:
  // Nobody gets through 2^32 epochs of what has no end.
  uint64_t FirstEpoch(uint64_t epoch) const {
    return epochs_ == 0 ? epoch << 32 : epoch * epochs_;
  }

  const std::shared_ptr<const Order> of_;
  const uint64_t epochs_;
  const uint64_t records_;
};

class Concat final : public Order {
 public:
  explicit Concat(std::vector<std::shared_ptr<const Order>> parts)
      : parts_(std::move(parts)) {
    for (const auto& part : parts_) {
      first_.push_back(first_.back() + part->records());
    }
  }

  uint64_t records() const override { return first_.back(); }
  uint64_t id_limit() const override {
    uint64_t limit = 0;
    for (const auto& part : parts_) limit = std::max(limit, part->id_limit());
    return limit;
  }
  bool whole() const override {
    return std::ranges::all_of(parts_,
                               [](const auto& part) { return part->whole(); });
  }
  bool distinct() const override {
    return std::ranges::all_of(
        parts_, [](const auto& part) { return part->distinct(); });
  }
  InCommon epochs_share() const override {
    InCommon least = InCommon::kPositions;
    for (const auto& part : parts_) {
      least = std::min(least, part->epochs_share());
    }
    return least;
  }
  uint64_t table_bytes() const override {
    uint64_t bytes = 0;
    for (const auto& part : parts_) bytes += part->table_bytes();
    return bytes;
  }
  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override {
    for (size_t part = PartOf(first); !ids.empty(); ++part) {
      const auto count =
          std::min<uint64_t>(first_[part + 1] - first, ids.size());
      parts_[part]->Fill(epoch, first - first_[part], ids.first(count));
      ids = ids.subspan(count);
      first += count;
    }
  }
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override {
    std::vector<std::pair<uint64_t, size_t>> sorted(positions.size());
    for (size_t i = 0; i < sorted.size(); ++i) sorted[i] = {positions[i], i};
    std::ranges::sort(sorted);
    std::vector<uint64_t> inside;
    for (size_t begin = 0; begin < sorted.size();) {
      const size_t part = PartOf(sorted[begin].first);
      inside.clear();
      for (size_t i = begin; i < sorted.size(); ++i) {
        if (sorted[i].first >= first_[part + 1]) break;
        inside.push_back(sorted[i].first - first_[part]);
      }
      parts_[part]->Look(epoch, inside);
      for (const uint64_t id : inside) positions[sorted[begin++].second] = id;
    }
  }

 private:
  size_t PartOf(uint64_t position) const {
    return static_cast<size_t>(std::ranges::upper_bound(first_, position) -
                               first_.begin()) -
           1;
  }

  const std::vector<std::shared_ptr<const Order>> parts_;
  std::vector<uint64_t> first_ = {0};  // of each part, then the total
};

class Exclude final : public Order {
 public:
  Exclude(uint64_t records, uint64_t first_id, std::vector<uint64_t> excluded)
      : records_(records - excluded.size()),
        first_id_(first_id),
        last_id_(first_id + records),
        kept_before_(std::move(excluded)) {
    for (size_t i = 0; i < kept_before_.size(); ++i) kept_before_[i] -= i;
  }

  uint64_t records() const override { return records_; }
  uint64_t id_limit() const override { return last_id_; }
  bool whole() const override { return kept_before_.empty(); }
  bool distinct() const override { return true; }
  InCommon epochs_share() const override { return InCommon::kPositions; }
  uint64_t table_bytes() const override {
    return kept_before_.capacity() * sizeof(uint64_t);
  }
  void Fill(uint64_t, uint64_t first, std::span<uint64_t> ids) const override {
    size_t excluded = ExcludedBefore(first);
    for (uint64_t& id : ids) {
      while (excluded < kept_before_.size() &&
             kept_before_[excluded] <= first) {
        ++excluded;
      }
      id = first_id_ + first++ + excluded;
    }
  }
  void Look(uint64_t, std::span<uint64_t> positions) const override {
    for (uint64_t& position : positions) {
      position += first_id_ + ExcludedBefore(position);
    }
  }

 private:
  size_t ExcludedBefore(uint64_t position) const {
    return static_cast<size_t>(
        std::ranges::upper_bound(kept_before_, position) -
        kept_before_.begin());
  }

  const uint64_t records_;
  const uint64_t first_id_;
  const uint64_t last_id_;
  // Of each record that is excluded, how many before it are not.
  std::vector<uint64_t> kept_before_;
};

}  // namespace

std::unique_ptr<const Order> SliceOrder(std::shared_ptr<const Order> of,
                                        uint64_t begin, uint64_t records) {
  assert(begin <= of->records());
  assert(records <= of->records() - begin || records == kEndless);
  return std::make_unique<Slice>(std::move(of), begin, records);
}

std::unique_ptr<const Order> RepeatOrder(std::shared_ptr<const Order> of,
                                         uint64_t epochs) {
  return std::make_unique<Repeated>(std::move(of), epochs);
}

std::unique_ptr<const Order> ConcatOrder(
    std::vector<std::shared_ptr<const Order>> parts) {
  return std::make_unique<Concat>(std::move(parts));
}

std::unique_ptr<const Order> ExcludeOrder(uint64_t records, uint64_t first_id,
                                          std::vector<uint64_t> excluded) {
  excluded.shrink_to_fit();
  return std::make_unique<Exclude>(records, first_id, std::move(excluded));
}

}  // namespace penstock
