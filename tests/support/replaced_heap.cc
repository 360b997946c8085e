#include "tests/support/replaced_heap.h"

#include <cstdlib>
#include <new>

namespace {

using penstock::testing::GiveBackMemory;
using penstock::testing::TakeMemory;

void* TakeOrThrow(size_t size, size_t alignment) {
  void* const memory = TakeMemory(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr size_t kUsual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(size_t size) { return TakeOrThrow(size, kUsual); }
void* operator new[](size_t size) { return TakeOrThrow(size, kUsual); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return TakeMemory(size, kUsual);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return TakeMemory(size, kUsual);
}
void* operator new(size_t size, std::align_val_t align) {
  return TakeOrThrow(size, static_cast<size_t>(align));
}
void* operator new[](size_t size, std::align_val_t align) {
  return TakeOrThrow(size, static_cast<size_t>(align));
}
void operator delete(void* memory) noexcept { GiveBackMemory(memory); }
void operator delete[](void* memory) noexcept { GiveBackMemory(memory); }
void operator delete(void* memory, size_t) noexcept { GiveBackMemory(memory); }
void operator delete[](void* memory, size_t) noexcept {
  GiveBackMemory(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  GiveBackMemory(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  GiveBackMemory(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  GiveBackMemory(memory);
}
void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  GiveBackMemory(memory);
}
