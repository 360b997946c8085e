// A stream of frames over gRPC, the same on both sides.
#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/groups/link.h"

namespace penstock {

inline grpc::ByteBuffer ToBuffer(const std::string& frame) {
  const grpc::Slice slice(frame);
  return grpc::ByteBuffer(&slice, 1);
}

inline std::string ToString(const grpc::ByteBuffer& buffer) {
  std::string frame;
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return frame;
  frame.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    frame.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return frame;
}

// Half of a stream of frames in both directions, the same on both sides. gRPC
// calls On...() one after the other for reads, and for writes, on its threads.
template <typename Reactor>
class FrameStream : public Link, public Reactor {
 public:
  void Send(std::string frame) final {
    {
      const std::lock_guard lock(mutex_);
      if (ended_ || leaving_) return;
      waiting_.push_back(std::move(frame));
      if (writing_) return;
      writing_ = true;
    }
    WriteNext();
  }

  void OnReadDone(bool ok) final {
    if (ok) {
      listener_->OnFrame(ToString(in_));
      in_.Clear();
      return this->StartRead(&in_);
    }
    bool idle = false;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      idle = !writing_;
    }
    if (idle) AfterLast();
  }

  // What follows is decided in one look: whoever sends or leaves behind it
  // finds nothing under way and goes on itself.
  void OnWriteDone(bool ok) final {
    bool ended = false;
    bool more = false;
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      if (!ok) waiting_.clear();
      ended = ended_;
      more = !ended && !waiting_.empty();
      last = !ended && !more && leaving_;
      writing_ = more || last;
    }
    if (ended) {
      AfterLast();
    } else if (more) {
      WriteNext();
    } else if (last) {
      WroteAll();
    }
  }

 protected:
  // `listener_` must be set before.
  void Listen() { this->StartRead(&in_); }

  // No operation is under way, and none begins any more.
  virtual void AfterLast() = 0;
  // All that was sent is written, and nothing more is. StopWriting() follows.
  virtual void WroteAll() { StopWriting(); }

  // WroteAll() follows, unless the stream has ended.
  void LeaveAfterWrites() {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      leaving_ = true;
      if (std::exchange(writing_, true)) return;
    }
    WroteAll();
  }

  void StopWriting() {
    bool ended = false;
    {
      const std::lock_guard lock(mutex_);
      ended = ended_;
      writing_ = false;
    }
    if (ended) AfterLast();
  }

  LinkListener* listener_ = nullptr;

 private:
  void WriteNext() {
    {
      const std::lock_guard lock(mutex_);
      out_ = ToBuffer(waiting_.front());
      waiting_.pop_front();
    }
    this->StartWrite(&out_);
  }

  grpc::ByteBuffer in_;
  grpc::ByteBuffer out_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<std::string> waiting_;
  bool writing_ = false;  // a write is under way or about to begin
  bool leaving_ = false;
  bool ended_ = false;
};

}  // namespace penstock
