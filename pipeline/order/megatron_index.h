// Megatron-LM's order of samples, as its GPTDataset has it: runs that began
// there go on here with the samples they would have had.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

struct MegatronOptions {
  uint64_t length = 0;   // of a sample, without the value that the next has too
  uint64_t samples = 0;  // that are wanted; 0 is what one pass gives
  uint32_t seed = 0;
};

// The same numbers as in Megatron's three index files.
struct MegatronIndex {
  // Where a sample begins: documents[place], `offset` values into it.
  struct Begin {
    uint32_t place = 0;
    uint32_t offset = 0;

    bool operator==(const Begin&) const = default;
  };

  uint64_t passes = 0;  // over all documents
  // Less than 80 % of the last pass is wanted, so it is shuffled by itself.
  bool last_apart = false;
  std::vector<uint32_t> documents;  // of all passes, shuffled
  // Samples, each `length` values behind the one before; then one more.
  std::vector<Begin> samples;
  std::vector<uint32_t> shuffled;  // which sample comes when
};

// `lengths` are those of documents, in the order of their files.
//
// Cost:    a walk over the documents and samples of all passes, by one thread.
// Errors:  kInvalidArgument for no values, for fewer than one sample and one
//          more have where samples are not asked for, and for 2^32 documents
//          or samples in all passes.
// Source:  megatron/core/datasets/gpt_dataset.py and helpers.cpp. Shuffles are
//          those of NumPy's RandomState.
StatusOr<MegatronIndex> MakeMegatronIndex(std::span<const uint32_t> lengths,
                                          const MegatronOptions& options);

}  // namespace penstock
