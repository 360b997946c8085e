#include "infeed/training/checkpoint_saver.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "formats/files/crc32c.h"
#include "formats/files/memory_guard.h"
#include "formats/files/start_thread.h"

namespace penstock {
namespace {

// How often a host looks whether another was told to go.
constexpr std::chrono::milliseconds kNoticePoll(100);
constexpr char kNotice[] = "told to go";

// Whoever tells of it first: the training thread or the saver's.
Status Left() {
  return CancelledError("left before it had finished its checkpoints");
}

}  // namespace

StatusOr<std::unique_ptr<CheckpointSaver>> CheckpointSaver::Start(
    CheckpointFolder folder, const CheckpointOptions& options, Group& group,
    State begin, std::function<void(const Status&)> on_failure) {
  std::unique_ptr<CheckpointSaver> saver(
      new CheckpointSaver(std::move(folder), options, group, std::move(begin),
                          std::move(on_failure)));
  PENSTOCK_ASSIGN_OR_RETURN(saver->thread_,
                            StartThread([self = saver.get()] { self->Run(); }));
  return saver;
}

CheckpointSaver::CheckpointSaver(CheckpointFolder folder,
                                 const CheckpointOptions& options, Group& group,
                                 State begin,
                                 std::function<void(const Status&)> on_failure)
    : folder_(std::move(folder)),
      every_(options.every),
      keep_(std::max<size_t>(options.keep, 1)),
      group_(group),
      on_failure_(std::move(on_failure)),
      before_(std::move(begin)),
      completed_(before_.step) {}

CheckpointSaver::~CheckpointSaver() {
  if (!thread_.joinable()) return;
  bool over = false;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    over = over_;
  }
  changed_.notify_all();
  if (!over) {
    FailGroup(Left());
  }
  thread_.join();
}

Status CheckpointSaver::AfterStep(StepMark mark) {
  std::unique_lock lock(mutex_);
  waited_ = agreeing_;
  changed_.wait(lock, [&] { return !status_.ok() || !agreeing_; });
  if (!status_.ok()) return status_;
  if (finishing_) {
    return FailedPreconditionError(
        fmt::format("{}: a step after Finish()", folder_.path()));
  }
  completed_ = mark.state.step;
  if (last_) before_ = std::move(last_->state);
  last_ = std::move(mark);
  if (!IsDue(completed_)) return OkStatus();
  preempted_ = preempted_ || target_ == completed_;
  return HandIn(lock);
}

bool CheckpointSaver::IsDue(uint64_t step) const {
  return step == target_ || (every_ > 0 && step % every_ == 0);
}

Status CheckpointSaver::HandIn(std::unique_lock<std::mutex>& lock) {
  waited_ = waited_ || pending_.has_value();
  changed_.wait(lock, [&] { return !status_.ok() || !pending_; });
  if (!status_.ok()) return status_;
  Pending pending = {.part = {.step = last_->state.step,
                              .host = group_.host(),
                              .hosts = group_.hosts(),
                              .state = last_->state},
                     .rows = last_->rows};
  if (before_.step + 1 == last_->state.step) pending.part.before = before_;
  const ModelSnapshot model = std::exchange(last_->model, nullptr);
  lock.unlock();
  if (model) pending.model = model();
  lock.lock();
  saved_ = pending.part.step;
  pending_ = std::move(pending);
  changed_.notify_all();
  return status_;
}

void CheckpointSaver::Preempt() {
  {
    const std::lock_guard lock(mutex_);
    noticed_ = true;
  }
  group_.Beat(kNotice);
  changed_.notify_all();
}

bool CheckpointSaver::preempted() const {
  const std::lock_guard lock(mutex_);
  return preempted_;
}

void CheckpointSaver::BeginFinish() {
  std::unique_lock lock(mutex_);
  if (finishing_) return;
  if (last_ && saved_ != last_->state.step) (void)HandIn(lock);
  finishing_ = true;
  changed_.notify_all();
}

Status CheckpointSaver::Finish() {
  BeginFinish();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return over_; });
  return status_;
}

// The first cause of any host is that of all.
void CheckpointSaver::FailGroup(const Status& status) {
  group_.Fail(Annotate(
      status, fmt::format("{}: host {}", folder_.path(), group_.host())));
}

void CheckpointSaver::Run() {
  Status status = GuardMemory(
      ResourceExhaustedError("no memory is left to save a checkpoint"),
      [&] { return RunRounds(); });
  if (!status.ok()) {
    FailGroup(status);
    status = group_.failed();
  }
  // Before this host's training can see it: nobody is to go on and wonder.
  if (!status.ok()) on_failure_(status);
  {
    const std::lock_guard lock(mutex_);
    status_ = status;
    over_ = true;
    agreeing_ = false;
    pending_.reset();
  }
  changed_.notify_all();
}

Status CheckpointSaver::RunRounds() {
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const Wish mine, AwaitWish());
    PENSTOCK_ASSIGN_OR_RETURN(const Wish all, TellWish(mine));
    if (all.notice) PENSTOCK_RETURN_IF_ERROR(AgreeWhereToStop());
    if (all.step > 0) {
      PENSTOCK_RETURN_IF_ERROR(Save(all.step));
    } else if (all.finishing) {
      return OkStatus();
    }
  }
}

