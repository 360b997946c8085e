#include "pipeline/graph/order_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "pipeline/graph/left_out.h"
#include "pipeline/graph/segment.h"
#include "pipeline/order/block_order.h"
#include "pipeline/order/mix_order.h"
#include "pipeline/order/seed.h"
#include "pipeline/order/view_order.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

const char* Name(MixStop stop) {
  switch (stop) {
    case MixStop::kFirst:
      return "ends with the first that ends";
    case MixStop::kLast:
      return "those that end leave it";
    case MixStop::kRepeat:
      return "those that end begin again";
  }
  return "";
}

std::string Count(uint64_t records) {
  return records == kEndless ? "endless" : fmt::format("{}", records);
}

// What a part of the graph comes to.
struct Branch {
  std::shared_ptr<const Order> order;
  // Of the data and the views below: the keys of shuffles depend on it.
  uint64_t identity = 0;
  // Of a row, of each feature whose values a mix above weighs.
  std::map<std::string, double> mean_lengths;
  // Adds to rows[s] how many of `taken` rows of this are of source s.
  std::function<void(double taken, std::vector<double>& rows)> share;
};

class Builder {
 public:
  Builder(const Stages& stages, const Sources& sources,
          std::span<const Leaf> leaves)
      : stages_(stages), sources_(sources), leaves_(leaves) {}

  StatusOr<OrderTree> Build() {
    PENSTOCK_ASSIGN_OR_RETURN(const Branch root,
                              Walk(*stages_.root, /*top=*/true, {}));
    const uint64_t records = root.order->records();
    if (records == kEndless) {
      return InvalidArgumentError(
          "the graph never ends inside an epoch: put Repeat for ever after "
          "Mix, Concat and Skip, or add Take");
    }
    out_.order = root.order;
    if (const Segment segment = SegmentOf(*stages_.root);
        !segment.shuffle &&
        std::holds_alternative<MixStage>(segment.base->stage)) {
      out_.mix = std::static_pointer_cast<const MixOrder>(root.order);
    }
    out_.rows.resize(sources_.each.size());
    if (records > 0) root.share(static_cast<double>(records), out_.rows);
    return std::move(out_);
  }

 private:
  // `by` are the features whose values mixes above weigh.
  StatusOr<Branch> Walk(const Node& node, bool top, std::set<std::string> by);
  StatusOr<Branch> Source(const std::set<std::string>& by);
  StatusOr<Branch> Mix(const MixStage& stage, std::vector<Branch> parts);
  StatusOr<Branch> Concat(std::vector<Branch> parts);
  StatusOr<Branch> Slice(const SliceOptions& slice, Branch of);
  StatusOr<Branch> Shuffle(const ShuffleOptions& shuffle, Branch of);
  StatusOr<Branch> Repeat(uint64_t epochs, Branch of);

  const Stages& stages_;
  const Sources& sources_;
  const std::span<const Leaf> leaves_;  // by source
  size_t next_source_ = 0;
  OrderTree out_;
};

StatusOr<Branch> Builder::Walk(const Node& node, bool top,
                               std::set<std::string> by) {
  const Segment segment = SegmentOf(node);
  const Stage& base = segment.base->stage;
  const auto* mix = std::get_if<MixStage>(&base);
  if (mix && !mix->options.by.empty()) by.insert(mix->options.by);
  std::vector<Branch> parts;
  for (const Node* below : segment.parts) {
    PENSTOCK_ASSIGN_OR_RETURN(Branch part, Walk(*below, false, by));
    parts.push_back(std::move(part));
  }
  Branch branch;
  if (mix != nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(branch, Mix(*mix, std::move(parts)));
  } else if (const auto* slice = std::get_if<SliceOptions>(&base)) {
    PENSTOCK_ASSIGN_OR_RETURN(branch, Slice(*slice, std::move(parts[0])));
  } else if (parts.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(branch, Source(by));
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(branch, Concat(std::move(parts)));
  }
  if (segment.shuffle) {
    PENSTOCK_ASSIGN_OR_RETURN(branch,
                              Shuffle(*segment.shuffle, std::move(branch)));
  }
  if (segment.epochs && !top) {
    PENSTOCK_ASSIGN_OR_RETURN(branch,
                              Repeat(*segment.epochs, std::move(branch)));
  }
  return branch;
}

StatusOr<Branch> Builder::Source(const std::set<std::string>& by) {
  const size_t source = next_source_++;
  Branch leaf = {.order = leaves_[source].order,
                 .identity = leaves_[source].identity};
  leaf.share = [source](double taken, std::vector<double>& rows) {
    rows[source] += taken;
  };
  for (const std::string& feature : by) {
    PENSTOCK_ASSIGN_OR_RETURN(leaf.mean_lengths[feature],
                              sources_.MeanLength(source, feature));
  }
  return leaf;
}

StatusOr<Branch> Builder::Mix(const MixStage& stage,
                              std::vector<Branch> parts) {
  std::vector<MixPart> mixed;
  for (size_t i = 0; i < parts.size(); ++i) {
    double weight = stage.weights[i];
    if (!stage.options.by.empty()) {
      weight /= parts[i].mean_lengths.at(stage.options.by);
    }
    mixed.push_back({parts[i].order, weight});
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      std::shared_ptr<const MixOrder> order,
      MixOrder::Create(std::move(mixed), stage.options.stop));
  const std::vector<MixShare>& shares = order->shares();
  Branch branch;
  branch.order = order;
  Fingerprinter weights;
  uint64_t below = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    branch.identity = MixKeys({branch.identity, parts[i].identity});
    for (const auto& [feature, length] : parts[i].mean_lengths) {
      branch.mean_lengths[feature] += shares[i].weight * length;
    }
    weights.Add(std::bit_cast<uint64_t>(shares[i].weight));
    below += parts[i].order->table_bytes();
  }
  if (!stage.options.by.empty()) {
    out_.parts.push_back({fmt::format("the weights of Mix by \"{}\", number {}",
                                      stage.options.by, out_.parts.size() + 1),
                          weights.Finish()});
  }
  const double records = static_cast<double>(order->records());
  branch.share = [parts, shares, records](double taken,
                                          std::vector<double>& rows) {
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i].share(
          shares[i].rows == kEndless
              ? taken * shares[i].weight
              : taken / records * static_cast<double>(shares[i].rows),
          rows);
    }
  };
  out_.views.push_back(fmt::format(
      "mix       {} datasets by {}, {}; {} rows, by a table of {} bytes",
      parts.size(), stage.options.by.empty() ? "rows" : stage.options.by,
      Name(stage.options.stop), Count(order->records()),
      order->table_bytes() - below));
  return branch;
}

