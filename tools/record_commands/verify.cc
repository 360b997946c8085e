#include <fmt/format.h>

#include <memory>

#include "formats/status.h"
#include "tools/program.h"
#include "tools/record_commands/input_records.h"
#include "tools/record_commands/record_commands.h"

namespace penstock {
namespace {

struct Verify {
  InputRecords input;
  ScanSettings scan;

  absl::Status Run() const {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<FileScan> scans,
                              scan.Scan(input, "verify"));
    size_t bad = 0;
    uint64_t records = 0;
    for (const FileScan& file : scans) {
      records += file.records;
      if (file.status.ok()) continue;
      ++bad;
      fmt::print("BAD {} ({} records before it are good)\n",
                 std::string(file.status.message()), WithCommas(file.records));
    }
    if (bad > 0) {
      return absl::DataLossError(
          fmt::format("{} of {} files are bad", bad, scans.size()));
    }
    fmt::print("{} files, {} records: every checksum is right\n", scans.size(),
               WithCommas(records));
    return absl::OkStatus();
  }
};

}  // namespace

void AddVerify(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand(
      "verify", "Verifies every checksum; exit code 1 if any is wrong");
  const auto verify = std::make_shared<Verify>();
  verify->input.AddFilesTo(*sub);
  verify->input.AddCompressionTo(*sub);
  verify->scan.AddTo(*sub);
  sub->callback(
      [&command, verify] { command = [verify] { return verify->Run(); }; });
}

}  // namespace penstock
