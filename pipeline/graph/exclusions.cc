#include "pipeline/graph/exclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/graph/segment.h"

namespace penstock {
namespace {

class Exclusions {
 public:
  explicit Exclusions(const Sources& sources)
      : sources_(sources), excluded_(sources.each.size()) {}

  // `first` is the first source below `node`; at last, the one behind. True
  // where a part of an order is taken below.
  StatusOr<bool> Walk(const Node& node, size_t& first);

  std::vector<std::vector<uint64_t>> Take() {
    for (std::vector<uint64_t>& records : excluded_) {
      std::ranges::sort(records);
      const auto [end, last] = std::ranges::unique(records);
      records.erase(end, last);
    }
    return std::move(excluded_);
  }

 private:
  const Sources& sources_;
  std::vector<std::vector<uint64_t>> excluded_;
};

StatusOr<bool> Exclusions::Walk(const Node& node, size_t& first) {
  const Segment segment = SegmentOf(node);
  const size_t begin = first;
  bool sliced = std::holds_alternative<SliceOptions>(segment.base->stage);
  for (const auto& parent : segment.base->parents) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool below, Walk(*parent, first));
    sliced |= below;
  }
  if (segment.base->parents.empty()) ++first;
  const uint64_t first_id = sources_.first_ids[begin];
  const uint64_t records = sources_.first_ids[first] - first_id;
  for (const ExcludeStage* exclude : segment.excluded) {
    if (sliced) {
      return InvalidArgumentError(
          "Exclude after Take, Skip or Slice: put it before");
    }
    if (!exclude->record_ids.empty() && exclude->record_ids.back() >= records) {
      return InvalidArgumentError(
          fmt::format("Exclude record {}, but there are only {}",
                      exclude->record_ids.back(), records));
    }
    size_t source = begin;
    for (const uint64_t id : exclude->record_ids) {
      while (first_id + id >= sources_.first_ids[source + 1]) ++source;
      excluded_[source].push_back(first_id + id - sources_.first_ids[source]);
    }
  }
  return sliced;
}

}  // namespace

StatusOr<std::vector<std::vector<uint64_t>>> ExcludedRecords(
    const Stages& stages, const Sources& sources) {
  Exclusions exclusions(sources);
  size_t first = 0;
  PENSTOCK_RETURN_IF_ERROR(exclusions.Walk(*stages.root, first).status());
  return exclusions.Take();
}

}  // namespace penstock
