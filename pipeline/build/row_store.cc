#include "pipeline/build/row_store.h"

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

void RowStore::Empty(uint64_t tag) {
  Slot& slot = slots_[tag];
  if (slot.place == shared_.end()) return;
  slot.place->second.live_bytes -= slot.bytes;
  Change(slot.place);
  slot.place = shared_.end();
}

void RowStore::Remove(uint64_t tag) {
  Empty(tag);
  free_.push_back(tag);
}

void RowStore::Change(Place place) {
  if (!std::exchange(place->second.changed, true)) changed_.push_back(place);
}

void RowStore::Settle() {
  std::vector<Place> going;
  for (const Place place : changed_) {
    Shared& shared = place->second;
    shared.changed = false;
    if (2 * shared.live_bytes > shared.all_bytes) continue;
    for (const uint64_t tag : shared.tags) {
      Slot& slot = slots_[tag];
      // The tag of a row that went may be another's by now, here too.
      if (slot.place != place) continue;
      slot.place = shared_.end();
      if (left_.size() <= slot.kind) left_.resize(slot.kind + 1);
      left_[slot.kind].tags.push_back(tag);
      left_[slot.kind].rows.push_back({place->first, slot.row});
    }
    if (last_ == place) last_ = shared_.end();
    shared.tags.clear();
    going.push_back(place);
  }
  changed_.clear();
  for (Left& left : left_) Copy(left);
  for (const Place place : going) shared_.erase(place);
}

void RowStore::Copy(Left& left) {
  if (left.rows.empty()) return;
  const auto copy = std::make_shared<Examples>();
  ReserveRows(left.rows, *copy);
  for (const RowRef& row : left.rows) AppendRow(*row.examples, row.row, *copy);
  const Place place = Share(copy);
  for (size_t row = 0; row < left.tags.size(); ++row) {
    slots_[left.tags[row]].row = row;
    slots_[left.tags[row]].place = place;
  }
  place->second.tags = left.tags;
  place->second.live_bytes = place->second.all_bytes;
  left.tags.clear();
  left.rows.clear();
}

void RowStore::Clear() {
  slots_.clear();
  free_.clear();
  shared_.clear();
  last_ = shared_.end();
  changed_.clear();
}

}  // namespace penstock
