#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/output_path.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_text.h"
#include "pipeline/tasks/task_queue.h"
#include "tools/programs/leftover_files.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/programs/record_choices.h"
#include "tools/programs/running_options.h"
#include "tools/recordtool/file_compression.h"
#include "tools/recordtool/index_builder.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/record_commands.h"

namespace penstock {
namespace {

enum class IndexForm { kBinary, kDali };

class Index final : public Command {
 public:
  Index()
      : Command("index",
                "Writes the index beside each file: uncompressed ones, and "
                "gzip ones made by datagen") {
    input_.AddFilesTo(*this);
    input_.AddCompressionTo(*this);
    Group("Input").Option(
        "--from-dali", from_dali_, "FILE",
        "Takes the places from this text index of the one file, each compared "
        "with the file");
    ArgumentGroup& output = Group("Output");
    output.Option("--length-of", length_of_.names, "FEATURE",
                  "Also a column with this feature's length in each record");
    output
        .Choice("--token-encoding", length_of_.encoding, TokenEncodingChoices(),
                "How its values lie in a record: int64, or as an array of "
                "uint16 or uint32 in bytes")
        .DefaultsTo("as the manifest says")
        .Needs("--length-of");
    output.Choice("--form", form_,
                  {{"binary", IndexForm::kBinary}, {"dali", IndexForm::kDali}},
                  "binary (.FILE.index), or dali: the text of tfrecord2idx "
                  "(FILE.idx)");
    ArgumentGroup& running = Group("Running");
    running.Flag("--verify", verify_,
                 "Reads and verifies every record, not only the headers");
    AddThreads(running, threads_, "How many files at once");
  }

  Status Run() override {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                              input_.FindUnchecked());
    if (!from_dali_.empty() && paths.size() != 1) {
      return InvalidArgumentError(
          fmt::format("--from-dali: one file belongs to {}, but {} are named",
                      from_dali_, paths.size()));
    }
    std::string last_folder;
    for (const std::string& path : paths) {
      const std::string folder = FolderOf(path);
      if (folder != last_folder) ClearLeftovers("recordtool", path);
      last_folder = folder;
    }
    std::vector<StatusOr<uint64_t>> records(paths.size());
    {
      PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<TaskQueue> tasks,
                                TaskQueue::Create(threads_));
      for (size_t i = 0; i < paths.size(); ++i) {
        tasks->Run([&, i] { records[i] = IndexOne(paths[i]); });
      }
    }  // waits for all of them
    Status first_failure;
    for (size_t i = 0; i < paths.size(); ++i) {
      if (records[i].ok()) {
        Print("{:>14} records  {}\n", WithCommas(*records[i]),
              NameOf(paths[i]));
      } else if (first_failure.ok()) {
        first_failure = records[i].status();
      }
    }
    return first_failure;
  }

 private:
  std::string NameOf(const std::string& path) const {
    return form_ == IndexForm::kDali ? path + ".idx" : IndexPath(path);
  }

  // Its number of records.
  StatusOr<uint64_t> IndexOne(const std::string& path) const {
    PENSTOCK_ASSIGN_OR_RETURN(const RecordIndex index, Make(path));
    if (form_ == IndexForm::kDali) {
      PENSTOCK_RETURN_IF_ERROR(
          WriteIndexText(LocalFiles(), NameOf(path), index));
    } else {
      PENSTOCK_RETURN_IF_ERROR(index.Save(LocalFiles(), path));
    }
    return index.records();
  }

  StatusOr<RecordIndex> Make(const std::string& path) const {
    const Compression compression =
        FindCompression(LocalFiles(), path, input_.compression);
    const IndexCheck check = verify_ ? IndexCheck::kAll : IndexCheck::kHeaders;
    if (from_dali_.empty()) {
      return BuildIndex(LocalFiles(), path, length_of_,
                        {.compression = compression, .check = check});
    }
    PENSTOCK_ASSIGN_OR_RETURN(
        RecordIndex index,
        ReadIndexText(LocalFiles(), from_dali_, path, check));
    if (length_of_.names.empty()) return index;
    return AddLengths(LocalFiles(), path, index, length_of_, compression);
  }

  InputRecords input_;
  MeasuredFeatures length_of_;
  IndexForm form_ = IndexForm::kBinary;
  std::string from_dali_;
  bool verify_ = false;
  int threads_ = 0;
};

}  // namespace

std::unique_ptr<Command> IndexCommand() { return std::make_unique<Index>(); }

}  // namespace penstock
