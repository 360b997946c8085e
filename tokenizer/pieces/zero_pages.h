// Large zeroed memory that the system gives page by page, once it is used.
#pragma once

#include <cstddef>

namespace penstock {

// Huge pages where there is room for one and the system can: a table that is
// hit all over would else wait for the place of each small page.
class ZeroPages {
 public:
  // Room for `most_bytes`, at least `size_bytes`, so that it can grow where it
  // is. Throws std::bad_alloc.
  ZeroPages(size_t size_bytes, size_t most_bytes);
  explicit ZeroPages(size_t size_bytes) : ZeroPages(size_bytes, size_bytes) {}
  ~ZeroPages();
  ZeroPages(ZeroPages&& other) noexcept;
  ZeroPages& operator=(ZeroPages&& other) noexcept;

  // Aligned to 4 KiB at least.
  void* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

  // To at most `most_bytes`. What is there stays; zeros follow it.
  void GrowTo(size_t size_bytes);
  // Takes the memory of bytes that will be written, where the system can: one
  // that is read first gets a page that all zeros share, and the first write
  // then has every processor forget it. `begin` is a multiple of 4 KiB.
  //
  // Threads: any number at a time, also while others write there.
  void Take(size_t begin, size_t size_bytes);
  // Gives all of it back to the system: it is as one that is made with so many.
  void Clear(size_t size_bytes);

 private:
  void* mapping_ = nullptr;
  size_t mapping_bytes_ = 0;
  void* data_ = nullptr;  // in the mapping
  size_t size_bytes_ = 0;
};

}  // namespace penstock
