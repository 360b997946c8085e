#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "formats/corpora/json_check.h"
#include "formats/corpora/text_buffer.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/streams/file_kind.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tools/programs/leftover_files.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/programs/text_input.h"
#include "tools/recordtool/json_examples.h"
#include "tools/recordtool/record_commands.h"

namespace penstock {
namespace {

// As many as a whole number outside 64 bits has, one behind the other.
bool HasManyDigits(std::string_view line) {
  constexpr int kFewest = 19;
  int digits = 0;
  for (const char c : line) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits == kFewest) return true;
  }
  return false;
}

class Pack final : public Command {
 public:
  Pack()
      : Command("pack",
                "Writes records from JSON lines, as `cat` prints them") {
    ArgumentGroup& input = Group("Input");
    input.Positional("INPUT", from_, "JSON lines; - reads the standard input")
        .Required();
    input
        .Positional("OUTPUT", to_,
                    "The new file; gzip where its name ends in .gz")
        .Required();
    input.Flag("--sequence", sequence_,
               "The records are SequenceExamples, with a context and lists");
    Group("Output").Flag("--force", force_, "Replaces an output that exists");
    Examples(kExamples);
    Notes(kNotes);
  }

  Status Run() override {
    const StatusOr<FileInfo> existing = LocalFiles().Stat(to_);
    if (!force_ && existing.ok() && !existing->is_stream) {
      return AlreadyExistsError(
          fmt::format("{}: exists already; --force replaces it", to_));
    }
    ClearLeftovers("recordtool", to_);
    PENSTOCK_ASSIGN_OR_RETURN(
        const auto writer,
        CreateTfRecord(LocalFiles(), to_,
                       {.compression = CompressionOfFile(to_)}));
    uint64_t number = 0;
    PENSTOCK_RETURN_IF_ERROR(
        ReadSeparated(from_, '\n', [&](std::string_view line) -> Status {
          ++number;
          const StatusOr<std::string> record = RecordOf(line);
          if (record.ok()) return writer->Append(*record);
          return Annotate(record.status(), fmt::format("{}:{}", from_, number));
        }));
    PENSTOCK_RETURN_IF_ERROR(writer->Finish());
    Print("{}: {} records\n", to_, WithCommas(writer->records()));
    return OkStatus();
  }

 private:
  static constexpr char kExamples[] = R"(
  recordtool cat old.tfrecord | grep english | recordtool pack - new.tfrecord
  recordtool pack --sequence clips.jsonl clips.tfrecord)";
  static constexpr char kNotes[] = R"(
Whole numbers without a point become int64, other numbers float, and so do
{"float": "NaN"}, {"float": "Infinity"} and {"float": "-Infinity"}. Bytes are
text or {"base64": "..."}. A list has values of one kind.)";

  StatusOr<std::string> RecordOf(std::string_view line) const {
    const nlohmann::json json =
        nlohmann::json::parse(line, /*cb=*/nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("features")) {
      return InvalidArgumentError(
          "expected a JSON object with \"features\", as `recordtool cat` "
          "prints");
    }
    // A whole number of over 64 bits was made a float.
    if (line.starts_with(kUtf8Mark)) line.remove_prefix(kUtf8Mark.size());
    const auto fault = HasManyDigits(line) ? FindJsonFault(line) : std::nullopt;
    if (fault) {
      return InvalidArgumentError(
          fmt::format("column {}: {}", fault->offset + 1, fault->what));
    }
    return sequence_ ? SequenceExampleFromJson(json["features"])
                     : ExampleFromJson(json["features"]);
  }

  std::string from_;
  std::string to_;
  bool sequence_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> PackCommand() { return std::make_unique<Pack>(); }

}  // namespace penstock
