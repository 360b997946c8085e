// The length of every record, by record id, as the indexes hold it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace penstock {

// Views of one length column of each file; they must outlive the table. Without
// columns every length is 0.
//
// Threads: any number at a time.
// Cost:    one look at the table of files and one at the column.
class LengthTable {
 public:
  LengthTable() = default;
  explicit LengthTable(std::vector<std::span<const uint32_t>> columns);

  uint32_t operator()(uint64_t id) const {
    if (columns_.empty()) return 0;
    // Files are mostly alike, so the guess is mostly right.
    size_t file = static_cast<size_t>(static_cast<double>(id) * files_per_id_);
    if (file >= columns_.size()) file = columns_.size() - 1;
    while (id < first_[file]) --file;
    while (id >= first_[file + 1]) ++file;
    return columns_[file][id - first_[file]];
  }

  const std::vector<std::span<const uint32_t>>& columns() const {
    return columns_;
  }

 private:
  std::vector<std::span<const uint32_t>> columns_;
  std::vector<uint64_t> first_;  // first id of each file, then the total
  double files_per_id_ = 0;
};

}  // namespace penstock
