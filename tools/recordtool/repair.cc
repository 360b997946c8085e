#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/recovery.h"
#include "tools/programs/leftover_files.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/programs/running_options.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/record_commands.h"
#include "tools/recordtool/record_repair.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

// File names and reasons may hold any bytes.
std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

class RepairOne final : public Command {
 public:
  RepairOne()
      : Command("repair",
                "Copies every good record to a new file; tells what is lost") {
    ArgumentGroup& input = Group("Input");
    input.Positional("INPUT", from_, "The damaged file").Required();
    input
        .Positional("OUTPUT", to_,
                    "The new file; gzip where its name ends in .gz")
        .Required();
    input_.AddCompressionTo(*this);
    ArgumentGroup& output = Group("Output");
    output.Flag("--force", force_, "Replaces an output that exists");
    output.Flag("--json", json_, "The report as JSON");
    AddQuiet(Group("Running"), quiet_);
  }

  Status Run() override {
    ClearLeftovers("recordtool", to_);
    Progress progress("repair", SizeOfFiles(LocalFiles(), {from_}), quiet_);
    PENSTOCK_ASSIGN_OR_RETURN(
        const Repair repair,
        RepairTfRecord(LocalFiles(), from_, to_,
                       {.compression = input_.compression, .replace = force_},
                       progress));
    if (json_) {
      PrintJson(repair);
    } else {
      PrintText(repair);
    }
    return OkStatus();
  }

 private:
  void PrintJson(const Repair& repair) const {
    Json skipped = Json::array();
    for (const SkippedRegion& region : repair.skipped) {
      skipped.push_back({{"begin", region.begin},
                         {"end", region.end},
                         {"reason", region.reason}});
    }
    Print("{}\n", Dump({{"input", from_},
                        {"input_bytes", repair.input_bytes},
                        {"output", to_},
                        {"records", repair.records},
                        {"record_bytes", repair.record_bytes},
                        {"skipped_bytes", repair.skipped_bytes},
                        {"skipped", skipped}}));
  }

  void PrintText(const Repair& repair) const {
    for (const SkippedRegion& region : repair.skipped) {
      Print("{}\n", SkippedText(region));
    }
    Print("{}: {} records, {}\n", to_, WithCommas(repair.records),
          HumanBytes(static_cast<double>(repair.record_bytes)));
    if (repair.skipped.empty()) {
      Print("nothing was lost: every checksum of {} is right\n", from_);
      return;
    }
    Print("lost: {} in {} places of {} ({})\n",
          HumanBytes(static_cast<double>(repair.skipped_bytes)),
          WithCommas(repair.skipped.size()), from_,
          HumanBytes(static_cast<double>(repair.input_bytes)));
  }

  InputRecords input_;  // for its compression
  std::string from_;
  std::string to_;
  bool force_ = false;
  bool json_ = false;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> RepairCommand() {
  return std::make_unique<RepairOne>();
}

}  // namespace penstock
