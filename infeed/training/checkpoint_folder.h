// The folder that a run's checkpoints are in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "infeed/training/checkpoint_text.h"

namespace penstock {

// A step's folder is a checkpoint once it has its COMMIT; until then, and once
// that is gone, it is nothing, whatever else it holds. Killed at any call, the
// same checkpoints are there as before, or one more, or those that Prune()
// keeps.
//
// Threads: one at a time; WritePart() of each host at once.
class CheckpointFolder {
 public:
  CheckpointFolder(FileSystem& files, std::string path)
      : files_(files), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string PathOf(uint64_t step) const;

  // Makes the folder where it is not there.
  Status Create();
  // The steps of all checkpoints, rising.
  StatusOr<std::vector<uint64_t>> Committed();
  // The text of a checkpoint's COMMIT and of its first part.
  // Errors:  kDataLoss where a part is not what was committed, or a file of the
  //          model is not there or has another size.
  StatusOr<std::pair<std::string, std::string>> Read(uint64_t step);

  // Makes the step's folder anew for those who write into it.
  // Errors:  kAlreadyExists where it is a checkpoint.
  Status Prepare(uint64_t step);
  StatusOr<WrittenFile> WritePart(const CheckpointPart& part);
  // With the files of the model that are there, whatever `commit` says.
  // Errors:  kFailedPrecondition where this host does not see a part;
  //          kInvalidArgument for a model's file with a line break in its name.
  Status Commit(CheckpointCommit commit);
  // Removes all checkpoints but the last `keep`, and what was not committed
  // before `step`.
  Status Prune(size_t keep, uint64_t step);

 private:
  StatusOr<std::vector<uint64_t>> Steps();
  StatusOr<bool> IsCommitted(uint64_t step);
  Status CheckModel(const CheckpointCommit& commit);
  Status RemoveStep(uint64_t step);
  Status RemoveAllIn(const std::string& folder);
  // Those in `folder` and the folders in it, whose names go on from `prefix`.
  Status FindFiles(const std::string& folder, const std::string& prefix,
                   std::vector<ModelFile>& found);
  // Whether it is one to go into.
  bool IsOwnFolder(const std::string& path);

  FileSystem& files_;
  const std::string path_;
};

}  // namespace penstock