StatusOr<CheckpointSaver::Wish> CheckpointSaver::AwaitWish() {
  while (true) {
    const bool others_noticed = OthersNoticed();
    const Status failed = group_.failed();
    if (!failed.ok()) return failed;
    std::unique_lock lock(mutex_);
    noticed_ = noticed_ || others_noticed;
    const Wish wish = {.notice = noticed_ && !target_,
                       .finishing = finishing_,
                       .step = pending_ ? pending_->part.step : 0};
    if (abandoned_) return Left();
    if (wish.notice || wish.finishing || wish.step > 0) return wish;
    if (group_.hosts() == 1) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, kNoticePoll);
    }
  }
}

bool CheckpointSaver::OthersNoticed() const {
  if (group_.hosts() == 1) return false;
  return std::ranges::any_of(group_.Pulses(), [](const HostPulse& pulse) {
    return pulse.report == kNotice;
  });
}

StatusOr<CheckpointSaver::Wish> CheckpointSaver::TellWish(const Wish& mine) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const auto told,
      Gather({mine.notice ? 1u : 0u, mine.finishing ? 1u : 0u, mine.step}));
  Wish all = {.finishing = true};
  for (const std::string& words : told) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto wish, HearNumbers(words, 3));
    all.notice = all.notice || wish[0] != 0;
    all.finishing = all.finishing && wish[1] != 0;
    all.step = std::max(all.step, wish[2]);
  }
  return all;
}

Status CheckpointSaver::AgreeWhereToStop() {
  uint64_t completed = 0;
  {
    const std::lock_guard lock(mutex_);
    if (target_) return OkStatus();
    agreeing_ = true;  // nobody may pass the step that is about to be found
    completed = completed_;
  }
  PENSTOCK_ASSIGN_OR_RETURN(const auto told, Gather({completed}));
  for (const std::string& words : told) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto theirs, HearNumbers(words, 1));
    completed = std::max(completed, theirs[0]);
  }
  {
    const std::lock_guard lock(mutex_);
    target_ = completed + 1;
    agreeing_ = false;
  }
  changed_.notify_all();
  return OkStatus();
}

StatusOr<CheckpointSaver::Pending> CheckpointSaver::AwaitStep(uint64_t step) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return abandoned_ || finishing_ || pending_; });
  if (abandoned_) return Left();
  if (pending_ && pending_->part.step == step) return *pending_;
  return InternalError(fmt::format(
      "was asked to save behind step {} by another host, but is behind step "
      "{}; all hosts must take the same steps and save as often",
      step, completed_));
}

Status CheckpointSaver::Save(uint64_t step) {
  PENSTOCK_ASSIGN_OR_RETURN(const Pending pending, AwaitStep(step));
  if (group_.host() == 0) PENSTOCK_RETURN_IF_ERROR(folder_.Prepare(step));
  PENSTOCK_RETURN_IF_ERROR(Gather({step}).status());
  if (pending.model) {
    const std::string folder = folder_.PathOf(step);
    const Status written = pending.model(folder);
    if (!written.ok()) return Annotate(written, folder + ": the model");
  }
  PENSTOCK_ASSIGN_OR_RETURN(const WrittenFile part,
                            folder_.WritePart(pending.part));
  std::vector<uint64_t> note = {part.size_bytes, part.crc32c,
                                Crc32c(FormatState(pending.part.state))};
  AppendDigests(pending.rows, note);
  PENSTOCK_ASSIGN_OR_RETURN(const auto told, Gather(note));
  PENSTOCK_RETURN_IF_ERROR(CommitParts(step, told));
  PENSTOCK_RETURN_IF_ERROR(Gather({step}).status());
  {
    const std::lock_guard lock(mutex_);
    pending_.reset();
  }
  changed_.notify_all();
  return group_.host() == 0 ? folder_.Prune(keep_, step) : OkStatus();
}

Status CheckpointSaver::CommitParts(uint64_t step,
                                    const std::vector<std::string>& told) {
  CheckpointCommit commit = {.step = step};
  std::vector<std::vector<ShardDigest>> rows;
  uint64_t state = 0;
  for (uint32_t host = 0; host < told.size(); ++host) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto note, HearNumbers(told[host], 3));
    commit.parts.push_back({.name = PartName(host, group_.hosts()),
                            .size_bytes = note[0],
                            .crc32c = static_cast<uint32_t>(note[1])});
    if (host == 0) state = note[2];
    if (note[2] != state) {
      return InternalError(fmt::format(
          "hosts 0 and {} are in different states behind step {}", host, step));
    }
    rows.push_back(DigestsIn(std::span(note).subspan(3)));
  }
  PENSTOCK_ASSIGN_OR_RETURN(commit.records, MergeDigests(rows));
  return group_.host() == 0 ? folder_.Commit(commit) : OkStatus();
}

StatusOr<std::vector<std::string>> CheckpointSaver::Gather(
    const std::vector<uint64_t>& numbers) {
  return group_.AllGather(TellNumbers(numbers));
}

}  // namespace penstock
