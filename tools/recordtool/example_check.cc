#include "tools/recordtool/example_check.h"

#include <atomic>
#include <memory>

#include "formats/example/row_summary.h"
#include "formats/files/status_or.h"
#include "formats/records/recovery.h"
#include "pipeline/tasks/task_queue.h"
#include "tools/recordtool/record_scan.h"

namespace penstock {
namespace {

Status CheckFile(FileSystem& files, const std::string& path,
                 std::optional<Compression> compression,
                 std::vector<std::string>& bad,
                 std::atomic<uint64_t>& records) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::unique_ptr<RecordReader> reader,
      OpenTfRecordFile(files, path, compression,
                       {.on_corruption = OnCorruption::kResync,
                        .on_skipped = [](const SkippedRegion&) {}}));
  RowSummarizer summarizer;
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader->NextBlock());
    if (!block.has_value()) return OkStatus();
    for (size_t i = 0; i < block->records.size(); ++i) {
      const Status status = summarizer.Summarize(block->records[i]).status();
      if (status.ok()) continue;
      bad.emplace_back(Annotate(status, reader->Locate(i)).message());
    }
    records += block->records.size();
  }
}

}  // namespace

StatusOr<std::vector<BadExamples>> FindBadExamples(
    FileSystem& files, const std::vector<std::string>& paths,
    std::optional<Compression> compression, int threads, Progress& progress) {
  std::vector<BadExamples> bad(paths.size());
  std::atomic<uint64_t> done_bytes = 0;
  std::atomic<uint64_t> records = 0;
  {
    PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<TaskQueue> tasks,
                              TaskQueue::Create(threads));
    for (size_t i = 0; i < paths.size(); ++i) {
      tasks->Run([&, i] {
        bad[i].status =
            CheckFile(files, paths[i], compression, bad[i].reasons, records);
        done_bytes += SizeOfFiles(files, {paths[i]});
        progress.Update(done_bytes, records);
      });
    }
  }  // waits for all of them
  progress.Finish(done_bytes, records);
  return bad;
}

}  // namespace penstock
