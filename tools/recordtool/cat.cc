#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "tools/programs/output.h"
#include "tools/recordtool/example_json.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/record_commands.h"

namespace penstock {
namespace {

// File names may hold any bytes.
std::string NameToJson(const std::string& name) {
  using Json = nlohmann::json;
  return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Cat final : public Command {
 public:
  Cat() : Command("cat", "Prints records, as JSON or as they are") {
    input_.AddFilesTo(*this);
    input_.AddCompressionTo(*this);
    input_.AddManifestTo(*this);
    Group("Input").Flag(
        "--sequence", sequence_,
        "The records are SequenceExamples, with a context and lists");
    ArgumentGroup& output = Group("Output");
    output.Number("--start", start_, "ID", "First record id");
    output.Number("--limit", limit_, "N", "How many; 0 is all");
    output.Flag("--raw", raw_, "The bytes of the records, one after the other")
        .Excludes({"--json"});
    output.NoFlag("--json", raw_,
                  "JSON, one record a line, as without this option");
    Examples(kExamples);
  }

  Status Run() override {
    constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();
    const uint64_t end =
        limit_ == 0 || limit_ > kAll - start_ ? kAll : start_ + limit_;
    return input_.Walk(start_, end,
                       [this](uint64_t id, const RecordReader& reader, size_t i,
                              std::string_view record) -> Status {
                         if (raw_) return WriteOutput(record);
                         StatusOr<std::string> features =
                             sequence_ ? SequenceExampleToJson(record)
                                       : ExampleToJson(record);
                         if (!features.ok()) {
                           return Annotate(features.status(), reader.Locate(i));
                         }
                         return WriteOutput(fmt::format(
                             "{{\"id\":{},\"file\":{},\"features\":{}}}\n", id,
                             NameToJson(reader.path()), *features));
                       });
  }

 private:
  static constexpr char kExamples[] = R"(
  recordtool cat data/books-train.tfrecord@8 --start 1000 --limit 3 --json
  recordtool cat data/books-train.tfrecord@8 --start 7 --limit 1 --raw |
      protoc --decode_raw)";

  InputRecords input_;
  uint64_t start_ = 0;
  uint64_t limit_ = 0;
  bool raw_ = false;
  bool sequence_ = false;
};

}  // namespace

std::unique_ptr<Command> CatCommand() { return std::make_unique<Cat>(); }

}  // namespace penstock
