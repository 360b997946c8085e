#include "pipeline/graph/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "pipeline/graph/row_parts.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

Status NeedsIndex(const Source& source) {
  return FailedPreconditionError(fmt::format(
      "{}, so its records can only be read in sequence, but Mix, Concat, Take, "
      "Skip, Slice, Split and Exclude reach them by number: write indexes with "
      "`recordtool index` (unpack what is compressed first, or write it again "
      "with `recordtool pack`); files that only follow each other can be one "
      "pattern, \"a,b\"",
      source.why_sequential));
}

}  // namespace

size_t Sources::SourceOf(uint64_t record_id) const {
  const auto after = std::ranges::upper_bound(first_ids, record_id);
  return static_cast<size_t>(after - first_ids.begin()) - 1;
}

StatusOr<double> Sources::MeanLength(size_t source,
                                     const std::string& by) const {
  size_t file = 0;
  for (size_t s = 0; s < source; ++s) file += each[s].paths.size();
  double values = 0;
  if (const ColumnTable* columns = each[source].columns.get()) {
    const size_t column = columns->Find(by);
    if (column == SIZE_MAX) {
      return InvalidArgumentError(
          fmt::format("Mix weighs values of \"{}\", but {} has no such column",
                      by, columns->name()));
    }
    const auto lengths = columns->Lengths(column);
    values = std::accumulate(lengths.begin(), lengths.end(), values);
    return values / static_cast<double>(columns->rows());
  }
  for (const std::string& path : each[source].paths) {
    const auto lengths = indexed->files()->index(file++).Lengths(by);
    if (!lengths.ok()) {
      return InvalidArgumentError(fmt::format(
          "Mix weighs values of \"{}\", but the index of {} does not have "
          "their "
          "number: write it with `recordtool index --length-of {}`, or weigh "
          "rows",
          by, path, by));
    }
    values = std::accumulate(lengths->begin(), lengths->end(), values);
  }
  return values / static_cast<double>(RecordsOf(source));
}

StatusOr<Sources> OpenSources(FileSystem& files, const Stages& stages) {
  Sources sources;
  std::vector<std::string> paths;
  std::vector<RecordSource> parts;
  std::shared_ptr<const RecordFiles> indexed;
  size_t of_files = 0;  // sources
  for (const SourceStages& source : stages.sources) {
    PENSTOCK_ASSIGN_OR_RETURN(Source opened, OpenSource(files, source.read));
    if (opened.columns != nullptr) {
      for (const Feature& feature : source.features) {
        PENSTOCK_RETURN_IF_ERROR(opened.columns->Check(feature));
      }
      parts.push_back({opened.columns->rows(), opened.columns});
    } else if (opened.indexed != nullptr) {
      parts.push_back({opened.indexed->records(), nullptr});
      paths.insert(paths.end(), opened.paths.begin(), opened.paths.end());
      // Those of all files serve all.
      indexed = std::exchange(opened.indexed, nullptr);
      ++of_files;
    } else if (stages.views) {
      return NeedsIndex(opened);
    }
    sources.each.push_back(std::move(opened));
  }
  if (parts.empty()) return sources;
  for (const RecordSource& part : parts) {
    sources.first_ids.push_back(sources.first_ids.back() + part.records);
  }
  if (of_files > 1) {
    PENSTOCK_ASSIGN_OR_RETURN(indexed,
                              RecordFiles::Open(files, std::move(paths)));
  }
  sources.indexed = std::make_shared<const SourceRecords>(std::move(indexed),
                                                          std::move(parts));
  return sources;
}

std::vector<StatePart> DataParts(const Stages& stages, const Sources& sources) {
  std::vector<StatePart> parts;
  for (size_t s = 0; s < sources.each.size(); ++s) {
    parts.push_back({kDataPart + OfSource(s, sources.each.size()),
                     Fingerprinter()
                         .Add(sources.each[s].fingerprint)
                         .Add(stages.sources[s].read.examples)
                         .Finish()});
  }
  return parts;
}

uint64_t Sources::Key() const {
  if (each.size() == 1) return each.front().fingerprint;
  Fingerprinter hash;
  for (const Source& source : each) hash.Add(source.fingerprint);
  return hash.Finish();
}

}  // namespace penstock
