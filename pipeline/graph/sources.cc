#include "pipeline/graph/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/row_parts.h"
#include "pipeline/graph/zip.h"
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

Status CheckTokens(const MegatronTokens& tokens,
                   const std::vector<Feature>& features) {
  const Feature& one = features.front();
  if (features.size() == 1 && one.name == kMegatronFeature &&
      one.type == FeatureType::kInt64 && one.length == Feature::kVarying &&
      one.encoding == FeatureEncoding::kPlain) {
    return OkStatus();
  }
  return InvalidArgumentError(fmt::format(
      "{}: Parse of {}, but it has one feature, \"{}\", of any number of int64 "
      "values",
      tokens.path(), FeatureNames(features), kMegatronFeature));
}

// Opens sources, one after the other, and counts their records.
class SourceOpener {
 public:
  SourceOpener(FileSystem& files, bool views) : files_(files), views_(views) {}

  Status Add(const SourceStages& stages);
  StatusOr<Sources> Finish();

 private:
  StatusOr<Source> Open(const SourceStages& stages);
  // Adds a side to `records`, unless it is read in sequence.
  Status AddSide(const SourceStages& stages, Source& opened,
                 RecordSource& records);
  StatusOr<Source> OpenZip(const SourceStages& stages, RecordSource& records);

  FileSystem& files_;
  const bool views_;
  Sources sources_;
  std::vector<RecordSource> records_;
  std::vector<std::string> paths_;
  uint64_t records_in_files_ = 0;
  std::shared_ptr<const RecordFiles> indexed_;  // of the last
  size_t indexed_sources_ = 0;
};

// One that is no zip.
StatusOr<Source> SourceOpener::Open(const SourceStages& stages) {
  PENSTOCK_ASSIGN_OR_RETURN(Source opened, OpenSource(files_, stages.read));
  if (opened.columns != nullptr) {
    for (const Feature& feature : stages.features) {
      PENSTOCK_RETURN_IF_ERROR(opened.columns->Check(feature));
    }
  }
  if (opened.megatron != nullptr) {
    PENSTOCK_RETURN_IF_ERROR(CheckTokens(*opened.megatron, stages.features));
  }
  return opened;
}

Status SourceOpener::AddSide(const SourceStages& stages, Source& opened,
                             RecordSource& records) {
  RecordSide side = {.columns = opened.columns};
  uint64_t count = 0;
  if (opened.columns != nullptr) {
    count = opened.columns->rows();
  } else if (opened.megatron != nullptr) {
    side.megatron = opened.megatron;
    count = opened.megatron->sequences();
  } else if (opened.indexed != nullptr) {
    count = opened.indexed->records();
    side.first = records_in_files_;
    records_in_files_ += count;
    opened.first_file = paths_.size();
    paths_.insert(paths_.end(), opened.paths.begin(), opened.paths.end());
    // Those of all files serve all.
    indexed_ = std::exchange(opened.indexed, nullptr);
    ++indexed_sources_;
  } else {
    return views_ ? NeedsIndex(opened) : OkStatus();
  }
  opened.part = PartOf(stages.part, count);
  side.first += opened.part.begin;
  records.records = opened.part.end - opened.part.begin;
  records.sides.push_back(std::move(side));
  return OkStatus();
}

// Sides of which one at least is read in sequence, and with it all others but
// those that are in no files of records.
StatusOr<Source> ZipInSequence(const SourceStages& stages,
                               std::vector<Source> sides) {
  Source zip;
  Fingerprinter hash;
  for (size_t s = 0; s < sides.size(); ++s) {
    Source& side = sides[s];
    PENSTOCK_RETURN_IF_ERROR(
        CheckZipped(NameOfRead(stages.sides[s]), side.options));
    if (zip.why_sequential.empty()) zip.why_sequential = side.why_sequential;
    side.indexed.reset();
    side.part = stages.sides[s].part;
    zip.size_bytes += side.size_bytes;
    hash.Add(side.fingerprint).Add(side.part.begin);
  }
  zip.sides = std::move(sides);
  zip.fingerprint = hash.Finish();
  return zip;
}

StatusOr<Source> SourceOpener::OpenZip(const SourceStages& stages,
                                       RecordSource& records) {
  std::vector<Source> sides;
  for (const SourceStages& side : stages.sides) {
    PENSTOCK_ASSIGN_OR_RETURN(sides.emplace_back(), Open(side));
  }
  const auto in_sequence = std::ranges::find_if(
      sides, [](const Source& side) { return !side.why_sequential.empty(); });
  if (in_sequence != sides.end()) {
    if (views_) return NeedsIndex(*in_sequence);
    return ZipInSequence(stages, std::move(sides));
  }
  Source zip;
  Fingerprinter hash;
  for (size_t s = 0; s < stages.sides.size(); ++s) {
    const uint64_t before = records.records;
    Source& side = sides[s];
    PENSTOCK_RETURN_IF_ERROR(AddSide(stages.sides[s], side, records));
    if (records.records == 0)
      return NoRecordsToZip(NameOfRead(stages.sides[s]));
    if (s > 0 && records.records != before) {
      return OtherNumbers(NameOfRead(stages.sides[s - 1]), before,
                          NameOfRead(stages.sides[s]), records.records);
    }
    zip.size_bytes += side.size_bytes;
    hash.Add(side.fingerprint).Add(side.part.begin);
    zip.sides.push_back(std::move(side));
  }
  zip.fingerprint = hash.Add(records.records).Finish();
  return zip;
}

