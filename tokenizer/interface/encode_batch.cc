// Tokenizer::EncodeBatch: alone, or by threads that take jobs in turn.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "formats/files/memory_guard.h"
#include "formats/files/start_thread.h"
#include "tokenizer/interface/batch_parts.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {
namespace {

Status NameText(const Status& status, size_t text) {
  return Annotate(status, fmt::format("text {}", text));
}

// Ends with the first error, behind the rows before it.
class BatchRun {
 public:
  BatchRun(const BatchParts& parts, RoomForIds& room, Encodings& out)
      : parts_(parts),
        order_(parts.LongestFirst()),
        room_(room),
        out_(out),
        results_(parts.jobs()),
        first_failed_(parts.jobs()) {
    spare_.reserve(parts.jobs());
  }

  // To be called by each thread: takes jobs until there are none.
  void TakeJobs() {
    while (true) {
      const size_t next = next_.fetch_add(1, std::memory_order_relaxed);
      if (next >= order_.size()) return;
      const size_t job = order_[next];
      // Rows before an error are wanted.
      if (job > first_failed_.load(std::memory_order_relaxed)) continue;
      Result& result = results_[job];
      UseSpare(result);
      result.status = GuardMemory(
          no_memory_, [&] { return Encode(parts_.OfJob(job), result); });
      if (!result.status.ok()) Failed(job);
      Finish(result);
    }
  }

  // When all threads are done: how it went, and the text with the error.
  const Status& status() const { return status_; }
  size_t failed_text() const { return failed_text_; }

 private:
  // Its taker's until it is done, then that of who appends it.
  struct Result {
    std::vector<TokenId> ids;
    std::vector<size_t> row_ends;  // in ids
    size_t bytes = 0;
    size_t text = 0;  // the last
    Status status;
    bool is_done = false;  // guarded by mutex_
  };

  Status Encode(std::span<const TextPart> parts, Result& result) const {
    for (const TextPart& part : parts) {
      result.text = part.text;
      PENSTOCK_RETURN_IF_ERROR(parts_.Encode(part, result.ids));
      result.bytes += part.bytes.size();
      if (part.ends) result.row_ends.push_back(result.ids.size());
    }
    return OkStatus();
  }

  // No job behind this one need be done.
  void Failed(size_t job) {
    size_t first = first_failed_.load(std::memory_order_relaxed);
    while (job < first && !first_failed_.compare_exchange_weak(
                              first, job, std::memory_order_relaxed)) {
    }
  }

  void UseSpare(Result& result) {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return;
    result.ids = std::move(spare_.back());
    spare_.pop_back();
  }

  // Appends what is done in the order of jobs, unless another thread is at it,
  // which then looks again.
  void Finish(Result& result) {
    std::unique_lock lock(mutex_);
    result.is_done = true;
    while (!appending_ && status_.ok() && appended_ < results_.size() &&
           results_[appended_].is_done) {
      Result& next = results_[appended_];
      appending_ = true;
      lock.unlock();
      const Status status = GuardMemory(no_memory_, [&] {
        AppendRows(next);
        return next.status;
      });
      next.ids.clear();
      next.row_ends = {};
      lock.lock();
      appending_ = false;
      ++appended_;
      spare_.push_back(std::move(next.ids));
      if (!status.ok()) {
        status_ = status;
        failed_text_ = next.text;
        Failed(appended_ - 1);
      }
    }
  }

  void AppendRows(const Result& result) {
    const size_t before = out_.ids.size();
    out_.ids.insert(out_.ids.end(), result.ids.begin(), result.ids.end());
    room_.Encoded(result.bytes);
    for (const size_t end : result.row_ends) {
      out_.row_offsets.push_back(before + end);
    }
  }

  const BatchParts& parts_;
  const std::vector<size_t> order_;  // of jobs
  const Status no_memory_ = NoMemory("a batch of texts", "encode it");
  // Touched by who is appending alone.
  RoomForIds& room_;
  Encodings& out_;
  std::vector<Result> results_;   // by job
  std::atomic<size_t> next_ = 0;  // of order_
  std::atomic<size_t> first_failed_;
  std::mutex mutex_;
  // Guarded by it.
  bool appending_ = false;
  size_t appended_ = 0;                      // jobs
  std::vector<std::vector<TokenId>> spare_;  // empty, with room
  Status status_;
  size_t failed_text_ = 0;
};

}  // namespace

Status Tokenizer::EncodeBatch(std::span<const std::string_view> texts,
                              EncodeOptions options, Encodings& out,
                              EncodeBatchOptions batch) const {
  if (batch.threads == 0) {
    return InvalidArgumentError("a batch of texts needs a thread, not 0");
  }
  RoomForIds room(texts, out.ids);
  if (batch.threads == 1) {
    for (size_t t = 0; t < texts.size(); ++t) {
      if (Status status = Encode(texts[t], options, out.ids); !status.ok()) {
        out.ids.resize(out.row_offsets.back());
        return NameText(status, t);
      }
      out.row_offsets.push_back(out.ids.size());
      room.Encoded(texts[t].size());
    }
    return OkStatus();
  }
  const BatchParts parts(*this, texts, options);
  BatchRun run(parts, room, out);
  {
    std::vector<std::jthread> others;
    while (others.size() + 1 < std::min(batch.threads, parts.jobs())) {
      auto other = StartThread([&run] { run.TakeJobs(); });
      // Those that there are do it all.
      if (!other.ok()) break;
      others.push_back(*std::move(other));
    }
    run.TakeJobs();
  }
  if (run.status().ok()) return OkStatus();
  out.ids.resize(out.row_offsets.back());
  // A part's error tells offsets in the part: the text's own are wanted.
  std::vector<TokenId> ids;
  const size_t t = run.failed_text();
  const Status status = Encode(texts[t], options, ids);
  return NameText(status.ok() ? run.status() : status, t);
}

}  // namespace penstock
