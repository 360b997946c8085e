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
  const Examples* const examples = row.examples.get();
  const auto [place, is_new] = shared_.try_emplace(examples);
  Shared& shared = place->second;
  if (is_new) shared.all_bytes = BytesOf(*examples);
  shared.tags.push_back(tag);
  shared.live_bytes += BytesOf(*examples, row.row);
  changed_.push_back(examples);
  slots_[tag] = {.row = std::move(row), .kind = kind, .used = true};
  return tag;
}

void RowStore::Remove(uint64_t tag) {
  const StoredRow& row = slots_[tag].row;
  const Examples* const examples = row.examples.get();
  Shared& shared = shared_.at(examples);
  shared.live_bytes -= BytesOf(*examples, row.row);
  changed_.push_back(examples);
  slots_[tag] = {};
  free_.push_back(tag);
}

void RowStore::Settle() {
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  std::vector<uint64_t> left;
  for (const Examples* const examples : changed_) {
    const auto place = shared_.find(examples);
    const Shared& shared = place->second;
    if (2 * shared.live_bytes > shared.all_bytes) continue;
    for (const uint64_t tag : shared.tags) {
      // The tag of a row that went may be another's by now.
      if (slots_[tag].row.examples.get() == examples) left.push_back(tag);
    }
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
    Shared shared;
    for (; begin < tags.size() && slots_[tags[begin]].kind == kind; ++begin) {
      StoredRow& row = slots_[tags[begin]].row;
      AppendRow(*row.examples, row.row, *copy);
      row = {copy, copy->rows - 1};
      shared.tags.push_back(tags[begin]);
    }
    shared.all_bytes = shared.live_bytes = BytesOf(*copy);
    shared_.emplace(copy.get(), std::move(shared));
  }
}

void RowStore::Clear() {
  slots_.clear();
  free_.clear();
  shared_.clear();
  changed_.clear();
}

}  // namespace penstock
