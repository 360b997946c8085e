#include <fmt/format.h>

#include <memory>
#include <string>

#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "tools/programs/output.h"
#include "tools/recordtool/example_json.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/record_commands.h"

namespace penstock {
namespace {

class Head final : public Command {
 public:
  Head() : Command("head", "Shows the first records, for people") {
    input_.AddFilesTo(*this);
    input_.AddCompressionTo(*this);
    input_.AddManifestTo(*this);
    ArgumentGroup& output = Group("Output");
    output.Number("-n,--records", records_, "N", "How many records");
    output.Number("--values", values_, "N",
                  "How many values of a feature, and how many tens of bytes of "
                  "a text");
    Examples(kExamples);
  }

  Status Run() override {
    return input_.Walk(0, records_,
                       [&](uint64_t id, const RecordReader& reader, size_t i,
                           std::string_view record) -> Status {
                         const StatusOr<std::string> text =
                             ExampleToText(record, values_);
                         if (!text.ok())
                           return Annotate(text.status(), reader.Locate(i));
                         return WriteOutput(fmt::format(
                             "{}{}, {} bytes\n{}", id == 0 ? "" : "\n",
                             reader.Locate(i), record.size(), *text));
                       });
  }

 private:
  static constexpr char kExamples[] = R"(
  recordtool head data/books-train.tfrecord@8
  recordtool head old.tfrecord.gz --records 1 --values 100)";

  InputRecords input_;
  uint64_t records_ = 5;
  uint64_t values_ = 12;
};

}  // namespace

std::unique_ptr<Command> HeadCommand() { return std::make_unique<Head>(); }

}  // namespace penstock
