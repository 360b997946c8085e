#include "pipeline/build/builder.h"

#include <utility>

namespace penstock {

Builder::Builder(Workers& workers, uint64_t budget_bytes, size_t limit)
    : workers_(workers),
      budget_bytes_(budget_bytes),
      limit_(limit),
      ring_(std::make_shared<Ring>()) {}

Builder::~Builder() = default;

bool Builder::Push(uint64_t bytes, Build build) {
  auto slot = std::make_shared<Slot>();
  slot->bytes = bytes;
  {
    std::unique_lock lock(ring_->mutex);
    ring_->room.wait(lock, [&] {
      return ring_->cancelled || ring_->failed || ring_->slots.empty() ||
             (ring_->slots.size() < limit_ &&
              ring_->bytes + bytes <= budget_bytes_);
    });
    if (ring_->cancelled || ring_->failed) return false;
    ring_->slots.push_back(slot);
    ring_->bytes += bytes;
  }
  workers_.Run([ring = ring_, slot = std::move(slot),
                build = std::move(build)]() mutable {
    bool wanted = false;
    {
      const std::lock_guard lock(ring->mutex);
      wanted = !ring->cancelled;
    }
    StatusOr<Built> result =
        wanted ? build() : CancelledError("the pipeline was cancelled");
    build = nullptr;
    const std::lock_guard lock(ring->mutex);
    if (!result.ok()) {
      ring->failed = true;
      ring->room.notify_all();
    }
    slot->result = std::move(result);
    ring->ready.notify_all();
  });
  return true;
}

void Builder::Finish(Status status, LeftOut left_out) {
  const std::lock_guard lock(ring_->mutex);
  ring_->finished = std::move(status);
  ring_->left_out = left_out;
  ring_->ready.notify_all();
}

StatusOr<std::optional<Built>> Builder::Pop() {
  std::unique_lock lock(ring_->mutex);
  ring_->ready.wait(lock, [&] {
    if (ring_->cancelled) return true;
    if (ring_->slots.empty()) return ring_->finished.has_value();
    return ring_->slots.front()->result.has_value();
  });
  if (ring_->cancelled) {
    return CancelledError("the pipeline was cancelled");
  }
  if (ring_->slots.empty()) {
    if (!ring_->finished->ok()) return *ring_->finished;
    return std::nullopt;
  }
  const std::shared_ptr<Slot> slot = ring_->slots.front();
  // A failed batch keeps its place, so that the error comes again.
  if (!slot->result->ok()) return slot->result->status();
  ring_->slots.pop_front();
  ring_->bytes -= slot->bytes;
  ring_->room.notify_all();
  lock.unlock();
  return std::optional<Built>(*std::move(*slot->result));
}

LeftOut Builder::left_out_at_end() const {
  const std::lock_guard lock(ring_->mutex);
  return ring_->left_out;
}

void Builder::Cancel() {
  const std::lock_guard lock(ring_->mutex);
  ring_->cancelled = true;
  ring_->room.notify_all();
  ring_->ready.notify_all();
}

}  // namespace penstock
