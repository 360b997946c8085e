#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "bench/peers/worker.h"
#include "formats/example/example_parser.h"
#include "formats/index/record_files.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"
#include "formats/open.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "formats/tfrecord/tfrecord_reader.h"
#include "formats/tfrecord/tfrecord_writer.h"

namespace penstock::peers {
namespace {

constexpr size_t kBatch = 256;

Work CountAll(StatusOr<std::unique_ptr<RecordReader>> reader) {
  if (!reader.ok()) Fail(std::string(reader.status().message()));
  Work work;
  while (true) {
    const auto block = (*reader)->NextBlock();
    if (!block.ok()) Fail(std::string(block.status().message()));
    if (!*block) return work;
    work.records += (*block)->records.size();
    for (const std::string_view record : (*block)->records) {
      work.bytes += record.size();
    }
  }
}

Job Read(Compression compression) {
  return [compression](const std::string& path) {
    Work work = CountAll(
        OpenTfRecord(LocalFiles(), path, {.compression = compression}));
    work.bytes += work.records * kTfRecordFramingBytes;
    return work;
  };
}

// All records of a file, kept.
const std::vector<std::string>& Records(const std::string& path) {
  static auto& kept = *new std::map<std::string, std::vector<std::string>>();
  std::vector<std::string>& records = kept[path];
  if (!records.empty()) return records;
  auto reader = OpenTfRecord(LocalFiles(), path);
  while (reader.ok()) {
    const auto block = (*reader)->NextBlock();
    if (!block.ok() || !*block) break;
    for (const auto& record : (*block)->records) records.emplace_back(record);
  }
  if (records.empty()) Fail(path + ": no records");
  return records;
}

// `path` is "from:to".
Job Write(Compression compression) {
  return [compression](const std::string& path) {
    const size_t colon = path.find(':');
    const auto& records = Records(path.substr(0, colon));
    auto writer = CreateTfRecord(LocalFiles(), path.substr(colon + 1),
                                 {.compression = compression});
    if (!writer.ok()) Fail(std::string(writer.status().message()));
    for (const std::string& record : records) {
      if (!(*writer)->Append(record).ok()) Fail("cannot write " + path);
    }
    if (!(*writer)->Finish().ok()) Fail("cannot write " + path);
    return Work{records.size(), (*writer)->framed_bytes()};
  };
}

Work Gather(const std::string& path) {
  static std::unique_ptr<RecordFiles> files;
  static std::mt19937_64 random(3);
  static GatheredRecords out;
  if (files == nullptr) {
    if (!BuildRecordIndex(LocalFiles(), path)->Save(LocalFiles(), path).ok())
      Fail(path + ": no index");
    files = *RecordFiles::Open(LocalFiles(), {path});
  }
  std::vector<uint64_t> ids(kGathered);
  for (uint64_t& id : ids) id = random() % files->records();
  if (!files->Gather(ids, out).ok()) Fail(path + ": not gathered");
  Work work{ids.size(), 0};
  for (const std::string_view record : out.records) work.bytes += record.size();
  return work;
}

std::vector<FeatureSpec> TextSpecs() {
  return {{.name = "text", .type = FeatureType::kBytes, .length = 1},
          {.name = "id", .type = FeatureType::kBytes, .length = 1},
          {.name = "label", .length = 1}};
}

Job Parse(std::vector<FeatureSpec> specs) {
  // Kept from batch to batch and pass to pass, as a loop keeps them.
  const auto out = std::make_shared<Examples>();
  return [specs, out](const std::string& path) {
    const auto& records = Records(path);
    const std::vector<std::string_view> views(records.begin(),
                                              records.begin() + kParsed);
    const auto parser = ExampleParser::Create(specs);
    Work work;
    for (size_t at = 0; at < views.size(); at += kBatch) {
      const size_t count = std::min(kBatch, views.size() - at);
      out->Clear();
      const Status status = parser->Parse(
          {views.data() + at, count}, [](size_t) { return std::string(); },
          *out);
      if (!status.ok()) Fail(std::string(status.message()));
      work.records += count;
      for (size_t i = at; i < at + count; ++i) work.bytes += views[i].size();
    }
    return work;
  };
}

Work ReadAndParse(const std::string& path) {
  static const auto parser = ExampleParser::Create(TextSpecs());
  static Examples out;
  auto reader = OpenTfRecord(LocalFiles(), path);
  Work work;
  while (reader.ok()) {
    const auto block = (*reader)->NextBlock();
    if (!block.ok()) Fail(std::string(block.status().message()));
    if (!*block) break;
    out.Clear();
    const auto& records = (*block)->records;
    if (!parser
             ->Parse(
                 records, [](size_t) { return std::string(); }, out)
             .ok())
      Fail(path + ": not parsed");
    work.records += records.size();
    for (const std::string_view record : records) work.bytes += record.size();
  }
  return work;
}

Work Index(const std::string& path) {
  const auto index =
      BuildRecordIndex(LocalFiles(), path, {.check = IndexCheck::kHeaders});
  if (!index.ok()) Fail(std::string(index.status().message()));
  return {index->records(), index->file().size_bytes};
}

}  // namespace

Jobs AllJobs() {
  const auto corpus = [](const std::string& path) {
    return CountAll(OpenRecords(LocalFiles(), path));
  };
  Jobs jobs = {{"read", Read(Compression::kNone)},
               {"read_gzip", Read(Compression::kGzip)},
               {"write", Write(Compression::kNone)},
               {"write_gzip", Write(Compression::kGzip)},
               {"gather", Gather},
               {"parse_text", Parse(TextSpecs())},
               {"parse_tokens", Parse({{.name = "tokens", .length = 2048}})},
               {"read_and_parse", ReadAndParse},
               {"index", Index},
               {"jsonl", corpus},
               {"tar_zst", corpus}};
  jobs.merge(BareJobs());
  return jobs;
}

}  // namespace penstock::peers
