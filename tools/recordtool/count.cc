#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "formats/files/status_or.h"
#include "formats/records/record_digest.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/recordtool/empty_files.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/record_commands.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

class Count final : public Command {
 public:
  Count() : Command("count", "Counts records and bytes, reading all") {
    input_.AddFilesTo(*this);
    input_.AddCompressionTo(*this);
    input_.AddManifestTo(*this);
    Group("Output").Flag("--json", json_, "As JSON");
    scan_.AddTo(*this);
  }

  Status Run() override {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<FileScan> scans,
                              scan_.Scan(input_, "count"));
    RecordDigest digest;
    uint64_t bytes = 0;
    EmptyFiles empty;
    Json files = Json::array();
    for (const FileScan& file : scans) {
      PENSTOCK_RETURN_IF_ERROR(file.status);
      for (uint64_t i = 0; i < file.records; ++i) digest.Add(digest.count());
      bytes += file.record_bytes;
      if (file.records == 0) empty.Add(file.path);
      files.push_back({{"file", file.path},
                       {"records", file.records},
                       {"bytes", file.record_bytes}});
      if (!json_) {
        Print("{:>14} records {:>12}  {}\n", WithCommas(file.records),
              HumanBytes(static_cast<double>(file.record_bytes)), file.path);
      }
    }
    const std::string id_digest = fmt::format("{:016x}", digest.value());
    if (json_) {
      const Json json = {{"records", digest.count()},
                         {"bytes", bytes},
                         {"record_id_digest", id_digest},
                         {"empty_files", empty.count},
                         {"files", files}};
      // File names may hold any bytes.
      Print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    } else {
      Print("{:>14} records {:>12}  in {} files, record id digest {}\n",
            WithCommas(digest.count()), HumanBytes(static_cast<double>(bytes)),
            scans.size(), id_digest);
      empty.Report();
    }
    return OkStatus();
  }

 private:
  InputRecords input_;
  ScanSettings scan_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> CountCommand() { return std::make_unique<Count>(); }

}  // namespace penstock
