#include "formats/gzip_tfrecord_writer.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "formats/gzip_member.h"
#include "formats/status.h"
#include "formats/tfrecord_framing.h"

namespace penstock {
namespace {

// A member on its way. The task that packs it shares it, so that a writer may
// go before its tasks have run.
class PendingMember {
 public:
  // Whoever holds it alone, before Pack() or after Wait(), may use these.
  std::string framed;
  uint64_t records = 0;
  std::string packed;

  void Pack() {
    absl::Status status = PackGzipMember(framed, records, packed);
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    ready_.notify_one();
  }
  absl::Status Wait() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return status_.has_value(); });
    return *std::exchange(status_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::optional<absl::Status> status_;  // guarded by mutex_
};

// Members are cut by size alone, so the file does not depend on who packs them.
class GzipTfRecordWriter final : public TfRecordWriter {
 public:
  GzipTfRecordWriter(std::string path, std::unique_ptr<AtomicFile> file,
                     GzipMembers members)
      : path_(std::move(path)),
        options_(std::move(members)),
        file_(std::move(file)),
        current_(std::make_shared<PendingMember>()) {}

  absl::Status Append(std::string_view record) override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    AppendTfRecord(record, current_->framed);
    ++current_->records;
    ++records_;
    framed_bytes_ += record.size() + kTfRecordFramingBytes;
    if (current_->framed.size() >= options_.member_bytes) {
      failed_ = EndMember();
    }
    return failed_;
  }

  absl::Status Finish() override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    // A gzip file without any member is no gzip file.
    if (current_->records > 0 || records_ == 0) failed_ = EndMember();
    while (failed_.ok() && !pending_.empty()) failed_ = WriteOldest();
    if (failed_.ok()) failed_ = file_->Commit();
    PENSTOCK_RETURN_IF_ERROR(failed_);
    file_ = nullptr;
    return absl::OkStatus();
  }

  uint64_t records() const override { return records_; }
  uint64_t framed_bytes() const override { return framed_bytes_; }

 private:
  absl::Status Ready() const {
    if (!failed_.ok() || file_ != nullptr) return failed_;
    return absl::FailedPreconditionError(
        fmt::format("{}: is finished already", path_));
  }

  absl::Status EndMember() {
    if (options_.run_task) {
      options_.run_task([member = current_] { member->Pack(); });
    } else {
      current_->Pack();
    }
    pending_.push_back(std::exchange(current_, nullptr));
    const size_t most = options_.run_task ? options_.most_ahead : 0;
    while (pending_.size() > most) PENSTOCK_RETURN_IF_ERROR(WriteOldest());
    if (unused_.empty()) {
      current_ = std::make_shared<PendingMember>();
    } else {
      current_ = std::move(unused_.back());
      unused_.pop_back();
    }
    return absl::OkStatus();
  }

  absl::Status WriteOldest() {
    const std::shared_ptr<PendingMember> member = std::move(pending_.front());
    pending_.pop_front();
    PENSTOCK_RETURN_IF_ERROR(member->Wait());
    PENSTOCK_RETURN_IF_ERROR(file_->Append(member->packed));
    member->framed.clear();
    member->records = 0;
    unused_.push_back(member);
    return absl::OkStatus();
  }

  const std::string path_;
  const GzipMembers options_;
  std::unique_ptr<AtomicFile> file_;  // null after Finish()
  std::shared_ptr<PendingMember> current_;
  std::deque<std::shared_ptr<PendingMember>> pending_;  // oldest first
  std::vector<std::shared_ptr<PendingMember>> unused_;  // their memory
  uint64_t records_ = 0;
  uint64_t framed_bytes_ = 0;
  absl::Status failed_;
};

}  // namespace

std::unique_ptr<TfRecordWriter> MakeGzipTfRecordWriter(
    std::string path, std::unique_ptr<AtomicFile> file, GzipMembers members) {
  return std::make_unique<GzipTfRecordWriter>(std::move(path), std::move(file),
                                              std::move(members));
}

}  // namespace penstock
