#include "tokenizer/vocabulary/part_cache.h"

#include <bit>
#include <utility>

namespace penstock {

void PartCache::UsePages() {
  entries_ = static_cast<Entry*>(pages_.data());
  set_shift_ = 64 - std::countr_zero(size_bytes() / (2 * sizeof(Entry)));
  used_ = 0;
}

void PartCache::Grow() {
  const ZeroPages old =
      std::exchange(pages_, ZeroPages(pages_.size_bytes() * 2));
  UsePages();
  const auto* const entries = static_cast<const Entry*>(old.data());
  for (size_t i = 0; i < old.size_bytes() / sizeof(Entry); ++i) {
    const Entry& entry = entries[i];
    if (IsFree(entry)) continue;
    bool known;
    Claim(SetOf(entry.key), entry.key, known) = entry;
  }
}

}  // namespace penstock
