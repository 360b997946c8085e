#include "pipeline/arrange/packed_rows.h"

#include <algorithm>
#include <numeric>

namespace penstock {

std::vector<uint32_t> SlotsOfFullest(std::span<const PackedBin> bins,
                                     size_t count) {
  std::vector<uint32_t> order(bins.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
  if (count < order.size()) {
    std::nth_element(order.begin(), end, order.end(),
                     [&](uint32_t a, uint32_t b) {
                       return bins[a].values != bins[b].values
                                  ? bins[a].values > bins[b].values
                                  : bins[a].first < bins[b].first;
                     });
  }
  std::sort(order.begin(), end, [&](uint32_t a, uint32_t b) {
    return bins[a].first < bins[b].first;
  });
  std::vector<uint32_t> slots(bins.size(), PackedRows::kStays);
  for (size_t slot = 0; slot < count; ++slot) {
    slots[order[slot]] = static_cast<uint32_t>(slot);
  }
  return slots;
}

void PackedRows::Take(std::span<const uint32_t> slots, size_t filled,
                      uint64_t batch_rows, Assignment& out) {
  out.shape = 0;
  out.real_rows = filled;
  out.row_offsets.assign(batch_rows + 1, 0);
  for (const uint32_t bin : bins_) {
    if (slots[bin] != kStays) ++out.row_offsets[slots[bin] + 1];
  }
  for (size_t row = 0; row < batch_rows; ++row) {
    out.row_offsets[row + 1] += out.row_offsets[row];
  }
  out.pieces.resize(out.row_offsets.back());
  next_.assign(out.row_offsets.begin(), out.row_offsets.end() - 1);
  place_.assign(filled, 0);
  renumbered_.clear();
  uint32_t stay = 0;
  for (const uint32_t slot : slots) {
    renumbered_.push_back(slot == kStays ? stay++ : kStays);
  }
  size_t left = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const uint32_t slot = slots[bins_[i]];
    if (slot == kStays) {
      bins_[left] = renumbered_[bins_[i]];
      rows_[left++] = row;
      continue;
    }
    out.pieces[next_[slot]++] = {.record = row.record,
                                 .tag = row.tag,
                                 .length = row.length,
                                 .place = place_[slot]};
    place_[slot] += row.length;
  }
  rows_.resize(left);
  bins_.resize(left);
}

void PackedRows::Hold(std::vector<HeldPiece>& held) const {
  for (size_t i = 0; i < rows_.size(); ++i) {
    held.push_back({.record = rows_[i].record, .bin = bins_[i] + 1});
  }
}

}  // namespace penstock
