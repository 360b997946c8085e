#include "pipeline/graph/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/left_out.h"
#include "pipeline/order/mix_order.h"
#include "pipeline/order/record_shares.h"
#include "pipeline/order/seed.h"
#include "pipeline/order/view_order.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

// [hosts][shapes, or one for all]: the rows of a batch that each feeds, those
// that always pad not among them.
using RowsOfHosts = std::vector<std::vector<std::vector<uint32_t>>>;

RowsOfHosts RowsFed(const Topology& topology, const Contract& contract) {
  std::vector<int64_t> batches = contract.shape_rows;
  if (batches.empty()) batches.push_back(contract.rows);
  RowsOfHosts fed(topology.hosts);
  for (uint32_t host = 0; host < topology.hosts; ++host) {
    for (const int64_t batch : batches) {
      const auto rows = static_cast<uint64_t>(batch);
      const uint64_t each = topology.RowsOfShard(rows);
      std::vector<uint32_t>& of_host = fed[host].emplace_back();
      for (const uint64_t shard : topology.ShardsOf(host)) {
        const uint64_t end = std::min(rows, (shard + 1) * each);
        for (uint64_t row = shard * each; row < end; ++row) {
          of_host.push_back(static_cast<uint32_t>(row));
        }
      }
    }
  }
  return fed;
}

const char* NameOf(ShardBy by) {
  switch (by) {
    case ShardBy::kFile:
      return "by file";
    case ShardBy::kRecord:
      return "by record";
    case ShardBy::kRange:
      return "by ranges of records";
    case ShardBy::kPlan:
    case ShardBy::kAuto:
      break;
  }
  return "by plan";
}

Status NotShared(std::string message) {
  return InvalidArgumentError(std::move(message));
}

Status CheckRows(const Stages& stages, const RowsOfHosts& rows) {
  if (const char* const of_all = OfAllHosts(stages)) {
    return NotShared(fmt::format(
        "{} is of the rows of all hosts, but shard_by gives each host records "
        "of its own: leave out one of them",
        of_all));
  }
  if (rows.size() > MixOrder::kMostParts) {
    return NotShared(
        fmt::format("shard_by for {} hosts: {} are the most; leave it out",
                    rows.size(), MixOrder::kMostParts));
  }
  const Contract contract = stages.MakeContract();
  for (size_t shape = 0; shape < rows[0].size(); ++shape) {
    const auto all = static_cast<size_t>(contract.RowsOf(shape));
    std::vector<uint32_t> feeder(all, UINT32_MAX);
    for (uint32_t host = 0; host < rows.size(); ++host) {
      if (rows[host][shape].empty()) {
        return NotShared(fmt::format(
            "shard_by gives host {} records, but of a batch of {} rows it "
            "feeds none: use larger batches, or leave shard_by out",
            host, all));
      }
      for (const uint32_t row : rows[host][shape]) {
        if (feeder[row] == UINT32_MAX) {
          feeder[row] = host;
          continue;
        }
        return NotShared(fmt::format(
            "hosts {} and {} both feed row {} of a batch, but shard_by gives "
            "each host records of its own: leave it out",
            feeder[row], host, row));
      }
    }
  }
  return OkStatus();
}

// kFile or kRecord for kAuto, and why.
std::pair<ShardBy, std::string> Resolve(const Stages& stages,
                                        const Sources& sources, ShardBy by,
                                        size_t hosts) {
  if (by != ShardBy::kAuto) return {by, ""};
  for (size_t s = 0; s < sources.each.size(); ++s) {
    const size_t files = sources.FirstOfFiles(s).size();
    if (files > 0 && files % hosts == 0) continue;
    return {ShardBy::kRecord,
            fmt::format(", as the {} files of {} do not divide by {} hosts",
                        files, SourceName(stages, s), hosts)};
  }
  return {ShardBy::kFile,
          fmt::format(", as the files divide by {} hosts", hosts)};
}

Status CheckFiles(const Stages& stages, const Sources& sources, size_t hosts) {
  for (size_t s = 0; s < sources.each.size(); ++s) {
    const size_t files = sources.FirstOfFiles(s).size();
    if (files >= hosts) continue;
    const bool zip = !sources.each[s].sides.empty();
    return NotShared(fmt::format(
        "ShardBy::kFile gives each of {} hosts files of its own, but {} has "
        "{}: use ShardBy::kRecord{}",
        hosts, SourceName(stages, s),
        files > 0 ? fmt::format("only {}", files)
        : zip     ? "none that are as long in all datasets of the Zip"
                  : "none",
        files > 0 ? ", or write the data in more files" : ""));
  }
  return OkStatus();
}

std::shared_ptr<const RecordShares> SharesOf(const Sources& sources,
                                             std::span<const Leaf> leaves,
                                             ShardBy by, size_t hosts,
                                             bool drop) {
  std::vector<SharedSource> shared;
  for (size_t s = 0; s < sources.each.size(); ++s) {
    SharedSource& source = shared.emplace_back();
    source.order = leaves[s].order;
    source.first_id = sources.first_ids[s];
    source.first_of_file = sources.FirstOfFiles(s);
  }
  return std::make_shared<const RecordShares>(by, static_cast<uint32_t>(hosts),
                                              drop, std::move(shared));
}

uint64_t RecordsOf(const std::vector<OrderTree>& trees) {
  uint64_t records = 0;
  for (const OrderTree& tree : trees) records += tree.order->records();
  return records;
}

