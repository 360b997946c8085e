// recordtool: looks at TFRecord files and makes their indexes.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/record_digest.h"
#include "formats/record_index.h"
#include "formats/shard_names.h"
#include "formats/status.h"
#include "tools/example_json.h"
#include "tools/index_builder.h"
#include "tools/program.h"
#include "tools/record_scan.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kExamples[] = R"(
Examples:
  recordtool count data/books-train.tfrecord@8
  recordtool verify 'data/*.tfrecord-*' --threads 4
  recordtool index old.tfrecord --length-of tokens
  recordtool inspect data/books-train.tfrecord@8 --records 100
  recordtool cat data/books-train.tfrecord@8 --start 1000 --limit 3

Files are named one by one, as a pattern with * and ?, or as base@N, which is
base-00000-of-0000N and so on. Record ids run over the files in that order.)";

struct Arguments {
  std::vector<std::string> patterns;
  std::optional<Compression> compression;
  int threads = 0;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> length_of;
  uint64_t start = 0;
  uint64_t limit = 0;
  uint64_t inspect_records = 1000;
};

absl::StatusOr<std::vector<std::string>> FindFiles(const Arguments& arguments) {
  std::vector<std::string> paths;
  for (const std::string& pattern : arguments.patterns) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> some,
                              ExpandPattern(LocalFiles(), pattern));
    paths.insert(paths.end(), some.begin(), some.end());
  }
  return paths;
}

absl::StatusOr<std::vector<FileScan>> Scan(const Arguments& arguments,
                                           const char* label) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                            FindFiles(arguments));
  Progress progress(label, SizeOfFiles(LocalFiles(), paths), arguments.quiet);
  return ScanFiles(LocalFiles(), paths, arguments.compression,
                   arguments.threads, progress);
}

absl::Status Count(const Arguments& arguments) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<FileScan> scans,
                            Scan(arguments, "count"));
  RecordDigest digest;
  uint64_t bytes = 0;
  Json files = Json::array();
  for (const FileScan& scan : scans) {
    PENSTOCK_RETURN_IF_ERROR(scan.status);
    for (uint64_t i = 0; i < scan.records; ++i) digest.Add(digest.count());
    bytes += scan.record_bytes;
    files.push_back({{"file", scan.path},
                     {"records", scan.records},
                     {"bytes", scan.record_bytes}});
    if (!arguments.json) {
      fmt::print("{:>14} records {:>12}  {}\n", WithCommas(scan.records),
                 HumanBytes(static_cast<double>(scan.record_bytes)), scan.path);
    }
  }
  const std::string id_digest = fmt::format("{:016x}", digest.value());
  if (arguments.json) {
    fmt::print("{}\n", Json{{"records", digest.count()},
                            {"bytes", bytes},
                            {"record_id_digest", id_digest},
                            {"files", files}}
                           .dump(2));
  } else {
    fmt::print("{:>14} records {:>12}  in {} files, record id digest {}\n",
               WithCommas(digest.count()),
               HumanBytes(static_cast<double>(bytes)), scans.size(), id_digest);
  }
  return absl::OkStatus();
}

absl::Status Verify(const Arguments& arguments) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<FileScan> scans,
                            Scan(arguments, "verify"));
  size_t bad = 0;
  uint64_t records = 0;
  for (const FileScan& scan : scans) {
    records += scan.records;
    if (scan.status.ok()) continue;
    ++bad;
    fmt::print("BAD {} ({} records before it are good)\n",
               std::string(scan.status.message()), WithCommas(scan.records));
  }
  if (bad > 0) {
    return absl::DataLossError(
        fmt::format("{} of {} files are bad", bad, scans.size()));
  }
  fmt::print("{} files, {} records: every checksum is right\n", scans.size(),
             WithCommas(records));
  return absl::OkStatus();
}

absl::Status Index(const Arguments& arguments) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                            FindFiles(arguments));
  for (const std::string& path : paths) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const RecordIndex index,
        BuildIndex(LocalFiles(), path, arguments.length_of));
    PENSTOCK_RETURN_IF_ERROR(index.Save(LocalFiles(), path));
    fmt::print("{:>14} records  {}\n", WithCommas(index.records()),
               IndexPath(path));
  }
  return absl::OkStatus();
}

