#include <fmt/format.h>

#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/graph/order_tree.h"
#include "pipeline/order/megatron_order.h"

namespace penstock {

Status OrderAsMegatron(const PackOptions& pack, const LengthTable& lengths,
                       OrderTree& tree) {
  if (tree.mix || tree.order->epochs_share() != InCommon::kPositions) {
    return InvalidArgumentError(
        "PackKind::kMegatron behind Shuffle or Mix: it shuffles by itself, of "
        "records in the order of their files; leave them out");
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      std::shared_ptr<const MegatronOrder> order,
      MegatronOrder::Create(tree.order, lengths,
                            {.length = static_cast<uint64_t>(pack.length) - 1,
                             .samples = pack.samples,
                             .seed = static_cast<uint32_t>(pack.seed)}));
  tree.views.push_back(fmt::format(
      "megatron  {} samples of {} passes over {} rows; by a table of {} bytes",
      order->samples(), order->passes(), tree.order->records(),
      order->table_bytes() - tree.order->table_bytes()));
  tree.order = std::move(order);
  return OkStatus();
}

}  // namespace penstock
