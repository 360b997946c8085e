// How often each token of a vocabulary occurs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// Threads: one at a time; count on many with one for each, then Add them up.
// Memory:  8 bytes for each id up to the largest that occurs.
class TokenCounts {
 public:
  void Add(std::span<const TokenId> ids);
  void Add(const TokenCounts& other);

  struct Row {
    TokenId id;
    uint64_t count;

    friend bool operator==(const Row&, const Row&) = default;
  };
  // Those that occur, the most frequent first; of equal ones the lower id.
  std::vector<Row> MostFrequentFirst() const;

 private:
  std::vector<uint64_t> counts_;  // by id
};

}  // namespace penstock
