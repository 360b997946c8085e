// Pages of 2 MiB for memory that is large.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace penstock {

inline constexpr size_t kHugePageBytes = 2 << 20;

// Asks for huge pages where all of one lies in the memory: the system then has
// one place to find where it had 512, and is asked once for what it would be
// asked for page by page. It may refuse, which changes nothing.
void PreferHugePages(const void* memory, size_t size_bytes);

// For tables that are read all over: half a huge page and more become whole
// ones.
template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  explicit(false) HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(size_t count) {
    if (!IsLarge(count)) return std::allocator<T>().allocate(count);
    const size_t bytes = (count * sizeof(T) + kHugePageBytes - 1) /
                         kHugePageBytes * kHugePageBytes;
    void* const memory = ::operator new(bytes, kAlignment);
    PreferHugePages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    if (!IsLarge(count)) return std::allocator<T>().deallocate(memory, count);
    ::operator delete(memory, kAlignment);
  }
  friend bool operator==(HugePageAllocator, HugePageAllocator) { return true; }

 private:
  static constexpr std::align_val_t kAlignment{kHugePageBytes};
  static bool IsLarge(size_t count) {
    return count >= kHugePageBytes / 2 / sizeof(T);
  }
};

template <typename T>
using HugePageVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace penstock
