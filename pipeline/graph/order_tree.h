// Which records come in which order: the views of a graph over its sources.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/rules.h"
#include "pipeline/graph/left_out.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
#include "pipeline/order/lengths.h"
#include "pipeline/order/mix_order.h"
#include "pipeline/order/order.h"
#include "pipeline/state.h"

namespace penstock {

struct OrderTree {
  std::shared_ptr<const Order> order;
  // The same, where the last view is a Mix; otherwise null.
  std::shared_ptr<const MixOrder> mix;
  // What the data decides of it: the weights of a mix by values.
  std::vector<StatePart> parts;
  // A line for each view, for Explain(), those below first.
  std::vector<std::string> views;
  // Rows of an epoch that are of each source; rounded where a part is taken of
  // what several of them make.
  std::vector<double> rows;
  // Where each host reads a part of the data: graph/sharding.h.
  std::optional<ShareRule> shares = {};
  std::vector<std::shared_ptr<const Order>> host_orders = {};
  // Of an epoch, what Leftover::kDrop cuts off so that all shares end together.
  uint64_t cut_records = 0;
  std::string sharing = {};  // a line for Explain()
  // Of tables that all hosts' parts of the order have in common.
  uint64_t shared_table_bytes = 0;
};

// Of sources whose records are reached by number.
// Errors:  kInvalidArgument for views that have no rows or no end, and for
//          records to leave out that are not there, saying what to change.
StatusOr<OrderTree> MakeOrderTree(const Stages& stages, const Sources& sources);

// The same of such leaves, which may have no records at all.
StatusOr<OrderTree> MakeTreeOf(const Stages& stages, const Sources& sources,
                               std::span<const Leaf> leaves);

// Puts Megatron-LM's samples in place of the records of `tree`.
// Errors:  kInvalidArgument for records that are not in the order of their
//          files, and those of MegatronOrder::Create().
Status OrderAsMegatron(const PackOptions& pack, const LengthTable& lengths,
                       OrderTree& tree);

Status NoRecordsLeft();

}  // namespace penstock
