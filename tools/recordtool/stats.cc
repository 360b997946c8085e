#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/datasets/schema.h"
#include "formats/files/file.h"
#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/recordtool/empty_files.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/length_histogram.h"
#include "tools/recordtool/record_commands.h"
#include "tools/recordtool/row_scan.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kBarWidth = 40;

struct Totals {
  uint64_t records = 0;
  LengthHistogram record_bytes;
  Schema schema;
  std::map<std::string, LengthHistogram, std::less<>> lengths;

  Status Add(std::string_view record, std::span<const RowFeature> row,
             FunctionRef<std::string()> locate) {
    PENSTOCK_RETURN_IF_ERROR(schema.Add(row, locate));
    ++records;
    record_bytes.Add(record.size());
    for (const RowFeature& one : row) {
      auto at = lengths.find(one.name);
      if (at == lengths.end()) {
        at = lengths.emplace(std::string(one.name), LengthHistogram()).first;
      }
      at->second.Add(one.type == FeatureType::kBytes ? one.bytes : one.values);
    }
    return OkStatus();
  }
  Status Merge(const Totals& other) {
    PENSTOCK_RETURN_IF_ERROR(schema.Merge(other.schema));
    records += other.records;
    record_bytes.Merge(other.record_bytes);
    for (const auto& [name, histogram] : other.lengths) {
      lengths[name].Merge(histogram);
    }
    return OkStatus();
  }
};

Json ToJson(const LengthHistogram& histogram) {
  Json buckets = Json::array();
  for (size_t b = 0; b < LengthHistogram::kBuckets; ++b) {
    if (histogram.in_bucket(b) == 0) continue;
    buckets.push_back({{"from", LengthHistogram::Begin(b)},
                       {"records", histogram.in_bucket(b)}});
  }
  return {{"sum", histogram.sum()},
          {"min", histogram.least()},
          {"max", histogram.most()},
          {"mean", histogram.mean()},
          {"histogram", std::move(buckets)}};
}

void PrintHistogram(const std::string& title,
                    const LengthHistogram& histogram) {
  Print("\n{}: {}..{}, mean {:.1f}\n", title, WithCommas(histogram.least()),
        WithCommas(histogram.most()), histogram.mean());
  uint64_t highest = 1;
  for (size_t b = 0; b < LengthHistogram::kBuckets; ++b) {
    highest = std::max(highest, histogram.in_bucket(b));
  }
  for (size_t b = 0; b < LengthHistogram::kBuckets; ++b) {
    const uint64_t count = histogram.in_bucket(b);
    if (count == 0) continue;
    const auto width = static_cast<size_t>(
        static_cast<double>(count) / static_cast<double>(highest) * kBarWidth);
    Print("{:>16} {:>14}  {}\n",
          "from " + WithCommas(LengthHistogram::Begin(b)), WithCommas(count),
          std::string(std::max<size_t>(width, 1), '#'));
  }
}

class Stats final : public Command {
 public:
  Stats()
      : Command("stats", "Counts, sizes, features and lengths of all records") {
    input_.AddFilesTo(*this);
    input_.AddCompressionTo(*this);
    input_.AddManifestTo(*this);
    Group("Output").Flag("--json", json_, "As JSON");
    scan_.AddTo(*this);
    Examples(kExamples);
    Notes(kNotes);
  }

  Status Run() override {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                              input_.Find());
    const uint64_t file_bytes = SizeOfFiles(LocalFiles(), paths);
    std::vector<Totals> each(paths.size());  // one thread a file
    Progress progress("stats", file_bytes, scan_.quiet);
    PENSTOCK_RETURN_IF_ERROR(ScanRows(
        LocalFiles(), paths, input_.compression, scan_.threads, progress,
        [&](size_t file, std::string_view record,
            std::span<const RowFeature> row,
            FunctionRef<std::string()> locate) {
          return each[file].Add(record, row, locate);
        }));
    Totals all;
    for (const Totals& one : each) PENSTOCK_RETURN_IF_ERROR(all.Merge(one));
    EmptyFiles empty;
    for (size_t i = 0; i < paths.size(); ++i) {
      if (each[i].records == 0) empty.Add(paths[i]);
    }
    if (json_) {
      PrintJson(paths, each, all, file_bytes, empty);
    } else {
      PrintTables(paths, all, file_bytes, empty);
    }
    return OkStatus();
  }

 private:
  static constexpr char kExamples[] = R"(
  recordtool stats data/books-train.tfrecord@8
  recordtool stats 'data/*.tfrecord-*' --threads 16 --json > stats.json)";
  static constexpr char kNotes[] = R"(
The length of a feature in a record is its number of values; of bytes, the
bytes of its values together. Histograms count between powers of two.)";

  static void PrintJson(const std::vector<std::string>& paths,
                        const std::vector<Totals>& each, const Totals& all,
                        uint64_t file_bytes, const EmptyFiles& empty) {
    Json out = {{"records", all.records},
                {"file_bytes", file_bytes},
                {"empty_files", empty.count},
                {"record_bytes", ToJson(all.record_bytes)},
                {"files", Json::array()},
                {"features", Json::object()}};
    for (size_t i = 0; i < paths.size(); ++i) {
      out["files"].push_back({{"file", paths[i]},
                              {"records", each[i].records},
                              {"bytes", each[i].record_bytes.sum()}});
    }
    for (const auto& [name, feature] : all.schema.features) {
      out["features"][name] = {{"type", FeatureTypeName(feature.type)},
                               {"rows", feature.rows},
                               {"min_values", feature.min_values},
                               {"max_values", feature.max_values},
                               {"length", ToJson(all.lengths.at(name))}};
      if (feature.type == FeatureType::kBytes) {
        out["features"][name]["utf8"] = feature.is_utf8;
      }
    }
    Print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
  }

  static void PrintTables(const std::vector<std::string>& paths,
                          const Totals& all, uint64_t file_bytes,
                          const EmptyFiles& empty) {
    Print("{} records in {} files, {} as stored\n", WithCommas(all.records),
          paths.size(), HumanBytes(static_cast<double>(file_bytes)));
    empty.Report();
    Print("\n{:<24} {:<10} {:>12} {:>14} {:>16}\n", "feature", "type",
          "records", "values each", "length in all");
    for (const auto& [name, feature] : all.schema.features) {
      const bool utf8 = feature.type == FeatureType::kBytes && feature.is_utf8;
      Print("{:<24} {:<10} {:>12} {:>14} {:>16}\n", name,
            fmt::format("{}{}", FeatureTypeName(feature.type),
                        utf8 ? " utf8" : ""),
            WithCommas(feature.rows),
            feature.min_values == feature.max_values
                ? WithCommas(feature.min_values)
                : fmt::format("{}..{}", feature.min_values, feature.max_values),
            WithCommas(all.lengths.at(name).sum()));
    }
    PrintHistogram("bytes of a record", all.record_bytes);
    for (const auto& [name, histogram] : all.lengths) {
      PrintHistogram("length of " + name, histogram);
    }
  }

  InputRecords input_;
  ScanSettings scan_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> StatsCommand() { return std::make_unique<Stats>(); }

}  // namespace penstock
