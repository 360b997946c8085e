// Decoded rows of this host that wait for the arranger to put them in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "formats/example/examples.h"
#include "pipeline/build/rows.h"

namespace penstock {

struct StoredRow {
  const Examples* examples = nullptr;  // which somebody keeps alive
  uint32_t row = 0;
  uint32_t begin = 0;  // see RowRef
};

// Keeps the examples of rows alive that were taken.
class RowOwners {
 public:
  // Rows that follow each other are mostly of the same examples.
  void Add(const std::shared_ptr<const Examples>& examples) {
    if (owners_.empty() || owners_.back() != examples) {
      owners_.push_back(examples);
    }
  }

 private:
  std::vector<std::shared_ptr<const Examples>> owners_;
};

// Rows by tags, as arrangers hand them on (Row::tag).
//
// Memory:  at most twice that of the rows that are there, after Settle().
// Threads: one at a time.
class RowStore {
 public:
  // `kind` is a guess at what leaves together: rows of one kind that are copied
  // together share memory. Kinds are few.
  uint64_t Add(const std::shared_ptr<const Examples>& examples, size_t row,
               size_t kind);

  // Alive until it is removed, and after that while `OwnerOf` is.
  StoredRow Find(uint64_t tag) const {
    const Slot& slot = slots_[tag];
    if (slot.place == shared_.end()) return {};
    return {slot.place->first, static_cast<uint32_t>(slot.row)};
  }
  const std::shared_ptr<const Examples>& OwnerOf(uint64_t tag) const {
    return slots_[tag].place->second.examples;
  }
  // Gives its memory back, but keeps the tag: Find() of it has no examples.
  void Empty(uint64_t tag);
  void Remove(uint64_t tag);

  // Copies the rows that are left of examples most of which have gone, so that
  // a few rows of a rare length keep nothing else in memory.
  void Settle();

  size_t rows() const { return slots_.size() - free_.size(); }
  void Clear();

 private:
  // Some examples, rows of which are here.
  struct Shared {
    std::shared_ptr<const Examples> examples;
    std::vector<uint64_t> tags;  // of rows that came from them
    uint64_t all_bytes = 0;      // of the examples, also of rows elsewhere
    uint64_t live_bytes = 0;     // of the rows that are here
    bool changed = false;        // since Settle()
  };
  using Place = std::map<const Examples*, Shared>::iterator;

  // Rows of one kind that go to examples of their own.
  struct Left {
    std::vector<uint64_t> tags;
    std::vector<RowRef> rows;
  };

  struct Slot {
    size_t row = 0;
    size_t kind = 0;
    uint64_t bytes = 0;
    Place place;  // the end: free, or without a row
  };

  Place Share(const std::shared_ptr<const Examples>& examples);
  void Change(Place place);
  void Copy(Left& left);

  std::vector<Slot> slots_;
  std::vector<uint64_t> free_;
  std::map<const Examples*, Shared> shared_;
  Place last_ = shared_.end();  // of the row added last
  std::vector<Place> changed_;
  std::vector<Left> left_;  // [kinds]; empty outside of Settle()
};

}  // namespace penstock