// Calls visit(id, reader, i, block) for ids in [begin, end) of all files.
absl::Status Walk(
    const Arguments& arguments, uint64_t begin, uint64_t end,
    const std::function<absl::Status(uint64_t, const RecordReader&, size_t,
                                     std::string_view)>& visit) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                            FindFiles(arguments));
  uint64_t id = 0;
  for (const std::string& path : paths) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const std::unique_ptr<RecordReader> reader,
        OpenTfRecordFile(LocalFiles(), path, arguments.compression));
    while (id < end) {
      PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                                reader->NextBlock());
      if (!block.has_value()) break;
      for (size_t i = 0; i < block->records.size() && id < end; ++i, ++id) {
        if (id < begin) continue;
        PENSTOCK_RETURN_IF_ERROR(visit(id, *reader, i, block->records[i]));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Inspect(const Arguments& arguments) {
  std::map<std::string, FeatureSummary> features;
  uint64_t rows = 0;
  PENSTOCK_RETURN_IF_ERROR(
      Walk(arguments, 0, arguments.inspect_records,
           [&](uint64_t, const RecordReader& reader, size_t i,
               std::string_view record) -> absl::Status {
             ++rows;
             const absl::Status status = SummarizeExample(record, features);
             return status.ok() ? status : Annotate(status, reader.Locate(i));
           }));
  if (arguments.json) {
    Json json = {{"rows", rows}, {"features", Json::object()}};
    for (const auto& [name, f] : features) {
      json["features"][name] = {{"type", f.type},
                                {"rows", f.rows},
                                {"values", f.values},
                                {"min_values", f.min_values},
                                {"max_values", f.max_values},
                                {"bytes", f.bytes}};
    }
    fmt::print("{}\n", json.dump(2));
    return absl::OkStatus();
  }
  fmt::print("features of the first {} records\n", WithCommas(rows));
  fmt::print("{:<24} {:<6} {:>10} {:>12} {:>24}\n", "feature", "type", "rows",
             "values", "values a row");
  for (const auto& [name, f] : features) {
    fmt::print("{:<24} {:<6} {:>10} {:>12} {:>24}\n", name, f.type,
               WithCommas(f.rows), WithCommas(f.values),
               fmt::format("{}..{} mean {:.1f}", f.min_values, f.max_values,
                           static_cast<double>(f.values) /
                               static_cast<double>(f.rows)));
  }
  return absl::OkStatus();
}

absl::Status Cat(const Arguments& arguments) {
  const uint64_t end = arguments.limit == 0
                           ? std::numeric_limits<uint64_t>::max()
                           : arguments.start + arguments.limit;
  return Walk(arguments, arguments.start, end,
              [&](uint64_t id, const RecordReader& reader, size_t i,
                  std::string_view record) -> absl::Status {
                absl::StatusOr<std::string> features = ExampleToJson(record);
                if (!features.ok()) {
                  return Annotate(features.status(), reader.Locate(i));
                }
                fmt::print("{{\"id\":{},\"file\":{},\"features\":{}}}\n", id,
                           Json(reader.path()).dump(), *features);
                return absl::OkStatus();
              });
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  using namespace penstock;  // NOLINT: the program's own names
  Arguments arguments;
  std::function<absl::Status(const Arguments&)> command;
  CLI::App app("Looks at TFRecord files and makes their indexes.",
               "recordtool");
  app.footer(kExamples);
  app.set_version_flag("--version", PENSTOCK_VERSION);
  app.require_subcommand(1);

  const auto add = [&](const char* name, const char* help,
                       absl::Status (*run)(const Arguments&)) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->add_option("files", arguments.patterns, "Files, patterns or base@N")
        ->required();
    sub->callback([&command, run] { command = run; });
    if (run != Index) {
      sub->add_option("--compression", arguments.compression,
                      "none, gzip or zlib (default: by the name)")
          ->transform(
              CLI::CheckedTransformer(std::map<std::string, Compression>{
                  {"none", Compression::kNone},
                  {"gzip", Compression::kGzip},
                  {"zlib", Compression::kZlib}}));
    }
    return sub;
  };
  const auto add_scan_options = [&](CLI::App* sub) {
    sub->add_option("--threads", arguments.threads,
                    "Files read side by side (0: one for each core)")
        ->check(CLI::Range(0, 1024));
    sub->add_flag("-q,--quiet", arguments.quiet, "No progress");
  };

  CLI::App* count =
      add("count", "Counts records and bytes, reading all", Count);
  add_scan_options(count);
  count->add_flag("--json", arguments.json, "As JSON");
  add_scan_options(add("verify",
                       "Verifies every checksum; exit code 1 if any is wrong",
                       Verify));
  add("index", "Writes the index beside each uncompressed file", Index)
      ->add_option("--length-of", arguments.length_of,
                   "Also a column with this feature's length in each record");
  CLI::App* inspect = add("inspect", "Tells which features there are", Inspect);
  inspect
      ->add_option("--records", arguments.inspect_records,
                   "How many records to look at")
      ->capture_default_str();
  inspect->add_flag("--json", arguments.json, "As JSON");
  CLI::App* cat = add("cat", "Prints records as JSON, one a line", Cat);
  cat->add_option("--start", arguments.start, "First record id")
      ->capture_default_str();
  cat->add_option("--limit", arguments.limit, "How many (0: all)")
      ->capture_default_str();

  return RunProgram(app, argc, argv, [&] { return command(arguments); });
}