// Under Leftover::kDrop all end with the shortest.
void EndTogether(const ShareRule& rule, std::vector<OrderTree>& trees) {
  uint64_t parts = kEndless;
  for (size_t host = 0; host < trees.size(); ++host) {
    parts =
        std::min(parts, trees[host].order->records() / rule.MostRowsOf(host));
  }
  for (size_t host = 0; host < trees.size(); ++host) {
    OrderTree& tree = trees[host];
    const uint64_t before = tree.order->records();
    const uint64_t kept = parts * rule.MostRowsOf(host);
    tree.order = SliceOrder(tree.order, 0, kept);
    for (double& rows : tree.rows) {
      if (before > 0) {
        rows *= static_cast<double>(kept) / static_cast<double>(before);
      }
    }
  }
}

StatePart PartOf(ShardBy by, const RowsOfHosts& rows) {
  Fingerprinter hash;
  for (const auto& host : rows) {
    for (const auto& shape : host) {
      hash.Add(uint64_t{shape.size()});
      for (const uint32_t row : shape) hash.Add(uint64_t{row});
    }
  }
  return {fmt::format("{} {} over {} hosts", kShardingPart, NameOf(by),
                      rows.size()),
          hash.Finish()};
}

// The orders of all hosts as one.
StatusOr<OrderTree> Join(std::vector<OrderTree> trees, const ShareRule& rule) {
  OrderTree all = trees.front();
  all.mix = nullptr;  // it is that of one host alone
  std::fill(all.rows.begin(), all.rows.end(), 0);
  std::vector<MixPart> parts;
  for (size_t host = 0; host < trees.size(); ++host) {
    all.host_orders.push_back(trees[host].order);
    if (trees[host].order->records() == 0) continue;
    parts.push_back(
        {trees[host].order, static_cast<double>(rule.MostRowsOf(host))});
    for (size_t s = 0; s < all.rows.size(); ++s) {
      all.rows[s] += trees[host].rows[s];
    }
  }
  if (parts.empty()) return NoRecordsLeft();
  PENSTOCK_ASSIGN_OR_RETURN(all.order,
                            MixOrder::Create(std::move(parts), MixStop::kLast));
  return all;
}

// What each host has of the graph.
StatusOr<std::vector<OrderTree>> TreesOf(const Stages& stages,
                                         const Sources& sources,
                                         std::span<const Leaf> leaves,
                                         const RecordShares& shares) {
  std::vector<OrderTree> trees;
  for (uint32_t host = 0; host < shares.hosts(); ++host) {
    std::vector<Leaf> own(leaves.begin(), leaves.end());
    for (size_t s = 0; s < own.size(); ++s) {
      own[s].order = shares.ShareOf(s, host);
      own[s].identity = MixKeys({own[s].identity, host, 4});
    }
    StatusOr<OrderTree> tree = MakeTreeOf(stages, sources, own);
    if (!tree.ok()) {
      return Annotate(tree.status(), fmt::format("the share of host {}", host));
    }
    trees.push_back(*std::move(tree));
  }
  return trees;
}

StatusOr<OrderTree> MakeSharedTree(const Stages& stages, const Sources& sources,
                                   ShardBy by, RowsOfHosts rows) {
  if (sources.indexed == nullptr) {
    return NotShared(fmt::format(
        "{}, so its records can only be read in sequence, but shard_by shares "
        "records that are reached by number: write indexes with `recordtool "
        "index`, or leave shard_by out",
        sources.each.front().why_sequential));
  }
  const size_t hosts = rows.size();
  PENSTOCK_RETURN_IF_ERROR(CheckRows(stages, rows));
  const auto [chosen, why] = Resolve(stages, sources, by, hosts);
  if (chosen == ShardBy::kFile) {
    PENSTOCK_RETURN_IF_ERROR(CheckFiles(stages, sources, hosts));
  }
  const bool drop = stages.batch.leftover == Leftover::kDrop;
  std::vector<std::string> views;
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Leaf> leaves,
                            MakeLeaves(stages, sources, views));
  const ShareRule rule = {
      .shares = SharesOf(sources, leaves, chosen, hosts, drop),
      .rows = std::move(rows),
      .row_ids = stages.row_ids()};
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<OrderTree> trees,
                            TreesOf(stages, sources, leaves, *rule.shares));
  uint64_t records = RecordsOf(trees);
  if (drop && chosen == ShardBy::kRange) {
    // Those that are nobody's count, too.
    const auto undropped =
        SharesOf(sources, leaves, chosen, hosts, /*drop=*/false);
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<OrderTree> undropped_trees,
                              TreesOf(stages, sources, leaves, *undropped));
    records = RecordsOf(undropped_trees);
  }
  if (drop) EndTogether(rule, trees);
  std::vector<uint64_t> kept;
  for (const OrderTree& tree : trees) kept.push_back(tree.order->records());
  const uint64_t cut = records - std::min(records, RecordsOf(trees));
  PENSTOCK_ASSIGN_OR_RETURN(OrderTree all, Join(std::move(trees), rule));
  all.cut_records = cut;
  for (const Leaf& leaf : leaves) {
    all.shared_table_bytes += leaf.order->table_bytes();
  }
  all.views.insert(all.views.begin(), views.begin(), views.end());
  all.parts.push_back(PartOf(chosen, rule.rows));
  all.sharing = fmt::format(
      "shares    {} over {} hosts{}; records of each in an epoch: {}{}",
      NameOf(chosen), hosts, why, fmt::join(kept, ", "),
      cut == 0 ? std::string()
               : fmt::format("; {} of longer shares are left out", cut));
  all.shares = rule;
  return all;
}

}  // namespace

StatusOr<OrderTree> OrderRecords(const Stages& stages, const Sources& sources,
                                 ShardBy by, const Topology& topology) {
  if (by != ShardBy::kPlan) {
    return MakeSharedTree(stages, sources, by,
                          RowsFed(topology, stages.MakeContract()));
  }
  if (sources.indexed == nullptr) return OrderTree();
  return MakeOrderTree(stages, sources);
}

}  // namespace penstock
