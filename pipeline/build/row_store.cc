#include "pipeline/build/row_store.h"

#include <algorithm>
#include <utility>

#include "pipeline/build/append_row.h"

namespace penstock {
namespace {

// What a row takes: its values, and a place in each column.
uint64_t BytesOf(const Examples& examples, size_t row) {
  uint64_t bytes = 0;
  for (const Column& column : examples.columns) {
    bytes += 8 + 8 * column.values_in(row);
    if (column.type == FeatureType::kBytes) bytes += column.bytes_in(row);
  }
  return bytes;
}

uint64_t BytesOf(const Examples& examples) {
  uint64_t bytes = 0;
  for (const Column& column : examples.columns) {
    bytes += 8 * (examples.rows + column.values()) + column.bytes.size();
  }
  return bytes;
}

}  // namespace

uint64_t RowStore::Add(const std::shared_ptr<const Examples>& examples,
                       size_t row, size_t kind) {
  uint64_t tag = slots_.size();
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    tag = free_.back();
    free_.pop_back();
  }
  // Rows come in the order of their examples.
  if (last_ == shared_.end() || last_->first != examples.get()) {
    last_ = Share(examples);
  }
  const uint64_t bytes = BytesOf(*examples, row);
  last_->second.tags.push_back(tag);
  last_->second.live_bytes += bytes;
  Change(last_);
  slots_[tag] = {.row = row, .kind = kind, .bytes = bytes, .place = last_};
  return tag;
}

RowStore::Place RowStore::Share(
    const std::shared_ptr<const Examples>& examples) {
  const auto [place, is_new] = shared_.try_emplace(examples.get());
  if (is_new) {
    place->second.examples = examples;
    place->second.tags.reserve(examples->rows);
    place->second.all_bytes = BytesOf(*examples);
  }
  return place;
}

void RowStore::Remove(uint64_t tag) {
  Slot& slot = slots_[tag];
  slot.place->second.live_bytes -= slot.bytes;
  Change(slot.place);
  free_.push_back(tag);
  slot.place = shared_.end();
}

void RowStore::Change(Place place) {
  if (!std::exchange(place->second.changed, true)) changed_.push_back(place);
}

void RowStore::Settle() {
  std::vector<uint64_t> left;
  std::vector<Place> going;
  for (const Place place : changed_) {
    Shared& shared = place->second;
    shared.changed = false;
    if (2 * shared.live_bytes > shared.all_bytes) continue;
    for (const uint64_t tag : shared.tags) {
      // The tag of a row that went may be another's by now.
      if (slots_[tag].place == place) left.push_back(tag);
    }
    if (last_ == place) last_ = shared_.end();
    shared.tags.clear();
    going.push_back(place);
  }
  changed_.clear();
  Copy(std::move(left));
  for (const Place place : going) shared_.erase(place);
}

// Rows of one kind go to examples of their own.
void RowStore::Copy(std::vector<uint64_t> tags) {
  std::sort(tags.begin(), tags.end(), [&](uint64_t a, uint64_t b) {
    return std::pair(slots_[a].kind, a) < std::pair(slots_[b].kind, b);
  });
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  std::vector<RowRef> rows;
  for (auto begin = tags.begin(); begin != tags.end();) {
    const auto end = std::find_if(begin, tags.end(), [&](uint64_t tag) {
      return slots_[tag].kind != slots_[*begin].kind;
    });
    rows.clear();
    for (auto tag = begin; tag != end; ++tag) {
      rows.push_back({slots_[*tag].place->first, slots_[*tag].row});
    }
    const auto copy = std::make_shared<Examples>();
    ReserveRows(rows, *copy);
    for (const RowRef& row : rows) AppendRow(*row.examples, row.row, *copy);
    const Place place = Share(copy);
    Shared& shared = place->second;
    for (size_t row = 0; begin != end; ++begin, ++row) {
      slots_[*begin].row = row;
      slots_[*begin].place = place;
      shared.tags.push_back(*begin);
    }
    shared.live_bytes = shared.all_bytes;
  }
}

void RowStore::Clear() {
  slots_.clear();
  free_.clear();
  shared_.clear();
  last_ = shared_.end();
  changed_.clear();
}

}  // namespace penstock
