// Every allocation of a test program goes through two functions of its own, in
// all forms that libraries ask for, as one may give back what another gave.
// A program that wants this adds replaced_heap.cc to its sources.
#pragma once

#include <cstddef>

namespace penstock::testing {

// Both are the test's. Null ends memory for this call.
void* TakeMemory(size_t size_bytes, size_t alignment) noexcept;
void GiveBackMemory(void* memory) noexcept;

}  // namespace penstock::testing
