#include "pipeline/order/record_shares.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

#include "pipeline/order/view_order.h"

namespace penstock {
namespace {

// Positions `first`, `first` + `step`, `first` + 2 `step` ... of another, whose
// tables are counted elsewhere.
class Part final : public Order {
 public:
  Part(std::shared_ptr<const Order> of, uint64_t first, uint64_t step,
       uint64_t records)
      : of_(std::move(of)), first_(first), step_(step), records_(records) {}

  uint64_t records() const override { return records_; }
  uint64_t id_limit() const override { return of_->id_limit(); }
  bool whole() const override {
    return records_ == of_->records() && of_->whole();
  }
  bool distinct() const override { return of_->distinct(); }
  InCommon epochs_share() const override { return of_->epochs_share(); }
  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override {
    if (step_ == 1) {
      of_->Fill(epoch, first_ + first, ids);
      return;
    }
    std::iota(ids.begin(), ids.end(), first);
    Look(epoch, ids);
  }
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override {
    for (uint64_t& position : positions) position = first_ + position * step_;
    of_->Look(epoch, positions);
  }

 private:
  const std::shared_ptr<const Order> of_;
  const uint64_t first_;
  const uint64_t step_;
  const uint64_t records_;
};

std::shared_ptr<const Order> RangeOf(const std::shared_ptr<const Order>& order,
                                     uint64_t begin, uint64_t end) {
  return std::make_shared<Part>(order, begin, 1, end - begin);
}

}  // namespace

std::pair<uint64_t, uint64_t> EvenSplit(uint64_t records, uint32_t host,
                                        uint32_t hosts, bool drop) {
  const uint64_t each = records / hosts;
  const uint64_t rest = drop ? 0 : records % hosts;
  const uint64_t begin = host * each + std::min<uint64_t>(host, rest);
  return {begin, begin + each + (host < rest ? 1 : 0)};
}

RecordShares::RecordShares(ShardBy by, uint32_t hosts, bool drop,
                           std::vector<SharedSource> sources)
    : by_(by), hosts_(hosts), drop_(drop), sources_(std::move(sources)) {
  assert(by == ShardBy::kFile || by == ShardBy::kRecord ||
         by == ShardBy::kRange);
}

std::shared_ptr<const Order> RecordShares::ShareOf(size_t source,
                                                   uint32_t host) const {
  const SharedSource& of = sources_[source];
  const uint64_t records = of.order->records();
  if (by_ == ShardBy::kRecord) {
    const uint64_t more = records > host ? records - host : 0;
    return std::make_shared<Part>(of.order, host, hosts_,
                                  (more + hosts_ - 1) / hosts_);
  }
  if (by_ == ShardBy::kRange) {
    const auto [begin, end] = EvenSplit(records, host, hosts_, drop_);
    return RangeOf(of.order, begin, end);
  }
  std::vector<std::shared_ptr<const Order>> files;
  for (size_t file = host; file < of.first_of_file.size(); file += hosts_) {
    const uint64_t begin = RankOf(of, of.first_of_file[file]);
    const uint64_t end = file + 1 < of.first_of_file.size()
                             ? RankOf(of, of.first_of_file[file + 1])
                             : records;
    files.push_back(RangeOf(of.order, begin, end));
  }
  return ConcatOrder(std::move(files));
}

uint64_t RecordShares::RankOf(const SharedSource& source,
                              uint64_t record_id) const {
  if (source.order->whole()) return record_id - source.first_id;
  uint64_t begin = 0;
  uint64_t end = source.order->records();
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    uint64_t id = middle;
    source.order->Look(0, std::span(&id, 1));
    (id < record_id ? begin : end) = id < record_id ? middle + 1 : middle;
  }
  return begin;
}

uint32_t RecordShares::HostOf(uint64_t record_id) const {
  const auto behind = std::ranges::upper_bound(sources_, record_id, {},
                                               &SharedSource::first_id);
  const SharedSource& source = *(behind - 1);
  if (by_ == ShardBy::kFile) {
    const auto file =
        std::ranges::upper_bound(source.first_of_file, record_id) -
        source.first_of_file.begin() - 1;
    return static_cast<uint32_t>(static_cast<uint64_t>(file) % hosts_);
  }
  const uint64_t rank = RankOf(source, record_id);
  if (by_ == ShardBy::kRecord) return static_cast<uint32_t>(rank % hosts_);
  const uint64_t each = source.order->records() / hosts_;
  const uint64_t rest = drop_ ? 0 : source.order->records() % hosts_;
  const uint64_t larger = rest * (each + 1);  // records of shares of one more
  if (rank < larger) return static_cast<uint32_t>(rank / (each + 1));
  // Those that are nobody's would be of a host that is not there.
  return each == 0 ? hosts_
                   : static_cast<uint32_t>(rest + (rank - larger) / each);
}

}  // namespace penstock
