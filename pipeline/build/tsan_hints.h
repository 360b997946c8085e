// What thread sanitizer cannot see for itself: Debian's oneTBB is built without
// it. All of this is empty in other builds.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace penstock {

// What a thread did before TsanRelease(p) comes before what another does after
// TsanAcquire(p). The program itself must see to it that this is so.
inline void TsanRelease([[maybe_unused]] void* p) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(p);
#endif
}

inline void TsanAcquire([[maybe_unused]] void* p) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(p);
#endif
}

}  // namespace penstock
