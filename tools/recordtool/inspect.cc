#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "formats/files/status.h"
#include "formats/records/record_reader.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/recordtool/example_json.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/record_commands.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;
using Features = std::map<std::string, FeatureSummary>;

class Inspect final : public Command {
 public:
  Inspect() : Command("inspect", "Tells which features there are") {
    input_.AddFilesTo(*this);
    input_.AddCompressionTo(*this);
    input_.AddManifestTo(*this);
    ArgumentGroup& output = Group("Output");
    output.Number("--records", records_, "N", "How many records to look at")
        .AtLeast(1);
    output.Flag("--json", json_, "As JSON");
    Examples(kExamples);
  }

  Status Run() override {
    Features features;
    uint64_t rows = 0;
    PENSTOCK_RETURN_IF_ERROR(input_.Walk(
        0, records_,
        [&](uint64_t, const RecordReader& reader, size_t i,
            std::string_view record) -> Status {
          ++rows;
          const Status status = SummarizeExample(record, features);
          return status.ok() ? status : Annotate(status, reader.Locate(i));
        }));
    if (json_) {
      PrintJson(rows, features);
    } else {
      PrintTable(rows, features);
    }
    return OkStatus();
  }

 private:
  static constexpr char kExamples[] = R"(
  recordtool inspect data/books-train.tfrecord@8 --records 100
  recordtool inspect old.tfrecord --json)";

  static void PrintJson(uint64_t rows, const Features& features) {
    Json all = {{"rows", rows}, {"features", Json::object()}};
    for (const auto& [name, f] : features) {
      all["features"][name] = {{"type", f.type},
                               {"rows", f.rows},
                               {"values", f.values},
                               {"min_values", f.min_values},
                               {"max_values", f.max_values},
                               {"bytes", f.bytes}};
    }
    Print("{}\n", all.dump(2));
  }

  static void PrintTable(uint64_t rows, const Features& features) {
    Print("features of the first {} records\n", WithCommas(rows));
    Print("{:<24} {:<6} {:>10} {:>12} {:>24}\n", "feature", "type", "rows",
          "values", "values a row");
    for (const auto& [name, f] : features) {
      Print("{:<24} {:<6} {:>10} {:>12} {:>24}\n", name, f.type,
            WithCommas(f.rows), WithCommas(f.values),
            fmt::format(
                "{}..{} mean {:.1f}", f.min_values, f.max_values,
                static_cast<double>(f.values) / static_cast<double>(f.rows)));
    }
  }

  InputRecords input_;
  uint64_t records_ = 1000;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> InspectCommand() {
  return std::make_unique<Inspect>();
}

}  // namespace penstock
