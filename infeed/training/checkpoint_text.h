// The files of a checkpoint, and what hosts tell each other of them.
//
//   run.checkpoints/
//     step-000000000100/
//       host-00000-of-00004.state   FormatPart(), one of each host
//       ...                        what the model's writers put there
//       COMMIT                     FormatCommit(): the checkpoint is whole
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/state.h"

namespace penstock {

// What a host writes.
struct CheckpointPart {
  uint64_t step = 0;
  uint32_t host = 0;
  uint32_t hosts = 1;
  State state;
  std::optional<State> before = std::nullopt;  // the step's last batch
};

// A file of a checkpoint as it was written.
struct WrittenFile {
  std::string name;
  uint64_t size_bytes = 0;
  uint32_t crc32c = 0;

  bool operator==(const WrittenFile&) const = default;
};

// A file that a model's writer left. Its bytes may be many, and are not read.
struct ModelFile {
  std::string name;  // from the step's folder on: "layers/3.weights"
  uint64_t size_bytes = 0;

  bool operator==(const ModelFile&) const = default;
};

// What makes them a checkpoint.
struct CheckpointCommit {
  uint64_t step = 0;
  uint64_t records = 0;  // MergeDigests() of the step's last batch
  std::vector<WrittenFile> parts = {};  // [hosts]
  std::vector<ModelFile> model = {};
};

// Errors:  kDataLoss for damaged text; kUnimplemented for another version;
//          those of ParseState().
std::string FormatPart(const CheckpointPart& part);
StatusOr<CheckpointPart> ParsePart(std::string_view text);
std::string FormatCommit(const CheckpointCommit& commit);
StatusOr<CheckpointCommit> ParseCommit(std::string_view text);

// "step-000000000100", and back; nullopt of other names.
std::string StepFolderName(uint64_t step);
std::optional<uint64_t> StepOfFolder(std::string_view name);
std::string PartName(uint32_t host, uint32_t hosts);

// Numbers from host to host.
// Errors:  kInternal for what are not at least so many numbers.
std::string TellNumbers(const std::vector<uint64_t>& numbers);
StatusOr<std::vector<uint64_t>> HearNumbers(std::string_view told,
                                            size_t at_least);

}  // namespace penstock
