#include "pipeline/build/batch_ring.h"

#include <algorithm>
#include <new>
#include <utility>

#include "formats/files/memory_guard.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {

struct BatchRing::Slot {
  // Throws nothing: where a sanitizer has its own call_once, one that threw is
  // never over.
  Status Begin(const Status& no_memory) {
    std::call_once(once, [&] {
      try {
        begun = work->Begin();
      } catch (const std::bad_alloc&) {
        begun = no_memory;
      }
    });
    return begun;
  }

  uint64_t bytes = 0;
  std::shared_ptr<BatchWork> work;
  std::once_flag once;
  Status begun;  // by `once`
  bool pushed = false;
  size_t parts_left = 0;  // of those that are known
  Status status;
};

// Tasks hold it, so that they may outlive the ring.
struct BatchRing::Ring {
  Ring(Lane& lane, uint64_t budget_bytes, size_t limit, int64_t quick_ns,
       Status no_memory)
      : lane(lane),
        budget_bytes(budget_bytes),
        limit(limit),
        no_memory(std::move(no_memory)),
        pace(quick_ns) {}

  // Runs `part`, or leaves what is too large for now to the lane.
  void Build(const std::shared_ptr<Slot>& slot, const Part& part, bool alone,
             const std::shared_ptr<Ring>& self) {
    StatusOr<bool> done = no_memory;
    try {
      bool wanted = false;
      {
        const std::lock_guard lock(mutex);
        wanted = !cancelled && slot->status.ok();
      }
      const Status begun =
          wanted ? slot->Begin(no_memory) : PipelineCancelled();
      done = begun.ok() ? part(alone) : begun;
      if (done.ok() && !*done) {
        lane.Run([self, slot, part] { self->Build(slot, part, true, self); });
        return;
      }
    } catch (const std::bad_alloc&) {
      done = no_memory;
    }
    bool wakes = false;
    {
      const std::lock_guard lock(mutex);
      End(*slot, 1, done.status());
      if (slot->parts_left > 0) return;
      wakes = slot->pushed && IsWorthTaking();
      if (failed) room.notify_all();
    }
    if (wakes) ready.notify_all();
  }

  // Parts for which there was no memory.
  void Drop(Slot& slot, size_t parts) {
    const std::lock_guard lock(mutex);
    End(slot, parts, no_memory);
    if (IsWorthTaking()) ready.notify_all();
  }

  // From here on with the mutex locked.

  // A batch that nobody may ever ask for fails nothing.
  void End(Slot& slot, size_t parts, const Status& status) {
    slot.parts_left -= parts;
    slot.status.Update(status);
    if (!slot.pushed) return;
    if (!slot.status.ok()) failed = true;
    if (slot.parts_left == 0) pace.Count();
  }

  // Whether Pop() has an answer.
  bool HasNext() const {
    if (cancelled) return true;
    if (slots.empty()) return finished.has_value();
    return slots.front()->parts_left == 0;
  }

  // Whether who waits in Pop() is to go on with that: at once, unless batches
  // come quickly and more of them are being built.
  bool IsWorthTaking() const {
    if (!HasNext()) return false;
    if (!pace.quick() || cancelled || failed || finished) return true;
    const auto is_built = [](const auto& slot) {
      return slot->parts_left == 0;
    };
    const size_t built = static_cast<size_t>(
        std::ranges::find_if_not(slots, is_built) - slots.begin());
    const size_t unbuilt = slots.size() - built;
    // Those that build are to have enough to do.
    const bool tight = unbuilt == 0 || (waits_for_room && unbuilt < limit / 2);
    return tight || built >= limit / 4;
  }

  bool HasRoom(uint64_t wanted_bytes, size_t wanted_slots) const {
    return slots.empty() ||
           (slots.size() + wanted_slots <= limit && bytes <= budget_bytes &&
            wanted_bytes <= budget_bytes - bytes);
  }

  Lane& lane;
  const uint64_t budget_bytes;
  const size_t limit;
  const Status no_memory;  // made while there is some

  std::mutex mutex;
  std::condition_variable room;   // for AwaitRoom()
  std::condition_variable ready;  // for Pop()
  std::deque<std::shared_ptr<Slot>> slots;
  uint64_t bytes = 0;  // of slots
  Pace pace;           // of built slots
  bool waits_for_room = false;
  // What AwaitRoom() waits for.
  uint64_t wanted_bytes = 0;
  size_t wanted_slots = 0;
  bool failed = false;
  bool cancelled = false;
  std::optional<Status> finished;
};

