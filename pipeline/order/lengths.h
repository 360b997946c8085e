// The length of every record, by record id, as the indexes hold it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace penstock {

// Views of one length column of each file, which must outlive the table, or
// lengths of its own. Without
// columns every length is 0. Of records that are left out it is kLeftOut.
//
// Threads: any number at a time.
// Cost:    one look at the column and, with several files, one at a table of 4
//          entries a file; more only for files that are far smaller than
//          others, whose records are few for the same reason.
// Memory:  16 bytes a file.
class LengthTable {
 public:
  static constexpr uint32_t kLeftOut = UINT32_MAX;

  LengthTable() = default;
  explicit LengthTable(std::vector<std::span<const uint32_t>> columns);
  // Of all records, its own, which copies share.
  static LengthTable Of(std::vector<uint32_t> lengths);

  // `ids` rise. Cost: then a search among them for each length.
  void LeaveOut(std::vector<uint64_t> ids);
  bool leaves_out() const { return left_out_ != nullptr; }

  uint32_t operator()(uint64_t id) const {
    if (IsLeftOut(id)) return kLeftOut;
    return columns_.empty() ? 0 : *PlaceOf(id);
  }
  // lengths[i] is that of ids[i]. Several times as fast as one by one where the
  // columns are larger than the processor's caches.
  void Look(std::span<const uint64_t> ids, std::span<uint32_t> lengths) const;

  const std::vector<std::span<const uint32_t>>& columns() const {
    return columns_;
  }
  uint64_t own_bytes() const {
    return own_ == nullptr ? 0 : own_->size() * sizeof(uint32_t);
  }

 private:
  void LookAtColumns(std::span<const uint64_t> ids,
                     std::span<uint32_t> lengths) const;
  bool IsLeftOut(uint64_t id) const {
    return left_out_ != nullptr && std::ranges::binary_search(*left_out_, id);
  }
  const uint32_t* PlaceOf(uint64_t id) const {
    size_t file = file_of_block_[id >> block_bits_];
    while (id >= first_[file + 1]) ++file;
    return columns_[file].data() + (id - first_[file]);
  }

  std::shared_ptr<const std::vector<uint32_t>> own_;  // null of views
  std::vector<std::span<const uint32_t>> columns_;    // without empty ones
  std::vector<uint64_t> first_;  // first id of each file, then the total
  int block_bits_ = 0;
  std::vector<uint32_t> file_of_block_;  // the file of each block's first id
  std::shared_ptr<const std::vector<uint64_t>> left_out_;  // rising
};

}  // namespace penstock