Status SourceOpener::Add(const SourceStages& stages) {
  RecordSource records;
  PENSTOCK_ASSIGN_OR_RETURN(Source opened, stages.sides.empty()
                                               ? Open(stages)
                                               : OpenZip(stages, records));
  if (stages.sides.empty()) {
    PENSTOCK_RETURN_IF_ERROR(AddSide(stages, opened, records));
  }
  sources_.each.push_back(std::move(opened));
  if (records.sides.empty()) return OkStatus();
  sources_.first_ids.push_back(sources_.first_ids.back() + records.records);
  records_.push_back(std::move(records));
  return OkStatus();
}

StatusOr<Sources> SourceOpener::Finish() {
  if (records_.empty()) return std::move(sources_);
  if (indexed_sources_ > 1) {
    PENSTOCK_ASSIGN_OR_RETURN(indexed_,
                              RecordFiles::Open(files_, std::move(paths_)));
  }
  sources_.indexed = std::make_shared<const SourceRecords>(std::move(indexed_),
                                                           std::move(records_));
  return std::move(sources_);
}

}  // namespace

size_t Sources::SourceOf(uint64_t record_id) const {
  const auto after = std::ranges::upper_bound(first_ids, record_id);
  return static_cast<size_t>(after - first_ids.begin()) - 1;
}

StatusOr<double> Sources::MeanLength(size_t source,
                                     const std::string& by) const {
  const Source& of = each[source];
  std::vector<size_t> sides;  // that have such a column
  for (size_t side = 0; side < std::max<size_t>(1, of.sides.size()); ++side) {
    if (indexed->HasLengthsOf(source, side, by)) sides.push_back(side);
  }
  if (sides.size() == 1) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto columns,
                              indexed->LengthsOf(source, sides[0], by));
    double values = 0;
    for (const auto& lengths : columns) {
      values = std::accumulate(lengths.begin(), lengths.end(), values);
    }
    return values / static_cast<double>(RecordsOf(source));
  }
  if (!of.sides.empty()) {
    return InvalidArgumentError(fmt::format(
        "Mix weighs values of \"{}\", which {} datasets of the Zip that is "
        "source {} have the number of in their records: weigh rows",
        by, sides.empty() ? "no" : "several", source));
  }
  if (of.columns != nullptr || of.megatron != nullptr) {
    return InvalidArgumentError(fmt::format(
        "Mix weighs values of \"{}\", but {} has no such column", by,
        of.columns != nullptr ? of.columns->name() : of.megatron->path()));
  }
  size_t file = 0;
  while (indexed->files()->index(of.first_file + file).HasColumn(by)) ++file;
  return InvalidArgumentError(fmt::format(
      "Mix weighs values of \"{}\", but the index of {} does not have their "
      "number: write it with `recordtool index --length-of {}`, or weigh rows",
      by, of.paths[file], by));
}

std::vector<uint64_t> Sources::FirstOfFiles(size_t source) const {
  std::vector<uint64_t> first;
  const auto files_of = [&](const Source& of) {
    std::vector<uint64_t> begins;
    uint64_t begin = 0;
    for (size_t file = 0; file < of.paths.size(); ++file) {
      const auto [from, end] = of.part;
      begins.push_back(first_ids[source] + std::clamp(begin, from, end) - from);
      begin += indexed->files()->index(of.first_file + file).records();
    }
    return begins;
  };
  if (each[source].sides.empty()) return files_of(each[source]);
  for (const Source& side : each[source].sides) {
    if (side.paths.empty()) continue;
    std::vector<uint64_t> begins = files_of(side);
    if (!first.empty() && first != begins) return {};
    first = std::move(begins);
  }
  return first;
}

std::vector<const Source*> Sources::readers() const {
  std::vector<const Source*> all;
  for (const Source& source : each) {
    if (source.sides.empty()) all.push_back(&source);
    for (const Source& side : source.sides) all.push_back(&side);
  }
  return all;
}

StatusOr<Sources> OpenSources(FileSystem& files, const Stages& stages) {
  SourceOpener opener(files, stages.views);
  for (const SourceStages& source : stages.sources) {
    PENSTOCK_RETURN_IF_ERROR(opener.Add(source));
  }
  return opener.Finish();
}

std::vector<StatePart> DataParts(const Stages& stages, const Sources& sources) {
  std::vector<StatePart> parts;
  for (size_t s = 0; s < sources.each.size(); ++s) {
    const Source& source = sources.each[s];
    const std::string of = OfSource(s, sources.each.size());
    for (size_t side = 0; side < source.sides.size(); ++side) {
      const Source& one = source.sides[side];
      parts.push_back({fmt::format("{}{} of Zip{}", kSidePart, side, of),
                       Fingerprinter()
                           .Add(one.fingerprint)
                           .Add(one.part.begin)
                           .Add(one.part.end)
                           .Add(stages.sources[s].sides[side].read.examples)
                           .Finish()});
    }
    parts.push_back({kDataPart + of, Fingerprinter()
                                         .Add(source.fingerprint)
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
