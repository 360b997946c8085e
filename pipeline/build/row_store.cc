#include "pipeline/build/row_store.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "pipeline/build/append_row.h"

namespace penstock {
namespace {

// What a row takes: its values, and a place in each column.
uint64_t BytesOf(const Examples& examples, size_t row) {
  uint64_t bytes = 0;
  for (const Column& column : examples.columns) {
    bytes += 8 + 8 * column.values_in(row);
    if (column.type != FeatureType::kBytes) continue;
    bytes += column.byte_offsets[column.row_offsets[row + 1]] -
             column.byte_offsets[column.row_offsets[row]];
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

uint64_t RowStore::Add(StoredRow row, size_t kind) {
  uint64_t tag = slots_.size();
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    tag = free_.back();
    free_.pop_back();
  }
  // Rows come in the order of their examples.
  if (last_ == shared_.end() || last_->first != row.examples.get()) {
    bool is_new = false;
    std::tie(last_, is_new) = shared_.try_emplace(row.examples.get());
    if (is_new) last_->second.all_bytes = BytesOf(*row.examples);
  }
  const uint64_t bytes = BytesOf(*row.examples, row.row);
  last_->second.tags.push_back(tag);
  last_->second.live_bytes += bytes;
  Change(last_);
  slots_[tag] = {
      .row = std::move(row), .kind = kind, .bytes = bytes, .place = last_};
  return tag;
}

StoredRow RowStore::Take(uint64_t tag) {
  Slot& slot = slots_[tag];
  slot.place->second.live_bytes -= slot.bytes;
  Change(slot.place);
  free_.push_back(tag);
  return std::exchange(slot.row, {});
}

void RowStore::Change(Place place) {
  if (!std::exchange(place->second.changed, true)) changed_.push_back(place);
}

void RowStore::Settle() {
  std::vector<uint64_t> left;
  for (const Place place : changed_) {
    Shared& shared = place->second;
    shared.changed = false;
    if (2 * shared.live_bytes > shared.all_bytes) continue;
    for (const uint64_t tag : shared.tags) {
      // The tag of a row that went may be another's by now.
      if (slots_[tag].row.examples.get() == place->first) left.push_back(tag);
    }
    if (last_ == place) last_ = shared_.end();
    shared_.erase(place);
  }
  changed_.clear();
  Copy(std::move(left));
}

// Rows of one kind go to examples of their own.
void RowStore::Copy(std::vector<uint64_t> tags) {
  std::sort(tags.begin(), tags.end(), [&](uint64_t a, uint64_t b) {
    return std::pair(slots_[a].kind, a) < std::pair(slots_[b].kind, b);
  });
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  for (size_t begin = 0; begin < tags.size();) {
    const size_t kind = slots_[tags[begin]].kind;
    const auto copy = std::make_shared<Examples>();
    const Place place = shared_.try_emplace(copy.get()).first;
    Shared& shared = place->second;
    for (; begin < tags.size() && slots_[tags[begin]].kind == kind; ++begin) {
      Slot& slot = slots_[tags[begin]];
      AppendRow(*slot.row.examples, slot.row.row, *copy);
      slot.row = {copy, copy->rows - 1};
      slot.place = place;
      shared.tags.push_back(tags[begin]);
    }
    shared.all_bytes = shared.live_bytes = BytesOf(*copy);
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
