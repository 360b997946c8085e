#include "pipeline/order/lengths.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace penstock {

LengthTable::LengthTable(std::vector<std::span<const uint32_t>> columns)
    : columns_(std::move(columns)), first_({0}) {
  std::erase_if(columns_, [](const auto& column) { return column.empty(); });
  for (const auto& column : columns_) {
    first_.push_back(first_.back() + column.size());
  }
  const uint64_t records = first_.back();
  if (records == 0) return;
  // About four blocks a file, so that nearly every block lies in one file.
  block_bits_ = std::bit_width(records / (4 * columns_.size()));
  size_t file = 0;
  for (uint64_t id = 0; id < records; id += uint64_t{1} << block_bits_) {
    while (id >= first_[file + 1]) ++file;
    file_of_block_.push_back(static_cast<uint32_t>(file));
  }
}

LengthTable LengthTable::Of(std::vector<uint32_t> lengths) {
  auto own = std::make_shared<const std::vector<uint32_t>>(std::move(lengths));
  LengthTable table(std::vector<std::span<const uint32_t>>{*own});
  table.own_ = std::move(own);
  return table;
}

void LengthTable::Look(std::span<const uint64_t> ids,
                       std::span<uint32_t> lengths) const {
  if (columns_.empty()) {
    std::fill(lengths.begin(), lengths.end(), 0);
  } else {
    LookAtColumns(ids, lengths);
  }
  if (!leaves_out()) return;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (IsLeftOut(ids[i])) lengths[i] = kLeftOut;
  }
}

void LengthTable::LeaveOut(std::vector<uint64_t> ids) {
  if (ids.empty()) return;
  left_out_ = std::make_shared<const std::vector<uint64_t>>(std::move(ids));
}

void LengthTable::LookAtColumns(std::span<const uint64_t> ids,
                                std::span<uint32_t> lengths) const {
  // Memory is asked for a group of places before any of them is needed.
  constexpr size_t kGroup = 64;
  std::array<const uint32_t*, kGroup> places;
  for (size_t begin = 0; begin < ids.size(); begin += kGroup) {
    const size_t count = std::min(kGroup, ids.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      places[i] = PlaceOf(ids[begin + i]);
      __builtin_prefetch(places[i]);
    }
    for (size_t i = 0; i < count; ++i) lengths[begin + i] = *places[i];
  }
}

}  // namespace penstock
