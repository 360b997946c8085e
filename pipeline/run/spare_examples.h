// Decoded rows whose memory goes to those that are decoded next.
#pragma once

#include <cstddef>
#include <memory>

#include "formats/example/examples.h"
#include "pipeline/tasks/scratch_pool.h"

namespace penstock {

// The memory of rows that went is kept: of as many examples as there were at
// once, but of none that was more than kMostBytes, as after large records.
// Given back to the system it would come back a page at a time.
//
// Threads: any number at a time.
class SpareExamples {
 public:
  static constexpr size_t kMostBytes = 4 << 20;

  // Without rows. Their columns are of examples that went, or there are none.
  Examples Take() { return std::move(*unused_.Borrow()); }

  // Whose memory comes back to `spares`. That of the columns alone is kept.
  static std::shared_ptr<const Examples> Share(
      std::shared_ptr<SpareExamples> spares, Examples examples);

 private:
  ScratchPool<Examples> unused_;
};

}  // namespace penstock
