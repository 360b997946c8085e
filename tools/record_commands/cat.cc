#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "formats/status.h"
#include "tools/example_json.h"
#include "tools/record_commands/input_records.h"
#include "tools/record_commands/record_commands.h"

namespace penstock {
namespace {

struct Cat {
  InputRecords input;
  uint64_t start = 0;
  uint64_t limit = 0;

  absl::Status Run() const {
    const uint64_t end =
        limit == 0 ? std::numeric_limits<uint64_t>::max() : start + limit;
    return input.Walk(
        start, end,
        [](uint64_t id, const RecordReader& reader, size_t i,
           std::string_view record) -> absl::Status {
          absl::StatusOr<std::string> features = ExampleToJson(record);
          if (!features.ok()) {
            return Annotate(features.status(), reader.Locate(i));
          }
          fmt::print("{{\"id\":{},\"file\":{},\"features\":{}}}\n", id,
                     nlohmann::json(reader.path()).dump(), *features);
          return absl::OkStatus();
        });
  }
};

}  // namespace

void AddCat(CLI::App& app, Command& command) {
  CLI::App* sub =
      app.add_subcommand("cat", "Prints records as JSON, one a line");
  const auto cat = std::make_shared<Cat>();
  cat->input.AddFilesTo(*sub);
  cat->input.AddCompressionTo(*sub);
  sub->add_option("--start", cat->start, "First record id")
      ->capture_default_str();
  sub->add_option("--limit", cat->limit, "How many (0: all)")
      ->capture_default_str();
  sub->callback([&command, cat] { command = [cat] { return cat->Run(); }; });
}

}  // namespace penstock
