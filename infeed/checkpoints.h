// A run that goes on where its last checkpoint was, to the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "formats/files/callback.h"
#include "formats/files/status_or.h"
#include "infeed/infeed.h"
#include "pipeline/state.h"

namespace penstock {

class FileSystem;  // formats/files/file.h
class Group;       // pipeline/group.h

struct CheckpointOptions {
  // Saves behind each step whose number divides by this, counted from 1. 0
  // saves only behind the last one, as Finish() and Preempt() always do.
  uint64_t every = 0;
  // Checkpoints that stay, at least 1. Older ones are removed once a newer one
  // is committed.
  size_t keep = 3;
  // All hosts of the run, for checkpoints alone: their rounds have an order of
  // their own. Borrowed. Null is the group of one host.
  Group* group = nullptr;
  // Borrowed. Null is LocalFiles(). All hosts must see the same folder.
  FileSystem* files = nullptr;
};

// Writes and syncs this host's part of the model into `folder`, where all hosts
// write, under names that no other host uses.
using ModelWriter = Callback<Status(const std::string& folder)>;
// Copies what the writer needs, which then runs on another thread while the
// model learns on.
using ModelSnapshot = Callback<ModelWriter()>;

struct Checkpoint {
  uint64_t step = 0;   // taken since the run began
  uint32_t hosts = 1;  // that wrote it
  std::string folder;  // of this step: the model's files are there
  State state;
  // Before the last of these steps, and which records that had, as a number.
  std::optional<State> before;
  uint64_t records = 0;
};

// Saves the state of an infeed with the model's, off the training thread, in
// a folder of checkpoints that are there whole or not at all.
//
//   Infeed infeed(*std::move(pipeline), mesh);
//   auto checkpoints = Checkpoints::Open("run.checkpoints", infeed,
//                                        {.every = 100});
//   if (!checkpoints.ok()) ...
//   while (auto batch = infeed.Next()) {
//     Train(*batch);
//     if (Status saved = checkpoints->AfterStep(*batch); !saved.ok()) ...
//   }
//   if (Status saved = checkpoints->Finish(); !saved.ok()) ...
//
// Every host calls the same, and takes the same steps. The first cause for
// which any host cannot save ends the checkpoints and the infeeds of all of
// them; what was committed before stays.
//
// Threads: AfterStep() and Finish() from one; the others from any.
class Checkpoints {
 public:
  // Where the folder has a checkpoint, `infeed` goes on from the last one; it
  // must not have started, and must outlive this. Proves that it does: the
  // checkpoint's last batch is made again and compared.
  // Errors:  those of files and of Infeed::Restore(); kDataLoss for a damaged
  //          checkpoint; kFailedPrecondition where the step was made of other
  //          records; kInvalidArgument where hosts want different things.
  static StatusOr<Checkpoints> Open(const std::string& folder, Infeed& infeed,
                                    CheckpointOptions options = {});
  Checkpoints(Checkpoints&&) noexcept;
  Checkpoints& operator=(Checkpoints&&) noexcept;
  // Without Finish() what is not committed yet is given up, on all hosts.
  ~Checkpoints();

  // What the infeed goes on from; nullopt where it begins.
  const std::optional<Checkpoint>& resumed() const;

  // Saves behind this batch if it is its turn; to be called for each. Waits
  // only while an earlier save is under way, or hosts agree where to stop.
  // Errors:  the first cause that any host could not save for.
  Status AfterStep(const InfeedBatch& batch, ModelSnapshot model = {});

  // This host is told to go: all hosts save behind the same step, the first
  // that none of them has finished, and are then preempted(). The others hear
  // of it as Group::Pulses() come.
  void Preempt();
  // That step was handed to AfterStep(): leave the loop and call Finish().
  bool preempted() const;

  // Saves behind the last step, unless that is done, and waits for it.
  // Errors:  as AfterStep().
  Status Finish();

 private:
  class Impl;
  explicit Checkpoints(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
