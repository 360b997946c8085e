#include "infeed/queues/infeed_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

InfeedQueue::InfeedQueue(const Contract& contract, int64_t rows, Clock& clock,
                         InfeedQueueOptions options)
    : contract_(contract),
      rows_(rows),
      clock_(clock),
      options_{.depth = std::max<size_t>(options.depth, 1),
               .bytes = options.bytes},
      depth_ns_(options_.depth + 1, 0),
      mark_ns_(clock.NowNs()) {}

Status InfeedQueue::AwaitRoom(uint64_t size_bytes) {
  std::unique_lock lock(mutex_);
  return AwaitRoomLocked(lock, size_bytes);
}

Status InfeedQueue::Push(InfeedItem item) {
  {
    std::unique_lock lock(mutex_);
    PENSTOCK_RETURN_IF_ERROR(AwaitRoomLocked(lock, item.slice.size_bytes()));
    PENSTOCK_RETURN_IF_ERROR(CheckItem(item));
    Mark();
    bytes_ += item.slice.size_bytes();
    last_step_ = item.slice.step();
    items_.push_back(std::move(item));
  }
  changed_.notify_all();
  return OkStatus();
}

void InfeedQueue::Close(Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    close_status_ = std::move(status);
  }
  changed_.notify_all();
}

bool InfeedQueue::AwaitFront(std::chrono::nanoseconds at_most) {
  std::unique_lock lock(mutex_);
  if (HasFront() || at_most.count() == 0) return HasFront();
  awaited_ = true;
  changed_.wait_for(lock, at_most, [&] { return HasFront(); });
  awaited_ = false;
  return HasFront();
}

StatusOr<std::optional<InfeedItem>> InfeedQueue::Front() {
  std::unique_lock lock(mutex_);
  return FrontLocked(lock);
}

StatusOr<std::optional<InfeedItem>> InfeedQueue::Pop() {
  std::unique_lock lock(mutex_);
  PENSTOCK_ASSIGN_OR_RETURN(std::optional<InfeedItem> item, FrontLocked(lock));
  if (!item) return std::nullopt;
  Mark();
  bytes_ -= item->slice.size_bytes();
  items_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return item;
}

void InfeedQueue::Cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
}

size_t InfeedQueue::depth() const {
  const std::lock_guard lock(mutex_);
  return items_.size();
}

bool InfeedQueue::is_awaited() const {
  const std::lock_guard lock(mutex_);
  return awaited_;
}

std::optional<uint64_t> InfeedQueue::last_step() const {
  const std::lock_guard lock(mutex_);
  return last_step_;
}

std::vector<int64_t> InfeedQueue::DepthNs() const {
  const std::lock_guard lock(mutex_);
  std::vector<int64_t> depth_ns = depth_ns_;
  depth_ns[items_.size()] += clock_.NowNs() - mark_ns_;
  return depth_ns;
}

bool InfeedQueue::HasRoom(uint64_t size_bytes) const {
  if (items_.empty()) return true;
  return items_.size() < options_.depth && bytes_ <= options_.bytes &&
         size_bytes <= options_.bytes - bytes_;
}

Status InfeedQueue::AwaitRoomLocked(std::unique_lock<std::mutex>& lock,
                                    uint64_t size_bytes) {
  changed_.wait(lock,
                [&] { return cancelled_ || closed_ || HasRoom(size_bytes); });
  if (cancelled_) return CancelledError("the infeed was cancelled");
  if (closed_) {
    return FailedPreconditionError("the infeed queue is closed");
  }
  return OkStatus();
}

Status InfeedQueue::CheckItem(const InfeedItem& item) const {
  const CoreSlice& slice = item.slice;
  if (&slice.contract() != &contract_) {
    return InternalError(
        fmt::format("step {} for device {} is of another contract than its "
                    "queue",
                    slice.step(), slice.device()));
  }
  if (contract_.shape_rows.empty() && slice.rows() != rows_) {
    return InternalError(
        fmt::format("step {} for device {} has {} rows, its queue takes {}",
                    slice.step(), slice.device(), slice.rows(), rows_));
  }
  if (last_step_ && slice.step() != *last_step_ + 1) {
    return InternalError(
        fmt::format("step {} for device {} follows step {}; steps must follow "
                    "each other",
                    slice.step(), slice.device(), *last_step_));
  }
  return OkStatus();
}

StatusOr<std::optional<InfeedItem>> InfeedQueue::FrontLocked(
    std::unique_lock<std::mutex>& lock) {
  awaited_ = true;
  changed_.wait(lock, [&] { return HasFront(); });
  awaited_ = false;
  if (cancelled_) return CancelledError("the infeed was cancelled");
  if (!items_.empty()) return items_.front();
  if (!close_status_.ok()) return close_status_;
  return std::nullopt;
}

void InfeedQueue::Mark() {
  const int64_t now_ns = clock_.NowNs();
  depth_ns_[items_.size()] += now_ns - mark_ns_;
  mark_ns_ = now_ns;
}

}  // namespace penstock
