#include "tests/pipeline/varied_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/order/kept_order.h"

namespace penstock::testing {
namespace {

void AddOffset(std::optional<std::vector<uint64_t>>& ids, uint64_t offset) {
  if (!ids) return;
  for (uint64_t& id : *ids) id += offset;
}

class VariedViews {
 public:
  VariedViews(Drawing& drawing, DataPool& pool)
      : drawing_(drawing), pool_(pool) {}

  VariedView InSequence();
  VariedView Together(uint64_t depth);
  VariedView Between(VariedView view);

 private:
  VariedView Source();
  VariedView Among(VariedView view);
  VariedView Mixed(const std::vector<VariedView>& parts);

  Drawing& drawing_;
  DataPool& pool_;
  bool all_lengths_ = true;  // every source has lengths in its indexes
};

// Compressed, or without an index.
VariedView VariedViews::InSequence() {
  size_t kind = drawing_.Draw(DataPool::kKinds);
  while (pool_.Get(kind).indexed) kind = drawing_.Draw(DataPool::kKinds);
  const MadeData& data = pool_.Get(kind);
  drawing_.Say(fmt::format("sequence{}", kind));
  return {.dataset = Dataset::TfRecords(data.pattern),
          .records = data.lengths.size(),
          .ids = Iota(data.lengths.size())};
}

VariedView VariedViews::Source() {
  const MadeData* data = nullptr;
  size_t kind = 0;
  while (data == nullptr || !data->indexed) {
    kind = drawing_.Draw(DataPool::kKinds);
    data = &pool_.Get(kind);
  }
  all_lengths_ = all_lengths_ && data->length_column;
  const bool in_memory = drawing_.One(4);
  drawing_.Say(fmt::format("{}{}", in_memory ? "memory" : "data", kind));
  return {.dataset = in_memory ? Dataset::Columns(data->rows)
                               : Dataset::TfRecords(data->pattern),
          .records = data->lengths.size(),
          .ids = Iota(data->lengths.size())};
}

// Parts of all records, that stand before those of an order.
VariedView VariedViews::Among(VariedView view) {
  while (drawing_.One(3)) {
    if (drawing_.One(2)) {
      SplitOptions part = {.seed = drawing_.Draw(9), .begin = 0, .end = 0.6};
      if (drawing_.One(2)) part = {.seed = part.seed, .begin = 0.2, .end = 1};
      drawing_.Say(fmt::format("Split({}, {})", part.seed, part.begin));
      view.dataset = view.dataset.Split(part);
      const std::vector<uint64_t> bits = SplitBits(part, view.records);
      std::erase_if(*view.ids, [&](uint64_t id) {
        return (bits[id / 64] >> id % 64 & 1) == 0;
      });
    } else {
      std::vector<uint64_t> gone;
      for (uint64_t id = drawing_.Draw(5); id < view.records;
           id += 1 + drawing_.Draw(20)) {
        gone.push_back(id);
      }
      drawing_.Say(fmt::format("Exclude({})", gone.size()));
      for (const uint64_t id : gone) std::erase(*view.ids, id);
      view.dataset = view.dataset.Exclude(std::move(gone));
    }
  }
  return view;
}

// Some of those of an order.
VariedView VariedViews::Between(VariedView view) {
  const uint64_t all = view.ids ? view.ids->size() : 20;
  if (all < 2) return view;
  const uint64_t some = 1 + drawing_.Draw(all - 1);
  const uint64_t kind = drawing_.Draw(3);
  const auto begin = kind == 0 ? 0 : all - some;
  const auto end = kind == 2 ? begin + (some + 1) / 2 : kind == 0 ? some : all;
  if (kind == 0) view.dataset = view.dataset.Take(some);
  if (kind == 1) view.dataset = view.dataset.Skip(all - some);
  if (kind == 2) view.dataset = view.dataset.Slice({begin, end});
  drawing_.Say(fmt::format("[{}, {})", begin, end));
  if (view.shuffled) view.ids.reset();
  if (!view.ids) return view;
  view.ids->erase(view.ids->begin() + static_cast<std::ptrdiff_t>(end),
                  view.ids->end());
  view.ids->erase(view.ids->begin(),
                  view.ids->begin() + static_cast<std::ptrdiff_t>(begin));
  return view;
}

VariedView VariedViews::Together(uint64_t depth) {
  if (depth == 0) {
    VariedView view = Among(Source());
    if (drawing_.One(3)) {
      view.shuffled = true;
      const uint64_t window = drawing_.Draw(2) * (1 + drawing_.Draw(20));
      drawing_.Say(fmt::format("Shuffle({})", window));
      view.dataset = view.dataset.Shuffle(
          {.seed = drawing_.Draw(9), .window_records = window});
    }
    while (drawing_.One(3)) view = Between(std::move(view));
    return view;
  }
  drawing_.Say("(");
  std::vector<VariedView> parts;
  for (uint64_t count = 1 + drawing_.Draw(3); parts.size() < count;) {
    parts.push_back(Together(drawing_.One(2) ? depth - 1 : 0));
  }
  const bool mixed = drawing_.One(2);
  VariedView made = {.dataset = parts[0].dataset,
                     .ids = std::vector<uint64_t>()};
  if (mixed) {
    made = Mixed(parts);
  } else {
    std::vector<Dataset> datasets;
    for (const VariedView& part : parts) datasets.push_back(part.dataset);
    made.dataset = Dataset::Concat(std::move(datasets));
  }
  made.records = 0;
  for (VariedView& part : parts) {
    AddOffset(part.ids, made.records);
    made.records += part.records;
    made.shuffled = made.shuffled || part.shuffled;
    if (!part.ids) made.ids.reset();
    if (made.ids) {
      made.ids->insert(made.ids->end(), part.ids->begin(), part.ids->end());
    }
  }
  drawing_.Say(mixed ? ") Mix" : ") Concat");
  while (drawing_.One(4)) made = Between(std::move(made));
  return made;
}

VariedView VariedViews::Mixed(const std::vector<VariedView>& parts) {
  MixOptions options = {.stop = static_cast<MixStop>(drawing_.Draw(3))};
  if (all_lengths_ && drawing_.One(3)) options.by = "tokens";
  VariedView made = {.dataset = parts[0].dataset, .shuffled = true};
  // All rows of an epoch of each, where none begins again.
  if (options.stop == MixStop::kLast) made.ids.emplace();
  std::vector<MixSource> sources;
  for (const VariedView& part : parts) {
    const double weight = 0.1 + static_cast<double>(drawing_.Draw(30)) / 10;
    sources.push_back({part.dataset, weight});
    drawing_.Say(fmt::format("{}", weight));
  }
  drawing_.Say(
      fmt::format("by '{}' to {}", options.by, static_cast<int>(options.stop)));
  made.dataset = Dataset::Mix(std::move(sources), options);
  return made;
}

}  // namespace

VariedView DrawView(Drawing& drawing, DataPool& pool, bool in_sequence) {
  VariedViews views(drawing, pool);
  if (in_sequence) return views.InSequence();
  VariedView view = views.Together(drawing.Draw(3));
  return drawing.One(4) ? views.Between(std::move(view)) : view;
}

}  // namespace penstock::testing
