#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "formats/record_index.h"
#include "formats/status.h"
#include "tools/index_builder.h"
#include "tools/program.h"
#include "tools/record_commands/input_records.h"
#include "tools/record_commands/record_commands.h"

namespace penstock {
namespace {

struct Index {
  InputRecords input;
  std::vector<std::string> length_of;

  absl::Status Run() const {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                              input.Find());
    for (const std::string& path : paths) {
      PENSTOCK_ASSIGN_OR_RETURN(const RecordIndex index,
                                BuildIndex(LocalFiles(), path, length_of));
      PENSTOCK_RETURN_IF_ERROR(index.Save(LocalFiles(), path));
      fmt::print("{:>14} records  {}\n", WithCommas(index.records()),
                 IndexPath(path));
    }
    return absl::OkStatus();
  }
};

}  // namespace

void AddIndex(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand(
      "index", "Writes the index beside each uncompressed file");
  const auto index = std::make_shared<Index>();
  index->input.AddFilesTo(*sub);
  sub->add_option("--length-of", index->length_of,
                  "Also a column with this feature's length in each record");
  sub->callback(
      [&command, index] { command = [index] { return index->Run(); }; });
}

}  // namespace penstock