BatchRing::BatchRing(TaskQueue& tasks, Lane& lane, uint64_t budget_bytes,
                     size_t limit, int64_t quick_ns)
    : tasks_(tasks),
      ring_(std::make_shared<Ring>(lane, budget_bytes, limit, quick_ns,
                                   NoMemory("the pipeline", "build a batch"))) {
}

BatchRing::~BatchRing() { Cancel(); }

bool BatchRing::AwaitRoom(uint64_t bytes) {
  Ring& ring = *ring_;
  std::unique_lock lock(ring.mutex);
  if (!ring.HasRoom(bytes, 1)) {
    // Of a ring of many batches half, of one of many bytes an eighth, so that
    // neither this thread nor those that build are woken for each of them.
    ring.wanted_bytes = std::max(bytes, ring.budget_bytes / 8);
    ring.wanted_slots = std::max<size_t>(1, ring.limit / 2);
    ring.waits_for_room = true;
    if (ring.IsWorthTaking()) ring.ready.notify_all();
    ring.room.wait(lock, [&] {
      return ring.cancelled || ring.failed ||
             ring.HasRoom(ring.wanted_bytes, ring.wanted_slots);
    });
    ring.waits_for_room = false;
  }
  return !ring.cancelled && !ring.failed;
}

bool BatchRing::failed() const {
  const std::lock_guard lock(ring_->mutex);
  return ring_->failed;
}

std::shared_ptr<BatchRing::Slot> BatchRing::Open(
    std::shared_ptr<BatchWork> work) {
  auto slot = std::make_shared<Slot>();
  slot->work = std::move(work);
  return slot;
}

void BatchRing::Start(const std::shared_ptr<Slot>& slot, Part part,
                      std::shared_ptr<TaskHome> home) {
  {
    const std::lock_guard lock(ring_->mutex);
    ++slot->parts_left;
  }
  if (!Run(slot, std::move(part), std::move(home))) ring_->Drop(*slot, 1);
}

void BatchRing::Push(uint64_t bytes, const std::shared_ptr<Slot>& slot,
                     const std::shared_ptr<TaskHome>& home) {
  const size_t parts = slot->work->parts();
  // Without parts it would never begin.
  const Status begun = parts == 0 ? slot->Begin(ring_->no_memory) : OkStatus();
  {
    const std::lock_guard lock(ring_->mutex);
    slot->pushed = true;
    slot->bytes = bytes;
    slot->parts_left += parts;
    ring_->slots.push_back(slot);
    ring_->bytes += bytes;
    ring_->End(*slot, 0, begun);
    if (ring_->IsWorthTaking()) ring_->ready.notify_all();
  }
  for (size_t part = 0; part < parts; ++part) {
    const auto build = [work = slot->work.get(), part](bool alone) {
      return work->BuildPart(part, alone);
    };
    if (Run(slot, build, home)) continue;
    return ring_->Drop(*slot, parts - part);
  }
}

bool BatchRing::Run(const std::shared_ptr<Slot>& slot, Part part,
                    std::shared_ptr<TaskHome> home) {
  try {
    tasks_.RunSoon(
        [ring = ring_, slot, part = std::move(part)] {
          ring->Build(slot, part, /*alone=*/false, ring);
        },
        std::move(home));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void BatchRing::Finish(Status status) {
  const std::lock_guard lock(ring_->mutex);
  ring_->finished = std::move(status);
  ring_->ready.notify_all();
}

StatusOr<std::shared_ptr<BatchWork>> BatchRing::Pop() {
  std::unique_lock lock(ring_->mutex);
  if (!ring_->HasNext()) {
    ring_->ready.wait(lock, [&] { return ring_->IsWorthTaking(); });
  }
  if (ring_->cancelled) return PipelineCancelled();
  if (ring_->slots.empty()) {
    if (!ring_->finished->ok()) return *ring_->finished;
    return std::shared_ptr<BatchWork>();
  }
  const std::shared_ptr<Slot> slot = ring_->slots.front();
  // A failed batch keeps its place, so that the error comes again.
  if (!slot->status.ok()) return slot->status;
  ring_->slots.pop_front();
  ring_->bytes -= slot->bytes;
  const bool has_room =
      ring_->HasRoom(ring_->wanted_bytes, ring_->wanted_slots);
  lock.unlock();
  if (has_room) ring_->room.notify_all();
  return std::move(slot->work);
}

void BatchRing::Cancel() {
  const std::lock_guard lock(ring_->mutex);
  ring_->cancelled = true;
  ring_->room.notify_all();
  ring_->ready.notify_all();
}

}  // namespace penstock
