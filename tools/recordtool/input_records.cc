#include "tools/recordtool/input_records.h"

#include <memory>
#include <utility>

#include "formats/datasets/shard_names.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tools/programs/progress.h"
#include "tools/programs/record_choices.h"
#include "tools/programs/running_options.h"

namespace penstock {

void InputRecords::AddFilesTo(Command& command) {
  command.Group("Input")
      .Positional("FILE", patterns, "Files, patterns or base@N")
      .Required();
  command.Group("Input").Choice(
      "--generations", expand.generations,
      {{"one", Generations::kOne}, {"any", Generations::kAny}},
      "Whether a pattern may take shards of several generations together, such "
      "as ...-of-00004 and ...-of-00008");
}

void InputRecords::AddCompressionTo(Command& command) {
  command.Group("Input")
      .Choice("--compression", compression, CompressionChoices(),
              "How the files are wrapped")
      .DefaultsTo("by name, then first bytes");
}

void InputRecords::AddManifestTo(Command& command) {
  command.Group("Input").NoFlag(
      "--ignore-manifest", by_manifest,
      "Reads files that are not what the manifest beside them says");
}

StatusOr<std::vector<DatasetShards>> InputRecords::FindShards() const {
  std::vector<DatasetShards> found;
  for (const std::string& pattern : patterns) {
    PENSTOCK_ASSIGN_OR_RETURN(
        DatasetShards shards,
        DatasetShards::Find(LocalFiles(), pattern, expand));
    found.push_back(std::move(shards));
  }
  return found;
}

StatusOr<std::vector<std::string>> InputRecords::Find() const {
  if (!by_manifest) return FindUnchecked();
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<DatasetShards> found,
                            FindShards());
  std::vector<std::string> paths;
  for (const DatasetShards& shards : found) {
    PENSTOCK_RETURN_IF_ERROR(shards.CheckAll(LocalFiles()));
    paths.insert(paths.end(), shards.paths().begin(), shards.paths().end());
  }
  return paths;
}

StatusOr<std::vector<std::string>> InputRecords::FindUnchecked() const {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> some,
                              ExpandPattern(LocalFiles(), pattern, expand));
    paths.insert(paths.end(), some.begin(), some.end());
  }
  return paths;
}

Status InputRecords::Walk(uint64_t begin, uint64_t end,
                          const Visit& visit) const {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths, Find());
  uint64_t id = 0;
  for (const std::string& path : paths) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const std::unique_ptr<RecordReader> reader,
        OpenTfRecordFile(LocalFiles(), path, compression));
    while (id < end) {
      PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                                reader->NextBlock());
      if (!block.has_value()) break;
      for (size_t i = 0; i < block->records.size() && id < end; ++i, ++id) {
        if (id < begin) continue;
        PENSTOCK_RETURN_IF_ERROR(visit(id, *reader, i, block->records[i]));
      }
    }
  }
  return OkStatus();
}

void ScanSettings::AddTo(Command& command) {
  ArgumentGroup& running = command.Group("Running");
  AddThreads(running, threads,
             "Files, and parts of large ones, read side by side");
  AddQuiet(running, quiet);
}

StatusOr<std::vector<FileScan>> ScanSettings::Scan(const InputRecords& input,
                                                   const char* label) const {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths, input.Find());
  return ScanPaths(paths, label, {.compression = input.compression});
}

std::vector<FileScan> ScanSettings::ScanPaths(
    const std::vector<std::string>& paths, const char* label,
    ScanOptions options) const {
  options.threads = threads;
  Progress progress(label, SizeOfFiles(LocalFiles(), paths), quiet);
  return ScanFiles(LocalFiles(), paths, options, progress);
}

}  // namespace penstock
