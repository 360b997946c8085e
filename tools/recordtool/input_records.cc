#include "tools/recordtool/input_records.h"

#include <map>
#include <memory>

#include "formats/datasets/shard_names.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tools/programs/progress.h"

namespace penstock {

void InputRecords::AddFilesTo(CLI::App& sub) {
  sub.add_option("files", patterns, "Files, patterns or base@N")->required();
}

void InputRecords::AddCompressionTo(CLI::App& sub) {
  sub.add_option("--compression", compression,
                 "none, gzip or zlib (default: by the name)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Compression>{{"none", Compression::kNone},
                                             {"gzip", Compression::kGzip},
                                             {"zlib", Compression::kZlib}}));
}

StatusOr<std::vector<std::string>> InputRecords::Find() const {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> some,
                              ExpandPattern(LocalFiles(), pattern));
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

void ScanSettings::AddTo(CLI::App& sub) {
  sub.add_option("--threads", threads,
                 "Files, and parts of large ones, read side by side (0: "
                 "one for each core)")
      ->check(CLI::Range(0, 1024));
  sub.add_flag("-q,--quiet", quiet, "No progress");
}

StatusOr<std::vector<FileScan>> ScanSettings::Scan(
    const InputRecords& input, const char* label,
    OnCorruption on_corruption) const {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths, input.Find());
  Progress progress(label, SizeOfFiles(LocalFiles(), paths), quiet);
  return ScanFiles(LocalFiles(), paths,
                   {.compression = input.compression,
                    .threads = threads,
                    .on_corruption = on_corruption},
                   progress);
}

}  // namespace penstock
