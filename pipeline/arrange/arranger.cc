#include "pipeline/arrange/arranger.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "pipeline/batch.h"

namespace penstock {

void Arranger::Fifo::Pop(size_t count) {
  head_ += count;
  if (2 * head_ >= rows_.size()) {
    rows_.erase(rows_.begin(),
                rows_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

void Arranger::Fifo::Clear() {
  rows_.clear();
  head_ = 0;
}

Arranger::Arranger(ArrangeOptions options)
    : options_(std::move(options)),
      queues_(options_.queues()),
      fifos_(queues_ * options_.shards),
      full_(queues_),
      queue_rows_(queues_),
      shard_rows_(options_.shards) {
  assert(!options_.lengths.empty() && options_.rows_per_shard > 0);
}

std::optional<size_t> Arranger::QueueOf(uint32_t length) const {
  if (int64_t{length} > options_.lengths.back()) {
    if (options_.too_long != TooLong::kTruncate) return std::nullopt;
    return queues_ - 1;
  }
  if (options_.one_queue) return 0;
  return std::lower_bound(options_.lengths.begin(), options_.lengths.end(),
                          int64_t{length}) -
         options_.lengths.begin();
}

Placing Arranger::Add(uint32_t shard, Row row) {
  added_ = false;
  const std::optional<size_t> queue = QueueOf(row.length);
  if (!queue.has_value()) {
    return options_.too_long == TooLong::kDrop ? Placing::kDropped
                                               : Placing::kTooLong;
  }
  Placing placing = Placing::kTaken;
  if (int64_t{row.length} > options_.lengths.back()) {
    row.length = static_cast<uint32_t>(options_.lengths.back());
    placing = Placing::kTruncated;
  }
  Fifo& fifo = At(*queue, shard);
  fifo.Push(row);
  if (fifo.size() == options_.rows_per_shard) ++full_[*queue];
  ++queue_rows_[*queue];
  ++shard_rows_[shard];
  ++pending_rows_;
  last_queue_ = *queue;
  last_shard_ = shard;
  added_ = true;
  return placing;
}

bool Arranger::Due(Assignment& out) {
  if (!added_) return false;
  added_ = false;
  if (full_[last_queue_] == options_.shards) {
    Take(last_queue_, out);
    return true;
  }
  if (shard_rows_[last_shard_] > options_.row_limit) {
    Take(std::max_element(queue_rows_.begin(), queue_rows_.end()) -
             queue_rows_.begin(),
         out);
    return true;
  }
  return false;
}

bool Arranger::Flush(Assignment& out) {
  for (size_t queue = 0; queue < queues_; ++queue) {
    if (queue_rows_[queue] > 0) {
      Take(queue, out);
      return true;
    }
  }
  return false;
}

void Arranger::Take(size_t queue, Assignment& out) {
  const uint64_t per_shard = options_.rows_per_shard;
  out.queue = queue;
  out.rows.assign(options_.shards * per_shard, kNoRecord);
  out.real_rows = 0;
  uint32_t longest = 0;
  for (uint32_t shard = 0; shard < options_.shards; ++shard) {
    Fifo& fifo = At(queue, shard);
    const size_t taken = std::min<size_t>(fifo.size(), per_shard);
    for (size_t i = 0; i < taken; ++i) {
      out.rows[shard * per_shard + i] = fifo[i].number;
      longest = std::max(longest, fifo[i].length);
    }
    const bool was_full = fifo.size() >= per_shard;
    fifo.Pop(taken);
    if (was_full && fifo.size() < per_shard) --full_[queue];
    shard_rows_[shard] -= taken;
    out.real_rows += taken;
  }
  queue_rows_[queue] -= out.real_rows;
  pending_rows_ -= out.real_rows;
  out.shape = options_.one_queue
                  ? std::lower_bound(options_.lengths.begin(),
                                     options_.lengths.end(), int64_t{longest}) -
                        options_.lengths.begin()
                  : queue;
}

std::vector<uint64_t> Arranger::PendingNumbers() const {
  std::vector<uint64_t> numbers;
  numbers.reserve(pending_rows_);
  for (const Fifo& fifo : fifos_) {
    for (size_t i = 0; i < fifo.size(); ++i) numbers.push_back(fifo[i].number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void Arranger::Clear() {
  for (Fifo& fifo : fifos_) fifo.Clear();
  std::fill(full_.begin(), full_.end(), 0);
  std::fill(queue_rows_.begin(), queue_rows_.end(), 0);
  std::fill(shard_rows_.begin(), shard_rows_.end(), 0);
  pending_rows_ = 0;
  added_ = false;
}

}  // namespace penstock
