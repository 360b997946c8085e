#include "formats/tfrecord/gzip_tfrecord_writer.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "formats/files/memory_guard.h"
#include "formats/files/status.h"
#include "formats/streams/gzip_member.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// A member on its way. The task that packs it shares it, so that a writer may
// go before its tasks have run.
class PendingMember {
 public:
  explicit PendingMember(Status no_memory) : no_memory_(std::move(no_memory)) {}

  // Whoever holds it alone, before Pack() or after Wait(), may use these.
  std::string framed;
  uint64_t records = 0;
  std::string packed;

  void Pack() {
    Status status = GuardMemory(
        no_memory_, [&] { return PackGzipMember(framed, records, packed); });
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    ready_.notify_one();
  }
  Status Wait() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return status_.has_value(); });
    return *std::exchange(status_, std::nullopt);
  }

 private:
  const Status no_memory_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::optional<Status> status_;  // guarded by mutex_
};

// Members are cut by size alone, so the file does not depend on who packs them.
class GzipTfRecordSink final : public TfRecordSink {
 public:
  GzipTfRecordSink(AtomicFile& file, GzipMembers members, Status no_memory)
      : file_(file),
        options_(std::move(members)),
        no_memory_(std::move(no_memory)),
        current_(std::make_shared<PendingMember>(no_memory_)) {}

  Status Append(std::string_view record) override {
    AppendTfRecord(record, current_->framed);
    ++current_->records;
    return current_->framed.size() >= options_.member_bytes ? EndMember()
                                                            : OkStatus();
  }

  Status Finish() override {
    // A gzip file without any member is no gzip file.
    if (current_->records > 0 || !has_members_) {
      PENSTOCK_RETURN_IF_ERROR(EndMember());
    }
    while (!pending_.empty()) PENSTOCK_RETURN_IF_ERROR(WriteOldest());
    return OkStatus();
  }

 private:
  Status EndMember() {
    has_members_ = true;
    if (options_.run_task) {
      options_.run_task([member = current_] { member->Pack(); });
    } else {
      current_->Pack();
    }
    pending_.push_back(std::exchange(current_, nullptr));
    const size_t most = options_.run_task ? options_.most_ahead : 0;
    while (pending_.size() > most) PENSTOCK_RETURN_IF_ERROR(WriteOldest());
    if (unused_.empty()) {
      current_ = std::make_shared<PendingMember>(no_memory_);
    } else {
      current_ = std::move(unused_.back());
      unused_.pop_back();
    }
    return OkStatus();
  }

  Status WriteOldest() {
    const std::shared_ptr<PendingMember> member = std::move(pending_.front());
    pending_.pop_front();
    PENSTOCK_RETURN_IF_ERROR(member->Wait());
    PENSTOCK_RETURN_IF_ERROR(file_.Append(member->packed));
    member->framed.clear();
    member->records = 0;
    unused_.push_back(member);
    return OkStatus();
  }

  AtomicFile& file_;
  const GzipMembers options_;
  const Status no_memory_;
  std::shared_ptr<PendingMember> current_;
  std::deque<std::shared_ptr<PendingMember>> pending_;  // oldest first
  std::vector<std::shared_ptr<PendingMember>> unused_;  // their memory
  bool has_members_ = false;
};

}  // namespace

std::unique_ptr<TfRecordSink> MakeGzipTfRecordSink(AtomicFile& file,
                                                   GzipMembers members,
                                                   Status no_memory) {
  return std::make_unique<GzipTfRecordSink>(file, std::move(members),
                                            std::move(no_memory));
}

}  // namespace penstock
