// A matcher that waits in a compiled file until a piece asks for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/bpe/token_matcher.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Pairs that merge, by rank; none: rank semantics, see MergesByRank.
using MergePairs = std::optional<Table<MergeTable::Pair>>;

// Nullopt where a token's parts may come about after it.
std::optional<TokenMatcher> MakeMatcher(const Vocabulary& vocabulary,
                                        const MergePairs& pairs);

// Whether the tables are whole is seen when they are first wanted: they are
// most of the file. Where they are not, they are made again.
//
// Threads: any number at a time.
class StoredMatcher {
 public:
  // `tables` is what TokenMatcher::Save wrote for what MakeMatcher makes of the
  // others, with that CRC-32C. All look where `tables` does, which must outlive
  // this.
  StoredMatcher(std::string_view tables, uint32_t checksum,
                Vocabulary vocabulary, MergePairs pairs)
      : tables_(tables),
        checksum_(checksum),
        vocabulary_(std::move(vocabulary)),
        pairs_(std::move(pairs)) {}

  const TokenMatcher& Get() const {
    const TokenMatcher* const matcher = got_.load(std::memory_order_acquire);
    return matcher != nullptr ? *matcher : GetFirst();
  }

 private:
  const TokenMatcher& GetFirst() const;
  std::optional<TokenMatcher> LoadOrMake() const;

  const std::string_view tables_;
  const uint32_t checksum_;
  const Vocabulary vocabulary_;
  const MergePairs pairs_;
  mutable std::once_flag made_;
  mutable std::optional<TokenMatcher> matcher_;  // there once made
  // The same: a piece asks some times, and call_once takes its time.
  mutable std::atomic<const TokenMatcher*> got_ = nullptr;
};

}  // namespace penstock
