#include "tools/recordtool/index_builder.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "formats/datasets/manifest.h"
#include "formats/example/example_parser.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "tools/recordtool/example_json.h"
#include "tools/recordtool/record_scan.h"

namespace penstock {
namespace {

StatusOr<FeatureType> TypeOf(const std::string& feature,
                             std::string_view record) {
  std::map<std::string, FeatureSummary> summaries;
  PENSTOCK_RETURN_IF_ERROR(SummarizeExample(record, summaries));
  const auto found = summaries.find(feature);
  for (const FeatureType type :
       {FeatureType::kBytes, FeatureType::kFloat, FeatureType::kInt64}) {
    if (found != summaries.end() && found->second.type == FeatureTypeName(type))
      return type;
  }
  return InvalidArgumentError(
      fmt::format("has no feature \"{}\" to measure; `recordtool inspect` "
                  "lists the features",
                  feature));
}

uint64_t LengthOf(const Column& column, size_t row) {
  if (column.type != FeatureType::kBytes) return column.values_in(row);
  return column.byte_offsets[column.row_offsets[row + 1]] -
         column.byte_offsets[column.row_offsets[row]];
}

StatusOr<std::vector<LengthColumn>> MeasureLengths(
    FileSystem& files, const std::string& path,
    const MeasuredFeatures& measured, Compression compression) {
  const std::vector<std::string>& features = measured.names;
  std::vector<LengthColumn> columns;
  for (const std::string& feature : features) columns.push_back({feature, {}});
  PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader,
                            OpenTfRecordFile(files, path, compression));
  PENSTOCK_ASSIGN_OR_RETURN(const std::optional<Manifest> manifest,
                            LoadManifestBeside(files, path));
  std::optional<ExampleParser> parser;
  Examples examples;
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader->NextBlock());
    if (!block.has_value()) return columns;
    if (!parser.has_value()) {
      std::vector<FeatureSpec> specs;
      for (const std::string& feature : features) {
        StatusOr<FeatureType> type = TypeOf(feature, block->records[0]);
        if (!type.ok()) return Annotate(type.status(), reader->Locate(0));
        const ManifestFeature* known =
            manifest ? manifest->Find(feature) : nullptr;
        const FeatureEncoding encoding = measured.encoding.value_or(
            known == nullptr ? FeatureEncoding::kPlain : known->encoding);
        if (encoding != FeatureEncoding::kPlain) type = FeatureType::kInt64;
        specs.push_back({.name = feature, .type = *type, .encoding = encoding});
      }
      PENSTOCK_ASSIGN_OR_RETURN(parser,
                                ExampleParser::Create(std::move(specs)));
    }
    examples.Clear();
    PENSTOCK_RETURN_IF_ERROR(parser->Parse(
        block->records, [&](size_t i) { return reader->Locate(i); }, examples));
    for (size_t c = 0; c < columns.size(); ++c) {
      for (size_t row = 0; row < examples.rows; ++row) {
        const uint64_t length = LengthOf(examples.columns[c], row);
        if (length > std::numeric_limits<uint32_t>::max()) {
          return ResourceExhaustedError(
              fmt::format("{}: feature \"{}\" has {} values; an index holds "
                          "lengths up to 2^32 - 1",
                          reader->Locate(row), columns[c].name, length));
        }
        columns[c].lengths.push_back(static_cast<uint32_t>(length));
      }
    }
  }
}

}  // namespace

StatusOr<RecordIndex> BuildIndex(FileSystem& files, const std::string& path,
                                 const MeasuredFeatures& features,
                                 IndexBuildOptions options) {
  // Measuring verifies all there is.
  if (!features.names.empty()) options.check = IndexCheck::kHeaders;
  PENSTOCK_ASSIGN_OR_RETURN(RecordIndex index,
                            BuildRecordIndex(files, path, options));
  if (features.names.empty()) return index;
  return AddLengths(files, path, index, features, options.compression);
}

StatusOr<RecordIndex> AddLengths(FileSystem& files, const std::string& path,
                                 const RecordIndex& index,
                                 const MeasuredFeatures& features,
                                 Compression compression) {
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<LengthColumn> columns,
                            MeasureLengths(files, path, features, compression));
  return index.WithColumns(std::move(columns));
}

}  // namespace penstock
