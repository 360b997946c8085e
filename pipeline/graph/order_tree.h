// Which records come in which order: the views of a graph over its sources.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
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
};

// Of sources whose records are reached by number.
// Errors:  kInvalidArgument for views that have no rows or no end, and for
//          records to leave out that are not there, saying what to change.
StatusOr<OrderTree> MakeOrderTree(const Stages& stages, const Sources& sources);

}  // namespace penstock
