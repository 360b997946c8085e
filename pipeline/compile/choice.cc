#include "pipeline/compile/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/records/recovery.h"
#include "pipeline/arrange/bucket_lengths.h"
#include "pipeline/graph/check_derived.h"
#include "pipeline/order/lengths.h"
#include "pipeline/run/job.h"

namespace penstock {
namespace {

// Of the rows that FlatMap may make of a host's part of a round: some rounds
// are read ahead at once.
constexpr uint64_t kMadeBytes = 32 << 20;

// Of the decoded rows of a host's part of a round, at most, where it could be
// smaller. Threads wait for each other at every round.
constexpr uint64_t kRoundBytes = 4 << 20;

// Why the lengths of `feature` are known only after reading, if they are.
std::string WhyUnknown(const Stages& stages, const Sources& sources,
                       const std::string& feature) {
  if (const std::string map = ChangesLengths(stages); !map.empty()) {
    return fmt::format(
        "Map \"{}\" may change how many values \"{}\" has, so its lengths are "
        "known only after reading",
        map, feature);
  }
  for (const SourceStages* source : stages.readers()) {
    if (!source->tokenize || source->tokenize->options.to != feature) continue;
    return fmt::format(
        "Tokenize makes \"{}\", so its lengths are known only after reading; "
        "tokenize ahead with datagen to plan",
        feature);
  }
  const RecordFeature column = stages.OriginOf(feature);
  if (column.name.empty()) {
    return fmt::format(
        "\"{}\" is no one feature of all records, so no index has its lengths",
        feature);
  }
  if (sources.indexed->HasLengths(column)) return "";
  return fmt::format(
      "not every index has a column of lengths called \"{0}\"; datagen and "
      "`recordtool index --length-of {0}` write one",
      column.name);
}

Choice ChoosePlacement(const Stages& stages, const Sources& sources,
                       bool force_streamed) {
  if (force_streamed) return {false, "asked for by force_streamed"};
  if (const std::string what = DecidesRows(stages); !what.empty()) {
    return {false, what + " that are known only after reading"};
  }
  if (sources.indexed == nullptr) {
    return {false, sources.each.front().why_sequential};
  }
  const bool in_memory = sources.indexed->in_memory();
  if (stages.by().empty()) {
    return {true, in_memory
                      ? "all rows are in memory, and no tensor varies in length"
                      : "every file has an index, and no tensor varies in "
                        "length"};
  }
  for (const std::string& feature : stages.arranging()) {
    std::string why = WhyUnknown(stages, sources, feature);
    if (!why.empty()) return {false, std::move(why)};
  }
  std::string features;
  for (const std::string& feature : stages.arranging()) {
    features +=
        fmt::format("{}\"{}\"", features.empty() ? "" : " and ", feature);
  }
  return {true,
          fmt::format("{} {}",
                      in_memory ? "all rows are in memory, with the lengths of"
                                : "every file has an index with the lengths of",
                      features)};
}

StatusOr<SequenceChoice> ChooseSequence(const Stages& stages,
                                        const Sources& sources,
                                        const Topology& topology,
                                        const CompileOptions& options) {
  if (sources.indexed != nullptr || topology.hosts == 1) {
    return SequenceChoice();
  }
  const Source& source = sources.each.front();
  std::string why;
  if (options.group == nullptr) {
    why = "as hosts have no group to tell each other of their files";
  } else if (source.options.recovery.on_corruption != OnCorruption::kFail ||
             source.options.on_bad_part) {
    why = "as what may be left out is counted over all files";
  }
  const bool asked = options.sequence != SequenceReading::kAuto;
  if (!why.empty()) {
    if (!asked || options.sequence == SequenceReading::kAllRead) {
      return SequenceChoice{SequenceReading::kAllRead, why};
    }
    return InvalidArgumentError(fmt::format(
        "CompileOptions::sequence wants files read {}; they are read {}, {}",
        Describe(options.sequence), Describe(SequenceReading::kAllRead), why));
  }
  if (asked) return SequenceChoice{options.sequence, "as asked for"};
  // As measured: that every host unpacks all costs more than either.
  const std::vector<const SourceStages*> readers = stages.readers();
  const bool deals = std::ranges::any_of(readers, [](const auto* stage) {
    return stage->tokenize || !stage->row_ops.empty();
  });
  why = deals ? "as Tokenize, Map, Filter and FlatMap take longer than sending "
                "records"
              : "as parsing takes less than sending records";
  size_t most_files = 0;
  for (const Source* reader : sources.readers()) {
    most_files = std::max(most_files, reader->paths.size());
  }
  if (most_files < topology.hosts) {
    why += fmt::format("; {} of {} hosts read none",
                       topology.hosts - most_files, topology.hosts);
  }
  return SequenceChoice{
      deals ? SequenceReading::kOneReads : SequenceReading::kOneDecodes, why};
}

}  // namespace

std::string_view Describe(SequenceReading how) {
  switch (how) {
    case SequenceReading::kAuto:
      return "by this host";
    case SequenceReading::kOneDecodes:
      return "each file by one host, which decodes it";
    case SequenceReading::kOneReads:
      return "each file by one host, which sends its records to all for "
             "decoding";
    case SequenceReading::kAllRead:
      return "all files by every host, which decodes a part";
  }
  return "";
}

StatusOr<Choice> Choose(const Stages& stages, const Sources& sources,
                        const Topology& topology,
                        const CompileOptions& options) {
  Choice choice = ChoosePlacement(stages, sources, options.force_streamed);
  PENSTOCK_ASSIGN_OR_RETURN(choice.sequence,
                            ChooseSequence(stages, sources, topology, options));
  return choice;
}

Status ChooseBuckets(const Sources& sources, TaskQueue& tasks, Stages& stages) {
  if (!stages.bucket || !stages.bucket->lengths.empty()) return OkStatus();
  BucketOptions& bucket = *stages.bucket;
  const RecordFeature column = stages.length_column();
  const bool indexed = sources.indexed != nullptr;
  const std::string why = indexed ? WhyUnknown(stages, sources, bucket.by)
                                  : sources.each.front().why_sequential;
  if (!why.empty()) {
    std::string mend = "give lengths";
    if (!indexed && !column.name.empty()) {
      mend += fmt::format(
          ", or an index of them (`recordtool index "
          "--length-of {}`)",
          column.name);
    }
    return InvalidArgumentError(fmt::format(
        "Bucket without lengths chooses them by those that indexes have of "
        "\"{}\", but {}: {}",
        bucket.by, why, mend));
  }
  PENSTOCK_ASSIGN_OR_RETURN(auto columns, sources.indexed->Lengths(column));
  bucket.lengths = ChooseBucketLengths(
      LengthTable(std::move(columns)),
      {.shapes = static_cast<uint64_t>(bucket.shapes),
       .multiple_of = static_cast<uint64_t>(bucket.multiple_of)},
      tasks);
  // What depends on the lengths.
  return CheckDerived(stages);
}

RoundSizes ChooseRounds(const Sources& sources, uint64_t most_rows,
                        uint64_t most_bytes) {
  RoundSizes sizes;
  if (sources.indexed) {
    const uint64_t mean = std::max<uint64_t>(
        1, sources.indexed->size_bytes() / sources.indexed->records());
    sizes.of_part = std::clamp<uint64_t>(kPartBytes / mean, 16, 1024);
    sizes.of_host =
        std::clamp<uint64_t>(kRoundBytes / std::max<uint64_t>(1, most_bytes),
                             4 * sizes.of_part, 24 * sizes.of_part);
  }
  if (most_rows > 1) {
    // Nobody knows yet how many rows there will be.
    sizes.of_host =
        std::clamp<uint64_t>(kMadeBytes / most_bytes, 16, sizes.of_host);
    sizes.of_part = std::clamp<uint64_t>(sizes.of_host / 8, 1, sizes.of_part);
  }
  return sizes;
}

}  // namespace penstock