StatusOr<Branch> Builder::Concat(std::vector<Branch> parts) {
  Branch branch;
  std::vector<std::shared_ptr<const Order>> orders;
  double records = 0;
  for (const Branch& part : parts) {
    if (part.order->records() == kEndless) {
      return InvalidArgumentError(
          "Concat of what repeats for ever: put Repeat after it");
    }
    orders.push_back(part.order);
    branch.identity = MixKeys({branch.identity, part.identity, 1});
    const auto rows = static_cast<double>(part.order->records());
    for (const auto& [feature, length] : part.mean_lengths) {
      branch.mean_lengths[feature] += length * rows;
    }
    records += rows;
  }
  for (auto& [feature, length] : branch.mean_lengths) {
    if (records > 0) length /= records;
  }
  branch.order = ConcatOrder(std::move(orders));
  branch.share = [parts, records](double taken, std::vector<double>& rows) {
    for (const Branch& part : parts) {
      if (part.order->records() == 0) continue;
      part.share(taken / records * static_cast<double>(part.order->records()),
                 rows);
    }
  };
  out_.views.push_back(fmt::format("concat    {} datasets; {} rows",
                                   parts.size(), branch.order->records()));
  return branch;
}

StatusOr<Branch> Builder::Slice(const SliceOptions& slice, Branch of) {
  const uint64_t records = of.order->records();
  const uint64_t begin = std::min(slice.begin, records);
  const uint64_t end = std::min(slice.end, records);
  const uint64_t left = end == kEndless ? kEndless : end - begin;
  if (records == kEndless && left != kEndless && left > (kEndless >> 20)) {
    return InvalidArgumentError(fmt::format(
        "Take {} rows of what never ends: leave Take out, or take fewer",
        left));
  }
  of.identity = MixKeys({of.identity, slice.begin, slice.end});
  of.order = SliceOrder(of.order, begin, left);
  out_.views.push_back(fmt::format("slice     rows {} to {} of {}", begin,
                                   Count(end), Count(records)));
  return of;
}

StatusOr<Branch> Builder::Shuffle(const ShuffleOptions& shuffle, Branch of) {
  const ShuffleKey key = {shuffle.seed, of.identity};
  if (of.order->records() == 0) return of;
  if (of.order->records() == kEndless) {
    return InvalidArgumentError(
        "Shuffle of what never ends: put it before Repeat for ever, Mix or "
        "Skip, or add Take");
  }
  const uint64_t block = shuffle.block_records;
  const uint64_t window = WindowOfBlocks(block, shuffle.window_records);
  if (stages_.views) {
    std::string text = fmt::format("shuffle   {} rows", of.order->records());
    if (block > 0) text += fmt::format(" in blocks of {},", block);
    if (window > 0) text += fmt::format(" in windows of {}", window);
    out_.views.push_back(text + fmt::format(", seed {}", shuffle.seed));
  }
  if (block > 0) {
    of.order = ShuffledBlocks(of.order, block, window, key);
  } else if (window > 0) {
    of.order = WindowOrder(of.order, window, key);
  } else {
    of.order = ShuffledOrder(of.order, key);
  }
  of.identity = MixKeys({of.identity, shuffle.seed});
  return of;
}

StatusOr<Branch> Builder::Repeat(uint64_t epochs, Branch of) {
  const uint64_t records = of.order->records();
  if (records == kEndless) {
    return InvalidArgumentError("Repeat of what never ends: leave it out");
  }
  if (records == 0) return of;
  if (epochs > 0 && records > (kEndless >> 20) / epochs) {
    return InvalidArgumentError(
        fmt::format("Repeat {} rows {} times: 0 is for ever", records, epochs));
  }
  of.order = RepeatOrder(of.order, epochs);
  of.identity = MixKeys({of.identity, epochs, 2});
  out_.views.push_back(
      fmt::format("repeat    {} rows {}", records,
                  epochs == 0 ? "for ever" : fmt::format("{} times", epochs)));
  return of;
}

}  // namespace

Status NoRecordsLeft() {
  return InvalidArgumentError(
      "there are no records left after Skip, Slice, Split or Exclude");
}

StatusOr<OrderTree> MakeTreeOf(const Stages& stages, const Sources& sources,
                               std::span<const Leaf> leaves) {
  return Builder(stages, sources, leaves).Build();
}

StatusOr<OrderTree> MakeOrderTree(const Stages& stages,
                                  const Sources& sources) {
  std::vector<std::string> views;
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Leaf> leaves,
                            MakeLeaves(stages, sources, views));
  PENSTOCK_ASSIGN_OR_RETURN(OrderTree tree,
                            MakeTreeOf(stages, sources, leaves));
  if (tree.order->records() == 0) return NoRecordsLeft();
  tree.views.insert(tree.views.begin(), views.begin(), views.end());
  return tree;
}

}  // namespace penstock
