// The bounded queue of one device.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/queues/clock.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

class DeviceBatch;  // infeed/device.h

struct InfeedItem {
  // Without its bytes where a device has them, or is to have them.
  CoreSlice slice;
  std::shared_ptr<DeviceBatch> loaded = nullptr;  // null without a device
  int64_t pushed_ns = 0;  // when the host handed it over
};

struct InfeedQueueOptions {
  // Items at most; at least 1.
  size_t depth = 2;
  // Bytes at most; one item is always allowed.
  uint64_t bytes = 1ull << 30;
};

// First in, first out, of items that follow each other step by step.
//
// Threads: one pushes, one pops; Cancel() and the counts from any.
class InfeedQueue {
 public:
  // Every item must be `rows` rows of a batch under `contract`, which is
  // borrowed, like `clock`.
  InfeedQueue(const Contract& contract, int64_t rows, Clock& clock,
              InfeedQueueOptions options = {});

  // Waits until an item of `size_bytes` fits.
  // Errors:  kCancelled; kFailedPrecondition after Close().
  Status AwaitRoom(uint64_t size_bytes);
  // AwaitRoom, then puts the item last.
  // Errors:  also kInternal where the item is not the next step, or of another
  //          contract or number of rows.
  Status Push(InfeedItem item);
  // No more items come. Pops give those that are there, then nullopt, or
  // `status` where it is an error.
  void Close(Status status = OkStatus());

  // Waits so long at most until Front() need not wait; whether it need not.
  bool AwaitFront(std::chrono::nanoseconds at_most);
  // Waits for the first item and leaves it in its place; nullopt at the end.
  // Errors:  kCancelled; what Close() was given.
  StatusOr<std::optional<InfeedItem>> Front();
  // The same, and takes it out.
  StatusOr<std::optional<InfeedItem>> Pop();

  // Ends every wait, now and later. Never blocks.
  void Cancel();

  size_t depth() const;
  // Whether somebody waits for an item now.
  bool is_awaited() const;
  // The step of the last item pushed; nullopt before the first.
  std::optional<uint64_t> last_step() const;
  // How many nanoseconds the queue held 0, 1 ... depth items, since it was
  // made.
  std::vector<int64_t> DepthNs() const;

 private:
  bool HasFront() const { return cancelled_ || closed_ || !items_.empty(); }
  bool HasRoom(uint64_t size_bytes) const;
  Status AwaitRoomLocked(std::unique_lock<std::mutex>& lock,
                         uint64_t size_bytes);
  Status CheckItem(const InfeedItem& item) const;
  StatusOr<std::optional<InfeedItem>> FrontLocked(
      std::unique_lock<std::mutex>& lock);
  void Mark();

  const Contract& contract_;
  const int64_t rows_;
  Clock& clock_;
  const InfeedQueueOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<InfeedItem> items_;
  uint64_t bytes_ = 0;
  std::optional<uint64_t> last_step_;
  bool closed_ = false;
  bool cancelled_ = false;
  bool awaited_ = false;
  Status close_status_;
  std::vector<int64_t> depth_ns_;
  int64_t mark_ns_;
};

}  // namespace penstock
