#include "pipeline/graph/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/graph/segment.h"
#include "pipeline/order/kept_order.h"
#include "pipeline/order/seed.h"
#include "pipeline/order/view_order.h"

namespace penstock {
namespace {

class LeftOutWalker {
 public:
  explicit LeftOutWalker(const Sources& sources)
      : sources_(sources), left_out_(sources.each.size()) {}

  // `first` is the first source below `node`; at last, the one behind. True
  // where a part of an order is taken below.
  StatusOr<bool> Walk(const Node& node, size_t& first);

  std::vector<LeftOut> Take() {
    for (LeftOut& source : left_out_) {
      std::ranges::sort(source.excluded);
      const auto [end, last] = std::ranges::unique(source.excluded);
      source.excluded.erase(end, last);
    }
    return std::move(left_out_);
  }

 private:
  const Sources& sources_;
  std::vector<LeftOut> left_out_;
};

StatusOr<bool> LeftOutWalker::Walk(const Node& node, size_t& first) {
  const Segment segment = SegmentOf(node);
  const size_t begin = first;
  bool sliced = std::holds_alternative<SliceOptions>(segment.base->stage);
  for (const Node* part : segment.parts) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool below, Walk(*part, first));
    sliced |= below;
  }
  if (segment.parts.empty()) ++first;
  const uint64_t first_id = sources_.first_ids[begin];
  const uint64_t records = sources_.first_ids[first] - first_id;
  if (sliced && !(segment.excluded.empty() && segment.splits.empty())) {
    return InvalidArgumentError(
        fmt::format("{} after Take, Skip or Slice: put it before",
                    segment.splits.empty() ? "Exclude" : "Split"));
  }
  for (const SplitOptions* split : segment.splits) {
    for (size_t source = begin; source < first; ++source) {
      left_out_[source].splits.push_back(*split);
    }
  }
  for (const ExcludeStage* exclude : segment.excluded) {
    if (!exclude->record_ids.empty() && exclude->record_ids.back() >= records) {
      return InvalidArgumentError(
          fmt::format("Exclude record {}, but there are only {}",
                      exclude->record_ids.back(), records));
    }
    size_t source = begin;
    for (const uint64_t id : exclude->record_ids) {
      while (first_id + id >= sources_.first_ids[source + 1]) ++source;
      left_out_[source].excluded.push_back(first_id + id -
                                           sources_.first_ids[source]);
    }
  }
  return sliced;
}

std::string NameOf(const SplitOptions& split) {
  return fmt::format("{} to {} by seed {}", split.begin, split.end, split.seed);
}

}  // namespace

uint64_t LeftOut::Identity(uint64_t of_files) const {
  for (const SplitOptions& split : splits) {
    of_files =
        MixKeys({of_files, split.seed, std::bit_cast<uint64_t>(split.begin),
                 std::bit_cast<uint64_t>(split.end), 3});
  }
  return of_files;
}

StatusOr<std::vector<LeftOut>> RecordsLeftOut(const Stages& stages,
                                              const Sources& sources) {
  LeftOutWalker walker(sources);
  size_t first = 0;
  PENSTOCK_RETURN_IF_ERROR(walker.Walk(*stages.root, first).status());
  return walker.Take();
}

std::unique_ptr<const Order> OrderWithout(LeftOut left_out, uint64_t records,
                                          uint64_t first_id,
                                          std::vector<std::string>& views) {
  const auto& [excluded, splits] = left_out;
  const size_t count = excluded.size();
  if (splits.empty()) {
    if (count == 0) return FileOrder(records, first_id);
    auto order = ExcludeOrder(records, first_id, std::move(left_out.excluded));
    views.push_back(
        fmt::format("exclude   {} of {} records, by a table of {} bytes", count,
                    records, order->table_bytes()));
    return order;
  }
  std::vector<uint64_t> bits = SplitBits(splits[0], records);
  std::string parts = NameOf(splits[0]);
  for (size_t i = 1; i < splits.size(); ++i) {
    const std::vector<uint64_t> more = SplitBits(splits[i], records);
    for (size_t word = 0; word < bits.size(); ++word) bits[word] &= more[word];
    parts += " and " + NameOf(splits[i]);
  }
  for (const uint64_t record : excluded) {
    bits[record / 64] &= ~(uint64_t{1} << record % 64);
  }
  if (count > 0) parts += fmt::format(" but {} excluded", count);
  auto order = KeptOrder(std::move(bits), records, first_id);
  views.push_back(
      fmt::format("split     {}: {} of {} records, by a table of {} bytes",
                  parts, order->records(), records, order->table_bytes()));
  return order;
}

StatusOr<std::vector<Leaf>> MakeLeaves(const Stages& stages,
                                       const Sources& sources,
                                       std::vector<std::string>& views) {
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<LeftOut> left_out,
                            RecordsLeftOut(stages, sources));
  std::map<uint64_t, uint64_t> seen;  // how often, by fingerprint
  std::vector<Leaf> leaves;
  for (size_t s = 0; s < sources.each.size(); ++s) {
    const uint64_t fingerprint = sources.each[s].fingerprint;
    const uint64_t before = seen[fingerprint]++;
    Leaf& leaf = leaves.emplace_back();
    leaf.identity = left_out[s].Identity(
        before == 0 ? fingerprint : MixKeys({fingerprint, before}));
    leaf.order = OrderWithout(std::move(left_out[s]), sources.RecordsOf(s),
                              sources.first_ids[s], views);
  }
  return leaves;
}

StatusOr<std::vector<uint64_t>> TakeWithdrawn(const Sources& sources,
                                              Stages& stages,
                                              std::vector<std::string>& views) {
  std::vector<uint64_t> withdrawn = std::exchange(stages.withdrawn, {});
  if (withdrawn.empty()) return withdrawn;
  if (withdrawn.back() >= sources.first_ids.back()) {
    return InvalidArgumentError(
        fmt::format("Withdraw record {}, but there are only {}",
                    withdrawn.back(), sources.first_ids.back()));
  }
  views.push_back(fmt::format(
      "withdraw  {} records, whose places stay empty, by a table of {} bytes",
      withdrawn.size(), withdrawn.size() * sizeof(uint64_t)));
  return withdrawn;
}

}  // namespace penstock
