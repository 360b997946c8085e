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
  for (const std::string& path : each[source].paths) {
    const auto lengths = indexed->index(file++).Lengths(by);
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
  for (const SourceStages& source : stages.sources) {
    PENSTOCK_ASSIGN_OR_RETURN(Source opened, OpenSource(files, source.read));
    if (!opened.indexed) {
      if (stages.views) return NeedsIndex(opened);
    } else {
      sources.first_ids.push_back(sources.first_ids.back() +
                                  opened.indexed->records());
      paths.insert(paths.end(), opened.paths.begin(), opened.paths.end());
    }
    // Those of all files serve all.
    std::shared_ptr<const RecordFiles> indexed =
        std::exchange(opened.indexed, nullptr);
    if (stages.sources.size() == 1) sources.indexed = std::move(indexed);
    sources.each.push_back(std::move(opened));
  }
  if (stages.sources.size() > 1) {
    PENSTOCK_ASSIGN_OR_RETURN(sources.indexed,
                              RecordFiles::Open(files, std::move(paths)));
  }
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

}  // namespace penstock
