// The thread of a host that saves checkpoints with those of the other hosts.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/checkpoints.h"
#include "infeed/training/checkpoint_folder.h"
#include "infeed/training/row_digests.h"
#include "pipeline/group.h"

namespace penstock {

// A step that this host's devices took.
struct StepMark {
  State state;  // behind it
  std::vector<ShardDigest> rows;
  ModelSnapshot model = {};
};

// Hosts meet in rounds of the group, begun by any of them: one that has a step
// to save, was told to go or is done. A round says who has what; a notice is
// followed by one in which training stands still and the highest step is found,
// a step by those of the save: ready, written, committed.
//
// Threads: AfterStep(), BeginFinish() and Finish() from one; the others from
//          any.
class CheckpointSaver {
 public:
  // `begin` is the state before the first step. `on_failure` is called once, on
  // the thread, with the cause that all hosts get. `group` is borrowed.
  static StatusOr<std::unique_ptr<CheckpointSaver>> Start(
      CheckpointFolder folder, const CheckpointOptions& options, Group& group,
      State begin, std::function<void(const Status&)> on_failure);
  ~CheckpointSaver();

  // See Checkpoints.
  Status AfterStep(StepMark mark);
  // Whether the last AfterStep() had to.
  bool waited() const { return waited_; }
  void Preempt();
  bool preempted() const;
  // Finish() of hosts that share a thread: begin all, then finish each.
  void BeginFinish();
  Status Finish();

 private:
  struct Pending {
    CheckpointPart part;
    std::vector<ShardDigest> rows;
    ModelWriter model;
  };
  struct Wish {
    bool notice = false;
    bool finishing = false;
    uint64_t step = 0;  // to be saved; 0 is none
  };

  CheckpointSaver(CheckpointFolder folder, const CheckpointOptions& options,
                  Group& group, State begin,
                  std::function<void(const Status&)> on_failure);

  // Of the training thread, with the mutex held by `lock`.
  Status HandIn(std::unique_lock<std::mutex>& lock);
  bool IsDue(uint64_t step) const;

  void FailGroup(const Status& status);  // of any thread

  // Of this object's thread.
  void Run();
  Status RunRounds();
  StatusOr<Wish> AwaitWish();
  bool OthersNoticed() const;
  StatusOr<Wish> TellWish(const Wish& mine);
  Status AgreeWhereToStop();
  StatusOr<Pending> AwaitStep(uint64_t step);
  Status Save(uint64_t step);
  Status CommitParts(uint64_t step, const std::vector<std::string>& told);
  StatusOr<std::vector<std::string>> Gather(
      const std::vector<uint64_t>& numbers);

  CheckpointFolder folder_;
  const uint64_t every_;
  const size_t keep_;
  Group& group_;
  const std::function<void(const Status&)> on_failure_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  Status status_;
  State before_;                  // the last step
  std::optional<StepMark> last_;  // step handed in
  uint64_t completed_ = 0;
  uint64_t saved_ = 0;  // the last step that was pending
  std::optional<Pending> pending_;
  std::optional<uint64_t> target_;  // where all stop
  bool noticed_ = false;
  bool agreeing_ = false;
  bool preempted_ = false;
  bool finishing_ = false;
  bool abandoned_ = false;
  bool over_ = false;

  bool waited_ = false;  // of the training thread
  std::jthread thread_;
};

}  // namespace penstock
