#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/recovery.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/recordtool/dataset_proof.h"
#include "tools/recordtool/empty_files.h"
#include "tools/recordtool/example_check.h"
#include "tools/recordtool/input_records.h"
#include "tools/recordtool/record_commands.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

// What reading everything told.
struct Verdict {
  struct File {
    const FileScan* scan = nullptr;
    bool listed = false;  // a manifest speaks of it
    Status proof;         // by the manifest and the index
    std::vector<std::string> bad_examples;
  };
  std::vector<FileScan> scans;
  std::vector<File> files;
  Status tfds;  // by dataset_info.json

  uint64_t records() const {
    uint64_t records = 0;
    for (const FileScan& scan : scans) records += scan.records;
    return records;
  }
  static size_t Places(const File& file) {
    return file.scan->skipped.size() + (file.scan->status.ok() ? 0 : 1) +
           (file.proof.ok() ? 0 : 1) + file.bad_examples.size();
  }
  uint64_t bad_places() const {
    uint64_t places = tfds.ok() ? 0 : 1;
    for (const File& file : files) places += Places(file);
    return places;
  }
  bool all_listed() const { return std::ranges::all_of(files, &File::listed); }
};

Json ProblemsOf(const Verdict::File& file) {
  Json problems = Json::array();
  for (const SkippedRegion& region : file.scan->skipped) {
    problems.push_back({{"reason", region.reason},
                        {"begin", region.begin},
                        {"end", region.end}});
  }
  for (const Status& status : {file.scan->status, file.proof}) {
    if (!status.ok()) {
      problems.push_back({{"reason", std::string(status.message())}});
    }
  }
  for (const std::string& why : file.bad_examples) {
    problems.push_back({{"reason", why}});
  }
  return problems;
}

class Verify final : public Command {
 public:
  Verify()
      : Command("verify",
                "Names every bad record and every file that is not what its "
                "manifest or index says; exit code 1 if there is any") {
    input_.AddFilesTo(*this);
    input_.AddCompressionTo(*this);
    input_.AddManifestTo(*this);
    Group("Input").Flag("--examples", examples_,
                        "Reads all a second time and also names every record "
                        "that is no tf.train.Example");
    Group("Output").Flag("--json", json_, "The report as JSON");
    scan_.AddTo(*this);
  }

  Status Run() override {
    PENSTOCK_ASSIGN_OR_RETURN(const Verdict verdict, Judge());
    if (json_) {
      PrintJson(verdict);
    } else {
      PrintText(verdict);
    }
    const uint64_t places = verdict.bad_places();
    if (places == 0) return OkStatus();
    const auto bad = std::ranges::count_if(
        verdict.files,
        [](const Verdict::File& file) { return Verdict::Places(file) > 0; });
    if (bad == 0) return verdict.tfds;
    return DataLossError(
        fmt::format("{} of {} files are bad, in {} places; {} records are good",
                    bad, verdict.files.size(), WithCommas(places),
                    WithCommas(verdict.records())));
  }

 private:
  // Reads on behind damage, so that all of it is named.
  StatusOr<Verdict> Judge() const {
    Verdict verdict;
    std::vector<DatasetShards> sets;
    std::vector<std::string> paths;
    if (input_.by_manifest) {
      PENSTOCK_ASSIGN_OR_RETURN(sets, input_.FindShards());
      for (const DatasetShards& shards : sets) {
        paths.insert(paths.end(), shards.paths().begin(), shards.paths().end());
      }
    } else {
      PENSTOCK_ASSIGN_OR_RETURN(paths, input_.FindUnchecked());
    }
    verdict.scans = scan_.ScanPaths(paths, "verify",
                                    {.compression = input_.compression,
                                     .on_corruption = OnCorruption::kResync,
                                     .chain = input_.by_manifest});
    for (const FileScan& scan : verdict.scans) {
      verdict.files.push_back({.scan = &scan});
    }
    size_t next = 0;
    for (const DatasetShards& shards : sets) {
      for (size_t i = 0; i < shards.paths().size(); ++i) {
        Verdict::File& file = verdict.files[next++];
        file.listed = shards.Listed(i) != nullptr;
        // Of damage is told already.
        if (Verdict::Places(file) > 0) continue;
        file.proof = ProveShard(LocalFiles(), shards, i, *file.scan);
      }
    }
    // Records that are lost are told already.
    if (input_.by_manifest && verdict.bad_places() == 0) {
      verdict.tfds = ProveTfds(LocalFiles(), verdict.scans);
    }
    if (examples_) {
      Progress progress("examples", SizeOfFiles(LocalFiles(), paths),
                        scan_.quiet);
      PENSTOCK_ASSIGN_OR_RETURN(
          auto bad, FindBadExamples(LocalFiles(), paths, input_.compression,
                                    scan_.threads, progress));
      for (size_t i = 0; i < bad.size(); ++i) {
        Verdict::File& file = verdict.files[i];
        file.bad_examples = std::move(bad[i].reasons);
        // What ended the first reading is told already.
        if (!file.scan->status.ok() || bad[i].status.ok()) continue;
        file.bad_examples.emplace_back(bad[i].status.message());
      }
    }
    return verdict;
  }

  static void PrintText(const Verdict& verdict) {
    EmptyFiles empty;
    for (const Verdict::File& file : verdict.files) {
      const FileScan& scan = *file.scan;
      for (const SkippedRegion& region : scan.skipped) {
        Print("BAD {}; bytes [{}, {}) are no good record\n", region.reason,
              region.begin, region.end);
      }
      if (!scan.status.ok()) {
        Print("BAD {}; the rest of the file was not read\n",
              std::string(scan.status.message()));
      }
      if (!file.proof.ok()) {
        Print("BAD {}\n", std::string(file.proof.message()));
      }
      for (const std::string& why : file.bad_examples) Print("BAD {}\n", why);
      const size_t places = Verdict::Places(file);
      if (places > 0) {
        Print("    {}: {} good records, {} bad places\n", scan.path,
              WithCommas(scan.records), WithCommas(places));
      } else if (scan.records == 0) {
        empty.Add(scan.path);
      }
    }
    empty.Report();
    if (verdict.bad_places() > 0) return;
    Print("{} files, {} records: every checksum is right{}\n",
          verdict.files.size(), WithCommas(verdict.records()),
          verdict.all_listed() ? ", and all is as the manifest says" : "");
  }

  static void PrintJson(const Verdict& verdict) {
    Json files = Json::array();
    for (const Verdict::File& file : verdict.files) {
      files.push_back({{"file", file.scan->path},
                       {"records", file.scan->records},
                       {"bytes", file.scan->file_bytes},
                       {"in_manifest", file.listed},
                       {"problems", ProblemsOf(file)}});
    }
    Json json = {{"ok", verdict.bad_places() == 0},
                 {"records", verdict.records()},
                 {"bad_places", verdict.bad_places()}};
    if (!verdict.tfds.ok()) {
      json["dataset_info"] = std::string(verdict.tfds.message());
    }
    json["files"] = std::move(files);
    // File names and reasons may hold any bytes.
    Print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  }

  InputRecords input_;
  ScanSettings scan_;
  bool examples_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> VerifyCommand() { return std::make_unique<Verify>(); }

}  // namespace penstock
