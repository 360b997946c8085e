// Some records that follow each other, to come out permuted: in memory, as far
// as this host decodes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/order/order.h"
#include "pipeline/read/record_bytes.h"
#include "pipeline/read/sequence.h"

namespace penstock {

// Memory:  that of RecordBytes, and 24 bytes a record, 28 where it is known who
//          decodes each.
// Threads: one at a time; what memory() holds may be read by any.
class RecordWindow {
 public:
  // Forgets the records; views of them live as long as their memory().
  void Clear(uint64_t begin);
  void Add(const SequenceRecord& record);
  // No more come: permutes them. Windows of one epoch are told apart by where
  // they begin.
  void Close(ShuffleKey key, uint64_t epoch);

  uint64_t begin() const { return begin_; }  // id of the first record
  size_t size() const { return records_.size(); }
  // What the records, also those of other hosts, and the places of so many
  // take: the same for any number of hosts.
  uint64_t held_bytes() const { return all_bytes_ + 24 * size(); }

  // Of those that come out, whether all have, and the next.
  bool used_up() const { return used_ == order_.size(); }
  SequenceRecord next() const { return Find(begin_ + order_[used_]); }
  void Skip(size_t count) { used_ += count; }

  // A record of the window.
  SequenceRecord Find(uint64_t record_id) const;
  std::shared_ptr<const void> memory() const { return bytes_; }

 private:
  struct Kept {
    const char* data = nullptr;  // null where another host decodes it
    uint64_t size_bytes = 0;
  };

  uint64_t begin_ = 0;
  std::shared_ptr<RecordBytes> bytes_ = std::make_shared<RecordBytes>();
  uint64_t all_bytes_ = 0;
  std::vector<Kept> records_;
  std::vector<uint32_t> hosts_;  // [records]; empty where any may decode them
  std::vector<uint64_t> order_;
  size_t used_ = 0;
};

}  // namespace penstock
