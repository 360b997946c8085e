// FillInMiddle: pieces are rearranged while they are copied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/files/status_or.h"
#include "pipeline/build/copy_values.h"
#include "pipeline/objective.h"

namespace penstock {

// How one piece is rearranged: values [0, first) are its prefix, [first,
// second) its middle, and of the rest all but the last three its suffix.
struct MiddleCut {
  bool rearranged = false;
  bool suffix_first = false;  // SPM
  size_t first = 0;
  size_t second = 0;
};

// Threads: any number at a time.
class FillInMiddleWriter {
 public:
  FillInMiddleWriter(const FillInMiddle& options, uint64_t dataset)
      : options_(options), dataset_(dataset) {}

  // Of the piece of `count` values of a record that begins at `begin`.
  MiddleCut CutOf(uint64_t record, uint64_t epoch, size_t begin,
                  size_t count) const;

  // As CopyValues().
  Status Write(const ValueRange& from, const TensorSpec& spec, size_t to,
               uint64_t epoch, Tensor& tensor, const Locate& locate,
               uint64_t record) const;

 private:
  const FillInMiddle options_;
  const uint64_t dataset_;
};

}  // namespace penstock
