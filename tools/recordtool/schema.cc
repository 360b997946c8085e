#include "formats/datasets/schema.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/record_commands.h"
#include "tools/recordtool/row_scan.h"

namespace penstock {
namespace {

class SchemaOfRecords final : public Command {
 public:
  SchemaOfRecords()
      : Command("schema",
                "Prints the features of all records, or checks them") {
    input_.AddFilesTo(*this);
    input_.AddCompressionTo(*this);
    input_.AddManifestTo(*this);
    Group("Input").Option(
        "--check", check_, "FILE",
        "A file that this command wrote: exit code 1 and the record if one "
        "does not fit it");
    scan_.AddTo(*this);
    Examples(kExamples);
    Notes("docs/formats/schema.md describes the text.");
  }

  Status Run() override {
    std::optional<Schema> wanted;
    if (!check_.empty()) {
      PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                                ReadWholeFile(LocalFiles(), check_, 64 << 20));
      PENSTOCK_ASSIGN_OR_RETURN(wanted, Schema::FromText(text, check_));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                              input_.Find());
    std::vector<Schema> found(paths.size());  // one thread a file
    Progress progress("schema", SizeOfFiles(LocalFiles(), paths), scan_.quiet);
    PENSTOCK_RETURN_IF_ERROR(ScanRows(
        LocalFiles(), paths, input_.compression, scan_.threads, progress,
        [&](size_t file, std::string_view, std::span<const RowFeature> row,
            FunctionRef<std::string()> locate) -> Status {
          if (!wanted) return found[file].Add(row, locate);
          ++found[file].rows;
          const Status status = wanted->Check(row);
          return status.ok() ? status : Annotate(status, locate());
        }));
    Schema all;
    for (const Schema& one : found) PENSTOCK_RETURN_IF_ERROR(all.Merge(one));
    if (wanted) {
      Print("{} records of {} files are as {} says\n", WithCommas(all.rows),
            paths.size(), check_);
    } else {
      Print("{}", all.ToText());
    }
    return OkStatus();
  }

 private:
  static constexpr char kExamples[] = R"(
  recordtool schema data/books-train.tfrecord@8 > books.schema
  recordtool schema --check books.schema new/books-train.tfrecord@8)";

  InputRecords input_;
  ScanSettings scan_;
  std::string check_;
};

}  // namespace

std::unique_ptr<Command> SchemaCommand() {
  return std::make_unique<SchemaOfRecords>();
}

}  // namespace penstock
